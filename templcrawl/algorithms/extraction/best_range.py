"""The range of blocks with the largest sum: a maximum subsequence, on a line or in a tree.

Elements that cost more than a price are passed over for that price.  b blocks, m elements around them. Cost:
O(b + m).

Source: Pasternack & Roth, "Extracting article text from the web with maximum subsequence segmentation" (WWW
2009), here of a tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from templcrawl.page.arrays import Flags


class Range(NamedTuple):
    """A range of blocks, ``start`` to before ``stop``, and the ranges inside elements to be passed over."""

    start: int
    stop: int
    passed: list[tuple[int, int]]

    def block_flags(self, blocks: int) -> Flags:
        """Return block -> whether it is in the range, and not passed over."""
        chosen = np.zeros(blocks, dtype=bool)
        chosen[self.start : self.stop] = True
        for start, stop in self.passed:
            chosen[start:stop] = False
        return chosen


def best_range(values: Sequence[float], owners: Sequence[int], parents: Sequence[int], price: float) -> Range:
    """Return the range of blocks with the largest sum; passing over an element costs at most ``price``.

    values   block -> what it is worth
    owners   block -> the element that it stands in, in document order
    parents  element -> its parent; -1 for the first

    The best range is empty where every block costs.

    >>> best_range([9.0, -50.0, 9.0], [0, 1, 0], [-1, 0], 5.0)
    Range(start=0, stop=3, passed=[(1, 2)])
    """
    open_elements = [_Open(0, 0)]
    is_open = {0}
    passed: list[tuple[int, int]] = []

    def close(block: int) -> None:
        closed = open_elements.pop()
        is_open.discard(closed.element)
        if closed.total < -price:
            closed.total = -price
            passed.append((closed.start, block))
        open_elements[-1].join(closed)

    for block, (value, owner) in enumerate(zip(values, owners)):
        path = []
        while owner not in is_open:
            path.append(owner)
            owner = parents[owner]
        while open_elements[-1].element != owner:
            close(block)
        for element in reversed(path):
            open_elements.append(_Open(element, block))
            is_open.add(element)
        open_elements[-1].append(value, block)
    while len(open_elements) > 1:
        close(len(values))
    whole = open_elements[0]
    start, stop = whole.best_start, whole.best_stop
    return Range(start, stop, [part for part in passed if start <= part[0] and part[1] <= stop])


class _Open:
    """An open element: its total so far, and its best ranges.

    head  the best one from its beginning;  tail  the best one up to here;  best  the best of all
    """

    def __init__(self, element: int, block: int) -> None:
        self.element = element
        self.start = self.head_stop = self.tail_start = self.best_start = self.best_stop = block
        self.total = self.head = self.best = 0.0
        self.tail = float("-inf")

    def append(self, value: float, block: int) -> None:
        """Append a block of its own."""
        self.total += value
        self.tail += value
        if value > self.tail:
            self.tail, self.tail_start = value, block
        if self.tail > self.best:
            self.best, self.best_start, self.best_stop = self.tail, self.tail_start, block + 1
        if self.total > self.head:
            self.head, self.head_stop = self.total, block + 1

    def join(self, child: _Open) -> None:
        """Add a child that has ended."""
        across = self.tail + child.head
        if child.head > 0.0 and across > self.best:
            self.best, self.best_start, self.best_stop = across, self.tail_start, child.head_stop
        if child.best > self.best:
            self.best, self.best_start, self.best_stop = child.best, child.best_start, child.best_stop
        if self.total + child.head > self.head:
            self.head, self.head_stop = self.total + child.head, child.head_stop
        self.total += child.total
        self.tail += child.total
        if child.tail > self.tail:
            self.tail, self.tail_start = child.tail, child.tail_start
