"""Bounded tables by 64-bit keys: one mechanism for all that is counted of a site's links.

A :class:`KeyTable` is the bounded mapping of what this worker has counted: as a dict it tells nothing else.
``known`` joins that with what the crawl's other workers have counted (``remote``).  A subclass says how the
values of a key in two tables become one (``join``) and which keys remain where there are too many (``rank``).

===========  ==================================================  ============================================
CountTable   key -> count                                        sums
PairTable    key -> (pages, sum of a number of each page)        sums
KeySet       keys                                                union
ListTable    key -> its latest distinct numbers, in some lists   union; of merged lists the smallest numbers
RecordTable  key -> byte string                                  the larger one
===========  ==================================================  ============================================

Of merged tables those with too many keys keep the ones of the highest rank, of equal ranks the smallest.  So
that the order of workers does not matter, they are sorted out at the end, or where they are four times too
many.

Cost: O(1) a key.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar, TypeVar

from templcrawl.errors import InvalidSnapshot
from templcrawl.memory.lru_dict import LruDict
from templcrawl.memory.snapshots import MOST_COUNT, Frozen, ListRows, Lists, Numbers, Section, Snapshot

if TYPE_CHECKING:
    from typing_extensions import Self

V = TypeVar("V")

MOST_LISTED = 4  # numbers of a list that are stored
_TOO_MANY = 4  # times the limit: so many keys may a table have on the way while it is merged

NumberList = tuple[int, ...]
NumberLists = tuple[NumberList, ...]


class KeyTable(LruDict[int, V], Section):
    """Key -> value, as this worker has counted it.

    empty      value of a key that is in no table; joined with another value it changes nothing
    is_ranked  whether some keys matter more than others
    """

    empty: V
    is_ranked: ClassVar[bool] = False

    def known(self, key: int) -> V:
        """Return the value of a key over all workers of the crawl."""
        own = self._young[key] if key in self._young else self._old.get(key, self.empty)
        return own if self.remote is None else self.join(own, self.remote.known(key))

    @abstractmethod
    def join(self, first: V, second: V) -> V:
        """Return the value of a key that has two; of reduced values, whatever their order and grouping."""

    def reduced(self, value: V) -> V:
        """Return what remains of a value where tables are merged."""
        return value

    def rank(self, value: V) -> int:
        """Return how much a key matters where merged tables have too many, if ``is_ranked``."""
        return 0

    def absorb(self, other: Self) -> None:
        """Join its values with those of another table."""
        total, join = self._young, self.join
        for key, value in other.items():
            total[key] = join(total[key], value) if key in total else value
        if len(total) > _TOO_MANY * self.limit:
            self._young = {key: total[key] for key in self._best()}

    def settle(self) -> None:
        """Keep the keys of the highest rank, of equal ranks the smallest, with their values reduced."""
        self._young = {key: self.reduced(self._young[key]) for key in reversed(self._best())}

    def _best(self) -> list[int]:
        best = sorted(self._young)
        if self.is_ranked and len(best) > self.limit:
            best.sort(key=lambda key: -self.rank(self._young[key]))
        return best[: self.limit]

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
    """Key -> count, from 1; where there are too many, those with the highest counts remain."""

    empty = 0
    is_ranked = True

    def join(self, first: int, second: int) -> int:
        """Return the sum."""
        return first + second

    def rank(self, value: int) -> int:
        """Return the count."""
        return value

    def loaded(self, snapshot: Snapshot, count: int) -> Iterable[int]:
        """Return the counts."""
        counts: list[int] = snapshot.numbers("values", count=count, least=1, below=MOST_COUNT).tolist()
        return counts


class PairTable(KeyTable[tuple[int, int]]):
    """Key -> (pages, sum of a number of each page); where there are too many, those of most pages remain."""

    empty = (0, 0)
    is_ranked = True

    def __init__(self, limit: int, *, most: int) -> None:
        """Make an empty table.

        most  the largest number of a page; the smallest is 0
        """
        super().__init__(limit)
        self._most = most

    def credit(self, keys: Iterable[int], number: int) -> None:
        """Count a page and its number for each of some keys, once."""
        for key in dict.fromkeys(keys):
            pages, total = self.get(key) or self.empty
            self[key] = pages + 1, total + number

    def join(self, first: tuple[int, int], second: tuple[int, int]) -> tuple[int, int]:
        """Return the sums."""
        return sum_of_pairs(first, second)

    def rank(self, value: tuple[int, int]) -> int:
        """Return the pages."""
        return value[0]

    def loaded(self, snapshot: Snapshot, count: int) -> Iterable[tuple[int, int]]:
        """Return the pairs."""
        pairs = snapshot.numbers("values", count=count, width=2, below=MOST_COUNT)
        pages, totals = pairs.T
        if (pages == 0).any() or (totals / self._most > pages).any():
            raise InvalidSnapshot("values", f"a sum is over {self._most} a page")
        return list(zip(pages.tolist(), totals.tolist()))


class KeySet(KeyTable[bool]):
    """Keys without values: ``known`` says whether any worker has a key."""

    empty = False

    def add(self, key: int) -> None:
        """Add a key, or make it the most recent."""
        self[key] = True

    def join(self, first: bool, second: bool) -> bool:
        """Return whether either table has the key."""
        return first or second

    def columns(self) -> Frozen:
        """Return the keys."""
        return {"keys": Numbers(list(self))}

    def loaded(self, snapshot: Snapshot, count: int) -> Iterable[bool]:
        """Return that they are in it."""
        return [True] * count


class ListTable(KeyTable[NumberLists]):
    """Key -> lists of at most ``MOST_LISTED`` distinct numbers each.

    A value is made of plain tuples, which the garbage collector need not walk through: a long crawl has
    hundreds of thousands.
    """

    def __init__(self, limit: int, *, lists: int) -> None:
        """Make an empty table; each key has so many lists."""
        super().__init__(limit)
        self.empty = ((),) * lists

    def join(self, first: NumberLists, second: NumberLists) -> NumberLists:
        """Return the numbers of the first, then those that only the second has."""
        if first == second:
            return first
        pairs = zip(first, second)
        return tuple((*own, *(number for number in other if number not in own)) for own, other in pairs)

    def reduced(self, value: NumberLists) -> NumberLists:
        """Return the smallest numbers of each list."""
        return tuple([tuple(sorted(listed)[:MOST_LISTED]) if len(listed) > 1 else listed for listed in value])

    def columns(self) -> Frozen:
        """Return the keys and their lists, one after the other."""
        return {"keys": Numbers(list(self)), "lists": ListRows(list(self.values()))}

    def loaded(self, snapshot: Snapshot, count: int) -> Iterable[NumberLists]:
        """Return the lists of each key."""
        width = len(self.empty)
        lists = snapshot.tuples("lists", count=count * width, below=MOST_LISTED + 1)
        return list(zip(*[iter(lists)] * width))


class RecordTable(KeyTable[bytes]):
    """Key -> byte string: what is stored of something, packed, so that the garbage collector has no work."""

    empty = b""

    def join(self, first: bytes, second: bytes) -> bytes:
        """Return the larger one."""
        return max(first, second)

    def columns(self) -> Frozen:
        """Return the keys and their records."""
        return {"keys": Numbers(list(self)), "records": Lists(list(self.values()), "u1")}

    def loaded(self, snapshot: Snapshot, count: int) -> Sequence[bytes]:
        """Return the records."""
        return snapshot.strings("records", count=count)


def with_latest(listed: NumberList, number: int) -> NumberList:
    """Return a list with one more number; the oldest of too many is evicted."""
    return listed if number in listed else (*listed[-MOST_LISTED + 1 :], number)


def sum_of_pairs(first: tuple[int, int], second: tuple[int, int]) -> tuple[int, int]:
    """Return two pairs of counts, summed."""
    return first[0] + second[0], first[1] + second[1]
