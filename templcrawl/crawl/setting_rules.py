"""Which settings need each other: checked once all are read, before a crawl starts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scrapy.settings import BaseSettings

from templcrawl.algorithms.page_kinds.kinds import KINDS
from templcrawl.crawl.setting_values import PREFIX
from templcrawl.errors import InvalidOption
from templcrawl.memory.options import MemoryOptions
from templcrawl.outputs.answers import ANSWERS

_NEEDED_SETTINGS = ("extractor", "page_types", "relevance")
"""Settings that an answer needs (:mod:`~templcrawl.outputs.answers`)."""

_NEEDED_ANSWERS = {"skip_unchanged": "changed", "drop_near_duplicates": "content_text"}
"""Setting of a pipeline that drops items -> the answer that it needs."""


def is_address(target: str) -> bool:
    """Say whether a target is the address of an example, not the name of a page type."""
    return target.startswith(("http://", "https://"))


def check_together(values: Mapping[str, Any], memory: MemoryOptions, settings: BaseSettings) -> None:
    """Raise InvalidOption for a setting that needs another one, or does not go with it.

    values    setting, in lower case and without its prefix -> its value, of those that are set
    settings  the same as they are written
    """
    _check_order(values, settings)
    _check_targets(values, settings)
    _check_items(values, settings)


def _check_order(values: Mapping[str, Any], settings: BaseSettings) -> None:
    if values.get("order") == "focus" and values.get("relevance") is None:
        raise InvalidOption(f"{PREFIX}ORDER", "focus", f"{PREFIX}RELEVANCE with it, or another order")
    if values.get("stop") and values.get("order", "adaptive") != "adaptive":
        order = f"False, or {PREFIX}ORDER = 'adaptive' with it: others may leave what pays to the end"
        raise InvalidOption(f"{PREFIX}STOP", settings[f"{PREFIX}STOP"], order)


def _check_targets(values: Mapping[str, Any], settings: BaseSettings) -> None:
    """Raise InvalidOption where targets are not used, missing, or of a type that has no examples."""
    targets = values.get("targets", ())
    if values.get("order") == "targets" and not targets:
        raise InvalidOption(f"{PREFIX}ORDER", "targets", f"{PREFIX}TARGETS with it, or another order")
    if targets and values.get("order") != "targets":
        needed = f"none unless {PREFIX}ORDER is 'targets'"
        if values.get("order") == "focus":
            needed += f" ('focus' goes by topic alone; {PREFIX}RELEVANCE judges pages in 'targets' too)"
        raise InvalidOption(f"{PREFIX}TARGETS", settings[f"{PREFIX}TARGETS"], needed)
    if not values.get("page_types") and not all(is_address(t) or t in KINDS for t in targets):
        kinds = ", ".join(KINDS)
        needed = f"addresses (http://...), kinds ({kinds}), or names of page types with {PREFIX}PAGE_TYPES"
        raise InvalidOption(f"{PREFIX}TARGETS", settings[f"{PREFIX}TARGETS"], needed)


def _check_items(values: Mapping[str, Any], settings: BaseSettings) -> None:
    """Raise InvalidOption where an item field needs a setting, or a pipeline an item field."""
    item_fields = values.get("item_fields", {})
    for answer in item_fields:
        needed = ANSWERS[answer].needs
        if needed in _NEEDED_SETTINGS and not values.get(needed):
            needed = f"no {answer} unless {PREFIX}{needed.upper()} is set"
            raise InvalidOption(f"{PREFIX}ITEM_FIELDS", item_fields, needed)
    kinds = values.get("extractor_kinds", ())
    if kinds and not ({*KINDS}.issuperset(kinds) and values.get("extractor")):
        needed = f"kinds of pages ({', '.join(KINDS)}), and {PREFIX}EXTRACTOR with them"
        raise InvalidOption(f"{PREFIX}EXTRACTOR_KINDS", settings[f"{PREFIX}EXTRACTOR_KINDS"], needed)
    for name, answer in _NEEDED_ANSWERS.items():
        if values.get(name) and answer not in item_fields:
            needed = f"none unless {answer!r} is one of {PREFIX}ITEM_FIELDS: a pipeline needs it"
            raise InvalidOption(PREFIX + name.upper(), settings[PREFIX + name.upper()], needed)
