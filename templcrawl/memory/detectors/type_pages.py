"""Pages of a site by their page types, and how many pages of the same type have each text run of a page.

The keys of the text runs of a page are stored, and the leaf of its page type.  The pages of a template are
looked up each time, as leaves come to belong to other templates.  Those of a template that vote have the
smallest hashes, as in the sample of a site (:mod:`templcrawl.memory.detectors.page_sample`).  When there are
too many pages, the template that has most of them loses the page with the largest hash.

P pages, n text runs a page.  Cost: O(P) to find those of a template, O(n log n) for each that votes.
Memory: at most 8 bytes for each run of P pages, of 64 pages some 200 KB.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from templcrawl.errors import BrokenInvariant, InvalidSnapshot
from templcrawl.memory.detectors.page_sample import MAX_RUNS, SampledPage, Shares
from templcrawl.memory.leaves import check_leaf
from templcrawl.memory.snapshot_parts import Entries, Part, Section
from templcrawl.memory.snapshot_values import COUNT, KEY, SORTED_KEYS, records
from templcrawl.page.arrays import Keys


class _StoredPage(NamedTuple):
    """What is stored of a page: the leaf of its page type, and the keys of its runs, sorted."""

    leaf: int
    keys: Keys


class TypePages(Section):
    """Pages, by their hash.

    size         pages of a template that vote at most
    template_of  leaf -> the template that it belongs to by now
    limit        pages that are stored at most
    """

    def __init__(self, *, size: int, template_of: Callable[[int], int], limit: int) -> None:
        self.limit = limit
        self._size = size
        self._template_of = template_of
        self._pages: dict[int, _StoredPage] = {}

    def __len__(self) -> int:
        return len(self._pages)

    @property
    def nbytes(self) -> int:
        """Bytes that their keys take."""
        return sum(page.keys.nbytes for page in self._pages.values())

    def shares(self, page: SampledPage, leaf: int) -> Shares:
        """Return for each text run how many other pages of the same template have it.

        leaf  the leaf of the page's type
        """
        sampled = [other for other in self._of_template(self._template_of(leaf)) if other != page.hash]
        having = np.zeros(len(page.keys))
        for other in sampled[: self._size]:
            having += np.isin(page.keys, self._pages[other].keys, assume_unique=True)
        pages = min(len(sampled), self._size)
        return Shares((having / max(pages, 1))[page.ranks], pages)

    def insert(self, page: SampledPage, leaf: int) -> None:
        """Insert a page; beyond the limit one of the template with most pages is evicted."""
        self._pages[page.hash] = _StoredPage(leaf, page.keys[:MAX_RUNS].copy())
        if len(self._pages) > self.limit:
            templates = [self._template_of(stored.leaf) for stored in self._pages.values()]
            largest = max(sorted(set(templates)), key=templates.count)
            del self._pages[self._of_template(largest)[-1]]

    def _of_template(self, template: int) -> list[int]:
        """Return the pages of a template, the smallest hash first."""
        return sorted(
            page for page, stored in self._pages.items() if self._template_of(stored.leaf) == template
        )

    def validate(self) -> None:
        """Raise BrokenInvariant if there are too many pages, or one of a leaf that no page type has."""
        if len(self._pages) > self.limit:
            raise BrokenInvariant("TypePages", f"{len(self._pages)} pages, at most {self.limit} can be")
        for page in self._pages.values():
            if len(page.keys) > MAX_RUNS:
                raise BrokenInvariant("TypePages", f"a page has {len(page.keys)} runs")
            check_leaf("TypePages", page.leaf, self._template_of)

    def parts(self) -> Sequence[Part]:
        """Return the pages, in the order in which they came."""
        kind = records(hash=KEY, leaf=COUNT, leaves=SORTED_KEYS)
        return [
            Entries(
                {"pages": kind},
                lambda: [[(page, *stored) for page, stored in self._pages.items()]],
                self._set,
            )
        ]

    def _set(self, rows: list[tuple[int, int, Keys]]) -> None:
        self._pages = {page: _StoredPage(leaf, keys) for page, leaf, keys in rows}
        if len(self._pages) < len(rows):
            raise InvalidSnapshot("pages", "a page comes twice")
