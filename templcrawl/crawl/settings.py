"""The ``TEMPLCRAWL_*`` settings: read here and nowhere else, into one frozen value.

Every setting has a default, so an empty project works.  A value that is not accepted stops the start
of the crawl with an InvalidOption that names the setting, the value and what is accepted.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from scrapy.settings import BaseSettings

from templcrawl.algorithms.crawl_order.priority_steps import POLICIES, OrderPolicy
from templcrawl.algorithms.page_kinds.kinds import KINDS
from templcrawl.crawl.relevance import Relevance, relevance
from templcrawl.crawl.setting_rules import check_together, is_address
from templcrawl.crawl.setting_values import (
    PREFIX,
    names,
    number_if_any,
    seconds,
    store,
    switch,
    text,
    text_or_none,
    whole,
    whole_or_none,
)
from templcrawl.errors import InvalidOption, TemplcrawlError, brief
from templcrawl.memory.change_table import TEMPLATE_ONLY
from templcrawl.memory.options import MemoryOptions
from templcrawl.memory.site import MOST_TARGETS
from templcrawl.outputs.answers import ANSWERS, MARKDOWN, MAX_TRACKED, PAGE_KINDS, answers_that_need
from templcrawl.outputs.extractors import extractor
from templcrawl.page import markdown
from templcrawl.page.markdown_sections import LONGEST_SECTION

_FOCUSED_SLOW_START = 10
_TRACKED = 10_000


@dataclass(frozen=True)
class TemplcrawlSettings:
    """All settings of a crawl.

    Each attribute is the setting of that name in upper case after ``TEMPLCRAWL_``.  So is each attribute of
    ``memory`` (see :class:`~templcrawl.memory.options.MemoryOptions`), but for those of ``_NO_SETTINGS``.

    enabled               whether anything is done at all
    order                 which policy orders the crawl: a key of ``POLICIES``
    stop                  whether the links of a site that is spent are no longer sent
    targets               which pages go first: those like examples of these addresses, or of these types
                          (of ``page_types``), without any of these kinds
    relevance             function that gives how relevant a page is to the topic of the crawl; None: no topic
    priority_step         how much of Scrapy's priority one step back costs
    slow_start            pages that a new site's largest template must have before more than two requests of
                          the site are in flight; 0: no wait; None: as the order has it
    item_fields           answer (see :mod:`~templcrawl.outputs.answers`) -> item field that carries it
    max_section           characters of the longest section of Markdown; 0: no limit
    extractor             extractor of the article of a page, for ``article_text``; None: none
    extractor_kinds       kinds of the pages whose article is extracted, all other pages keep their content;
                          none: of every page
    page_types            folder of a folder of example pages for each page type; None: no page types
    page_kinds            kind of a page -> method of the spider that is called with it, where its request
                          names none
    hold                  first pages of a site whose items wait until more is known; 0: none
    strip_fields          item fields that hold HTML, for the pipeline that strips them
    drop_near_duplicates  whether items whose text nearly repeats an earlier one are dropped
    skip_unchanged        whether items of pages that are the same are dropped; "template only": those too of
                          which only something else than the content has changed
    url_field             item field that holds the page's address, for the pipelines
    checkpoint_seconds    seconds between two checkpoints, which write the learned state to the JOBDIR
    store                 address of the store where workers share what they learn; None: none
    sqlite_path           file of the SQLite pipeline
    postgresql_dsn        connection string of the PostgreSQL pipeline
    archive               folder or URI of the crawl archive; None: no archive
    archive_bodies        whether it stores the HTML of pages
    gc_threshold          new objects between two garbage collections while the spider runs, at least
    page_type_table       file that the page type of each leaf is written to, as JSON; None: none
    report                file that the HTML report of the crawl is written to; None: no report
    """

    enabled: bool = True
    order: str = "adaptive"
    stop: bool = False
    targets: tuple[str, ...] = ()
    relevance: Relevance | None = None
    priority_step: int = 10
    slow_start: int | None = None
    item_fields: Mapping[str, str] = field(default_factory=dict)
    max_section: int = LONGEST_SECTION
    extractor: str | None = None
    extractor_kinds: tuple[str, ...] = ()
    page_types: str | None = None
    page_kinds: Mapping[str, str] = field(default_factory=dict)
    hold: int = 0
    strip_fields: tuple[str, ...] = ()
    drop_near_duplicates: bool = False
    skip_unchanged: bool | str = False
    url_field: str = "url"
    checkpoint_seconds: float = 60.0
    store: str | None = None
    sqlite_path: str | None = None
    postgresql_dsn: str | None = None
    archive: str | None = None
    archive_bodies: bool = False
    gc_threshold: int = 5000
    page_type_table: str | None = None
    report: str | None = None
    memory: MemoryOptions = field(default_factory=MemoryOptions)

    @classmethod
    def from_settings(cls, settings: BaseSettings) -> TemplcrawlSettings:
        """Read all ``TEMPLCRAWL_*`` settings; raises InvalidOption or MissingExtra."""
        values = {
            name: _read(name, settings[PREFIX + name.upper()])
            for name in _READERS
            if PREFIX + name.upper() in settings
        }
        orders = values.get("order") != "off"
        memory = _memory_options(settings, values, orders=orders)
        check_together(values, memory, settings)
        return cls(**values, memory=memory)

    @property
    def target_pages(self) -> tuple[str, ...]:
        """The targets that are addresses of examples."""
        return tuple(target for target in self.targets if is_address(target))

    @property
    def target_types(self) -> tuple[str, ...]:
        """The targets that are names of page types or kinds."""
        return tuple(target for target in self.targets if not is_address(target))

    @property
    def policy(self) -> OrderPolicy:
        """The policy that orders the crawl."""
        return POLICIES[self.order]

    @property
    def slow_start_pages(self) -> int:
        """Pages that a new site's largest template must have; a focused crawl starts slowly by itself."""
        if self.order == "off":
            return 0
        if self.slow_start is None:
            return _FOCUSED_SLOW_START if self.order == "focus" else 0
        return self.slow_start


