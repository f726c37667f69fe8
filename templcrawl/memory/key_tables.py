"""Bounded tables by 64-bit keys: one mechanism for all that is counted of a site's links.

===========  ==================================================
CountTable   key -> count
PairTable    key -> (pages, sum of a number of each page)
KeySet       keys
ListTable    key -> its latest distinct numbers, in some lists
RecordTable  key -> byte string
===========  ==================================================

Of too many keys the one used longest ago is evicted.

Cost: O(1) a key.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import TypeVar

from templcrawl.errors import InvalidSnapshot
from templcrawl.memory.lru_dict import LruDict
from templcrawl.memory.snapshots import MAX_COUNT, Frozen, ListRows, Lists, Numbers, Section, Snapshot

V = TypeVar("V")

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
        """Take keys and values; of too many those that were used last."""
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
            raise InvalidSnapshot("values", f"a sum is over {self._most} a page")
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
        """Return that they are in it."""
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


def sum_of_pairs(first: tuple[int, int], second: tuple[int, int]) -> tuple[int, int]:
    """Return two pairs of counts, summed."""
    return first[0] + second[0], first[1] + second[1]
