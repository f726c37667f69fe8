"""The columns of a page type, and the values that a page has in them.

n units of the page.  Cost: O(n).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from templcrawl.algorithms.columns.candidates import TIME, told_by
from templcrawl.algorithms.columns.groups import records_at
from templcrawl.algorithms.columns.links import absolute, leads
from templcrawl.algorithms.columns.reading import PageUnits, read_page
from templcrawl.algorithms.columns.sentences import Part
from templcrawl.algorithms.columns.slots import Slot, Template, Value
from templcrawl.page.page import Page
from templcrawl.page.text import storable


@dataclass(frozen=True)
class Column:
    """A column of a page type.

    slots      where its values stand; several are alternatives, of which a page has one
    attribute  of what a value is: ``HREF``, ``SRC``, ``TIME``; "": its text
    declared   property that pages declare, the value where no slot has one; "" without one
    pattern    regular expression of which the group is its value, of what stands there; "": all is
    kind       :mod:`templcrawl.algorithms.columns.value_kinds`
    label      "" without one
    many       whether a page has a list of values
    joined     whether its value is all that is selected: running text
    last       which from the end of a page its value is; 0: the first
    shown      whether it is one of the best, which a table has by default
    share      share of the pages of the sample that fill it
    examples   three values, or fewer
    features   what its score is made of (:mod:`templcrawl.algorithms.columns.scores`)
    """

    name: str
    slots: tuple[Slot, ...]
    attribute: str
    declared: str
    kind: str
    pattern: str
    label: str
    many: bool
    last: int
    joined: bool
    shown: bool
    share: float
    examples: tuple[str, ...]
    features: Mapping[str, float]

    @property
    def is_address(self) -> bool:
        """True if its values are addresses of links or pictures."""
        return self.attribute not in ("", TIME)


@dataclass(frozen=True)
class TypeColumns:
    """The columns of a page type.

    rows     name -> the columns of the records of a page
    places   those of the records, of columns of records
    having   share of the pages that have such records
    dropped  columns beyond the first ``MAX_COLUMNS``
    """

    template: Template
    columns: tuple[Column, ...] = ()
    rows: Mapping[str, TypeColumns] = field(default_factory=dict)
    places: tuple[str, ...] = ()
    dropped: int = 0
    having: float = 1.0

    def read(self, page: Page, *, declares: bool = True) -> PageUnits:
        """Read a page of the type, whether content or not.

        declares  whether what it declares is read, too
        """
        rows, own, row_of = self.template.rows, self.template.own, self.template.row
        return read_page(
            page, b"", lambda row: row_of(row) in rows, lambda row: row_of(row) in own, declares=declares
        )

    def values(self, read: PageUnits, base: str) -> dict[str, Any]:
        """Return the values of a page by name: a text, or a list of them where a page has many.

        base  what relative links start from
        A column without a value on the page is left out.
        """
        columns_of: defaultdict[Slot, list[Column]] = defaultdict(list)
        for column in self.columns:
            for slot in column.slots:
                columns_of[slot].append(column)
        found: dict[str, list[str]] = {column.name: [] for column in self.columns}
        for slot, value in self.template.read(read.units):
            for column in columns_of.get(slot, ()):
                texts = found[column.name]
                if column.many or column.last or not texts:
                    texts += filter(None, [_text(value, column, base)])
        row = {}
        for column in self.columns:
            texts = found[column.name] or (
                read.declared.values.get(column.declared, []) if not column.attribute else []
            )
            if len(texts) >= max(column.last, 1):
                row[column.name] = list(texts) if column.many else texts[-column.last]
        return row

    def records(self, read: PageUnits, base: str) -> dict[str, list[dict[str, Any]]]:
        """Return the records of a page by the name of their table, in reading order."""
        found = {
            name: [
                rows.values(PageUnits(record), base)
                for record in records_at(read.units, rows.places, self.template)
            ]
            for name, rows in self.rows.items()
        }
        return {name: list(filter(None, records)) for name, records in found.items()}


def _text(value: Value, column: Column, base: str) -> str:
    if column.pattern:
        return storable(Part("", column.pattern).of(value.text))
    address = told_by(value, column.attribute)
    if not column.is_address:
        return storable(address)
    return storable(absolute(address.strip(), base)) if leads(address) else ""
