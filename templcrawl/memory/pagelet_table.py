"""On how many pages of a site each pagelet stands: local template detection as the crawl goes.

Source: Bar-Yossef & Rajagopalan (WWW 2002), Figure 4, kept as one count a shingle.  A pagelet is template
once ``template_pages`` pages carry it.

The content of a pagelet is its words and the addresses of its links.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from templcrawl.algorithms.pagelets.partition import Pagelet
from templcrawl.algorithms.similarity.shingles import WIDTH, Hashes, combine, shingle_of
from templcrawl.errors import BrokenInvariant
from templcrawl.memory.entries import MOST_COUNT
from templcrawl.memory.recent import Recent
from templcrawl.memory.snapshots import Column, Part, Table
from templcrawl.page.page import Page


class PageletTable(Part):
    """Shingle of a pagelet -> pages that carry it; bounded, the least recently seen leave."""

    def __init__(self, *, template_pages: int, limit: int) -> None:
        self.template_pages = template_pages
        self._pages: Recent[int, int] = Recent(limit)

    def __len__(self) -> int:
        return len(self._pages)

    def count(self, shingles: Iterable[int]) -> None:
        """Count one more page for each of these pagelets."""
        for shingle in dict.fromkeys(shingles):
            if shingle:
                self._pages[shingle] = (self._pages.get(shingle) or 0) + 1

    def template_pages_of(self, shingle: int) -> int:
        """Return how many pages carry this pagelet if it is template, else 0."""
        pages = self._pages.get(shingle) or 0
        return pages if pages >= self.template_pages else 0

    def templates(self) -> int:
        """Return how many of the known pagelets are template."""
        return sum(pages >= self.template_pages for pages in self._pages.values())

    def check(self) -> None:
        """Raise BrokenInvariant if there are more pagelets than the limit allows, or one is on no page."""
        super().check()
        if not all(1 <= pages < MOST_COUNT for pages in self._pages.values()):
            raise BrokenInvariant("PageletTable", "a pagelet is on no page, or on too many")

    def columns(self) -> list[Column]:
        """Return the counts."""
        return [Table(self._pages, "shingles", "pages")]


def pagelet_shingles(page: Page, pagelets: Sequence[Pagelet], term_shingles: Hashes) -> list[int]:
    """Return pagelet -> the one shingle of its words and link addresses; 0 for one without links.

    term_shingles  the shingle that starts at each term of the page
    """
    starts, width = page.terms.starts, WIDTH
    shingles = []
    for pagelet in pagelets:
        if not pagelet.links:
            shingles.append(0)
            continue
        first, stop = starts[pagelet.start], starts[pagelet.stop]
        if stop - first < width:
            shingles.append(shingle_of(combine(page.terms.hashes[first:stop])))
        else:
            shingles.append(shingle_of(term_shingles[first : stop - width + 1]))
    return shingles
