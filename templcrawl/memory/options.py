"""How a crawl's memory learns, and how much it keeps: one frozen value.

The names are those of the settings, in lower case and without their prefix.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from templcrawl.algorithms.detectors import DETECTORS
from templcrawl.algorithms.pagelets import MIN_LINKS
from templcrawl.errors import InvalidOption
from templcrawl.page.limits import Limits


@dataclass(frozen=True, slots=True)
class MemoryOptions:
    """Options of a crawl's memory.

    detector            which detector separates pages: a key of ``DETECTORS``
    min_pagelet_links   links that make a child of an element a pagelet of its own (the paper's k)
    template_pages      pages that must carry a pagelet before it counts as template
    fingerprint_split   where the fingerprint index splits a fingerprint (the paper's l)
    max_characters      characters of a page that are read
    max_tags            tags of a page that are read
    max_sites           sites kept in memory; the least recently used one leaves
    max_pages           pages of a site that are remembered as seen
    max_fingerprints    distinct fingerprints kept of a site
    max_siblings        pages of a site kept to compare later pages with
    max_sketches        pages of a site kept to recognise near-duplicates of
    max_pagelets        distinct pagelets kept of a site
    max_links           link targets kept of a site
    """

    detector: str = "sandwich"
    min_pagelet_links: int = MIN_LINKS
    template_pages: int = 2
    fingerprint_split: int = 17
    max_characters: int = Limits().max_characters
    max_tags: int = Limits().max_tags
    max_sites: int = 500
    max_pages: int = 100_000
    max_fingerprints: int = 10_000
    max_siblings: int = 32
    max_sketches: int = 1_000
    max_pagelets: int = 20_000
    max_links: int = 50_000

    def __post_init__(self) -> None:
        if self.detector not in DETECTORS:
            raise InvalidOption("detector", self.detector, f"one of {', '.join(sorted(DETECTORS))}")
        for field in fields(self):
            value = getattr(self, field.name)
            least = 2 if field.name == "template_pages" else 1
            if field.name != "detector" and (type(value) is not int or value < least):
                raise InvalidOption(field.name, value, f"a whole number of {least} or more")
        if self.fingerprint_split > 24:
            raise InvalidOption("fingerprint_split", self.fingerprint_split, "a whole number from 1 to 24")

    @property
    def limits(self) -> Limits:
        """How much of a page is read."""
        return Limits(self.max_characters, self.max_tags)
