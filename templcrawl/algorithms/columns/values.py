"""The values of a page: what stands in the columns of its type.

*Fixed* is a text that most pages of a type which have its place have there: a label or furniture.  It is
never a value.

*A slot* is where a value stands: a place, and what it is labelled by, if a page has the place several
times.  The label is the last fixed text before the value, where the two meet at most two elements up; or what
stands before a colon in the text itself.

n cells.  Cost: O(n).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import urljoin

from templcrawl.algorithms.columns.cells import Cell, read_cells
from templcrawl.algorithms.columns.places import Places
from templcrawl.page.page import Page
from templcrawl.page.text import storable
from templcrawl.page.vocabulary import HEADINGS

LONGEST_LABEL = 32
MOST_TEXT = 200  # characters of a text that is compared
HREF, SRC = "href", "src"
BEFORE, PREFIX = "before", "prefix"
prefixed = re.compile(r"([^:：]{1,40}?)\s*[:：]\s*(?<![\d:])(?!//)(\S.*)", re.DOTALL).fullmatch
OLD = frozenset({"del", "s", "strike"})  # elements of what holds no longer
_ENDS = " :："


class Slot(NamedTuple):
    """Where a value stands.

    label  "" without one
    way    how it stands there: ``BEFORE`` the value, as a ``PREFIX`` of its text; "" without one
    """

    place: str
    label: str = ""
    way: str = ""


class Value(NamedTuple):
    """A value of a slot.

    labelled  the cell of its label; None without one
    """

    text: str
    cell: Cell
    labelled: Cell | None = None


@dataclass(frozen=True)
class Template:
    """What the pages of a type repeat.

    fixed     texts that are no values, each with its place
    prefixes  labels before a colon, each with its place
    several   places that a page has several times: there the label tells what a value is
    """

    places: Places
    fixed: frozenset[tuple[str, str]] = frozenset()
    prefixes: frozenset[tuple[str, str]] = frozenset()
    several: frozenset[str] = frozenset()

    def read(self, cells: Iterable[Cell]) -> Iterator[tuple[Slot, Value]]:
        """Yield the values of a page in reading order, each with its slot."""
        label: Cell | None = None
        labelled_place = ""  # of the first value behind the label: the only place that it is the label of
        for cell in cells:
            place = self.places.shorten(cell.place)
            if self.is_fixed(place, cell.text):
                label, labelled_place = cell, ""
                continue
            match = prefixed(cell.text)
            if match and (place, match[1]) in self.prefixes:
                yield Slot(place, match[1], PREFIX), Value(match[2], cell)
                continue
            is_old = not OLD.isdisjoint(place.split("/"))
            has_label = label is not None and labelled_place in ("", place) and is_label(label, cell)
            if not is_old:
                labelled_place = labelled_place or place
            labelled = label if has_label and not is_old else None
            if labelled is not None and place in self.several:
                yield Slot(place, label_of(labelled), BEFORE), Value(cell.text.lstrip(_ENDS), cell, labelled)
            else:
                yield Slot(place), Value(cell.text, cell, labelled)

    def is_fixed(self, place: str, text: str) -> bool:
        """Return whether a text is no value: a fixed one, or a label with its colon."""
        is_prefix = text.endswith((":", "：")) and (place, text[:MOST_TEXT].rstrip(_ENDS)) in self.prefixes
        return is_prefix or (place, text[:MOST_TEXT]) in self.fixed


def label_of(cell: Cell) -> str:
    """Return what a cell says as a label."""
    return cell.text[:MOST_TEXT].rstrip(_ENDS)


def may_label(text: str) -> bool:
    """Return whether a text may be a label: it has more letters than digits."""
    return sum(map(str.isalpha, text)) > sum(map(str.isdigit, text))


def is_label(cell: Cell, labelled: Cell) -> bool:
    """Return whether a fixed text may be the label of a cell: the two meet at most two elements up."""
    if cell.link or cell.is_picture or labelled.tag in HEADINGS or len(cell.text) > LONGEST_LABEL:
        return False
    return may_label(cell.text) and not set(cell.above).isdisjoint(labelled.above)


@dataclass(frozen=True)
class Column:
    """A column of a page type.

    slots      where its values stand; several are alternatives, of which a page has one
    attribute  of what a value is: ``HREF``, ``SRC``; "": its text
    kind       :mod:`templcrawl.algorithms.columns.kinds`
    many       whether a page has a list of values
    share      share of the pages of the sample that fill it
    examples   three values, or fewer
    css, xpath selectors of its values
    regex      what a selected text must match, and its group is the value; "": all of it is
    """

    name: str
    slots: tuple[Slot, ...]
    attribute: str
    kind: str
    many: bool
    share: float
    examples: tuple[str, ...]
    css: str
    xpath: str
    regex: str = ""

    @property
    def label(self) -> str:
        """Its label, "" without one."""
        return self.slots[0].label


@dataclass(frozen=True)
class TypeColumns:
    """The columns of a page type.

    rows     name -> the columns of the records of a page
    row      short place of a record, of columns of records; "" of a page
    dropped  columns beyond the first ``MOST_COLUMNS``
    """

    template: Template
    columns: tuple[Column, ...] = ()
    rows: Mapping[str, TypeColumns] = field(default_factory=dict)
    row: str = ""
    dropped: int = 0

    def read(self, page: Page) -> list[Cell]:
        """Return the cells of a page of the type, whether content or not."""
        rows = {columns.row for columns in self.rows.values()}
        return read_cells(
            page, bytes(len(page.tokens)), lambda place: self.template.places.shorten(place) in rows
        )

    def values(self, cells: Sequence[Cell], base: str) -> dict[str, Any]:
        """Return the values of a page by name: a text, or a list of them where a page has many.

        base  what relative links start from
        A column without a value on the page is left out.
        """
        found: defaultdict[Slot, list[Value]] = defaultdict(list)
        for slot, value in self.template.read(cells):
            found[slot].append(value)
        named: dict[str, Any] = {}
        for column in self.columns:
            values = [value for slot in column.slots for value in found.get(slot, ())]
            texts = [text for value in values if (text := _text(value, column.attribute, base))]
            if texts:
                named[column.name] = list(dict.fromkeys(texts)) if column.many else texts[0]
        return named

    def fields(self, page: Page) -> dict[str, Any]:
        """Return the values and the records of a page of the type by name; one of both names the values."""
        cells, base = self.read(page), page.base_url
        records = {name: found for name, found in self.records(cells, base).items() if found}
        return records | self.values(cells, base)

    def records(self, cells: Iterable[Cell], base: str) -> dict[str, list[dict[str, Any]]]:
        """Return the records of a page by the name of their table, in reading order."""
        tables: dict[str, list[dict[str, Any]]] = {name: [] for name in self.rows}
        by_row = {rows.row: name for name, rows in self.rows.items()}
        held: defaultdict[int, list[Cell]] = defaultdict(list)
        for cell in cells:
            if cell.record:
                held[cell.record].append(cell)
        for record in held.values():
            name = by_row.get(self.template.places.shorten(record[0].row))
            if name is not None and (values := self.rows[name].values(record, base)):
                tables[name].append(values)
        return tables


def _text(value: Value, attribute: str, base: str) -> str:
    if not attribute:
        return storable(value.text)
    address = value.cell.link if attribute == HREF else value.text
    with suppress(ValueError):
        address = urljoin(base, address.strip()) if address else ""
    return storable(address)
