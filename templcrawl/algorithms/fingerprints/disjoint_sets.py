"""Union-find: disjoint sets of numbers, merged as pairs arrive one by one.

Source: union by size with path halving (Tarjan & van Leeuwen, JACM 1984).  Cost: nearly O(1) each,
12 bytes a number.

A set is represented by its smallest member, which does not depend on the order of arrival.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any

from templcrawl.errors import BrokenInvariant


class DisjointSets:
    """A partition of the numbers 0, 1, 2 ..., each in a set of its own at first.

    order  number -> sort key, by which the smallest member of a set is chosen

    >>> names = ["d", "b", "c", "a"]
    >>> sets = DisjointSets(order=names.__getitem__)
    >>> [sets.make_set() for name in names], sets.union(0, 1)
    ([0, 1, 2, 3], None)
    >>> names[sets.smallest(0)], sets.groups()
    ('b', [[3], [1, 0], [2]])
    """

    def __init__(self, order: Callable[[int], Any] = int) -> None:
        self._order = order
        self._parents = array("I")
        self._sizes = array("I")
        self._smallest = array("I")

    def __len__(self) -> int:
        return len(self._parents)

    def make_set(self) -> int:
        """Make a set of its own for the next number; return that."""
        number = len(self._parents)
        self._parents.append(number)
        self._sizes.append(1)
        self._smallest.append(number)
        return number

    def find(self, number: int) -> int:
        """Return the root of a number's set; equal for two numbers of one set.  Raises IndexError."""
        parents = self._parents
        while (parent := parents[number]) != number:
            parents[number] = number = parents[parent]
        return number

    def smallest(self, number: int) -> int:
        """Return the smallest member of a number's set.  Raises IndexError for an unknown number."""
        return self._smallest[self.find(number)]

    def union(self, a: int, b: int) -> None:
        """Make one set of the sets of two numbers.  Raises IndexError for an unknown number."""
        a, b = self.find(a), self.find(b)
        if a == b:
            return
        if self._sizes[a] < self._sizes[b]:
            a, b = b, a
        self._parents[b] = a
        self._sizes[a] += self._sizes[b]
        self._smallest[a] = min(self._smallest[a], self._smallest[b], key=self._order)

    def groups(self) -> list[list[int]]:
        """Return the sets, each in ascending order, in the order of their smallest members."""
        groups: dict[int, list[int]] = {}
        for number in sorted(range(len(self)), key=self._order):
            groups.setdefault(self.find(number), []).append(number)
        return list(groups.values())

    def validate(self) -> None:
        """Raise BrokenInvariant if sizes or smallest members are not those of the sets."""
        for group in self.groups():
            root = self.find(group[0])
            if self._sizes[root] != len(group) or self._smallest[root] != group[0]:
                raise BrokenInvariant("DisjointSets", f"the set of {group[0]} is recorded wrongly")
