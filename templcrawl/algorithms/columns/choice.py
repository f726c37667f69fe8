"""The columns of a page type, by a sample of its pages: what differs from page to page in one place.

*The sample* holds the cells of the pages with the smallest keys, a bottom-k sketch (Cohen, Kaplan, PODC
2007), the same in whatever order pages come; two are merged by adding one to the other.  It has
``MOST_PAGES`` pages and ``MOST_CHARACTERS``; a page has the first of its cells that take up an eighth of
these, texts cut at ``MOST_TEXT``.

*The choice.*  What pages repeat in a place is fixed (:mod:`templcrawl.algorithms.columns.template`), what
else stands there is a column.  It needs two values, ``LEAST_PAGES`` pages, and enough of it must be content.
Columns of which a page has one, in places that differ by a wrapper or a state (a reduced price), are one
column with alternatives.  A column that repeats another is left out.

*Records* of one place (:mod:`templcrawl.algorithms.columns.cells`) are pages of a type of their own, unless
most of their values are labelled: rows of "Weight: 3 kg" are columns of the page.

n cells of the sample, c columns, p places.  Cost: O(n d + c^2 + c p) with places of depth d.
"""

from __future__ import annotations

from bisect import insort
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from sys import intern

from templcrawl.algorithms.columns.cells import Cell, in_record
from templcrawl.algorithms.columns.describing import DescribedColumns, told
from templcrawl.algorithms.columns.names import (
    is_furniture,
    rows_name,
)
from templcrawl.algorithms.columns.selectors import Selectors
from templcrawl.algorithms.columns.sifting import (
    Columns,
    Found,
    bodies_of,
    is_no_data,
    joined,
    without_repeats,
)
from templcrawl.algorithms.columns.template import (
    BEFORE,
    LEAST_PAGES,
    MOST_TEXT,
    SEVERAL,
    Slot,
    Template,
    template_of,
)
from templcrawl.algorithms.columns.values import TypeColumns

MOST_PAGES, MOST_CELLS = 128, 4_000  # of a sample; of a page in it
MOST_COLUMNS = 200
RESERVED = frozenset({"url", "position"})  # names of what stands beside the columns in a table
MOST_LABELS = 500
_REPEATED = 0.5  # of the pages that have a table have the same record, on average: it is furniture
LEAST_SHARE = 0.05
LEAST_CONTENT = 0.5  # of the values of a column
_MOST_RECORDS, _MOST_ROWS = 512, 16  # records of a sample; tables of records of a type
MOST_CHARACTERS = 64_000_000  # of the cells of a sample, each counted as ``_CELL`` more
_CELL = 200
_PASSED = 32  # pages that are asked for fixed texts between labels and values
_LEAST_SAMPLED = 8  # pages that the characters of a sample are enough for
_LABELLED = 0.5  # of the values of records: those are columns of the page


class TypeSample:
    """The cells of some pages of a type.

    pages  (key, cells) of those with the smallest keys, ascending
    """

    def __init__(self, most: int = MOST_PAGES, characters: int = MOST_CHARACTERS) -> None:
        self.pages: list[tuple[int, list[Cell]]] = []
        self._sizes: dict[int, int] = {}
        self._most, self._characters = most, characters

    def add(self, key: int, cells: Sequence[Cell]) -> None:
        """Add a page; one with a key that is known takes its place."""
        if len(self.pages) == self._most and key > self.pages[-1][0]:
            return
        kept, size = [], 0
        for cell in cells[:MOST_CELLS]:
            text, link = cell.text[:MOST_TEXT], cell.link[:MOST_TEXT]
            taken = _CELL + len(cell.place) + len(text) + len(link)
            if size + taken > self._characters // _LEAST_SAMPLED:
                break
            size += taken
            row = intern(cell.row)
            kept.append(cell._replace(place=intern(cell.place), text=text, link=link, row=row))
        self.pages = [page for page in self.pages if page[0] != key]
        insort(self.pages, (key, kept), key=lambda page: page[0])
        self._sizes[key] = size
        while len(self.pages) > self._most or sum(self._sizes.values()) > self._characters:
            del self._sizes[self.pages.pop()[0]]

    def merge(self, other: TypeSample) -> None:
        """Add the pages of another sample."""
        for key, cells in other.pages:
            self.add(key, cells)

    def columns(self) -> TypeColumns:
        """Return the columns of the type."""
        return choose_columns([cells for _, cells in self.pages])


