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

import re
from bisect import insort
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from sys import intern

from templcrawl.algorithms.columns.cells import Cell, in_record
from templcrawl.algorithms.columns.kinds import (
    ADDRESS,
    PICTURE,
    TEXT,
)
from templcrawl.algorithms.columns.names import (
    LONGEST_NAME,
    free_name,
    is_furniture,
    is_named,
    name_of,
    rows_name,
    said_of,
)
from templcrawl.algorithms.columns.selectors import Selected, Selectors
from templcrawl.algorithms.columns.sifting import (
    MANY,
    Columns,
    Found,
    bodies_of,
    is_no_data,
    joined,
    kind_of_values,
    label_of_slot,
    without_repeats,
)
from templcrawl.algorithms.columns.template import (
    BEFORE,
    LEAST_PAGES,
    MOST_TEXT,
    PREFIX,
    SEVERAL,
    Slot,
    Template,
    Value,
    template_of,
)
from templcrawl.algorithms.columns.values import HREF, SRC, Column, TypeColumns

MOST_PAGES, MOST_CELLS = 128, 4_000  # of a sample; of a page in it
MOST_COLUMNS = 200
MOST_FIXED = 50  # texts in the places of a column that are named as no values of it
MOST_LABELS = 500
_OF_LABELS = frozenset("th dt label b strong".split())
_NO_PAGES = ("mailto:", "tel:", "sms:", "callto:", "skype:")  # addresses of no pages
_REPEATED = 0.5  # of the pages that have a table have the same record, on average: it is furniture
RESERVED = frozenset({"url", "position"})  # names of what stands beside the columns in a table
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
    having = {template.places[place] for place in {cell.place for cells in pages for cell in cells}}
    bodies = bodies_of(found)
    rows, furniture = ({}, set()) if row else _rows(pages, template, found, bodies)
    chosen: Columns = {}
    in_rows = furniture | {rows_of.row for rows_of in rows.values()}
    least = max(LEAST_PAGES, LEAST_SHARE * len(pages))
    for slot, values in found.items():
        flat = [value for of_page in values.values() for value in of_page]
        inside = sum(template.places[value.cell.row] in in_rows for value in flat if value.cell.record)
        is_content = sum(value.cell.content for value in flat) >= LEAST_CONTENT * len(flat)
        if is_no_data(slot, len(flat) / len(values), bodies):
            continue
        if slot.place and is_content and 2 * inside < len(flat) and len({value.text for value in flat}) > 1:
            chosen[slot,] = values
    chosen = without_repeats(joined(chosen))
    order = {slots: fmean(positions[slots[0]]) for slots in chosen}
    kept = [slots for slots in chosen if len(chosen[slots]) >= least]
    kept.sort(key=lambda slots: (-len(chosen[slots]), order[slots], slots))
    fixed: defaultdict[str, list[str]] = defaultdict(list)
    for place, text in sorted(template.fixed):
        fixed[place].append(text)
    selectors = Selectors(template, having, of_records=row != "")
    parents = [{above for cell in cells for above in cell.above[1:]} for cells in pages]
    columns: list[Column] = []
    linked: set[tuple[int, str]] = set()
    for slots in sorted(kept[:MOST_COLUMNS], key=lambda slots: (order[slots], slots)):
        taken = RESERVED | {column.name for column in columns}
        texts = [text for place in dict.fromkeys(slot.place for slot in slots) for text in fixed[place]]
        columns += _described(
            slots, chosen[slots], template, texts[:MOST_FIXED], selectors, parents, taken, linked
        )
    return TypeColumns(
        template,
        tuple(columns[:MOST_COLUMNS]),
        rows,
        row,
        dropped=max(len(kept) - MOST_COLUMNS, 0),
        labels=_labels(template, pages, found),
    )


