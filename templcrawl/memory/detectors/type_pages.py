"""Pages of a site by their leaves, and how many of those built like a page have each of its text runs.

The keys of the text runs of a page are stored, and its leaf.  Of the pages near a page
(:mod:`templcrawl.memory.leaves`) those with the smallest hashes vote, as in the sample of a site
(:mod:`templcrawl.memory.detectors.page_sample`).  When there are too many pages, the leaf that has most of
them loses the page with the largest hash.

P pages, n text runs a page.  Cost: O(P) to find those of a template, O(n log n) for each that votes.
Memory: at most 8 bytes for each run of P pages, of 64 pages some 200 KB.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from templcrawl.errors import BrokenInvariant, InvalidSnapshot
from templcrawl.memory.detectors.page_sample import MAX_RUNS, SampledPage, Shares
from templcrawl.memory.leaves import Place
from templcrawl.memory.snapshot_parts import Entries, Part, Section
from templcrawl.memory.snapshot_values import COUNT, KEY, SORTED_KEYS, records
from templcrawl.page.ancestors import Keys


class _StoredPage(NamedTuple):
    """What is stored of a page: its leaf, and the keys of its runs, sorted."""

    leaf: int
    keys: Keys


class TypePages(Section):
    """Pages, by their hash.

    size   pages that vote on a page at most
    limit  pages that are stored at most
    """

    def __init__(self, *, size: int, limit: int) -> None:
        self.limit = limit
        self._size = size
        self._pages: dict[int, _StoredPage] = {}

    def __len__(self) -> int:
        return len(self._pages)

    @property
    def nbytes(self) -> int:
        """Bytes that their keys take."""
        return sum(page.keys.nbytes for page in self._pages.values())

    def shares(self, page: SampledPage, place: Place) -> Shares:
        """Return for each text run how many other pages built like a page have it."""
        near = (key for key, stored in self._pages.items() if key != page.hash and place.is_near(stored.leaf))
        voting = sorted(near)[: self._size]
        having = np.zeros(len(page.keys))
        for other in voting:
            having += np.isin(page.keys, self._pages[other].keys, assume_unique=True)
        return Shares((having / max(len(voting), 1))[page.ranks], len(voting))

    def insert(self, page: SampledPage, leaf: int) -> None:
        """Insert a page; beyond the limit one of the leaf with most pages is evicted."""
        self._pages[page.hash] = _StoredPage(leaf, page.keys[:MAX_RUNS].copy())
        if len(self._pages) > self.limit:
            pages = Counter(stored.leaf for stored in self._pages.values())
            largest = max(sorted(pages), key=pages.__getitem__)
            del self._pages[max(key for key, stored in self._pages.items() if stored.leaf == largest)]

    def leaves(self) -> list[int]:
        """Return the leaf of each page."""
        return [page.leaf for page in self._pages.values()]

    def validate(self) -> None:
        """Raise BrokenInvariant if there are too many pages, or one has too many runs."""
        if len(self._pages) > self.limit:
            raise BrokenInvariant("TypePages", f"{len(self._pages)} pages, at most {self.limit} can be")
        for page in self._pages.values():
            if len(page.keys) > MAX_RUNS:
                raise BrokenInvariant("TypePages", f"a page has {len(page.keys)} runs")

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
