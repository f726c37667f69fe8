"""The columns of a page type, and the values that a page has in them.

n cells of the page.  Cost: O(n).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urljoin

from templcrawl.algorithms.columns.cells import Cell, in_record, read_cells
from templcrawl.algorithms.columns.template import Slot, Template, Value
from templcrawl.page.page import Page
from templcrawl.page.text import storable

HREF, SRC = "href", "src"


@dataclass(frozen=True)
class Column:
    """A column of a page type.

    slots      where its values stand; several are alternatives, of which a page has one
    attribute  of what a value is: ``HREF``, ``SRC``; "": its text
    kind       :mod:`templcrawl.algorithms.columns.names`
    many       whether a page has a list of values
    last       whether its value is the last on a page, not the first
    share      share of the pages of the sample that fill it
    examples   three values, or fewer
    css, xpath selectors of its values
    regex      what a selected text must match, and its group is the value; "": all of it is
    fixed      selected texts that are no values
    """

    name: str
    slots: tuple[Slot, ...]
    attribute: str
    kind: str
    many: bool
    last: bool
    share: float
    examples: tuple[str, ...]
    css: str
    xpath: str
    regex: str
    fixed: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """Its label, "" without one."""
        return self.slots[0].label.rstrip(":")


@dataclass(frozen=True)
class TypeColumns:
    """The columns of a page type.

    rows     name -> the columns of the records of a page
    row      place of the records, of columns of records; "" of a page
    xpath    of the records; "" of a page
    dropped  columns beyond the first ``MOST_COLUMNS``
    """

    template: Template
    columns: tuple[Column, ...] = ()
    rows: Mapping[str, TypeColumns] = field(default_factory=dict)
    row: str = ""
    xpath: str = ""
    dropped: int = 0

    def read(self, page: Page) -> list[Cell]:
        """Return the cells of a page of the type, whether content or not."""
        rows = {columns.row for columns in self.rows.values()}
        places = self.template.places
        return read_cells(page, bytes(len(page.tokens)), lambda row: places[row] in rows)

    def values(self, cells: Iterable[Cell], base: str) -> dict[str, Any]:
        """Return the values of a page by name: a text, or a list of them where a page has many.

        base  what relative links start from
        A column without a value on the page is left out.
        """
        of_slot: defaultdict[Slot, list[Column]] = defaultdict(list)
        for column in self.columns:
            for slot in column.slots:
                of_slot[slot].append(column)
        found: dict[str, list[str]] = {column.name: [] for column in self.columns}
        for slot, value in self.template.read(cells):
            for column in of_slot.get(slot, ()):
                texts = found[column.name]
                if column.many or column.last or not texts:
                    texts += filter(None, [_text(value, column.attribute, base)])
        return {
            column.name: list(dict.fromkeys(texts)) if column.many else texts[-column.last]
            for column in self.columns
            if (texts := found[column.name])
        }

    def records(self, cells: Sequence[Cell], base: str) -> dict[str, list[dict[str, Any]]]:
        """Return the records of a page by the name of their table, in reading order."""
        of_table = {
            name: [rows.values(record, base) for record in records_at(cells, rows.row, self.template)]
            for name, rows in self.rows.items()
        }
        return {name: list(filter(None, records)) for name, records in of_table.items()}


def records_at(cells: Iterable[Cell], row: str, template: Template) -> Iterable[list[Cell]]:
    """Return the cells of each record at a place."""
    records: defaultdict[int, list[Cell]] = defaultdict(list)
    for cell in cells:
        if cell.record and template.places[cell.row] == row:
            records[cell.record].append(in_record(cell))
    return records.values()


def _text(value: Value, attribute: str, base: str) -> str:
    if not attribute:
        return storable(value.text)
    address = value.cell.link if attribute == HREF else value.text
    with suppress(ValueError):
        address = urljoin(base, address.strip()) if address else ""
    return storable(address)