def choose_columns(pages: Sequence[Sequence[Cell]], row: str = "") -> TypeColumns:
    """Return the columns of a type.

    pages  the cells of each page of the sample
    row    short place of the records that take the place of pages; "": these are pages
    """
    template = template_of(pages)
    found: defaultdict[Slot, Found] = defaultdict(dict)
    positions: defaultdict[Slot, list[int]] = defaultdict(list)
    for page, cells in enumerate(pages):
        for position, (slot, value) in enumerate(template.read(cells)):
            found[slot].setdefault(page, []).append(value)
            positions[slot].append(position)
    bodies = bodies_of(found)
    rows, furniture = ({}, set()) if row else _rows(pages, template, found, bodies)
    in_rows = furniture | {rows_of.row for rows_of in rows.values()}
    chosen = without_repeats(joined(_data(found, template, bodies, in_rows)))
    least = max(LEAST_PAGES, LEAST_SHARE * len(pages))
    order = {slots: fmean(positions[slots[0]]) for slots in chosen}
    kept = [slots for slots in chosen if len(chosen[slots]) >= least]
    kept.sort(key=lambda slots: (-len(chosen[slots]), order[slots], slots))
    described = DescribedColumns(template, pages, RESERVED, of_records=row != "")
    for slots in sorted(kept[:MOST_COLUMNS], key=lambda slots: (order[slots], slots)):
        described.add(slots, chosen[slots])
    return TypeColumns(
        template,
        tuple(described.columns[:MOST_COLUMNS]),
        rows,
        row,
        dropped=max(len(kept) - MOST_COLUMNS, 0),
        labels=_labels(template, pages, found),
    )


def _data(
    found: Mapping[Slot, Found], template: Template, bodies: Collection[str], in_rows: Collection[str]
) -> Columns:
    """Return the slots that may be columns: with several values, of content, outside of records.

    bodies   places of elements that hold paragraphs
    in_rows  rows of records that have tables, or are furniture
    """
    chosen: Columns = {}
    for slot, values in found.items():
        flat = [value for of_page in values.values() for value in of_page]
        inside = sum(template.places[value.cell.row] in in_rows for value in flat if value.cell.record)
        is_content = sum(value.cell.content for value in flat) >= LEAST_CONTENT * len(flat)
        if is_no_data(slot, len(flat) / len(values), bodies):
            continue
        if slot.place and is_content and 2 * inside < len(flat) and len({value.text for value in flat}) > 1:
            chosen[slot,] = values
    return chosen


def _labels(template: Template, pages: Sequence[Sequence[Cell]], slots: Collection[Slot]) -> tuple[str, ...]:
    """Return the labels of slots, and fixed texts between a label and its value."""
    labels = {told(slot, template) or "" for slot in slots if slot.way}
    if any(slot.way == BEFORE for slot in slots):
        labels.update(text for cells in pages[:_PASSED] for text in template.passed(cells))
    return tuple(sorted(labels)[:MOST_LABELS])


def _rows(
    pages: Sequence[Sequence[Cell]],
    template: Template,
    found: Mapping[Slot, Found],
    bodies: Collection[str],
) -> tuple[dict[str, TypeColumns], set[str]]:
    """Return the tables of records, by name; and the rows of records that are furniture.

    bodies  places of elements that hold paragraphs
    """
    standing, labelled = Counter[str](), Counter[str]()
    for slot, values in found.items():
        for value in (value for of_page in values.values() for value in of_page if value.cell.record):
            row = template.places[value.cell.row]
            standing[row] += 1
            labelled[row] += slot.way != ""
    records, whole = _records(pages, template.places)
    rows: dict[str, TypeColumns] = {}
    furniture: set[str] = set()
    selectors = Selectors(template, records, of_records=False)
    for row, of_row in sorted(records.items(), key=lambda item: (-len(item[1]), item[0])):
        cells = [cell for held in of_row.values() for cell in held]
        is_content = 2 * sum(cell.content for cell in cells) >= len(cells)
        is_labelled = labelled[row] > _LABELLED * standing[row]
        if len({page for page, _ in of_row}) < LEAST_PAGES or not is_content or is_labelled:
            continue
        texts = {tuple(cell.text for cell in held) for held in of_row.values()}
        repeated = len(of_row) / len(texts) >= max(LEAST_PAGES, _REPEATED * len({page for page, _ in of_row}))
        if repeated or is_furniture(row):
            furniture.add(row)
        if row in furniture or is_no_data(Slot(row), SEVERAL, bodies):
            continue
        if len(rows) == _MOST_ROWS:
            break
        columns = choose_columns(list(of_row.values()), row)
        if len(columns.columns) > 1:
            (place, _), *_ = whole[row].most_common(1)
            rows[rows_name(template.places[place], rows)] = replace(columns, selected=selectors.elements(row))
    return rows, furniture


def _records(
    pages: Sequence[Sequence[Cell]], places: Mapping[str, str]
) -> tuple[dict[str, dict[tuple[int, int], list[Cell]]], dict[str, Counter[str]]]:
    """Return row -> (page, record) -> its cells, of the first records; row -> the places of its records."""
    records: defaultdict[str, dict[tuple[int, int], list[Cell]]] = defaultdict(dict)
    whole: defaultdict[str, Counter[str]] = defaultdict(Counter)  # row -> places of its records
    for page, cells in enumerate(pages):
        for cell in cells:
            if cell.record:
                row, key = places[cell.row], (page, cell.record)
                if key in records[row] or len(records[row]) < _MOST_RECORDS:
                    records[row].setdefault(key, []).append(in_record(cell))
                    whole[row]["/".join(cell.place.split("/")[: cell.row.count("/") + 1])] += 1
    return records, whole
