"""Tell the numbers of a pager from the days of a month and from years, by where they stand.

A run: links whose anchors are numbers in ascending order, each within three levels of the one before it.
A run counts if two of its numbers differ by 1 or, around the page's own, by 2; unless its numbers are

* years, or a month: 20 numbers or more, the last from 28 to 31; or
* days in a calendar: numbers to 31, each in a cell of its own, of a table of three rows or more.

k numbered links, m elements.  Cost: O(k), and O(m) if there are numbers in cells.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from templcrawl.page.page import Page

_LEVELS = 3
_FIRST_YEAR, _LAST_YEAR = 1900, 2100
_MANY_DAYS = 20
_SHORTEST_MONTH, _LAST_DAY = 28, 31
_WEEKS = 3


def runs_and_dates(page: Page, numbers: Mapping[int, int]) -> tuple[set[int], set[int]]:
    """Return the links that stand in runs, and those that are days or years.

    numbers  link -> the number that its anchor is, in document order

    >>> page = Page("<ul><li><a href=a>2</a><li><a href=b>3</a></ul>", "https://example.org/")
    >>> runs_and_dates(page, {0: 2, 1: 3}), runs_and_dates(page, {0: 2025, 1: 2026})
    (({0, 1}, set()), (set(), {0, 1}))
    """
    above = {link: _ancestors(page, link) for link in numbers}
    in_run: set[int] = set()
    dates = set(_days_in_tables(page, numbers, above))
    for run in _ascending(numbers, above):
        values = [numbers[link] for link in run]
        is_month = len(run) >= _MANY_DAYS and _SHORTEST_MONTH <= values[-1] <= _LAST_DAY
        if is_month or (values[0] >= _FIRST_YEAR and values[-1] <= _LAST_YEAR):
            dates.update(run)
        elif any(after - value <= 2 for value, after in pairwise(values)):
            in_run.update(run)
    return in_run, dates


def _ancestors(page: Page, link: int) -> list[int]:
    parents, element = page.elements.parents, page.links.elements[link]
    ancestors = []
    for _ in range(_LEVELS):
        element = max(parents[element], 0)
        ancestors.append(element)
    return ancestors


def _ascending(numbers: Mapping[int, int], above: Mapping[int, Sequence[int]]) -> Iterator[list[int]]:
    run: list[int] = []
    for link, number in numbers.items():
        if run and (number <= numbers[run[-1]] or set(above[link]).isdisjoint(above[run[-1]])):
            yield run
            run = []
        run.append(link)
    if run:
        yield run


def _days_in_tables(
    page: Page, numbers: Mapping[int, int], above: Mapping[int, Sequence[int]]
) -> Iterator[int]:
    parents, names = page.elements.parents, page.elements.names
    cells: dict[int, list[int]] = {}
    for link in numbers:
        for element in above[link]:
            if names[element] == "td":
                cells.setdefault(element, []).append(link)
    if not cells:
        return
    rows = Counter(parents[element] for element, name in enumerate(names) if name == "tr")
    for cell, inside in cells.items():
        is_alone = len(inside) == 1 and numbers[inside[0]] <= _LAST_DAY
        if is_alone and rows[parents[parents[cell]]] >= _WEEKS:
            yield inside[0]
