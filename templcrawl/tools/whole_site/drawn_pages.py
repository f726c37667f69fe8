"""A random sample of pages, drawn by the hashes of their URLs: the P pages of the text-based algorithm.

Bottom-k sampling (Broder 1997): of all pages ever offered those with the smallest hashes are stored.  So the
sample is a uniform one, whatever the order and number of the pages, a page offered twice counts once, and
a smaller sample is a part of a larger one.  A page is stored as a set of 64-bit keys.

Cost: O(log P) a page that is not drawn.  Memory: 8 bytes for each key of P pages.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import NamedTuple

import numpy as np
from xxhash import xxh3_64_intdigest

from templcrawl.errors import InvalidOption
from templcrawl.page.arrays import Keys


class DrawnPage(NamedTuple):
    """What is stored of a page.

    rank  the hash of its URL, smaller than those of the pages that were not drawn
    page  the key of its URL
    keys  its distinct keys, ascending
    """

    rank: int
    page: int
    keys: Keys


class DrawnPages:
    """At most ``most`` pages.

    most  pages that are stored, at least 1
    salt  which pages are drawn: another number, another draw
    """

    def __init__(self, most: int, *, salt: int = 0) -> None:
        if most < 1:
            raise InvalidOption("sample", most, "a whole number of 1 or more")
        self.most = most
        self.salt = salt
        self._ranks: list[int] = []
        self._drawn: list[DrawnPage] = []

    def __len__(self) -> int:
        return len(self._drawn)

    @property
    def pages(self) -> list[DrawnPage]:
        """The pages, by their ranks."""
        return self._drawn

    @property
    def size(self) -> int:
        """Bytes that it takes, about."""
        return sum(page.keys.nbytes for page in self._drawn)

    def accepts(self, page: int) -> bool:
        """Return whether a page would be drawn, by the key of its URL."""
        rank = self._rank(page)
        index = bisect_left(self._ranks, rank)
        return self._ranks[index : index + 1] != [rank] and index < self.most

    def insert(self, page: int, keys: Keys) -> None:
        """Insert a page if it is accepted; the one with the largest rank is evicted."""
        if not self.accepts(page):
            return
        rank = self._rank(page)
        index = bisect_left(self._ranks, rank)
        self._ranks.insert(index, rank)
        self._drawn.insert(index, DrawnPage(rank, page, np.unique(keys)))
        del self._ranks[self.most :], self._drawn[self.most :]

    def _rank(self, page: int) -> int:
        return xxh3_64_intdigest(page.to_bytes(8, "little"), seed=self.salt)
