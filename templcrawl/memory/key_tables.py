"""Bounded tables: a mapping with a limit that evicts the least recently used entry, and those by 64-bit keys.

===========  ==================================================
LruDict      any key -> value; every table of a site's memory is bounded by one
CountTable   key -> count
PairTable    key -> (pages, sum of a number of each page)
KeySet       keys
ListTable    key -> its latest distinct numbers, in some lists
RecordTable  key -> byte string
SeenTexts    keys in slots, one of which a newer key may take
===========  ==================================================

Cost: O(1) a key, amortised.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from templcrawl.errors import InvalidSnapshot
from templcrawl.memory.snapshots import MAX_COUNT, Frozen, ListRows, Lists, Numbers, Section, Snapshot
from templcrawl.page.arrays import Indices, Keys

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


MAX_LISTED = 4  # numbers of a list that are stored

NumberList = tuple[int, ...]
NumberLists = tuple[NumberList, ...]


class KeyTable(LruDict[int, V], Section):
    """Key -> value.

    empty  value of a key that is not in the table
    """

    empty: V

    def get(self, key: int) -> V:
        """Return the value of a key without using it, ``empty`` of one that is not in the table."""
        return self._young[key] if key in self._young else self._old.get(key, self.empty)

    def columns(self) -> Frozen:
        """Return the keys and their values, the least recently used first."""
        return {"keys": Numbers(list(self)), "values": Numbers(list(self.values()))}

    def load(self, snapshot: Snapshot) -> None:
        """Restore keys and values; if they are too many, those that were used last."""
        keys = snapshot.numbers("keys")
        self.fill(keys.tolist(), self.loaded(snapshot, len(keys)))

    @abstractmethod
    def loaded(self, snapshot: Snapshot, count: int) -> Iterable[V]:
        """Return the values of as many keys; raises InvalidSnapshot."""


class CountTable(KeyTable[int]):
    """Key -> count, from 1."""

    empty = 0

    def loaded(self, snapshot: Snapshot, count: int) -> Iterable[int]:
        """Return the counts."""
        counts: list[int] = snapshot.numbers("values", count=count, least=1, below=MAX_COUNT).tolist()
        return counts


class PairTable(KeyTable[tuple[int, int]]):
    """Key -> (pages, sum of a number of each page)."""

    empty = (0, 0)

    def __init__(self, limit: int, *, most: int) -> None:
        """Make an empty table.

        most  the largest number of a page; the smallest is 0
        """
        super().__init__(limit)
        self._most = most

    def credit(self, keys: Iterable[int], number: int) -> None:
        """Count a page and its number for each of some keys, once."""
        for key in dict.fromkeys(keys):
            pages, total = self.get(key)
            self[key] = pages + 1, total + number

    def loaded(self, snapshot: Snapshot, count: int) -> Iterable[tuple[int, int]]:
        """Return the pairs."""
        pairs = snapshot.numbers("values", count=count, width=2, below=MAX_COUNT)
        pages, totals = pairs.T
        if (pages == 0).any() or (totals / self._most > pages).any():
            raise InvalidSnapshot("values", f"a sum is above {self._most} a page")
        return list(zip(pages.tolist(), totals.tolist()))


class KeySet(KeyTable[bool]):
    """Keys without values: ``get`` says whether it has a key."""

    empty = False

    def add(self, key: int) -> None:
        """Add a key, or make it the most recent."""
        self[key] = True

    def columns(self) -> Frozen:
        """Return the keys."""
        return {"keys": Numbers(list(self))}

    def loaded(self, snapshot: Snapshot, count: int) -> Iterable[bool]:
        """Return True for each key."""
        return [True] * count


class ListTable(KeyTable[NumberLists]):
    """Key -> lists of at most ``MAX_LISTED`` distinct numbers each.

    A value is made of plain tuples, which the garbage collector need not walk through: a long crawl has
    hundreds of thousands.
    """

    def __init__(self, limit: int, *, lists: int) -> None:
        """Make an empty table; each key has so many lists."""
        super().__init__(limit)
        self.empty = ((),) * lists

    def columns(self) -> Frozen:
        """Return the keys and their lists, one after the other."""
        return {"keys": Numbers(list(self)), "lists": ListRows(list(self.values()))}

    def loaded(self, snapshot: Snapshot, count: int) -> Iterable[NumberLists]:
        """Return the lists of each key."""
        width = len(self.empty)
        lists = snapshot.tuples("lists", count=count * width, below=MAX_LISTED + 1)
        return list(zip(*[iter(lists)] * width))


class RecordTable(KeyTable[bytes]):
    """Key -> byte string: what is stored of something, packed, so that the garbage collector has no work."""

    empty = b""

    def columns(self) -> Frozen:
        """Return the keys and their records."""
        return {"keys": Numbers(list(self)), "records": Lists(list(self.values()), "u1")}

    def loaded(self, snapshot: Snapshot, count: int) -> Sequence[bytes]:
        """Return the records."""
        return snapshot.strings("records", count=count)


def append_latest(listed: NumberList, number: int) -> NumberList:
    """Return a list with one more number; the oldest of too many is evicted."""
    return listed if number in listed else (*listed[-MAX_LISTED + 1 :], number)


FIRST_SLOTS = 1_024


def slots_of(keys: Keys, size: int) -> npt.NDArray[np.int64]:
    """Return the slot of each key in a table of so many, a power of two."""
    slots: npt.NDArray[np.int64] = keys.view(np.int64) & (size - 1)
    return slots


class SeenTexts(Section):
    """A set of keys.  Zero is in every set: it stands for no text.

    >>> seen = SeenTexts(limit=4_096)
    >>> seen.add(np.array([7, 7, 9], dtype=np.uint64), np.array([10, 10, 5]))
    15
    >>> seen.add(np.array([9, 3], dtype=np.uint64), np.array([5, 2]))
    2
    """

    def __init__(self, *, limit: int) -> None:
        """Make an empty set.

        limit  slots that it may have; the power of two at or below it is used
        """
        self.limit = 1 << max(0, limit.bit_length() - 1)
        self._most_taken = 0
        self._fill(min(FIRST_SLOTS, self.limit), np.empty(0, dtype=np.uint64))

    def __len__(self) -> int:
        return int(np.count_nonzero(self._slots))

    def add(self, keys: Keys, words: Indices) -> int:
        """Add the keys of texts; return how many words the new ones have.

        words  text -> its number of words
        """
        unseen = (~self.has(keys)).nonzero()[0]
        new = dict(zip(keys[unseen].tolist(), words[unseen].tolist()))
        new.pop(0, None)
        if new:
            self._put(np.fromiter(new, np.uint64, len(new)))
        return sum(new.values())

    def has(self, keys: Keys) -> npt.NDArray[np.bool_]:
        """Return for each key whether it was seen."""
        is_seen: npt.NDArray[np.bool_] = self._slots[slots_of(keys, len(self._slots))] == keys
        return is_seen

    def _put(self, keys: Keys) -> None:
        """Put distinct keys into their slots: twice as many slots as keys, if the cap allows that."""
        size = len(self._slots)
        if 2 * (self._most_taken + len(keys)) > size < self.limit:
            self._most_taken = len(self)
            while 2 * (self._most_taken + len(keys)) > size < self.limit:
                size *= 2
            if size > len(self._slots):
                self._fill(size, self._slots[self._slots != 0])
        self._most_taken += len(keys)
        self._slots[slots_of(keys, len(self._slots))] = keys

    def _fill(self, size: int, keys: Keys) -> None:
        self._slots: Keys = np.zeros(size, dtype=np.uint64)
        self._slots[slots_of(keys, size)] = keys
        self._most_taken = len(keys)  # fewer are, where two keys have one slot

    def columns(self) -> Frozen:
        """Return the keys, and how many slots there are."""
        return {"slots": Numbers([len(self._slots)]), "keys": Numbers(self._slots[self._slots != 0])}

    def load(self, snapshot: Snapshot) -> None:
        """Restore the keys into as many slots, or as there may be."""
        slots = snapshot.numbers("slots", count=1).item()
        if slots.bit_count() != 1:
            raise InvalidSnapshot("slots", f"{slots} is not a power of two")
        self._fill(min(self.limit, slots), snapshot.numbers("keys"))
