"""Bounded tables by 64-bit keys: one mechanism for all that is counted of a site's links.

A :class:`KeyTable` is the bounded mapping of what this worker has counted: as a dict it tells nothing else.
``known`` joins that with what the crawl's other workers have counted (``remote``).  A subclass says how the
values of a key in two tables become one (``join``), which keys remain where there are too many (``rank``),
and which values are valid.  Merging, saving and validating follow from that.

==========  ==================================================  ============================================
CountTable  key -> count                                        sums
PairTable   key -> (pages, sum of a number of each page)        sums
KeySet      keys                                                union
ListTable   key -> its latest distinct numbers, in some lists   union; of merged lists the smallest numbers
==========  ==================================================  ============================================

Cost: O(1) a key.
"""

from __future__ import annotations

from abc import abstractmethod
from array import array
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from templcrawl.errors import BrokenInvariant
from templcrawl.memory.lru_dict import LruDict, merged
from templcrawl.memory.snapshot_parts import Entries, KeyedTable, Part, Section
from templcrawl.memory.snapshot_values import MOST_COUNT, NUMBERS, Kind, numbers, split_by

if TYPE_CHECKING:
    from typing_extensions import Self

V = TypeVar("V")

MOST_LISTED = 4  # numbers of a list that are stored

Numbers = tuple[int, ...]
Lists = tuple[Numbers, ...]


class KeyTable(LruDict[int, V], Section):
    """Key -> value, as this worker has counted it.

    empty  value of a key that is in no table; joined with another value it changes nothing
    """

    empty: V

    def __init__(self, limit: int, *names: str) -> None:
        """Make an empty table.

        limit  keys that it may have
        names  of its columns in a snapshot: of the keys, then of the values
        """
        super().__init__(limit)
        self._names = names

    def known(self, key: int) -> V:
        """Return the value of a key over all workers of the crawl."""
        own = self._young[key] if key in self._young else self._old.get(key, self.empty)
        return own if self.remote is None else self.join(own, self.remote.known(key))

    def unknown(self, keys: Iterable[int]) -> list[int]:
        """Return those of some keys that no worker has."""
        own = [key for key in keys if key not in self._young and key not in self._old]
        return own if self.remote is None else self.remote.unknown(own)

    @abstractmethod
    def join(self, first: V, second: V) -> V:
        """Return the value of a key that has two; of reduced values, whatever their order and grouping."""

    def reduced(self, value: V) -> V:
        """Return what remains of a value where tables are merged."""
        return value

    def rank(self, value: V) -> int:
        """Return how much a key matters where merged tables have too many."""
        return 0

    def is_valid(self, value: V) -> bool:
        """Return whether a key that is in the table can have a value."""
        return True

    def merge(self, tables: Sequence[Self]) -> None:
        """Become the tables of several workers; of too many keys those of the highest rank remain."""
        entries = merged(
            ([(key, self.reduced(value)) for key, value in table.items()] for table in tables),
            lambda first, second: self.reduced(self.join(first, second)),
            self.limit,
            lambda key, value: self.rank(value),
        )
        self.fill(entries.keys(), entries.values())

    def validate(self) -> None:
        """Raise BrokenInvariant if there are too many keys, or one has a value that it cannot have."""
        super().validate()
        for key, value in self.items():
            if not self.is_valid(value):
                raise BrokenInvariant(type(self).__name__, f"{self._names[0]}: {key:x} has {value}")

    def parts(self) -> Sequence[Part]:
        """Return the keys and their values."""
        return [KeyedTable(self, *self._names)]


class CountTable(KeyTable[int]):
    """Key -> count, from 1; where there are too many, those with the highest counts remain."""

    empty = 0

    def join(self, first: int, second: int) -> int:
        """Return the sum."""
        return first + second

    def rank(self, value: int) -> int:
        """Return the count."""
        return value

    def is_valid(self, value: int) -> bool:
        """Return whether it is a count."""
        return 1 <= value < MOST_COUNT


class PairTable(KeyTable[tuple[int, int]]):
    """Key -> (pages, sum of a number of each page); where there are too many, those of most pages remain."""

    empty = (0, 0)

    def __init__(self, limit: int, *names: str, most: int) -> None:
        """Make an empty table.

        most  the largest number of a page; the smallest is 0
        """
        super().__init__(limit, *names)
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

    def is_valid(self, value: tuple[int, int]) -> bool:
        """Return whether so many pages can have this sum."""
        pages, total = value
        return 1 <= pages < MOST_COUNT and 0 <= total <= pages * self._most


class KeySet(KeyTable[bool]):
    """Keys without values: ``known`` says whether any worker has a key."""

    empty = False

    def add(self, key: int) -> None:
        """Add a key, or make it the most recent."""
        self[key] = True

    def join(self, first: bool, second: bool) -> bool:
        """Return whether either table has the key."""
        return first or second


class ListTable(KeyTable[Lists]):
    """Key -> lists of at most ``MOST_LISTED`` distinct numbers each, none of them empty.

    A value is made of plain tuples, which the garbage collector need not walk through: a long crawl has
    hundreds of thousands.
    """

    def __init__(self, limit: int, keys: str, *lists: str) -> None:
        super().__init__(limit, keys, *lists)
        self.empty = ((),) * len(lists)

    def join(self, first: Lists, second: Lists) -> Lists:
        """Return the numbers of the first, then those that only the second has."""
        pairs = zip(first, second)
        return tuple((*own, *(number for number in other if number not in own)) for own, other in pairs)

    def reduced(self, value: Lists) -> Lists:
        """Return the smallest numbers of each list."""
        return tuple(tuple(sorted(listed)[:MOST_LISTED]) for listed in value)

    def is_valid(self, value: Lists) -> bool:
        """Return whether no list is empty, too long, or has a number twice."""
        return all(1 <= len(set(listed)) == len(listed) <= MOST_LISTED for listed in value)

    def parts(self) -> Sequence[Part]:
        """Return the keys, the lengths of all lists, and the numbers of each list."""
        keys, *names = self._names
        lengths = numbers("B", of=lambda rows: (len(listed) for row in rows for listed in row))
        kinds = {keys: NUMBERS, "counts": lengths}
        kinds |= {name: _numbers_of(index) for index, name in enumerate(names)}
        return [Entries(kinds, self._copied, self._fill)]

    def _copied(self) -> list[Any]:
        return [list(self), *[list(self.values())] * len(self._names)]

    def _fill(self, keys: array[int], counts: array[int], *columns: array[int]) -> None:
        width = len(columns)
        lists = [split_by(column, counts[index::width]) for index, column in enumerate(columns)]
        self.fill(keys, list(zip(*lists, strict=True)))


def _numbers_of(index: int) -> Kind:
    return numbers(of=lambda rows: (number for row in rows for number in row[index]))


def with_latest(listed: Numbers, number: int) -> Numbers:
    """Return a list with one more number; the oldest of too many is evicted."""
    return listed if number in listed else (*listed[-MOST_LISTED + 1 :], number)


def sum_of_pairs(first: tuple[int, int], second: tuple[int, int]) -> tuple[int, int]:
    """Return two pairs of counts, summed."""
    return first[0] + second[0], first[1] + second[1]