def _read(name: str, value: object) -> Any:
    """Read the value of a setting; whatever is wrong with it stops the start."""
    setting = PREFIX + name.upper()
    try:
        return _READERS[name](setting, value)
    except TemplcrawlError:
        raise
    except Exception as error:
        raise InvalidOption(setting, value, f"a value that can be read ({brief(error)})") from error


_FIXED = "it is fixed"
_OF_MEMORY = "it is an option of templcrawl.CrawlMemory alone"
_NO_SETTINGS = {
    "kernel": "set the environment variable of this name",
    "link_evidence": f"{PREFIX}ORDER = 'off' switches it off",
    "page_kinds": f"name the item field page_kind in {PREFIX}ITEM_FIELDS",
    "store_prefix": f"write it into {PREFIX}STORE, as redis://host/0?prefix=my-crawl",
    "store_seconds": f"write it into {PREFIX}STORE, as redis://host/0?seconds=86400",
    "sqlite_batch": _FIXED,
    "postgresql_batch": _FIXED,
    "archive_pages": _FIXED,
    "archive_seconds": _FIXED,
    "max_tags": _OF_MEMORY,
    "max_fingerprints": _OF_MEMORY,
    "max_sketches": _OF_MEMORY,
    "max_roles": _OF_MEMORY,
    "max_texts": _OF_MEMORY,
    "fingerprint_split": _OF_MEMORY,
}
"""Name that is no setting -> what to do instead."""


def unknown_settings(settings: BaseSettings) -> dict[str, str]:
    """Return unknown ``TEMPLCRAWL_*`` setting -> what to do instead, "" if nothing is known.

    >>> unknown_settings(BaseSettings({"TEMPLCRAWL_ODER": "off", "TEMPLCRAWL_SQLITE_BATCH": 7}))
    {'TEMPLCRAWL_ODER': 'is TEMPLCRAWL_ORDER meant?', 'TEMPLCRAWL_SQLITE_BATCH': 'it is fixed'}
    """
    names = setting_names()
    return {name: _advice(name, names) for name in settings if name.startswith(PREFIX) and name not in names}


def _advice(name: str, names: list[str]) -> str:
    from difflib import get_close_matches

    advice = _NO_SETTINGS.get(name.removeprefix(PREFIX).lower())
    nearest = get_close_matches(name, names, n=1, cutoff=0.8)
    return advice or (f"is {nearest[0]} meant?" if nearest else "")


def setting_names() -> list[str]:
    """Return the names of all settings, as a user writes them.

    >>> [name for name in setting_names() if "ORDER" in name]
    ['TEMPLCRAWL_ORDER']
    """
    of_memory = [option.name for option in fields(MemoryOptions) if option.name not in _NO_SETTINGS]
    return [PREFIX + name.upper() for name in (*_READERS, *of_memory)]


