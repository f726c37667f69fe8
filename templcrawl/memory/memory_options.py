"""Options of a crawl's memory: how it learns and how much it keeps; and the table of its sections.

A few of the options are settings of a crawl too, of the same name (:mod:`templcrawl.crawl.settings`).  A new
section is a class (:class:`templcrawl.memory.sections.SiteSection`) and a row of ``SECTIONS``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import chain
from typing import Any, NamedTuple, TypedDict

from templcrawl.algorithms.pagelets.partition import MIN_LINKS
from templcrawl.errors import InvalidOption, suggestion
from templcrawl.memory.clusters import FingerprintClusters
from templcrawl.memory.detectors import ARRIVING, MAX_PAGES, PAGE_TYPE, STRIPPED
from templcrawl.page.kernel import SETTINGS
from templcrawl.page.tokens import Limits

MOST = 2**31 - 1  # the largest number that an option may be, where nothing else bounds it


class SectionRow(NamedTuple):
    """A row of the table of sections.

    path  its import path, in this room
    says  attributes that it adds to the observations of pages
    """

    path: str
    says: tuple[str, ...] = ()


SECTIONS = {
    "kinds": SectionRow("kind_table.KindTable", ("kind", "page_kind", "page_kind_confidence")),
    "changes": SectionRow(
        "change_table.ChangeTable", ("change", "changed", "content_hash", "first_seen", "last_changed")
    ),
    "visits": SectionRow("visit_table.VisitTable"),
    "topic": SectionRow("topic_links.TopicLinks"),
    "hubs": SectionRow("topic_links.HubLinks"),
    "targets": SectionRow("target_links.TargetLinks", ("is_target",)),
}
"""Name of a section -> its row; in the order in which they see a page."""

JUDGED = ("page_type", "relevance")  # attributes by functions of a page, before its site sees it

SAID = frozenset((*JUDGED, *chain.from_iterable(row.says for row in SECTIONS.values())))


def _one_of(*accepted: object, default: object) -> Any:
    return field(default=default, metadata={"accepted": accepted})


def _whole(default: int | None, least: int = 1, most: int = MOST) -> Any:
    return field(default=default, metadata={"least": least, "most": most})


@dataclass(frozen=True, slots=True)
class MemoryOptions:
    """Options of a crawl's memory.

    detector            which detector separates pages: one of ``ARRIVING``
    kernel              which reader reads pages: auto, on or off (:mod:`templcrawl.page.kernel`)
    min_pagelet_links   links that make a child of an element a pagelet of its own (the paper's k)
    template_pages      pages that must carry a pagelet before it counts as template
    fingerprint_split   where the fingerprint index splits a fingerprint (the paper's l)
    sample_pages        pages of a site that a page is compared with by the detector ``vote``
    sample_salt         which pages these are: another number, another draw; None: each crawl draws its own
    strip               what is template: what a site repeats ("site"), or a page type, too ("page type")
    link_evidence       whether the links of a site are evidence: where they stand and what they have led to,
                        by which a crawl is ordered; links in the template are told by it, too
    sections            what else is learned of a site: keys of ``SECTIONS``, each with options of its own
    job_began           when the crawl that goes on began, in seconds since 1970; None: it begins now
    spider              whose readings of pages are stored apart from those of others; "": of whoever comes
    max_characters      characters of a page that are read
    max_tags            tags of a page that are read
    max_sites           sites kept in memory; the least recently used one leaves
    max_pages           pages of a site that are remembered as seen
    max_fingerprints    distinct fingerprints kept of all sites
    max_siblings        pages of a site kept to compare later pages with by tokens
    max_sibling_bytes   bytes of those kept of a site to compare later pages with by lines, two a directory
    max_sketches        pages of a site kept to recognise near-duplicates of
    max_pagelets        distinct pagelets kept of a site
    max_links           link targets kept of a site
    max_roles           roles of links kept of a site
    max_texts           text blocks of a site remembered as seen
    """

    detector: str = _one_of(*sorted(ARRIVING), default="vote")
    kernel: str | None = _one_of(*SETTINGS, default=None)
    min_pagelet_links: int = _whole(MIN_LINKS)
    template_pages: int = _whole(2, least=2)
    fingerprint_split: int = _whole(17, most=24)
    sample_pages: int = _whole(16, most=MAX_PAGES)
    sample_salt: int | None = _whole(None, least=0, most=2**64 - 1)
    strip: str = _one_of(*STRIPPED, default=PAGE_TYPE)
    link_evidence: bool = _one_of(True, False, default=False)
    sections: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, metadata={"kind": Mapping})
    job_began: int | None = _whole(None, least=0, most=2**63 - 1)
    spider: str = field(default="", metadata={"kind": str})
    max_characters: int = _whole(Limits().max_characters)
    max_tags: int = _whole(Limits().max_tags)
    max_sites: int = _whole(500)
    max_pages: int = _whole(100_000)
    max_fingerprints: int = _whole(100_000)
    max_siblings: int = _whole(32)
    max_sibling_bytes: int = _whole(16 << 20)
    max_sketches: int = _whole(1_000)
    max_pagelets: int = _whole(20_000)
    max_links: int = _whole(50_000)
    max_roles: int = _whole(5_000)
    max_texts: int = _whole(65_536)

    def __post_init__(self) -> None:
        for option in fields(self):
            value = getattr(self, option.name)
            if value is not option.default:
                _check(option.name, value, **option.metadata)

    def new_clusters(self) -> FingerprintClusters:
        """Return an empty table of template clusters."""
        return FingerprintClusters(split=self.fingerprint_split, limit=self.max_fingerprints)

    @property
    def limits(self) -> Limits:
        """How much of a page is read, and by what."""
        return Limits(self.max_characters, self.max_tags, self.kernel)


class SingleOptions(TypedDict, total=False):
    """The options of :class:`MemoryOptions` as keyword arguments, for type checkers and editors."""

    detector: str
    kernel: str | None
    min_pagelet_links: int
    template_pages: int
    fingerprint_split: int
    sample_pages: int
    sample_salt: int | None
    strip: str
    link_evidence: bool
    sections: Mapping[str, Mapping[str, Any]]
    job_began: int | None
    spider: str
    max_characters: int
    max_tags: int
    max_sites: int
    max_pages: int
    max_fingerprints: int
    max_siblings: int
    max_sibling_bytes: int
    max_sketches: int
    max_pagelets: int
    max_links: int
    max_roles: int
    max_texts: int


def options_of(options: MemoryOptions | None, changes: Mapping[str, object]) -> MemoryOptions:
    """Return options that are given whole, or one by one by their names; raises InvalidOption."""
    names = [field.name for field in fields(MemoryOptions)]
    for name, value in changes.items():
        if name not in names:
            near = suggestion([name], names)
            raise InvalidOption(name, value, f"one of the options {', '.join(names)}{near}")
        if options is not None:
            raise InvalidOption(name, value, "either an options object or single options by keyword")
    return options or MemoryOptions(**changes)  # type: ignore[arg-type]


def _check(
    name: str,
    value: object,
    *,
    accepted: Sequence[object] = (),
    least: int = 0,
    most: int = MOST,
    kind: type = int,
) -> None:
    """Raise InvalidOption unless an option is one of some values, a text, or a number within its bounds."""
    if kind is Mapping:
        given = value if isinstance(value, Mapping) else {name: None}
        if not given.keys() <= SECTIONS.keys() or not all(isinstance(own, Mapping) for own in given.values()):
            near = suggestion(given, SECTIONS)
            accepted = f"a dict of names out of {', '.join(SECTIONS)} to dicts of their options{near}"
            raise InvalidOption(name, value, accepted)
    elif kind is str:
        if not isinstance(value, str):
            raise InvalidOption(name, value, "a text")
    elif accepted:
        if value not in accepted or type(value) is not type(accepted[0]):
            near = suggestion([value], [each for each in accepted if isinstance(each, str)])
            raise InvalidOption(name, value, f"one of {', '.join(map(str, accepted))}{near}")
    elif type(value) is not int or not least <= value <= most:
        bounds = f"of {least} or more, at most {most}" if most == MOST else f"from {least} to {most}"
        raise InvalidOption(name, value, f"a whole number {bounds}")
