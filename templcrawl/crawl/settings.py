"""The ``TEMPLCRAWL_*`` settings: declared and read here and nowhere else, into one frozen value.

A setting is one ``_setting`` of :class:`TemplcrawlSettings`: its default, its parser, its description in the
reference (``docs/build`` writes that table) and what else it needs.  Every setting has a default, so an
empty project works.  A value that is not accepted stops the start of the crawl with an InvalidOption that
names the setting, the value and what is accepted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from scrapy.settings import BaseSettings

from templcrawl.crawl import setting_values as parse
from templcrawl.crawl.options import ORDERS
from templcrawl.crawl.setting_values import PREFIX
from templcrawl.errors import InvalidOption, TemplcrawlError, brief, nearest
from templcrawl.memory.detectors import ARRIVING, STRIPPED
from templcrawl.memory.memory_options import MemoryOptions
from templcrawl.outputs.answers import ANSWERS
from templcrawl.page import kernel

if TYPE_CHECKING:
    from templcrawl.crawl.relevance import Relevance

_MEMORY = MemoryOptions()
WITHOUT_BODIES = "#without-bodies"


def _setting(
    default: object,
    parse: Callable[[Any], object],
    meaning: str,
    needs: Callable[[Any], str] | None = None,
    section: str = "",
    *,
    is_output: bool = False,
) -> Any:
    """Declare a setting.

    default  its value where it is not set
    parse    value as written -> value (:mod:`templcrawl.crawl.setting_values`)
    meaning  its description in the reference, in Markdown
    needs    all settings -> what is accepted instead of a value other than the default, "" if nothing is
             missing
    section  what the memory learns for it (:data:`templcrawl.memory.memory_options.SECTIONS`)

    is_output  whether it names what a crawl writes
    """
    metadata = {
        "parse": parse, "meaning": meaning, "needs": needs, "section": section, "is_output": is_output
    }  # fmt: skip
    return field(default_factory=lambda: default, metadata=metadata)


# Settings that an answer needs (:mod:`~templcrawl.outputs.answers`).
_OF_ANSWERS = ("extractor", "page_type_examples", "relevance")


def _is_address(target: str) -> bool:
    return target.startswith(("http://", "https://"))


def _needs_of_answers(chosen: TemplcrawlSettings) -> str:
    for answer in chosen.item_fields:
        needed = ANSWERS[answer].needs
        if needed in _OF_ANSWERS and not getattr(chosen, needed):
            return f"fields without {answer}, or set {PREFIX}{needed.upper()} as well"
    return ""


def _needs_of_order(chosen: TemplcrawlSettings) -> str:
    order = ORDERS[chosen.order]
    is_met = not order.needs or getattr(chosen, order.needs)
    return "" if is_met else f"another order, or set {PREFIX}{order.needs.upper()} as well{order.why}"


def _needs_of_targets(chosen: TemplcrawlSettings) -> str:
    if chosen.order == "focus":
        return (
            f"none, or set {PREFIX}ORDER = 'targets', which goes by {PREFIX}RELEVANCE, too ('focus' goes by "
            "the topic alone)"
        )
    if chosen.order != "targets":
        return f"none, or set {PREFIX}ORDER = 'targets' as well"
    if chosen.page_type_examples or not chosen.target_types:
        return ""
    from templcrawl.crawl.kind_values import accepted_targets

    return accepted_targets(chosen.target_types)


def _needs_order(order: str, otherwise: str) -> Callable[[TemplcrawlSettings], str]:
    return lambda chosen: "" if chosen.order == order else otherwise


_needs_order_changes = _needs_order("changes", f"none, or set {PREFIX}ORDER = 'changes' as well")


@dataclass(frozen=True)
class TemplcrawlSettings:
    """All settings of a crawl: each field is the setting of its name in upper case after ``TEMPLCRAWL_``."""

    enabled: bool = _setting(True, parse.switch, "`False` switches templcrawl off")
    item_fields: Mapping[str, str] = _setting(
        {},
        parse.item_fields,
        "the [fields](#item-fields) that items gain",
        _needs_of_answers,
    )
    strip_fields: tuple[str, ...] = _setting(
        (), parse.names, "item fields with HTML from which a pipeline removes the template"
    )
    skip_unchanged: bool | str = _setting(
        False,
        parse.imported("templcrawl.crawl.pipelines.skipped", False),
        '`True` drops items of pages that have not changed since they were last read; `"template only"` also '
        "those of which only the template has changed",
        section="changes",
    )
    drop_near_duplicates: bool = _setting(
        False,
        parse.switch,
        "`True` drops items of pages whose content repeats an earlier page of their site, or nearly",
    )
    page_types_file: str | None = _setting(
        None,
        parse.text("page-types.json"),
        "a JSON file, written at the end, with the page type of each `leaf_id`",
        is_output=True,
    )
    report: str | None = _setting(
        None, parse.text("report.html"), "an HTML file about the crawl, written at the end", is_output=True
    )
    detector: str = _setting(
        _MEMORY.detector, parse.one_of(ARRIVING), "the method that tells template from content"
    )
    template_of: str = _setting(
        _MEMORY.strip,
        parse.one_of(STRIPPED),
        'whose repetitions are template: those of the `"site"` alone, or also those of each `"page type"`',
    )
    page_type_examples: str | None = _setting(
        None, parse.text("types/"), "a folder that has a folder of example pages for each page type"
    )
    kind_callbacks: Mapping[str, str] = _setting(
        {},
        parse.imported("templcrawl.crawl.kind_values.callbacks", {}),
        "kind of page -> name of the spider's method that gets such pages",
        section="kinds",
    )
    extractor: str | None = _setting(
        None, parse.extractor_name, "the extractor that finds the article in the content"
    )
    order: str = _setting("adaptive", parse.one_of(ORDERS), "which links are fetched first", _needs_of_order)
    targets: tuple[str, ...] = _setting(
        (),
        parse.imported("templcrawl.crawl.orders.targets_order.wanted_pages", ()),
        'with the order `"targets"`, examples or kinds of the pages to fetch first',
        _needs_of_targets,
    )
    stop: bool = _setting(
        False,
        parse.switch,
        "`True` no longer fetches links of a site whose last pages brought next to no new text",
        _needs_order(
            "adaptive",
            f"False, or set {PREFIX}ORDER = 'adaptive': with other orders the best links may come last",
        ),
    )
    may_miss: float = _setting(
        0.05,
        parse.share_or_number,
        'with the order `"changes"`, how many changes may be missed: a share, or a number of pages; 0 '
        "fetches everything",
        _needs_order_changes,
    )
    full_crawl_every: int = _setting(
        10,
        parse.whole(1),
        'with the order `"changes"`, one of so many crawls of a site fetches everything',
        _needs_order_changes,
    )
    changes: str | None = _setting(
        None,
        parse.text("changes.jsonl"),
        'with the order `"changes"`, a file of JSON lines, or the URL of a database for its table `changes`: '
        "each page that is new, changed or gone, with what was known of it",
        _needs_order_changes,
        is_output=True,
    )
    topic: str | None = _setting(
        None,
        parse.imported("templcrawl.crawl.relevance.topic"),
        "words and phrases, with commas: pages that have them come first",
    )
    relevance: Relevance | None = _setting(  # noqa: RUF009 (it is a field)
        None,
        parse.imported("templcrawl.crawl.relevance.relevance_or_none"),
        "a function of a page, or its import path, that returns how relevant the page is, from 0 to 1",
    )
    store: str | None = _setting(
        None,
        parse.store,
        "a SQLite file that keeps what is learned for later crawls; only one crawl may use it at a time",
        is_output=True,
    )
    database: str | None = _setting(
        None,
        parse.text("sqlite:pages.sqlite"),
        "the URL of a SQLite file or a PostgreSQL database in which every item is stored",
        is_output=True,
    )
    archive: str | None = _setting(
        None,
        parse.text("archive/"),
        "a folder or URI for the archive, which has each page and what was found on it as Parquet; with "
        f"`{WITHOUT_BODIES}` at its end, not the HTML",
        is_output=True,
    )
    limits: Mapping[str, int] = _setting(
        {},
        parse.limits,
        f"a dict of limits: `max_characters` of a page that are read ({_MEMORY.max_characters:,}), "
        f"`max_sites` in memory ({_MEMORY.max_sites}), `max_pages` of a site that are recognised when "
        f"they come again ({_MEMORY.max_pages:,}), `max_signals`, the sitemaps and feeds of a site that the "
        f'order `"changes"` reads ({parse.MAX_SIGNALS}; 0: none)',
    )

    @classmethod
    def from_settings(cls, settings: BaseSettings) -> TemplcrawlSettings:
        """Read all ``TEMPLCRAWL_*`` settings; raises InvalidOption or MissingExtra."""
        given = {
            each.name: _read(name, settings[name]) for name, each in SETTINGS.items() if name in settings
        }
        _choose(given)
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
        """The options of the memory, without what the order adds."""
        asked = {ANSWERS[answer].section for answer in self.item_fields}
        asked |= {each.metadata["section"] for each in fields(self) if getattr(self, each.name)}
        options = MemoryOptions(
            detector=self.detector,
            strip=self.template_of,
            link_evidence=self.order != "off" or bool(self.report),
            sections={name: {} for name in sorted(asked - {""})},
        )
        limits: Any = {name: limit for name, limit in self.limits.items() if name != "max_signals"}
        return replace(options, **limits)

    @property
    def recrawls(self) -> bool:
        """True if the order goes by what earlier crawls have read."""
        return self.order == "changes"

    @property
    def reads_signals(self) -> bool:
        """True if the order goes by sitemaps and feeds, too."""
        return self.recrawls and self.max_signals > 0

    @property
    def max_signals(self) -> int:
        """How many sitemaps and feeds of a site may be read."""
        return self.limits.get("max_signals", parse.MAX_SIGNALS)

    @property
    def target_pages(self) -> tuple[str, ...]:
        """The targets that are addresses of examples."""
        return tuple(filter(_is_address, self.targets))

    @property
    def target_types(self) -> tuple[str, ...]:
        """The targets that are names of page types or kinds."""
        return tuple(target for target in self.targets if not _is_address(target))


# Name of a setting, as a user writes it -> its declaration.
SETTINGS: dict[str, Field[Any]] = {PREFIX + each.name.upper(): each for each in fields(TemplcrawlSettings)}

OUTPUTS = tuple(name for name, each in SETTINGS.items() if each.metadata["is_output"])


def _choose(given: dict[str, Any]) -> None:
    """Choose the order by targets or a topic, and the topic as the judge of pages; raises InvalidOption."""
    if topic := given.get("topic"):
        if given.get("relevance") is not None:
            raise InvalidOption(f"{PREFIX}TOPIC", topic, f"no topic beside {PREFIX}RELEVANCE")
        from templcrawl.algorithms.crawl_order.focus import TopicWords

        given["relevance"] = TopicWords(topic)
    given.setdefault("order", "targets" if given.get("targets") else "focus" if topic else "adaptive")


def _read(name: str, value: object) -> Any:
    """Read the value of a setting; any error in it stops the start."""
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
    """Return unknown ``TEMPLCRAWL_*`` setting -> what a message adds: the nearest one, "" if none is near.

    >>> unknown_settings(BaseSettings({"TEMPLCRAWL_ODER": "off", "TEMPLCRAWL_SAUCE": 7}))
    {'TEMPLCRAWL_ODER': ': is TEMPLCRAWL_ORDER meant?', 'TEMPLCRAWL_SAUCE': ''}
    """
    known = {name.removeprefix(PREFIX): name for name in SETTINGS}
    unknown = [name for name in settings if name.startswith(PREFIX) and name not in SETTINGS]
    near = {name: nearest(name.removeprefix(PREFIX), known) for name in unknown}
    hints = {name: f": is {known[other]} meant?" if other else "" for name, other in near.items()}
    if kernel.SETTING in hints:
        hints[kernel.SETTING] = (
            ": it is a variable of the environment, as in TEMPLCRAWL_KERNEL=off scrapy crawl"
        )
    return hints
