"""Find the records that stand in lines: elements that repeat, of which each holds several of them.

*A line* is one of three.  Of a grid (``div.row > div.col``): other elements that repeat hold nearly all of
it.  Of an index: it has a text, and below that a list of which each item begins with a link.  Of flat records
(:mod:`templcrawl.algorithms.columns.flat_records`): it holds nothing else, but for a text above them.

Source: our own.  m elements.  Cost: O(m).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from templcrawl.algorithms.columns.headed_tables import Spans
from templcrawl.algorithms.columns.row_places import flat_row, rows_of

_OF_GRID = 0.8  # of the units of a line of a grid: those in its members
_MEMBERS = 1.5  # of a grid, for each line
_WRAPPERS = 2  # elements from a line down to its members

Key = tuple[int, str]  # parent, row
Group = tuple[Key, str, list[tuple[int, range]]]  # of elements; row of records; each with its units
Flats = Mapping[int, Sequence[tuple[int, range]]]  # parent -> flat records


class RecordLines:
    """The groups of elements of a page that may be lines."""

    def __init__(self, groups: Mapping[Key, Sequence[int]], parents: Sequence[int], spans: Spans) -> None:
        """Keep groups of elements that repeat: (parent, row) -> elements."""
        self._groups, self._parents, self._spans = groups, parents, spans
        self._of = {one: key for key, group in groups.items() if len(group) > 1 for one in group}
        self._inside = [end - start for start, end in zip(*spans)]

    def grids(self) -> Iterator[Group]:
        """Yield the members of grids, under the key of their lines."""
        members: defaultdict[Key, defaultdict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        lines: defaultdict[tuple[Key, str], set[int]] = defaultdict(set)
        for (parent, row), group in self._groups.items():
            if line := self._line_above(parent):
                members[self._of[line]][row].extend(group)
                lines[self._of[line], row].add(line)
        for key, rows in members.items():
            row, group = max(rows.items(), key=lambda item: len(item[1]))
            units = sum(self._inside[one] for one in group)
            if len(group) >= _MEMBERS * len(lines[key, row]) and units >= _OF_GRID * self._units_of(key):
                yield key, row, self._with_units(group)

    def lists(self, names: Sequence[str], places: Sequence[str], leading: Sequence[bool]) -> Iterator[Group]:
        """Yield the items of the lists of an index, under the key of their lines.

        leading  element -> whether it begins with a link
        """
        items: defaultdict[Key, list[int]] = defaultdict(list)
        for element, name in enumerate(names):
            if name == "li" and leading[element]:
                line = self._line_above(self._parents[element])
                if line and not leading[line]:
                    items[self._of[line]].append(element)
        for key, group in items.items():
            rows = {rows_of(places[element])[0] for element in group}
            heads = self._units_of(key) - sum(self._inside[one] for one in group)
            if heads == len(self._groups[key]) and len(rows) == 1:
                yield key, rows.pop(), self._with_units(group)

    def flats(self, flats: Flats, places: Sequence[str]) -> Iterator[Group]:
        """Yield the flat records in lines, under the key of these."""
        members: defaultdict[Key, list[tuple[int, range]]] = defaultdict(list)
        having: defaultdict[Key, set[int]] = defaultdict(set)
        for parent, found in flats.items():
            if line := self._line_above(parent):
                members[self._of[line]].extend(found)
                having[self._of[line]].add(line)
        for key, group in members.items():
            lines, heads = len(self._groups[key]), self._units_of(key) - sum(len(units) for _, units in group)
            if len(having[key]) == lines and heads <= lines:
                yield key, flat_row(places[group[0][0]]), group

    def _line_above(self, element: int) -> int:
        """Return an element or its parent, if that may be a line; else 0."""
        for _ in range(_WRAPPERS):
            if element in self._of:
                return element
            element = self._parents[element]
        return 0

    def _units_of(self, key: Key) -> int:
        return sum(self._inside[line] for line in self._groups[key])

    def _with_units(self, group: Sequence[int]) -> list[tuple[int, range]]:
        first, after = self._spans
        return [(one, range(first[one], after[one])) for one in group]
