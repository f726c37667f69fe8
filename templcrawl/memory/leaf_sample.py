"""Some pages of a leaf, of a page type or of a site: those with the smallest keys.

A key is a hash of the address of a page, so the sample is random and does not depend on the order of the
pages.  A page that comes twice counts once, and a smaller sample is a part of a larger one.  The owner
decides what is stored of a page: its text, its paths, its runs.

Source: bottom-k sampling (Broder 1997).  k pages.  Cost: O(1) a page that is not drawn, else O(k).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from heapq import merge
from typing import Generic, TypeVar

T = TypeVar("T")


class LeafSample(Generic[T]):
    """At most ``most`` pages, by their keys.

    >>> sample = LeafSample[str](2)
    >>> for key, page in ((8, "h"), (3, "c"), (8, "again"), (5, "e"), (9, "i")):
    ...     if sample.takes(key):
    ...         sample.store(key, page)
    >>> [*sample], sample.takes(4), sample.takes(5)
    (['c', 'e'], True, False)
    """

    def __init__(self, most: int) -> None:
        """Start without pages; ``most`` is at least 1."""
        self.most = most
        self._keys: list[int] = []  # ascending
        self._pages: list[T] = []

    def __len__(self) -> int:
        return len(self._pages)

    def __iter__(self) -> Iterator[T]:
        """Yield the pages, by their keys."""
        return iter(self._pages)

    def takes(self, key: int) -> bool:
        """Return whether a page is drawn now: it is not there, and there is room or a larger key."""
        at = bisect_left(self._keys, key)
        return at < self.most and key not in self._keys[at : at + 1]

    def store(self, key: int, page: T) -> None:
        """Store a page that is drawn, maybe in the place of the one with the largest key."""
        at = bisect_left(self._keys, key)
        self._keys.insert(at, key)
        self._pages.insert(at, page)
        del self._keys[self.most :], self._pages[self.most :]

    def joined(self, other: LeafSample[T], most: int) -> LeafSample[T]:
        """Return a sample of the pages of both."""
        joined = LeafSample[T](most)
        both = (zip(one._keys, one._pages) for one in (self, other))
        for key, page in merge(*both, key=lambda pair: pair[0]):
            if joined.takes(key):
                joined.store(key, page)
        return joined
