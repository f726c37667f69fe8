"""What a setting needs of the others: all settings -> what is accepted instead, "" if nothing is missing.

Asked for each setting that differs from its default, once all are read, before a crawl starts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from templcrawl.algorithms.page_kinds.kinds import KINDS
from templcrawl.crawl.setting_values import PREFIX
from templcrawl.memory.furniture import SITE
from templcrawl.outputs.answers import ANSWERS, LABELS, answers_that_need

if TYPE_CHECKING:
    from templcrawl.crawl.settings import TemplcrawlSettings

_OF_ANSWERS = ("extractor", "page_types", "relevance")
"""Settings that an answer needs (:mod:`~templcrawl.outputs.answers`)."""


def is_address(target: str) -> bool:
    """Say whether a target is the address of an example, not the name of a page type."""
    return target.startswith(("http://", "https://"))


def of_answers(chosen: TemplcrawlSettings) -> str:
    """Check that each item field has the setting that its answer needs."""
    for answer in chosen.item_fields:
        needed = ANSWERS[answer].needs
        if needed in _OF_ANSWERS and not getattr(chosen, needed):
            return f"no {answer} unless {PREFIX}{needed.upper()} is set"
    return ""


def answer(name: str) -> Callable[[TemplcrawlSettings], str]:
    """Return the check of a pipeline that needs the item field of an answer."""
    missing = f"none unless {name!r} is one of {PREFIX}ITEM_FIELDS: a pipeline needs it"
    return lambda chosen: "" if name in chosen.item_fields else missing


def of_order(chosen: TemplcrawlSettings) -> str:
    """Check that an order has what it goes by."""
    if chosen.order == "focus" and chosen.relevance is None:
        return f"{PREFIX}RELEVANCE with it, or another order"
    if chosen.order == "targets" and not chosen.targets:
        return f"{PREFIX}TARGETS with it, or another order"
    return ""


def of_targets(chosen: TemplcrawlSettings) -> str:
    """Check that targets are used, and that their page types have examples."""
    if chosen.order == "focus":
        return (
            f"none unless {PREFIX}ORDER is 'targets' ('focus' goes by topic alone; {PREFIX}RELEVANCE judges "
            "pages in 'targets' too)"
        )
    if chosen.order != "targets":
        return f"none unless {PREFIX}ORDER is 'targets'"
    if not chosen.page_types and not {*KINDS}.issuperset(chosen.target_types):
        kinds = ", ".join(KINDS)
        return f"addresses (http://...), kinds ({kinds}), or names of page types with {PREFIX}PAGE_TYPES"
    return ""


def adaptive_order(chosen: TemplcrawlSettings) -> str:
    """Check that what pays does not come last."""
    if chosen.order == "adaptive":
        return ""
    return f"False, or {PREFIX}ORDER = 'adaptive' with it: others may leave what pays to the end"


def labels(chosen: TemplcrawlSettings) -> str:
    """Check that pages have labels."""
    return "" if chosen.labels == "on" else f"{SITE!r}, or {PREFIX}LABELS = 'on' with it"


def no_labels(chosen: TemplcrawlSettings) -> str:
    """Check that nothing needs the labels of pages that have none."""
    needing = {
        "ITEM_FIELDS": sorted(answers_that_need(LABELS) & chosen.item_fields.keys()),
        "ALIASES": chosen.aliases,
        "TARGETS": [*filter(is_address, chosen.targets)],
    }
    for name, value in needing.items():
        if value:
            return f"'on', which {PREFIX}{name} = {value!r} needs"
    return ""
