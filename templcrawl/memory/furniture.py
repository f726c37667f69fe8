"""Page-type furniture of a site, found in its memory, for ``TEMPLCRAWL_STRIP = "page type"``.

At most 256 pages of a site are stored by their page types (:mod:`templcrawl.memory.detectors.type_pages`); of
those of a page's type at most 16 vote on which of its text runs are furniture
(:mod:`templcrawl.algorithms.extraction.facts`).  Each worker of a crawl goes by its own pages.

n text runs a page.  Cost of a page: O(n log n), and O(1) for each stored page.  Memory: some 4 KB for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from templcrawl.algorithms.extraction.facts import without_type_furniture
from templcrawl.memory.detectors.detector import TemplateOf
from templcrawl.memory.detectors.page_sample import PageSample
from templcrawl.memory.detectors.type_pages import TypePages
from templcrawl.memory.snapshot_parts import Nested, Part, Section
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation

SITE, PAGE_TYPE = "site", "page type"
STRIPPED = (SITE, PAGE_TYPE)
"""What is template: what the site repeats; what a page type does, too."""

_STORED, _VOTING = 256, 16


class FurnitureOptions(Protocol):
    """The options of a crawl's memory that are read here."""

    @property
    def strip(self) -> str:
        """What is template."""

    @property
    def sample_salt(self) -> int | None:
        """Which pages vote."""


def furniture_of(options: FurnitureOptions, template_of: TemplateOf) -> TypeFurniture | None:
    """Return what finds the furniture of page types; None if it is not stripped."""
    return TypeFurniture(options.sample_salt or 0, template_of) if options.strip == PAGE_TYPE else None


class TypeFurniture(Section):
    """Pages of a site that vote on what their page type repeats.

    salt         which pages vote
    template_of  leaf -> the template that it currently belongs to
    """

    def __init__(self, salt: int, template_of: TemplateOf) -> None:
        self._reader = PageSample(size=_VOTING, salt=salt)
        self._pages = TypePages(size=_VOTING, template_of=template_of, limit=_STORED)

    @property
    def nbytes(self) -> int:
        """Bytes that the pages take, about."""
        return self._pages.nbytes

    def strip(self, separation: Separation, leaf: int) -> Separation:
        """Return a separation whose template also has what other pages of the page's type repeat."""
        page = self._reader.read(separation.page.text_runs.keys)
        return without_type_furniture(separation, *self._pages.shares(page, leaf))

    def insert(self, page: Page, leaf: int) -> None:
        """Let a page vote."""
        self._pages.insert(self._reader.read(page.text_runs.keys), leaf)

    def parts(self) -> Sequence[Part]:
        """Return the pages."""
        return [Nested("pages", self._pages)]
