"""On how many pages of a site each pagelet stands: local template detection as the crawl goes.

Source: Bar-Yossef & Rajagopalan (WWW 2002), Figure 4, kept as one count a shingle.  A pagelet is template
once ``template_pages`` pages carry it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import add

from templcrawl.errors import BrokenInvariant
from templcrawl.memory.entries import MOST_COUNT
from templcrawl.memory.lru_dict import LruDict, merged
from templcrawl.memory.snapshots import Column, Part, Table


class PageletTable(Part):
    """Shingle of a pagelet -> pages that carry it; bounded, the least recently seen leave.

    others  what other workers of the crawl have counted, None without any
    """

    def __init__(self, *, template_pages: int, limit: int) -> None:
        self.template_pages = template_pages
        self._pages: LruDict[int, int] = LruDict(limit)
        self.others: PageletTable | None = None

    def __len__(self) -> int:
        return len(self._pages)

    def count(self, shingles: Iterable[int]) -> None:
        """Count one more page for each of these pagelets."""
        for shingle in dict.fromkeys(shingles):
            if shingle:
                self._pages[shingle] = (self._pages.get(shingle) or 0) + 1

    def template_pages_of(self, shingle: int) -> int:
        """Return how many pages carry this pagelet if it is template, else 0."""
        pages = self._pages_of(shingle)
        return pages if pages >= self.template_pages else 0

    def _pages_of(self, shingle: int) -> int:
        pages = self._pages.get(shingle) or 0
        return pages if self.others is None else pages + self.others._pages_of(shingle)

    def templates(self) -> int:
        """Return how many of the known pagelets are template."""
        return sum(self._pages_of(shingle) >= self.template_pages for shingle in self._pages)

    def unite(self, tables: Sequence[PageletTable]) -> None:
        """Become the sum of tables; of too many pagelets those on most pages stay."""
        self._pages = merged(
            (table._pages.items() for table in tables), add, self._pages.limit, lambda shingle, pages: pages
        )

    def validate(self) -> None:
        """Raise BrokenInvariant if there are more pagelets than the limit allows, or one is on no page."""
        super().validate()
        if not all(1 <= pages < MOST_COUNT for pages in self._pages.values()):
            raise BrokenInvariant("PageletTable", "a pagelet is on no page, or on too many")

    def columns(self) -> list[Column]:
        """Return the counts."""
        return [Table(self._pages, "shingles", "pages")]
