"""The scopes of a page's rows: which other rows a heading or a label is needed to understand.

The scope of a heading are the rows behind it, up to the next heading of its level or above, or to the end of
its section: the smallest element that has more than six words behind it.  The section of a heading in
furniture does not reach out of that.  A heading over a list of items that begin with headings has all of the
list.  The scope of a ``dt`` are the rows up to the next ``dt``; that of a caption, legend or summary the rest
of the element around it.

A *label* has at most six words and no link, and is no button.  It shares an element with few other rows, the
smallest that has more than the label, and no list.  If that has at most 20 words and three rows, it is their
*box*, and these are its scope, unless it is the last of three ("Share" under a title and a date).  Else the
rows behind it are, where it comes first in a row of cells, or is the first of two elements that hold all the
words.

Source: our own.  n runs, m elements.  Cost: O(n + m).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from templcrawl.page.arrays import Indices, before, indices
from templcrawl.page.elements import Elements
from templcrawl.page.runs import TextRuns, runs_inside
from templcrawl.page.vocabulary import LABEL_WORDS, LINKED, MIN_PAIRS, SHORT_WORDS

_MAX_OF_BOX = 3  # rows of an element of a label and its value
_NO_BOXES = frozenset({"", "ul", "ol"})  # elements in which nothing is the label of something
# Element that heads what follows -> its level, up to the next one of its level or above.
_LEVELS = {**{f"h{level}": level for level in range(1, 7)}, "dt": 7}
_OF_ALL = frozenset({"caption", "legend", "summary"})  # elements that head all of the element around them
_CLOSED = frozenset({"nav", "aside", "menu"})  # furniture whose headings head nothing outside of it
_ITEMS = frozenset({"li", "article"})


class Scopes:
    """The scopes of rows.

    starts      row -> its first run; at the end the number of runs
    row_of_run  run -> its row
    at          row -> the element that it stands in
    """

    def __init__(
        self, runs: TextRuns, elements: Elements, starts: Indices, row_of_run: Indices, at: Indices
    ) -> None:
        has_words = runs.words > 0
        first, stop = runs_inside(elements, runs.positions)
        worded, words = before(has_words), before(runs.words)
        inside = worded[stop] - worded[first]  # element -> runs with words in it
        children = elements.parent_array[1:][inside[1:] > 0]
        own = np.bincount(runs.elements[has_words], minlength=len(elements))
        self._names, self._parents = elements.names, elements.parents
        self._at: list[int] = at.tolist()
        self._starts: list[int] = starts.tolist()
        self._of_runs: list[int] = runs.elements.tolist()
        self._words: list[int] = words.tolist()
        self._inside: list[int] = inside.tolist()
        self._first: list[int] = first.tolist()
        self._stop: list[int] = stop.tolist()
        self._row_at: list[int] = np.append(row_of_run, len(at)).tolist()
        is_pair = (np.bincount(children, minlength=len(elements)) == 2) & (own == 0)
        self._is_pair: list[bool] = is_pair.tolist()
        self._boxes: set[int] = set()  # those that begin with their label

    def read(
        self, words: Sequence[int], worded: Sequence[int], has_link: Sequence[bool]
    ) -> tuple[Indices, Indices]:
        """Return for each row where its scope starts and stops.

        words, worded, has_link  row -> its words, its runs with words, and whether it has a link
        """
        starts = list(range(1, len(words) + 1))
        stops = starts.copy()
        nexts = [len(words)] * (max(_LEVELS.values()) + 1)  # level -> the next row of it
        for row in range(len(words) - 1, -1, -1):
            if not worded[row]:
                continue
            name = self._names[self._at[row]]
            level = _LEVELS.get(name)
            if level is not None or name in _OF_ALL or (words[row] <= LABEL_WORDS and not has_link[row]):
                box = self._box(row, worded[row])
                if level is not None:
                    following = min(nexts[: level + 1])
                    end = self._end(self._section(row, box))
                    if following == row + 1 < end:
                        following = self._after_items(row)
                    stops[row] = min(end, following)
                    nexts[level] = row
                elif name in _OF_ALL:
                    stops[row] = self._end(box)
                is_short = words[row] <= LABEL_WORDS and not has_link[row]
                if is_short and self._names[box] not in _NO_BOXES and not self._is_button(row):
                    starts[row], stops[row] = self._label(row, box, stops[row])
        return indices(starts), indices(stops)

    def _box(self, row: int, worded: int) -> int:
        """Return the smallest element that has more than a row."""
        element = self._at[row]
        while element and self._inside[element] <= worded:
            element = self._parents[element]
        return element

    def _section(self, row: int, element: int) -> int:
        """Return the smallest element around another that has more than a label behind a row.

        Furniture is the last that is asked.
        """
        behind = self._words[self._starts[row + 1]]
        while element and self._words[self._stop[element]] - behind <= LABEL_WORDS:
            if self._names[element] in _CLOSED:
                break
            element = self._parents[element]
        return element

    def _after_items(self, row: int) -> int:
        """Return the row after a list of items behind a heading, the next row if there is none."""
        heading, element, items = self._at[row], self._at[row + 1], -1
        while element > heading:
            if self._names[element] in _ITEMS:
                items = self._parents[element]
            element = self._parents[element]
        return self._end(items) if items >= 0 else row + 1

    def _end(self, element: int) -> int:
        """Return the row after those that an element has."""
        return self._row_at[self._stop[element] - 1] + 1

    def _is_button(self, row: int) -> bool:
        element = self._of_runs[self._starts[row]]
        return "button" in (self._names[element], self._names[max(self._parents[element], 0)])

    def _label(self, row: int, box: int, stop: int) -> tuple[int, int]:
        """Return the scope of a label, from the scope that it has as a heading."""
        first, end = self._row_at[self._first[box]], self._end(box)
        words = self._words[self._stop[box]] - self._words[self._first[box]]
        is_box = words <= SHORT_WORDS and end - first <= _MAX_OF_BOX
        if is_box and (row + 1 < end or end - first < _MAX_OF_BOX):
            if row == first and self._names[self._at[row]] not in _LEVELS:
                self._boxes.add(box)
            return first, max(end, stop)
        is_first = row == first and (self._is_pair[box] or self._names[box] == "tr")
        return row + 1, max(end, stop) if is_first else stop

    def grids(self, runs: TextRuns) -> Iterator[tuple[int, int, int]]:
        """Yield the grids of facts, the inner before the outer: element, first row, row after the last.

        To be called after ``read``, which finds the boxes.
        """
        linked = before(runs.words * (runs.hints & LINKED > 0)).tolist()
        boxes, words = dict[int, int](), dict[int, int]()
        for box in self._boxes:
            first, stop = self._first[box], self._stop[box]
            if linked[first] == linked[stop]:
                while box and self._inside[self._parents[box]] == self._inside[box]:
                    box = self._parents[box]
                around = max(self._parents[box], 0)
                boxes[around] = boxes.get(around, 0) + 1
                words[around] = words.get(around, 0) + self._words[stop] - self._words[first]
        for grid in sorted((one for one, count in boxes.items() if count >= MIN_PAIRS), reverse=True):
            first, stop = self._first[grid], self._stop[grid]
            if 2 * words[grid] >= self._words[stop] - self._words[first]:
                yield grid, self._row_at[first], self._end(grid)