def _described(
    slots: tuple[Slot, ...],
    values: Found,
    template: Template,
    fixed: Sequence[str],
    selectors: Selectors,
    parents: Sequence[Collection[int]],
    taken: Collection[str],
    linked: set[tuple[int, str]],
) -> Iterator[Column]:
    """Yield the column of some slots, and that of its links.

    fixed    texts in their places that are no values
    parents  page of the sample -> the elements around its cells
    taken    names of other columns
    linked   pages and the links of their other columns, to which these are added
    """
    flat = [value for of_page in values.values() for value in of_page]
    is_picture = flat[0].cell.is_picture
    kind = PICTURE if is_picture else kind_of_values(values)
    owns = sum(value.cell.above[0] in parents[page] for page, of_page in values.items() for value in of_page)
    attribute = SRC if is_picture else ""
    stands: defaultdict[str, list[Value]] = defaultdict(list)  # place -> values
    for value in flat:
        stands[template.places[value.cell.place]].append(value)

    def selected(attribute: str, own: bool) -> list[Selected]:
        return [selectors.select(slot, stands[slot.place], attribute, own=own) for slot in slots]

    texts = selected(attribute, 2 * owns > len(flat))
    column = Column(
        name=name_of(_naming_label(slots[0], values, kind), slots[0].place, kind, taken),
        slots=slots,
        attribute=attribute,
        kind=kind,
        many=len(flat) > MANY * len(values),
        share=len(values) / len(parents),
        examples=tuple(sorted({value.text for value in flat})[:3]),
        css=", ".join(dict.fromkeys(one.css for one in texts)),
        xpath=" | ".join(dict.fromkeys(one.xpath for one in texts)),
        regex=_regex(slots, flat),
        elements=tuple((one.elements, _told(slot, template)) for slot, one in zip(slots, texts)),
        fixed=tuple(fixed),
    )
    yield column
    ends = [of_page[-1].text for of_page in values.values()]
    if column.many and "breadcrumb" in said_of(slots[0].place, kind) and 1 < len(set(ends)) < len(ends):
        yield replace(
            column,
            name=free_name("section", slots[0].place, {*taken, column.name}),
            many=False,
            last=True,
            examples=tuple(sorted(set(ends))[:3]),
            css="",  # it has no word for the last of several
            xpath=f"({column.xpath})[last()]",
        )
    links = {(page, value.cell.link) for page, of_page in values.items() for value in of_page}
    leading = {link for _, link in links if link and not link.startswith(("#", "javascript:"))}
    if is_picture or len(leading) < 2 or links <= linked:
        return
    linked |= links
    around = selected(HREF, False)
    yield replace(
        column,
        name=free_name(f"{column.name[: LONGEST_NAME - 4]}_url", slots[0].place, {*taken, column.name}),
        attribute=HREF,
        kind=TEXT if all(link.startswith(_NO_PAGES) for link in leading) else ADDRESS,
        examples=tuple(sorted(leading)[:3]),
        css=", ".join(dict.fromkeys(one.css for one in around)),
        xpath=" | ".join(dict.fromkeys(one.xpath for one in around)),
        regex="",
    )


def _naming_label(slot: Slot, values: Found, kind: str) -> str:
    """Return the label that names a column, "" if its markup names it better."""
    label = label_of_slot(slot, values)
    before = (
        value.labelled for of_page in values.values() for value in of_page if value.labelled is not None
    )
    is_one = any(cell.tag in _OF_LABELS or cell.text.endswith((":", "：")) for cell in before)
    return label if slot.way or is_one or not is_named(slot.place, kind) else ""


def _labels(template: Template, pages: Sequence[Sequence[Cell]], slots: Collection[Slot]) -> tuple[str, ...]:
    """Return the labels of slots, and fixed texts between a label and its value."""
    labels = {_told(slot, template) or "" for slot in slots if slot.way}
    if any(slot.way == BEFORE for slot in slots):
        labels.update(text for cells in pages[:_PASSED] for text in template.passed(cells))
    return tuple(sorted(labels)[:MOST_LABELS])


def _told(slot: Slot, template: Template) -> str | None:
    """Return the label that the values of a slot have, as ``Column.elements`` names it."""
    if slot.way:
        return f"{slot.label}:" if slot.way == PREFIX else slot.label
    return "" if slot.place in template.told else None


def _regex(slots: Sequence[Slot], values: Sequence[Value]) -> str:
    """Return what a selected text must match, "" where it is the value."""
    label = re.escape(slots[0].label) if slots[0].way == PREFIX else ""
    is_whole = not label and all(value.text == value.cell.text for value in values)
    if label and any(slot.way != PREFIX for slot in slots):
        label = f"(?:{label})?"
    return "" if is_whole else rf"^\s*{label}\s*[:：]?\s*(.*)"


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
