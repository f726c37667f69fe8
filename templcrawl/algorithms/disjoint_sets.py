"""Disjoint sets: which things belong together, as pairs that do arrive one by one.

Source: union by size with path halving (Tarjan & van Leeuwen, JACM 1984).  Cost: nearly O(1) each.

What is shown of a set is its smallest member, so it does not depend on the order of arrival.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

from templcrawl.errors import BrokenInvariant

T = TypeVar("T", bytes, str, int)


class DisjointSets(Generic[T]):
    """A partition of items that can be compared and hashed.

    >>> sets = DisjointSets()
    >>> for item in "abcd":
    ...     sets.add(item)
    >>> sets.union("d", "b")
    >>> sets.smallest("d"), len(sets), sets.groups()
    ('b', 3, [['a'], ['b', 'd'], ['c']])
    """

    def __init__(self) -> None:
        self._parents: dict[T, T] = {}
        self._sizes: dict[T, int] = {}
        self._smallest: dict[T, T] = {}

    def __len__(self) -> int:
        return len(self._sizes)

    def __contains__(self, item: T) -> bool:
        return item in self._parents

    def __iter__(self) -> Iterator[T]:
        return iter(self._parents)

    def add(self, item: T) -> None:
        """Make a set of its own for an item, unless it is in one already."""
        if item not in self._parents:
            self._parents[item] = item
            self._sizes[item] = 1
            self._smallest[item] = item

    def find(self, item: T) -> T:
        """Return the root of an item's set; equal for two items of one set.  Raises KeyError."""
        parents = self._parents
        while (parent := parents[item]) != item:
            parents[item] = item = parents[parent]
        return item

    def smallest(self, item: T) -> T:
        """Return the smallest member of an item's set.  Raises KeyError for an unknown item."""
        return self._smallest[self.find(item)]

    def union(self, a: T, b: T) -> None:
        """Make one set of the sets of two items.  Raises KeyError for an unknown item."""
        a, b = self.find(a), self.find(b)
        if a == b:
            return
        if self._sizes[a] < self._sizes[b]:
            a, b = b, a
        self._parents[b] = a
        self._sizes[a] += self._sizes.pop(b)
        self._smallest[a] = min(self._smallest[a], self._smallest.pop(b))

    def groups(self) -> list[list[T]]:
        """Return the sets, each in ascending order, in the order of their smallest members."""
        groups: dict[T, list[T]] = {}
        for item in sorted(self._parents):
            groups.setdefault(self.find(item), []).append(item)
        return list(groups.values())

    def check(self) -> None:
        """Raise BrokenInvariant if sizes or smallest members are not those of the sets."""
        groups = self.groups()
        for group in groups:
            root = self.find(group[0])
            if self._sizes.get(root) != len(group) or self._smallest.get(root) != group[0]:
                raise BrokenInvariant("DisjointSets", f"the set of {group[0]!r} is recorded wrongly")
        if len(groups) != len(self._sizes) or len(groups) != len(self._smallest):
            raise BrokenInvariant("DisjointSets", f"{len(groups)} sets, {len(self._sizes)} recorded")
