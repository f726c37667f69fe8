"""The ``TEMPLCRAWL_*`` settings: declared and read here and nowhere else, into one frozen value.

A setting is one ``_setting`` of :class:`TemplcrawlSettings`: its default, its parser, its description in the
reference (``docs/build`` writes that table) and what else it needs.  Every setting has a default, so an
empty project works.  A value that is not accepted stops the start of the crawl with an InvalidOption that
names the setting, the value and what is accepted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields
from difflib import get_close_matches
from functools import cached_property
from typing import Any

from scrapy.settings import BaseSettings

from templcrawl.algorithms.crawl_order.link_value import POLICIES, OrderPolicy
from templcrawl.algorithms.page_kinds.kinds import KINDS
from templcrawl.crawl import setting_values as parse
from templcrawl.crawl.relevance import Relevance, relevance_or_none
from templcrawl.crawl.setting_values import PREFIX
from templcrawl.errors import InvalidOption, TemplcrawlError, brief
from templcrawl.memory.detectors import DETECTORS
from templcrawl.memory.detectors.detector import STRIPPED
from templcrawl.memory.options import MemoryOptions
from templcrawl.outputs.answers import ANSWERS, MAX_TRACKED, PAGE_KINDS, answers_that_need

_MEMORY = MemoryOptions()
_TRACKED = 10_000  # pages of a site, about 10 MB


def _setting(
    default: object, parse: Callable[[Any], object], meaning: str, needs: Callable[[Any], str] | None = None
) -> Any:
    """Declare a setting.

    default  its value where it is not set
    parse    value as written -> value (:mod:`templcrawl.crawl.setting_values`)
    meaning  its description in the reference, in Markdown
    needs    all settings -> what is accepted instead of a value other than the default, "" if nothing is
             missing
    """
    return field(
        default_factory=lambda: default, metadata={"parse": parse, "meaning": meaning, "needs": needs}
    )


# Settings that an answer needs (:mod:`~templcrawl.outputs.answers`).
_OF_ANSWERS = ("extractor", "page_types", "relevance")


def _is_address(target: str) -> bool:
    return target.startswith(("http://", "https://"))


def _needs_of_answers(chosen: TemplcrawlSettings) -> str:
    for answer in chosen.item_fields:
        needed = ANSWERS[answer].needs
        if needed in _OF_ANSWERS and not getattr(chosen, needed):
            return f"no {answer} unless {PREFIX}{needed.upper()} is set"
    return ""


def _needs_answer(name: str) -> Callable[[TemplcrawlSettings], str]:
    missing = f"none unless {name!r} is one of {PREFIX}ITEM_FIELDS: a pipeline needs it"
    return lambda chosen: "" if name in chosen.item_fields else missing


# Order -> the setting that it needs, and why.
_OF_ORDERS = {
    "focus": ("relevance", ""),
    "targets": ("targets", ""),
    "changes": ("store", ", to know what earlier crawls have read"),
}


def _needs_of_order(chosen: TemplcrawlSettings) -> str:
    if chosen.order not in _OF_ORDERS:
        return ""
    needed, why = _OF_ORDERS[chosen.order]
    return "" if getattr(chosen, needed) else f"{PREFIX}{needed.upper()} with it{why}, or another order"


def _needs_of_targets(chosen: TemplcrawlSettings) -> str:
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


def _needs_order(order: str, otherwise: str) -> Callable[[TemplcrawlSettings], str]:
    return lambda chosen: "" if chosen.order == order else otherwise


_needs_order_changes = _needs_order("changes", f"none unless {PREFIX}ORDER is 'changes'")


@dataclass(frozen=True)
class TemplcrawlSettings:
    """All settings of a crawl: each field is the setting of its name in upper case after ``TEMPLCRAWL_``."""

    enabled: bool = _setting(True, parse.switch, "`False` switches templcrawl off")
    item_fields: Mapping[str, str] = _setting(
        {}, parse.item_fields, "the [item fields](#item-fields) to fill; no other field is", _needs_of_answers
    )
    strip_fields: tuple[str, ...] = _setting(
        (), parse.names, "item fields with HTML that a pipeline strips the template from"
    )
    drop_near_duplicates: bool = _setting(
        False,
        parse.switch,
        "whether items of pages that nearly repeat an earlier page of their site are dropped",
        _needs_answer("near_duplicate"),
    )
    skip_unchanged: bool | str = _setting(
        False, parse.skipped, "whether items of unchanged pages are dropped", _needs_answer("changed")
    )
    page_type_table: str | None = _setting(
        None, parse.text, "a JSON file of the page type of each leaf at the end"
    )
    report: str | None = _setting(None, parse.text, "the file of an HTML report")
    detector: str = _setting(_MEMORY.detector, parse.one_of(DETECTORS), "the detector of the template")
    strip: str = _setting(
        _MEMORY.strip, parse.one_of(STRIPPED), "what is template: of a site or of a page type"
    )
    page_types: str | None = _setting(
        None, parse.text, "a folder with a folder of example pages for each page type"
    )
    page_kinds: Mapping[str, str] = _setting(
        {}, parse.callbacks, "kind -> method of the spider that gets its pages"
    )
    extractor: str | None = _setting(None, parse.extractor_name, "the extractor of the article")
    order: str = _setting("adaptive", parse.one_of(POLICIES), "which requests go first", _needs_of_order)
    targets: tuple[str, ...] = _setting(
        (), parse.targets, 'with the order `"targets"`, which pages go first', _needs_of_targets
    )
    stop: bool = _setting(
        False,
        parse.switch,
        "whether a spent site's links are no longer sent",
        _needs_order(
            "adaptive",
            f"False, or {PREFIX}ORDER = 'adaptive' with it: others may leave what pays to the end",
        ),
    )
    recrawl: float = _setting(
        0.05,
        parse.share_or_number,
        'with the order `"changes"`, what a crawl may leave unread: a share of what is new or has changed, '
        "or a number of pages; 0: nothing",
        _needs_order_changes,
    )
    recrawl_within: int = _setting(
        10, parse.whole(1), "of so many crawls, one leaves nothing unread", _needs_order_changes
    )
    relevance: Relevance | None = _setting(  # noqa: RUF009 (it is a field)
        None, relevance_or_none, "a function of a page that returns its relevance, from 0 to 1"
    )
    checkpoint_seconds: float = _setting(60.0, parse.seconds, "seconds between two checkpoints")
    store: str | None = _setting(
        None,
        parse.store,
        "a SQLite file that keeps what is learned, for later crawls; one crawl has it at a time",
    )
    database: str | None = _setting(
        None, parse.text, "the URL of a SQLite file or a PostgreSQL database that stores every item"
    )
    archive: str | None = _setting(None, parse.text, "the folder or URI of the archive")
    archive_bodies: bool = _setting(
        False, parse.switch, "whether the archive stores the HTML of pages, compressed"
    )
    max_characters: int = _setting(
        _MEMORY.max_characters, parse.whole(1), "characters of a page that are read"
    )
    max_sites: int = _setting(_MEMORY.max_sites, parse.whole(1), "sites in memory")
    max_pages: int = _setting(
        _MEMORY.max_pages, parse.whole(1), "pages of a site that are recognised when they come again"
    )

    @classmethod
    def from_settings(cls, settings: BaseSettings) -> TemplcrawlSettings:
        """Read all ``TEMPLCRAWL_*`` settings; raises InvalidOption or MissingExtra."""
        given = {
            each.name: _read(name, settings[name]) for name, each in SETTINGS.items() if name in settings
        }
        chosen, default = cls(**given), cls()
        for name, each in SETTINGS.items():
            find_missing = each.metadata["needs"]
            if find_missing is not None and getattr(chosen, each.name) != getattr(default, each.name):
                accepted = find_missing(chosen)
                if accepted:
                    raise InvalidOption(name, settings[name], accepted)
        return chosen

    @cached_property
    def memory(self) -> MemoryOptions:
        """The options of the memory; kinds and changes of pages are found if a setting needs them."""
        names_kinds = not self.page_types and not {*KINDS}.isdisjoint(self.targets)
        has_kinds = not answers_that_need(PAGE_KINDS).isdisjoint(self.item_fields)
        tracks = not answers_that_need(MAX_TRACKED).isdisjoint(self.item_fields)
        return MemoryOptions(
            detector=self.detector,
            strip=self.strip,
            page_kinds=names_kinds or has_kinds or bool(self.page_kinds),
            link_evidence=self.order != "off",
            max_characters=self.max_characters,
            max_sites=self.max_sites,
            max_pages=self.max_pages,
            max_tracked=_TRACKED if tracks or self.policy.by_change else 0,
        )

    @property
    def target_pages(self) -> tuple[str, ...]:
        """The targets that are addresses of examples."""
        return tuple(filter(_is_address, self.targets))

    @property
    def target_types(self) -> tuple[str, ...]:
        """The targets that are names of page types or kinds."""
        return tuple(target for target in self.targets if not _is_address(target))

    @property
    def policy(self) -> OrderPolicy:
        """The policy that orders the crawl."""
        return POLICIES[self.order]


# Name of a setting, as a user writes it -> its declaration.
SETTINGS: dict[str, Field[Any]] = {PREFIX + each.name.upper(): each for each in fields(TemplcrawlSettings)}


# What Scrapy's queue goes by.
QUEUE_SETTINGS = (
    "SCHEDULER",
    "SCHEDULER_PRIORITY_QUEUE",
    "SCHEDULER_MEMORY_QUEUE",
    "SCHEDULER_DISK_QUEUE",
    "SCHEDULER_START_MEMORY_QUEUE",
    "SCHEDULER_START_DISK_QUEUE",
)

# What a crawl writes, or shares with others.
OUTPUTS = tuple(
    PREFIX + name.upper() for name in ("archive", "database", "page_type_table", "report", "store")
)


def _read(name: str, value: object) -> Any:
    """Read the value of a setting; whatever is wrong with it stops the start."""
    try:
        return SETTINGS[name].metadata["parse"](value)
    except InvalidOption as error:
        raise InvalidOption(
            name, dict(value) if isinstance(value, Mapping) else value, error.accepted
        ) from error
    except TemplcrawlError:
        raise
    except Exception as error:
        raise InvalidOption(name, value, f"a value that can be read ({brief(error)})") from error


def unknown_settings(settings: BaseSettings) -> dict[str, str]:
    """Return unknown ``TEMPLCRAWL_*`` setting -> the nearest one that there is, "" if none is near.

    >>> unknown_settings(BaseSettings({"TEMPLCRAWL_ODER": "off", "TEMPLCRAWL_SAUCE": 7}))
    {'TEMPLCRAWL_ODER': 'TEMPLCRAWL_ORDER', 'TEMPLCRAWL_SAUCE': ''}
    """
    known = [name.removeprefix(PREFIX) for name in SETTINGS]
    unknown = (name for name in settings if name.startswith(PREFIX) and name not in SETTINGS)
    nearest = {name: get_close_matches(name.removeprefix(PREFIX), known, n=1) for name in unknown}
    return {name: PREFIX + near[0] if near else "" for name, near in nearest.items()}
