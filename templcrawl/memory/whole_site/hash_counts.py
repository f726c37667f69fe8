"""On how many pages does each hash occur, and how often?  The first pass of the two-pass algorithms.

An exact table up to ``limit`` hashes.  Beyond that it is Manku & Motwani's lossy counting (VLDB 2002): the
hashes that fewest pages have are forgotten, at least half of the table at once, and the counts of one that
comes back start anew.  ``missed`` says how many pages a count may lack at most; no count is too large.  As
long as it is 0, the order of the pages makes no difference.

Pages are gathered and merged into a sorted table once they hold as many hashes as that.
h hashes in all, d <= limit distinct ones.  Cost: O(h log h) in numpy.  Memory: 20 bytes for each of at most
``limit`` hashes, and 12 for each of as many that wait.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from templcrawl.algorithms.similarity.shingles import Hashes
from templcrawl.errors import InvalidOption

Counts = npt.NDArray[np.uint32]

LIMIT = 2**18
_LEAST_WAITING = 2**14


class HashCounts:
    """A table of hashes.

    limit   hashes that are kept, at least 1
    pages   pages that were counted
    missed  pages that the count of a hash may lack; 0 as long as the table is exact

    >>> counts = HashCounts()
    >>> for page in ([1, 2, 2], [2, 3]):
    ...     counts.add(np.array(page, dtype=np.uint64))
    >>> counts.of(np.array([2, 3, 4], dtype=np.uint64))
    (array([2, 1, 0], dtype=uint32), array([3, 1, 0], dtype=uint32))
    """

    def __init__(self, *, limit: int = LIMIT) -> None:
        if limit < 1:
            raise InvalidOption("limit", limit, "a whole number of 1 or more")
        self.limit = limit
        self.pages = 0
        self.missed = 0
        self._keys: Hashes = np.empty(0, dtype=np.uint64)
        self._counts = np.empty((3, 0), dtype=np.uint32)  # pages, occurrences, pages that may be missed
        self._waiting: list[tuple[Hashes, Counts]] = []
        self._waiting_keys = 0

    def __len__(self) -> int:
        self._merge()
        return len(self._keys)

    @property
    def size(self) -> int:
        """Bytes that it takes, about."""
        return 20 * len(self._keys) + 12 * self._waiting_keys

    def add(self, hashes: Hashes) -> None:
        """Count the hashes of a page, as often as they occur on it."""
        keys, occurrences = np.unique(hashes, return_counts=True)
        self._waiting.append((keys, occurrences.astype(np.uint32)))
        self._waiting_keys += len(keys)
        self.pages += 1
        if self._waiting_keys > max(_LEAST_WAITING, min(len(self._keys), self.limit)):
            self._merge()

    def of(self, hashes: Hashes) -> tuple[Counts, Counts]:
        """Return for each hash (pages that have it, its occurrences)."""
        self._merge()
        counts = np.zeros((2, len(hashes)), dtype=np.uint32)
        if len(self._keys):
            indices = np.minimum(np.searchsorted(self._keys, hashes), len(self._keys) - 1)
            known = self._keys[indices] == hashes
            counts[:, known] = self._counts[:2, indices[known]]
        return counts[0], counts[1]

    def _merge(self) -> None:
        """Take the waiting pages into the table, and forget what is too much."""
        if not self._waiting:
            return
        keys = np.concatenate([self._keys, *(page for page, _ in self._waiting)])
        fresh = np.zeros((3, len(keys) - len(self._keys)), dtype=np.uint32)
        fresh[0] = 1
        fresh[1] = np.concatenate([occurrences for _, occurrences in self._waiting])
        counts = np.concatenate([self._counts, fresh], axis=1)
        self._waiting, self._waiting_keys = [], 0
        order = np.argsort(keys, kind="stable")
        keys, counts = keys[order], counts[:, order]
        first = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1]))) if len(keys) else order
        was_known = order[first] < len(self._keys)
        self._keys = keys[first]
        self._counts = np.add.reduceat(counts, first, axis=1, dtype=np.uint32) if len(first) else counts
        self._counts[2, ~was_known] = self.missed
        if len(self._keys) > self.limit:
            self._forget()

    def _forget(self) -> None:
        """Keep at most half of the limit: the hashes that most pages may have."""
        most = self._counts[0] + self._counts[2]
        self.missed = int(np.partition(most, -1 - self.limit // 2)[-1 - self.limit // 2])
        kept = most > self.missed
        self._keys, self._counts = self._keys[kept], np.ascontiguousarray(self._counts[:, kept])
