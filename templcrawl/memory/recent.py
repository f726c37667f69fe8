"""A mapping that keeps what was used most recently, up to a fixed number of entries.

Every table of a site's memory is one of these; it is what bounds them.  Each operation is O(1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from templcrawl.errors import BrokenInvariant

K = TypeVar("K")
V = TypeVar("V")


class Recent(Generic[K, V]):
    """At most ``limit`` entries; setting or using one makes it the most recent, the oldest leaves.

    >>> recent = Recent(2)
    >>> recent["a"], recent["b"] = 1, 2
    >>> recent.use("a"), recent.set("c", 3), list(recent)
    (1, 'b', ['a', 'c'])
    """

    __slots__ = ("_entries", "get", "limit")

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._entries: dict[K, V] = {}
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
        value = entries[key] = entries.pop(key)
        return value

    def set(self, key: K, value: V) -> K | None:
        """Set an entry, make it the most recent; return the key that had to leave, or None."""
        entries = self._entries
        entries.pop(key, None)
        entries[key] = value
        if len(entries) <= self.limit:
            return None
        oldest = next(iter(entries))
        del entries[oldest]
        return oldest

    def __setitem__(self, key: K, value: V) -> None:
        self.set(key, value)

    def pop(self, key: K) -> V | None:
        """Take an entry out and return it, or None."""
        return self._entries.pop(key, None)

    def check(self) -> None:
        """Raise BrokenInvariant if there are more entries than the limit allows."""
        if len(self._entries) > self.limit:
            raise BrokenInvariant("Recent", f"{len(self._entries)} entries, limit {self.limit}")
