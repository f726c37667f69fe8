"""How a crawl's memory learns, and how much it keeps: one frozen value.

The names are those of the settings, in lower case and without their prefix.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from templcrawl.algorithms.pagelets.partition import MIN_LINKS
from templcrawl.errors import InvalidOption
from templcrawl.memory.clusters import FingerprintClusters
from templcrawl.memory.detectors.detector_table import DETECTORS
from templcrawl.memory.detectors.page_sample import MOST_PAGES
from templcrawl.memory.furniture import PAGE_TYPE, SITE, STRIPPED
from templcrawl.page.kernel import SETTINGS
from templcrawl.page.tokens import Limits

if TYPE_CHECKING:
    from templcrawl.memory.kind_table import KindTable

MOST = 2**31 - 1
"""The largest number that an option may be, where nothing else bounds it."""


@dataclass(frozen=True, slots=True)
class MemoryOptions:
    """Options of a crawl's memory.

    detector            which detector separates pages: a key of ``DETECTORS``
    kernel              which reader reads pages: auto, on or off (:mod:`templcrawl.page.kernel`)
    min_pagelet_links   links that make a child of an element a pagelet of its own (the paper's k)
    template_pages      pages that must carry a pagelet before it counts as template
    fingerprint_split   where the fingerprint index splits a fingerprint (the paper's l)
    sample_pages        pages of a site that a page is compared with by the detector ``vote``
    distill_pages       in a focused crawl, pages of a site after which its best hubs are worked out; 0: never
    sample_salt         which pages these are: another number, another draw; None: each crawl draws its own
    labels              "on": pages are labelled; "off": their leaf and template are not computed, and are ""
    strip               what is template: "site", what a site repeats; "page type", what a page type does, too
    page_kinds          whether the kind of each page is classified: article, product, listing ...
    link_evidence       whether the places of a site's links are stored, by which a crawl is ordered
    max_characters      characters of a page that are read
    max_tags            tags of a page that are read
    max_sites           sites kept in memory; the least recently used one leaves
    max_pages           pages of a site that are remembered as seen
    max_fingerprints    distinct fingerprints kept of all sites
    max_siblings        pages of a site kept to compare later pages with
    max_sketches        pages of a site kept to recognise near-duplicates of
    max_pagelets        distinct pagelets kept of a site
    max_links           link targets kept of a site
    max_roles           roles of links kept of a site
    max_texts           text blocks of a site remembered as seen
    max_tracked         pages of a site stored to find what changes on them; 0: none
    """

    detector: str = "vote"
    kernel: str | None = None
    min_pagelet_links: int = MIN_LINKS
    template_pages: int = 2
    fingerprint_split: int = 17
    sample_pages: int = 16
    sample_salt: int | None = None
    distill_pages: int = 0
    labels: str = "on"
    strip: str = SITE
    page_kinds: bool = False
    link_evidence: bool = True
    max_characters: int = Limits().max_characters
    max_tags: int = Limits().max_tags
    max_sites: int = 500
    max_pages: int = 100_000
    max_fingerprints: int = 100_000
    max_siblings: int = 32
    max_sketches: int = 1_000
    max_pagelets: int = 20_000
    max_links: int = 50_000
    max_roles: int = 5_000
    max_texts: int = 65_536
    max_tracked: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.detector, str) or self.detector not in DETECTORS:
            raise InvalidOption("detector", self.detector, f"one of {', '.join(sorted(DETECTORS))}")
        if self.kernel not in (None, *SETTINGS):
            raise InvalidOption("kernel", self.kernel, "auto, on or off")
        if self.labels not in ("on", "off"):
            raise InvalidOption("labels", self.labels, "on or off")
        if self.strip not in STRIPPED:
            raise InvalidOption("strip", self.strip, f"{SITE!r} or {PAGE_TYPE!r}")
        if self.strip == PAGE_TYPE and self.labels == "off":
            raise InvalidOption("strip", self.strip, f"{SITE!r}, unless pages are labelled (labels 'on')")
        for name in ("link_evidence", "page_kinds"):
            if not isinstance(getattr(self, name), bool):
                raise InvalidOption(name, getattr(self, name), "True or False")
        for field in fields(self):
            is_open = field.name == "sample_salt" and self.sample_salt is None
            if field.name not in _NO_NUMBERS and not is_open:
                _check_number(field.name, getattr(self, field.name))

    def new_kinds(self) -> KindTable | None:
        """Return an empty table of the kinds of a site's pages; None if kinds are not classified.

        Its weights take time to load, and few crawls ask for them.
        """
        if not self.page_kinds:
            return None
        from templcrawl.memory.kind_table import KindTable

        return KindTable()

    def new_clusters(self) -> FingerprintClusters:
        """Return an empty table of template clusters."""
        return FingerprintClusters(split=self.fingerprint_split, limit=self.max_fingerprints)

    @property
    def limits(self) -> Limits:
        """How much of a page is read, and by what."""
        return Limits(self.max_characters, self.max_tags, self.kernel)


def options_of(options: MemoryOptions | None, changes: Mapping[str, object]) -> MemoryOptions:
    """Return options that are given whole, or one by one by their names; raises InvalidOption."""
    names = [field.name for field in fields(MemoryOptions)]
    for name, value in changes.items():
        if name not in names:
            raise InvalidOption(name, value, f"an option that there is: {', '.join(names)}")
        if options is not None:
            raise InvalidOption(name, value, "all options at once, or single ones by keyword, not both")
    return options or MemoryOptions(**changes)  # type: ignore[arg-type]


_NO_NUMBERS = ("detector", "kernel", "labels", "strip", "link_evidence", "page_kinds")
_LEAST = {"template_pages": 2, "sample_salt": 0, "distill_pages": 0, "max_tracked": 0}
_MOST = {"fingerprint_split": 24, "sample_pages": MOST_PAGES, "sample_salt": 2**64 - 1}


def _check_number(name: str, value: object) -> None:
    """Raise InvalidOption unless an option is a whole number within its bounds."""
    least, most = _LEAST.get(name, 1), _MOST.get(name, MOST)
    if type(value) is not int or not least <= value <= most:
        bounds = f"from {least} to {most}" if name in _MOST else f"of {least} or more, at most {most}"
        raise InvalidOption(name, value, f"a whole number {bounds}")
