"""Bounded tables by 64-bit keys: one mechanism for all that is counted of a site's links.

A :class:`KeyTable` is the bounded mapping of what this worker has counted.  A subclass says how the
values of a key in two tables become one (``join``), which keys remain where there are too many (``rank``),
and which values are valid.  Reading beside the counts of the crawl's other workers (``remote``), merging,
saving and validating follow from that.

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
from templcrawl.memory.lru_dict import LruDict, merged, sum_of_pairs
from templcrawl.memory.snapshot_parts import Entries, KeyedTable, Part, Section
from templcrawl.memory.snapshot_values import MOST_COUNT, NUMBERS, Kind, numbers, split_by

if TYPE_CHECKING:
    from typing_extensions import Self

V = TypeVar("V")

MOST_LISTED = 4
"""Numbers of a list that are stored."""

Numbers = tuple[int, ...]


class KeyTable(LruDict[int, V], Section):
    """Key -> value; ``get`` and iteration tell what this worker has counted.

    ``table[key]`` and ``key in table`` join that with what the other workers have.
    """

    empty: V
    """Value of a key that is not in it; joined with another value it changes nothing."""

    def __init__(self, limit: int, *names: str) -> None:
        """Make an empty table.

        limit  keys that it may have
        names  of its columns in a snapshot: of the keys, then of the values
        """
        super().__init__(limit)
        self._names = names

    def __contains__(self, key: int) -> bool:
        return key in self._entries or (self.remote is not None and key in self.remote._entries)

    def __getitem__(self, key: int) -> V:
        value = self._entries.get(key, self.empty)
        return value if self.remote is None else self.join(value, self.remote[key])

    def has_own(self, key: int) -> bool:
        """Return whether this worker has counted a key."""
        return key in self._entries

    def has_any(self, keys: Iterable[int]) -> bool:
        """Return whether any of some keys is in it."""
        if self.remote is None:
            return not self._entries.keys().isdisjoint(keys)
        return any(key in self for key in keys)

    def has_all(self, keys: Iterable[int]) -> bool:
        """Return whether all of some keys are in it."""
        entries = self._entries
        others = [key for key in keys if key not in entries]
        return not others or (self.remote is not None and self.remote.has_all(others))

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
            pages, total = self._entries.get(key, self.empty)
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


class KeySet(KeyTable[None]):
    """Keys without values."""

    empty = None

    def add(self, key: int) -> None:
        """Add a key, or make it the most recent."""
        self[key] = None

    def join(self, first: None, second: None) -> None:
        """Return None."""


class ListTable(KeyTable[Any]):
    """Key -> a tuple of at most ``MOST_LISTED`` distinct numbers; with several lists, a tuple of such tuples.

    A value is made of plain tuples, which the garbage collector need not walk through: a long crawl has
    hundreds of thousands.
    """

    def __init__(self, limit: int, keys: str, *lists: str) -> None:
        super().__init__(limit, keys, *lists)
        self._width = len(lists)
        self.empty = self._value([()] * self._width)

    def _lists(self, value: Any) -> Sequence[Numbers]:
        return (value,) if self._width == 1 else value

    def _value(self, lists: Iterable[Numbers]) -> Any:
        value = tuple(lists)
        return value[0] if self._width == 1 else value

    def join(self, first: Any, second: Any) -> Any:
        """Return the numbers of the first, then those that only the second has."""
        pairs = zip(self._lists(first), self._lists(second))
        return self._value((*own, *(number for number in other if number not in own)) for own, other in pairs)

    def reduced(self, value: Any) -> Any:
        """Return the smallest numbers of each list."""
        return self._value(tuple(sorted(listed)[:MOST_LISTED]) for listed in self._lists(value))

    def is_valid(self, value: Any) -> bool:
        """Return whether no list is empty, too long, or has a number twice."""
        return all(1 <= len(set(listed)) == len(listed) <= MOST_LISTED for listed in self._lists(value))

    def parts(self) -> Sequence[Part]:
        """Return the keys, the lengths of all lists, and the numbers of each list."""
        keys, *names = self._names
        lengths = numbers("B", of=lambda rows: (len(listed) for row in rows for listed in self._lists(row)))
        kinds = {
            keys: NUMBERS,
            "counts": lengths,
            **dict(zip(names, map(self._numbers_of, range(self._width)))),
        }
        return [Entries(kinds, self._copied, self._fill)]

    def _copied(self) -> list[Any]:
        return [list(self), *[list(self.values())] * (1 + self._width)]

    def _numbers_of(self, index: int) -> Kind:
        return numbers(of=lambda rows: (number for row in rows for number in self._lists(row)[index]))

    def _fill(self, keys: array[int], counts: array[int], *columns: array[int]) -> None:
        lists = [split_by(column, counts[index :: self._width]) for index, column in enumerate(columns)]
        self.fill(keys, [self._value(row) for row in zip(*lists, strict=True)])


def with_latest(listed: Numbers, number: int) -> Numbers:
    """Return a list with one more number; the oldest of too many is evicted."""
    return listed if number in listed else (*listed[-MOST_LISTED + 1 :], number)