def _memory_options(settings: BaseSettings, asked: Mapping[str, Any], *, orders: bool) -> MemoryOptions:
    """Read the options of the memory; kinds and changes of pages are found if another setting needs them.

    asked   setting, in lower case and without its prefix -> its value
    orders  whether the crawl is ordered by the evidence about its links
    """
    item_fields = asked.get("item_fields", {})
    is_tracking = not answers_that_need(MAX_TRACKED).isdisjoint(item_fields)
    needs_kinds = not answers_that_need(PAGE_KINDS).isdisjoint(item_fields)
    names_kinds = not asked.get("page_types") and not {*KINDS}.isdisjoint(asked.get("targets", ()))
    needs_kinds |= names_kinds or bool(asked.get("page_kinds") or asked.get("extractor_kinds"))
    values: dict[str, Any] = {"link_evidence": orders, "page_kinds": needs_kinds}
    if is_tracking:
        values["max_tracked"] = _TRACKED
    for option in fields(MemoryOptions):
        name = PREFIX + option.name.upper()
        if name in settings and option.name not in _NO_SETTINGS:
            values[option.name] = number_if_any(settings[name])
    try:
        return MemoryOptions(**values)
    except InvalidOption as error:
        raise InvalidOption(PREFIX + error.name.upper(), error.value, error.accepted) from None


def _extractor(name: str, value: object) -> str | None:
    chosen = text_or_none(name, value)
    if chosen is not None:
        try:
            extractor(chosen)
        except InvalidOption as error:
            raise InvalidOption(name, chosen, error.accepted) from error
    return chosen


def _relevance(name: str, value: object) -> Relevance | None:
    try:
        return relevance(value) if value not in (None, "") else None
    except InvalidOption as error:
        raise InvalidOption(name, value, error.accepted) from error


def _order(name: str, value: object) -> str:
    if not isinstance(value, str) or value not in POLICIES:
        raise InvalidOption(name, value, f"one of {', '.join(sorted(POLICIES))}")
    return value


def _targets(name: str, value: object) -> tuple[str, ...]:
    try:
        targets = names(name, value or ())
    except InvalidOption as error:
        raise InvalidOption(name, value, "a list of addresses, or of names of page types or kinds") from error
    if len(targets) > MOST_TARGETS:
        raise InvalidOption(name, value, f"at most {MOST_TARGETS} targets")
    return targets


def _page_kinds(name: str, value: object) -> dict[str, str]:
    callbacks: Any = json.loads(value) if isinstance(value, str) and value.startswith("{") else value or {}
    is_dict = isinstance(callbacks, (Mapping, BaseSettings)) and {*KINDS}.issuperset(callbacks)
    if not is_dict or not all(isinstance(method, str) and method for method in callbacks.values()):
        accepted = f"a dict of kinds of pages ({', '.join(KINDS)}) to names of methods of the spider"
        raise InvalidOption(name, value, accepted)
    return dict(callbacks)


def _skipped(name: str, value: object) -> bool | str:
    try:
        return TEMPLATE_ONLY if value == TEMPLATE_ONLY else switch(name, value)
    except InvalidOption as error:
        raise InvalidOption(name, value, f"True, False or {TEMPLATE_ONLY!r}") from error


def _item_fields(name: str, value: object) -> dict[str, str]:
    if value is None:
        return {}
    fields_of = _fields_of(value)
    chosen = {answer: target for answer, target in fields_of.items() if target is not None}
    is_accepted = fields_of.keys() <= {*ANSWERS} and all(isinstance(v, str) and v for v in chosen.values())
    if not is_accepted:
        answers = ", ".join(ANSWERS)
        accepted = f"a list of item fields out of {answers}; or a dict of these to names of item fields"
        raise InvalidOption(name, dict(value) if isinstance(value, BaseSettings) else value, accepted)
    if answers_that_need(MARKDOWN) & chosen.keys():
        markdown.load()
    return chosen


def _fields_of(value: object) -> Mapping[Any, Any]:
    """Return answer -> field, of a dict, of JSON text of one, or of a list of answers."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            value = [part.strip() for part in str(value).split(",")]
    if isinstance(value, (Mapping, BaseSettings)):
        return value
    answers = value if isinstance(value, (list, tuple)) else [value]
    return {str(answer): answer for answer in answers}


_READERS: dict[str, Callable[[str, object], Any]] = {
    "enabled": switch,
    "order": _order,
    "stop": switch,
    "targets": _targets,
    "relevance": _relevance,
    "priority_step": whole(1),
    "slow_start": whole_or_none(0),
    "item_fields": _item_fields,
    "max_section": whole(0),
    "extractor": _extractor,
    "extractor_kinds": names,
    "page_types": text_or_none,
    "page_kinds": _page_kinds,
    "hold": whole(0),
    "strip_fields": names,
    "drop_near_duplicates": switch,
    "skip_unchanged": _skipped,
    "url_field": text,
    "checkpoint_seconds": seconds,
    "store": store,
    "sqlite_path": text_or_none,
    "postgresql_dsn": text_or_none,
    "archive": text_or_none,
    "archive_bodies": switch,
    "gc_threshold": whole(0),
    "page_type_table": text_or_none,
    "report": text_or_none,
}
