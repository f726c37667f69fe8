"""The columns of a page type, by a sample of its pages: what differs from page to page in one place.

What pages repeat in a place is fixed (:mod:`templcrawl.algorithms.columns.template`), what else stands there
is a column.  It needs two values, ``LEAST_PAGES`` pages, and enough of it must be content.  Columns of which
a page has one, in places that differ by a wrapper or a state (a reduced price), are one column with
alternatives.  A column that repeats another is left out.

*Records* of one place (:mod:`templcrawl.algorithms.columns.cells`) are pages of a type of their own, unless
most of their values are labelled: rows of "Weight: 3 kg" are columns of the page.

Source: our own.
n cells of the sample, c columns, p places.  Cost: O(n d + c p) with places of depth d; a column is compared
with ``_MOST_ALTERNATIVES`` others.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from statistics import fmean

from templcrawl.algorithms.columns.cells import Cell, in_record, parts_of
from templcrawl.algorithms.columns.describing import (
    MANY,
    Describer,
    Found,
    kind_of_values,
    label_of_slot,
)
from templcrawl.algorithms.columns.names import OLD, is_furniture, rows_name
from templcrawl.algorithms.columns.template import LEAST_PAGES, Slot, Template, template_of
from templcrawl.algorithms.columns.values import TypeColumns

MOST_COLUMNS = 200
RESERVED = frozenset({"url", "position"})  # names of what stands beside the columns in a table
_LEAST_SHARE = 0.05
_LEAST_CONTENT = 0.5  # of the values of a column
_MOST_RECORDS, _MOST_ROWS = 512, 16  # records of a sample; tables of records of a type
_REPEATED = 0.5  # of the pages that have a table have the same record, on average: it is furniture
_LABELLED = 0.5  # of the values of records: those are columns of the page
_RUNNING = 8  # words of a paragraph, on average
_OVERLAP = 0.02  # of the pages of the smaller of two alternatives: those that have both
_MOST_ALTERNATIVES = 20  # columns of one end and label that a column is compared with
_WRAPPERS = frozenset("b strong em i span a font ins u mark small bdi div".split())

Columns = dict[tuple[Slot, ...], Found]  # slots, of which a page has one -> their values


def choose_columns(pages: Sequence[Sequence[Cell]], row: str = "") -> TypeColumns:
    """Return the columns of a type.

    pages  the cells of each page of the sample
    row    place of the records that take the place of pages; "": these are pages
    """
    template = template_of(pages)
    found: defaultdict[Slot, Found] = defaultdict(dict)
    positions: defaultdict[Slot, list[int]] = defaultdict(list)
    for page, cells in enumerate(pages):
        for position, (slot, value) in enumerate(template.read(cells)):
            found[slot].setdefault(page, []).append(value)
            positions[slot].append(position)
    bodies = _bodies_of(found)
    describer = Describer(template, pages, RESERVED, of_records=row != "")
    rows, in_rows = ({}, set()) if row else _rows(pages, template, found, bodies, describer)
    data: Columns = {
        (slot,): values
        for slot, values in found.items()
        if _is_data(slot, values, template, in_rows) and not _is_no_data(slot, values, bodies)
    }
    chosen = _without_repeats(_joined(data))
    least = max(LEAST_PAGES, _LEAST_SHARE * len(pages))
    order = {slots: fmean(positions[slots[0]]) for slots in chosen}
    kept = [slots for slots in chosen if len(chosen[slots]) >= least]
    kept.sort(key=lambda slots: (-len(chosen[slots]), order[slots], slots))
    first = sorted(kept[:MOST_COLUMNS], key=lambda slots: (order[slots], slots))
    columns = [column for slots in first for column in describer.describe(slots, chosen[slots])]
    dropped = max(len(kept) - MOST_COLUMNS, 0)
    return TypeColumns(template, tuple(columns[:MOST_COLUMNS]), rows, row, dropped=dropped)


def _is_data(slot: Slot, values: Found, template: Template, in_rows: Collection[str]) -> bool:
    """Return whether a slot has several values, of content, outside of records.

    in_rows  rows of records that have tables, or are furniture
    """
    flat = [value for of_page in values.values() for value in of_page]
    inside = sum(template.places[value.cell.row] in in_rows for value in flat if value.cell.record)
    is_content = sum(value.cell.content for value in flat) >= _LEAST_CONTENT * len(flat)
    is_outside = 2 * inside < len(flat)
    return slot.place != "" and is_content and is_outside and len({value.text for value in flat}) > 1


def _bodies_of(found: Mapping[Slot, Found]) -> set[str]:
    """Return the places of elements that hold paragraphs: running text on most pages, several on a page."""
    bodies = set()
    for slot, values in found.items():
        above, _, step = slot.place.rpartition("/")
        if step == "p" and above and not slot.label:
            flat = [value.text for of_page in values.values() for value in of_page]
            if len(flat) > MANY * len(values) and fmean(len(text.split()) for text in flat) >= _RUNNING:
                bodies.add(above)
    return bodies


def _is_no_data(slot: Slot, values: Found, bodies: Collection[str]) -> bool:
    """Return whether a slot is of furniture, or a part of running text: its links, lists, headings.

    bodies  places of elements that hold paragraphs
    """
    is_one = slot.label != "" or sum(map(len, values.values())) <= MANY * len(values)
    return is_furniture(slot.place) or (not is_one and _is_in_body(slot.place, bodies))


def _is_in_body(place: str, bodies: Collection[str]) -> bool:
    """Return whether a place is without words inside of an element that holds paragraphs, and is none."""
    steps = place.split("/")
    inner = next((steps[number:] for number in range(len(steps)) if "/".join(steps[:number]) in bodies), [])
    return bool(inner) and inner != ["p"] and not any(parts_of(step)[1] for step in inner)


def _joined(chosen: Columns) -> Columns:
    """Return columns in which alternatives are one, the one that most pages have first."""
    kept: Columns = {}
    by_end: defaultdict[tuple[str, str, str], list[tuple[Slot, ...]]] = defaultdict(list)
    for slots, values in sorted(chosen.items(), key=lambda item: (-len(item[1]), item[0])):
        slot = slots[0]
        alike = by_end[_end(slot.place), label_of_slot(slot, values), kind_of_values(values)]
        for number, others in enumerate(alike[:_MOST_ALTERNATIVES]):
            both = len(kept[others].keys() & values.keys())
            if both <= _OVERLAP * len(values) and _are_alternatives(others[0], slot):
                alike[number] = (*others, slot)
                kept[alike[number]] = {**values, **kept.pop(others)}
                break
        else:
            alike.append(slots)
            kept[slots] = values
    return kept


def _end(place: str) -> str:
    """Return the last step of a place with words, wrappers without words left out."""
    steps = place.split("/")
    while len(steps) > 1 and steps[-1] in _WRAPPERS:
        steps.pop()
    return steps[-1]


def _are_alternatives(known: Slot, other: Slot) -> bool:
    """Return whether two places with the same end differ by a wrapper or a state, within a named element."""
    steps = [slot.place.split("/") for slot in (known, other)]
    ours, others = ({step for step in of_slot if parts_of(step)[1]} for of_slot in steps)
    is_old = any(parts_of(step)[0] in OLD for of_slot in steps for step in of_slot)
    return not is_old and len(ours & others) >= max(1, min(2, len(ours), len(others)))


def _without_repeats(chosen: Columns) -> Columns:
    """Return columns without those that have the values of one that as many pages fill; a title stays."""
    kept: Columns = {}
    known: set[tuple[tuple[int, str], ...]] = set()
    for slots, values in sorted(
        chosen.items(), key=lambda item: (-len(item[1]), "h1" not in item[0][0].place, item[0])
    ):
        signature = tuple((page, of_page[0].text) for page, of_page in sorted(values.items()))
        if signature not in known:
            known.add(signature)
            kept[slots] = values
    return kept


def _rows(
    pages: Sequence[Sequence[Cell]],
    template: Template,
    found: Mapping[Slot, Found],
    bodies: Collection[str],
    describer: Describer,
) -> tuple[dict[str, TypeColumns], set[str]]:
    """Return the tables of records, by name; and the rows of those and of records that are furniture.

    bodies  places of elements that hold paragraphs
    """
    labelled = Counter[tuple[str, bool]]()
    for slot, values in found.items():
        cells = (value.cell for of_page in values.values() for value in of_page)
        labelled.update((template.places[cell.row], slot.label != "") for cell in cells if cell.record)
    rows: dict[str, TypeColumns] = {}
    in_rows: set[str] = set()
    records = _records(pages, template.places)
    for row, of_row in sorted(records.items(), key=lambda item: (-len(item[1]), item[0])):
        of_pages = len({page for page, _ in of_row})
        of_records = [cell for record in of_row.values() for cell in record]
        is_content = 2 * sum(cell.content for cell in of_records) >= len(of_records)
        is_labelled = labelled[row, True] > _LABELLED * (labelled[row, True] + labelled[row, False])
        if of_pages < LEAST_PAGES or not is_content or is_labelled:
            continue
        texts = {tuple(cell.text for cell in record) for record in of_row.values()}
        if is_furniture(row) or len(of_row) >= max(LEAST_PAGES, _REPEATED * of_pages) * len(texts):
            in_rows.add(row)
        elif not _is_in_body(row, bodies):
            if len(rows) == _MOST_ROWS:
                break
            columns = choose_columns(list(of_row.values()), row)
            if len(columns.columns) > 1:
                rows[rows_name(row, rows)] = replace(columns, xpath=describer.elements(row, records))
                in_rows.add(row)
    return rows, in_rows


def _records(
    pages: Sequence[Sequence[Cell]], places: Mapping[str, str]
) -> dict[str, dict[tuple[int, int], list[Cell]]]:
    """Return row -> (page, record) -> its cells, of the first records."""
    records: defaultdict[str, dict[tuple[int, int], list[Cell]]] = defaultdict(dict)
    for page, cells in enumerate(pages):
        for cell in cells:
            if cell.record:
                of_row, key = records[places[cell.row]], (page, cell.record)
                if key in of_row or len(of_row) < _MOST_RECORDS:
                    of_row.setdefault(key, []).append(in_record(cell))
    return records
