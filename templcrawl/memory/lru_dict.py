"""A mapping with a limit that evicts the least recently used entry.

Every table of a site's memory is bounded by one of these.  Each operation is O(1), amortised.

A dict keeps the order of its entries, but to find the first one it walks over all that were deleted before
it.  So the least recent keys are listed, a ``_SHARE``-th of the limit at a time, and evicted in that order;
a key that is used meanwhile is struck off.  (An ``OrderedDict`` would take half as much memory again, and the
garbage collector would walk through a subclass of ``dict``, also where its entries are numbers.)
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import islice
from typing import Any, Generic, TypeVar

from templcrawl.errors import BrokenInvariant, InvalidSnapshot

_SHARE = 16

_NO_LIST: list[Any] = []
_NONE_LISTED: set[Any] = set()
"""Shared by all tables until they are full, as most of a broad crawl never are; never changed."""

_MISSING: Any = object()

K = TypeVar("K")
V = TypeVar("V")


class LruDict(Generic[K, V]):
    """At most ``limit`` entries; setting or touching one makes it the most recent.

    >>> entries = LruDict(2)
    >>> entries["a"], entries["b"] = 1, 2
    >>> entries.touch("a"), entries.set("c", 3), list(entries)
    (1, 'b', ['a', 'c'])
    """

    __slots__ = ("_candidates", "_entries", "_listed", "limit")

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._entries: dict[K, V] = {}
        self._candidates: list[K] = _NO_LIST
        self._listed: set[K] = _NONE_LISTED

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, key: K) -> bool:
        return key in self._entries

    def __iter__(self) -> Iterator[K]:
        return iter(self._entries)

    def get(self, key: K) -> V | None:
        """Return the entry of a key without making it recent, or None."""
        return self._entries.get(key)

    def items(self) -> Iterator[tuple[K, V]]:
        """Yield the entries, the least recently used first."""
        return iter(self._entries.items())

    def values(self) -> Iterator[V]:
        """Yield the values, the least recently used first."""
        return iter(self._entries.values())

    def touch(self, key: K) -> V | None:
        """Return the entry of ``key`` and make it the most recent, or None."""
        value: V = self._entries.pop(key, _MISSING)
        if value is _MISSING:
            return None
        self._listed.discard(key)
        self._entries[key] = value
        return value

    def set(self, key: K, value: V) -> K | None:
        """Set an entry and make it the most recent; return the key that was evicted, or None."""
        entries = self._entries
        if entries.pop(key, _MISSING) is not _MISSING:
            self._listed.discard(key)
        entries[key] = value
        if len(entries) <= self.limit:
            return None
        evicted = self.least_recent()
        self.pop(evicted)
        return evicted

    __setitem__ = set

    def least_recent(self) -> K:
        """Return the key of the least recently used entry.  Raises IndexError where there is none."""
        while not self._candidates or self._candidates[-1] not in self._listed:
            if self._candidates:
                self._candidates.pop()
            else:
                self._candidates = list(islice(self._entries, 1 + self.limit // _SHARE))[::-1]
                self._listed = set(self._candidates)
                if not self._candidates:
                    raise IndexError("no entries")
        return self._candidates[-1]

    def pop(self, key: K) -> V | None:
        """Remove an entry and return it, or None."""
        self._listed.discard(key)
        return self._entries.pop(key, None)

    def fill(self, keys: Collection[K], values: Collection[V]) -> None:
        """Set entries, the least recently used first; of too many the last remain.

        Raises InvalidSnapshot if a key comes twice or has no value.
        """
        if not len(set(keys)) == len(keys) == len(values):
            sizes = f"{len(keys)} keys, {len(set(keys))} distinct, {len(values)} values"
            raise InvalidSnapshot("entries", sizes)
        for key, value in zip(keys, values):
            self.set(key, value)

    def validate(self) -> None:
        """Raise BrokenInvariant if there are too many entries, or the wrong ones are listed."""
        if len(self._entries) > self.limit:
            raise BrokenInvariant("LruDict", f"{len(self._entries)} entries, limit {self.limit}")
        listed = [key for key in reversed(self._candidates) if key in self._listed]
        if listed != list(islice(self._entries, len(self._listed))):
            raise BrokenInvariant(
                "LruDict", f"{len(listed)} keys are listed as the least recent, and are not"
            )


def sum_of_pairs(first: tuple[int, int], second: tuple[int, int]) -> tuple[int, int]:
    """Return two pairs of counts, summed."""
    return first[0] + second[0], first[1] + second[1]


def merged(
    tables: Iterable[Iterable[tuple[int, V]]],
    join: Callable[[V, V], V],
    limit: int,
    rank: Callable[[int, V], int] = lambda key, value: 0,
) -> dict[int, V]:
    """Return the entries of several tables, those of the highest rank last, whatever the order they came in.

    join   (value, value) -> the value of a key that two tables have; commutative and associative
    limit  entries that remain: those of the highest rank, of equal ranks those with the smallest keys

    >>> merged([[(7, 1), (9, 2)], [(7, 5)]], lambda a, b: a + b, limit=2)
    {9: 2, 7: 6}
    """
    total: dict[int, V] = {}
    for table in tables:
        for key, value in table:
            total[key] = join(total[key], value) if key in total else value
    best = sorted(total.items(), key=lambda entry: (-rank(*entry), entry[0]))[:limit]
    return dict(reversed(best))
