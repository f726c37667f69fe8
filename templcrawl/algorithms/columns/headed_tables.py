"""Find the records of a page that are rows of tables with a heading row.

*A headed table* has a first row of headings alone (all ``th``, in ``thead``, or bold); each row below it is a
record, and each unit in it knows the heading of its column, spans included.  A table that holds another is a
layout.

Source: our own.  n units, m elements.  Cost: O(n + m).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from templcrawl.algorithms.columns.separators import Text
from templcrawl.page.page import Page
from templcrawl.page.tokens import attributes

HEADED = "table: "  # begins the row of a headed table, before its headings
NO_RECORD = (0, "")  # no record, no row
_MAX_SPAN, _MAX_COLUMNS, _LONGEST_HEAD = 50, 200, 60
_DIGITS = re.compile(r"\d+")

Spans = tuple[Sequence[int], Sequence[int]]  # element -> the number of the first unit in it; after the last


def cells_of(page: Page) -> dict[int, list[int]]:
    """Return row of a table -> its cells."""
    names, parents = page.elements.names, page.elements.parents
    cells: defaultdict[int, list[int]] = defaultdict(list)
    for element, name in enumerate(names):
        if name in ("td", "th") and names[parents[element]] == "tr":
            cells[parents[element]].append(element)
    return cells


def headed_rows(
    page: Page, cells: Mapping[int, Sequence[int]], texts: Sequence[Text], spans: Spans
) -> tuple[dict[int, tuple[int, str, str]], dict[int, list[int]]]:
    """Return what tables with headings say of units.

    Of a unit, by its number: its record (0 of headings), its row and its heading.  Of a record: the units
    that it has, too, since their cells began in a row above; the first of each cell.
    """
    names, parents = page.elements.names, page.elements.parents
    table = [0] * len(names)  # element -> the table around it
    nested, lines = set[int](), defaultdict[int, list[int]](list)
    for element, parent in enumerate(parents[1:], start=1) if cells else ():
        table[element] = element if names[element] == "table" else table[parent]
        if names[element] == "table" and table[parent]:
            nested.add(table[parent])
        elif names[element] == "tr" and table[element]:
            lines[table[element]].append(element)
    found: dict[int, tuple[int, str, str]] = {}
    began: dict[int, list[int]] = {}
    for one, rows in lines.items():
        if one not in nested and len(rows) > 1:
            grid = _grid(page, rows, cells)
            found |= _table_records(page, rows, grid, texts, spans)
            for row, line in zip(rows, grid):
                above = [cell for cell in dict.fromkeys(line) if parents[cell] != row]
                firsts = [spans[0][cell] for cell in above]
                began[row] = [one for one in firsts if found.get(one, NO_RECORD)[0] not in (0, row)]
    return found, began


def _grid(page: Page, rows: Sequence[int], cells: Mapping[int, Sequence[int]]) -> list[list[int]]:
    """Return the element of each cell of the rows of a table, those that span several in each of them."""
    tokens, opens = page.tokens, page.elements.opens
    grid = list[list[int]]()
    above = dict[int, tuple[int, int]]()  # column -> an element of rows above, how many rows it has left
    for row in rows:
        line: list[int] = []
        below: dict[int, tuple[int, int]] = {}
        for cell in (*cells.get(row, ()), None):
            while len(line) in above and len(line) < _MAX_COLUMNS:
                element, left = above[len(line)]
                if left > 1:
                    below[len(line)] = (element, left - 1)
                line.append(element)
            if cell is None or len(line) >= _MAX_COLUMNS:
                break
            values = attributes(tokens.forms[tokens.form_of[opens[cell]]])
            wide, high = (_span(values.get(name, "")) for name in ("colspan", "rowspan"))
            for _ in range(wide):
                if high > 1:
                    below[len(line)] = (cell, high - 1)
                line.append(cell)
        above = below
        grid.append(line)
    return grid


def _span(written: str) -> int:
    match = _DIGITS.search(written[:8])
    return min(max(int(match[0]), 1), _MAX_SPAN) if match else 1


def _table_records(
    page: Page, rows: Sequence[int], grid: Sequence[Sequence[int]], texts: Sequence[Text], spans: Spans
) -> dict[int, tuple[int, str, str]]:
    names, parents = page.elements.names, page.elements.parents
    first, after = spans

    def said(cell: int) -> str:
        return " ".join(text for one, text, _ in texts[first[cell] : after[cell]] if names[one] != "img")[
            :_LONGEST_HEAD
        ]

    above = 0  # rows of headings
    while (
        above < len(rows)
        and grid[above]
        and (all(names[cell] == "th" for cell in grid[above]) or names[parents[rows[above]]] == "thead")
    ):
        above += 1
    if not above and _is_bold(grid[0], names, texts, spans) and not _is_bold(grid[1], names, texts, spans):
        above = 1
    heads = [" ".join(dict.fromkeys(filter(None, map(said, column)))) for column in zip(*grid[:above])]
    if not above or above == len(rows) or sum(map(bool, heads)) < 2 or len(set(grid[0])) < 2:
        return {}
    row = HEADED + "|".join(heads)
    found: dict[int, tuple[int, str, str]] = {
        number: (0, row, "")
        for line in grid[:above]
        for cell in line
        for number in range(first[cell], after[cell])
    }
    for element, line in zip(rows[above:], grid[above:]):
        is_heading = all(names[cell] == "th" for cell in line)  # headings again, of what is below
        for head, cell in zip(heads, line) if len(set(line)) > 1 else ():
            for number in range(first[cell], after[cell]):
                found.setdefault(number, (0, row, "") if is_heading else (element, row, head))
    return found


def _is_bold(cells: Sequence[int], names: Sequence[str], texts: Sequence[Text], spans: Spans) -> bool:
    """Return whether each of some cells has a text in bold alone."""
    first, after = spans
    return all(
        first[cell] + 1 == after[cell] and names[texts[first[cell]][0]] in ("b", "strong") for cell in cells
    )
