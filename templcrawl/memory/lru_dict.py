"""A mapping with a limit that evicts the least recently used entry.

Every table of a site's memory is bounded by one of these.  Each operation is O(1), amortised.

The entries lie in two generations.  What is set or touched goes to the end of the young one, and what leaves
is the first of the old one.  The young one becomes the old one when an entry is to leave and the old one is
empty.  (A single dict keeps the order too, but to find its first entry it walks over all that were deleted
before it.  An ``OrderedDict`` takes half as much memory again, and the garbage collector would walk through a
subclass of ``dict``, also where its entries are numbers.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")

_MISSING: Any = object()


class LruDict(Generic[K, V]):
    """At most ``limit`` entries, in the order of their last use; setting or touching one is a use.

    >>> entries = LruDict(2)
    >>> entries["a"], entries["b"] = 1, 2
    >>> entries.touch("a"), entries.set("c", 3), list(entries)
    (1, 'b', ['a', 'c'])
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._young: dict[K, V] = {}
        self._old: dict[K, V] = {}
        self._leaving: list[K] = []  # keys of the old generation as it began, the next to leave last

    def __len__(self) -> int:
        return len(self._young) + len(self._old)

    def __contains__(self, key: K) -> bool:
        return key in self._young or key in self._old

    def __iter__(self) -> Iterator[K]:
        return chain(self._old, self._young)

    def items(self) -> Iterator[tuple[K, V]]:
        """Yield the entries, the least recently used first."""
        return chain(self._old.items(), self._young.items())

    def values(self) -> Iterator[V]:
        """Yield the values, the least recently used first."""
        return chain(self._old.values(), self._young.values())

    def get(self, key: K) -> V | None:
        """Return the entry of a key without using it, or None."""
        value = self._young.get(key)
        return self._old.get(key) if value is None else value

    def pop(self, key: K) -> V | None:
        """Remove an entry and return it, or None."""
        return self._young.pop(key) if key in self._young else self._old.pop(key, None)

    def touch(self, key: K) -> V | None:
        """Return the entry of ``key`` and make it the most recent, or None."""
        value: V = self._young.pop(key, _MISSING)
        if value is _MISSING:
            value = self._old.pop(key, _MISSING)
            if value is _MISSING:
                return None
        self._young[key] = value
        return value

    def set(self, key: K, value: V) -> K | None:
        """Set an entry and make it the most recent; return the key that was evicted, or None."""
        if self._young.pop(key, _MISSING) is _MISSING:
            self._old.pop(key, None)
        self._young[key] = value
        if len(self._young) + len(self._old) <= self.limit:
            return None
        evicted = self.least_recent()
        self._old.pop(evicted)
        return evicted

    __setitem__ = set

    def least_recent(self) -> K:
        """Return the key of the least recently used entry.  Raises IndexError where there is none."""
        if not self._old:
            self._old, self._young = self._young, {}
            self._leaving = list(reversed(self._old))
        while self._leaving[-1] not in self._old:  # used or removed since
            self._leaving.pop()
        return self._leaving[-1]

    def fill(self, keys: Sequence[K], values: Iterable[V]) -> None:
        """Set entries while empty, the least recently used first; of too many the last remain.

        Raises ValueError if a key comes twice.
        """
        self._young = dict(zip(keys, values, strict=True))
        if len(self._young) < len(keys):
            raise ValueError("a key comes twice")
        self.trim()

    def trim(self) -> None:
        """Evict the entries over the limit."""
        while len(self._young) + len(self._old) > self.limit:
            self.pop(self.least_recent())
