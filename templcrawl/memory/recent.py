"""A mapping that keeps what was used most recently, up to a fixed number of entries.

Every table of a site's memory is one of these; it is what bounds them.  Each operation is O(1), amortised.

A dict keeps the order of its entries, but to find its first one it walks over all that were deleted before
it.  So the oldest keys are listed, a ``_SHARE``-th of the limit at a time, and leave by that list; what is
used meanwhile is struck off.  (An ``OrderedDict`` would take half as much memory again.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Generic, TypeVar

from templcrawl.errors import BrokenInvariant, InvalidSnapshot

_SHARE = 16

_NO_LIST: list[Any] = []
_NONE_LISTED: set[Any] = set()
"""What tables share until they are full, as most of a broad crawl never are; nothing is added to either."""

K = TypeVar("K")
V = TypeVar("V")


class Recent(Generic[K, V]):
    """At most ``limit`` entries; setting or using one makes it the most recent, the oldest leaves.

    >>> recent = Recent(2)
    >>> recent["a"], recent["b"] = 1, 2
    >>> recent.use("a"), recent.set("c", 3), list(recent)
    (1, 'b', ['a', 'c'])
    """

    __slots__ = ("_entries", "_listed", "_oldest", "get", "limit")

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._entries: dict[K, V] = {}
        self._oldest: list[K] = _NO_LIST
        self._listed: set[K] = _NONE_LISTED
        self.get: Callable[[K], V | None] = self._entries.get
        """Return the entry of a key without making it recent, or None."""

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, key: K) -> bool:
        return key in self._entries

    def __iter__(self) -> Iterator[K]:
        return iter(self._entries)

    def items(self) -> Iterator[tuple[K, V]]:
        """Yield the entries, the least recently used first."""
        return iter(self._entries.items())

    def values(self) -> Iterator[V]:
        """Yield the values, the least recently used first."""
        return iter(self._entries.values())

    def use(self, key: K) -> V | None:
        """Return the entry of ``key`` and make it the most recent, or None."""
        entries = self._entries
        if key not in entries:
            return None
        self._listed.discard(key)
        value = entries[key] = entries.pop(key)
        return value

    def set(self, key: K, value: V) -> K | None:
        """Set an entry, make it the most recent; return the key that had to leave, or None."""
        entries = self._entries
        if key in entries:
            self._listed.discard(key)
            del entries[key]
        entries[key] = value
        if len(entries) <= self.limit:
            return None
        oldest = self.oldest()
        self.pop(oldest)
        return oldest

    def __setitem__(self, key: K, value: V) -> None:
        self.set(key, value)

    def oldest(self) -> K:
        """Return the key of the least recently used entry.  Raises IndexError where there is none."""
        while not self._oldest or self._oldest[-1] not in self._listed:
            if self._oldest:
                self._oldest.pop()
            else:
                self._oldest = list(islice(self._entries, 1 + self.limit // _SHARE))[::-1]
                self._listed = set(self._oldest)
                if not self._oldest:
                    raise IndexError("no entries")
        return self._oldest[-1]

    def pop(self, key: K) -> V | None:
        """Take an entry out and return it, or None."""
        self._listed.discard(key)
        return self._entries.pop(key, None)

    def take_up(self, keys: Sequence[K], values: Sequence[V]) -> None:
        """Set the entries of a snapshot, the least recently used first; of too many the last stay.

        Raises InvalidSnapshot where a key comes twice, or lacks a value.
        """
        if not len(set(keys)) == len(keys) == len(values):
            sizes = f"{len(keys)} keys, {len(set(keys))} distinct, {len(values)} values"
            raise InvalidSnapshot("entries", sizes)
        for key, value in zip(keys, values):
            self.set(key, value)

    def check(self) -> None:
        """Raise BrokenInvariant if there are more entries than the limit allows, or others are listed."""
        if len(self._entries) > self.limit:
            raise BrokenInvariant("Recent", f"{len(self._entries)} entries, limit {self.limit}")
        listed = [key for key in reversed(self._oldest) if key in self._listed]
        if listed != list(islice(self._entries, len(self._listed))):
            raise BrokenInvariant("Recent", f"{len(listed)} keys are listed as the oldest, and are not")


def nothing(first: None, second: None) -> None:
    """Return what stands for two entries of a table whose keys alone say something."""


def sum_of_pairs(first: tuple[int, int], second: tuple[int, int]) -> tuple[int, int]:
    """Return two counts, summed."""
    return first[0] + second[0], first[1] + second[1]


def united(
    tables: Iterable[Iterable[tuple[int, V]]],
    both: Callable[[V, V], V],
    limit: int,
    rank: Callable[[int, V], int] = lambda key, value: 0,
) -> Recent[int, V]:
    """Return what several tables hold together; their order, and that of their entries, does not matter.

    both   what stands for two values of one key; it must not matter in which order, or which two first
    limit  entries that stay: those of the highest rank, of equal ranks those with the smallest keys

    >>> list(united([[(7, 1), (9, 2)], [(7, 5)]], lambda a, b: a + b, limit=2).items())
    [(9, 2), (7, 6)]
    """
    together: dict[int, V] = {}
    for table in tables:
        for key, value in table:
            together[key] = both(together[key], value) if key in together else value
    kept = sorted(together.items(), key=lambda entry: (-rank(*entry), entry[0]))[:limit]
    recent: Recent[int, V] = Recent(limit)
    recent.take_up([key for key, _ in reversed(kept)], [value for _, value in reversed(kept)])
    return recent
