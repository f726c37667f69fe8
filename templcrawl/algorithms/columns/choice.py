"""The columns of a page type, by a sample of its pages: what differs from page to page in one place.

*The sample* holds the cells of the pages with the smallest keys, a bottom-k sketch (Cohen, Kaplan, PODC
2007), the same in whatever order pages come; two are merged by adding one to the other.  It has
``MOST_PAGES`` pages and ``MOST_CHARACTERS``; a page has the first of its cells that take up an eighth of
these, texts cut at ``MOST_TEXT``.

*The choice.*  What pages repeat in a place is fixed (:mod:`templcrawl.algorithms.columns.template`), what else
stands there is a column.  It needs two values, ``LEAST_PAGES`` pages, and enough of it must be content.
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
    LONGEST_NAME,
    PICTURE,
    kind_of,
    name_of,
    rows_name,
)
from templcrawl.algorithms.columns.places import parts_of
from templcrawl.algorithms.columns.selectors import Selected, Selectors
from templcrawl.algorithms.columns.template import (
    BEFORE,
    LEAST_PAGES,
    MOST_TEXT,
    OLD,
    PREFIX,
    SEVERAL,
    Slot,
    Template,
    Value,
    label_of,
    template_of,
)
from templcrawl.algorithms.columns.values import HREF, SRC, Column, TypeColumns

MOST_PAGES, MOST_CELLS = 128, 4_000  # of a sample; of a page in it
MOST_COLUMNS = 200
MANY = 1.2  # texts in a place on a page, on average: a list
MOST_FIXED = 50  # texts in the places of a column that are named as no values of it
MOST_LABELS = 500
_LABELS = 0.8  # of the values of a column have its label
RESERVED = frozenset({"url", "position"})  # names of what stands beside the columns in a table
LEAST_SHARE = 0.05
LEAST_CONTENT = 0.5  # of the values of a column
_RUNNING = 8  # words of a paragraph, on average
_PAGERS = frozenset({"next", "prev", "previous", "newer", "older", "pager", "pagination"})
_OVERLAP = 0.02  # of the pages of the smaller of two alternatives: those that have both
_MOST_RECORDS, _MOST_ROWS = 512, 16  # records of a sample; tables of records of a type
_MOST_ALTERNATIVES = 20  # columns of one end and label that a column is compared with
MOST_CHARACTERS = 64_000_000  # of the cells of a sample, each counted as ``_CELL`` more
_CELL = 200
_LEAST_SAMPLED = 8  # pages that the characters of a sample are enough for
_LABELLED = 0.5  # of the values of records: those are columns of the page
_WRAPPERS = frozenset("b strong em i span a font ins u mark small bdi div".split())

Found = dict[int, list[Value]]  # page -> values of a slot


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
    bodies = _bodies(found)
    rows = {} if row else _rows(pages, template, found, bodies)
    chosen: dict[tuple[Slot, ...], Found] = {}
    in_rows = {rows_of.row for rows_of in rows.values()}
    least = max(LEAST_PAGES, LEAST_SHARE * len(pages))
    for slot, values in found.items():
        flat = [value for of_page in values.values() for value in of_page]
        inside = sum(template.places[value.cell.row] in in_rows for value in flat if value.cell.record)
        is_content = sum(value.cell.content for value in flat) >= LEAST_CONTENT * len(flat)
        if _is_part_of_text(slot, len(flat) / len(values), bodies):
            continue
        if slot.place and is_content and 2 * inside < len(flat) and len({value.text for value in flat}) > 1:
            chosen[slot,] = values
    chosen = _without_repeats(_joined(chosen))
    order = {slots: fmean(positions[slots[0]]) for slots in chosen}
    kept = [slots for slots in chosen if len(chosen[slots]) >= least]
    kept.sort(key=lambda slots: (-len(chosen[slots]), order[slots], slots))
    fixed: defaultdict[str, list[str]] = defaultdict(list)
    for place, text in sorted(template.fixed):
        fixed[place].append(text)
    selectors = Selectors(template, having, of_records=row != "")
    parents = [{above for cell in cells for above in cell.above[1:]} for cells in pages]
    columns: list[Column] = []
    for slots in sorted(kept[:MOST_COLUMNS], key=lambda slots: (order[slots], slots)):
        taken = RESERVED | {column.name for column in columns}
        texts = [text for place in dict.fromkeys(slot.place for slot in slots) for text in fixed[place]]
        columns += _described(slots, chosen[slots], template, texts[:MOST_FIXED], selectors, parents, taken)
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
) -> Iterator[Column]:
    """Yield the column of some slots, and that of its links.

    fixed    texts in their places that are no values
    parents  page of the sample -> the elements around its cells
    taken    names of other columns
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
        name=name_of(label_of_slot(slots[0], values), slots[0].place, kind, taken),
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
    links = {value.cell.link for value in flat if value.cell.link}
    if is_picture or len(links) < 2:
        return
    around = selected(HREF, False)
    yield replace(
        column,
        name=name_of(
            f"{column.name[: LONGEST_NAME - 4]}_url", slots[0].place, ADDRESS, {*taken, column.name}
        ),
        attribute=HREF,
        kind=ADDRESS,
        examples=tuple(sorted(links)[:3]),
        css=", ".join(dict.fromkeys(one.css for one in around)),
        xpath=" | ".join(dict.fromkeys(one.xpath for one in around)),
        regex="",
    )


def _labels(template: Template, pages: Sequence[Sequence[Cell]], slots: Collection[Slot]) -> tuple[str, ...]:
    """Return the labels of slots, and fixed texts between a label and its value."""
    labels = {_told(slot, template) or "" for slot in slots if slot.way}
    if any(slot.way == BEFORE for slot in slots):
        labels.update(text for cells in pages for text in template.passed(cells))
    return tuple(sorted(labels)[:MOST_LABELS])


def _told(slot: Slot, template: Template) -> str | None:
    """Return the label that the values of a slot have, as ``Column.elements`` names it."""
    if slot.way:
        return f"{slot.label}:" if slot.way == PREFIX else slot.label
    return "" if slot.place in template.told else None


def label_of_slot(slot: Slot, values: Found) -> str:
    """Return the label of a slot: the one that tells it from others, else the one that its values have."""
    flat = [value for of_page in values.values() for value in of_page]
    said = Counter(label_of(value.labelled) for value in flat if value.labelled is not None)
    return slot.label or next((text for text, count in said.items() if count >= _LABELS * len(flat)), "")


def kind_of_values(values: Found) -> str:
    """Return the kind of the first values of pages."""
    return kind_of([of_page[0].text for of_page in values.values()])


def _regex(slots: Sequence[Slot], values: Sequence[Value]) -> str:
    """Return what a selected text must match, "" where it is the value."""
    label = re.escape(slots[0].label) if slots[0].way == PREFIX else ""
    is_whole = not label and all(value.text == value.cell.text for value in values)
    if label and any(slot.way != PREFIX for slot in slots):
        label = f"(?:{label})?"
    return "" if is_whole else rf"^\s*{label}\s*[:：]?\s*(.*)"


def _bodies(found: Mapping[Slot, Found]) -> set[str]:
    """Return the places of elements that hold paragraphs: running text on most pages, several on a page."""
    bodies = set()
    for slot, values in found.items():
        above, _, step = slot.place.rpartition("/")
        if step == "p" and above and not slot.way:
            flat = [value.text for of_page in values.values() for value in of_page]
            if len(flat) > MANY * len(values) and fmean(len(text.split()) for text in flat) >= _RUNNING:
                bodies.add(above)
    return bodies


def _is_part_of_text(slot: Slot, count: float, bodies: Collection[str]) -> bool:
    """Return whether a place is a part of running text (its links, lists, headings), of code or a pager.

    count   texts in the place on a page, on average
    bodies  places of elements that hold paragraphs
    """
    steps = slot.place.split("/")
    words = {part.lower() for step in steps[-2:] for word in parts_of(step)[1] for part in word.split("-")}
    if "pre" in steps or not _PAGERS.isdisjoint(words):
        return True
    if slot.way or count <= MANY:
        return False
    inner = next((steps[number:] for number in range(len(steps)) if "/".join(steps[:number]) in bodies), [])
    return bool(inner) and inner != ["p"] and not any(parts_of(step)[1] for step in inner)


def _rows(
    pages: Sequence[Sequence[Cell]],
    template: Template,
    found: Mapping[Slot, Found],
    bodies: Collection[str],
) -> dict[str, TypeColumns]:
    """Return the tables of records, by name.

    bodies  places of elements that hold paragraphs
    """
    standing, labelled = Counter[str](), Counter[str]()
    for slot, values in found.items():
        for value in (value for of_page in values.values() for value in of_page if value.cell.record):
            row = template.places[value.cell.row]
            standing[row] += 1
            labelled[row] += slot.way != ""
    records: defaultdict[str, dict[tuple[int, int], list[Cell]]] = defaultdict(dict)
    for page, cells in enumerate(pages):
        for cell in cells:
            if cell.record:
                of_row = records[template.places[cell.row]]
                of_row.setdefault((page, cell.record), []).append(in_record(cell))
    rows: dict[str, TypeColumns] = {}
    selectors = Selectors(template, records, of_records=False)
    for row, of_row in sorted(records.items(), key=lambda item: (-len(item[1]), item[0])):
        cells = [cell for held in of_row.values() for cell in held]
        is_content = 2 * sum(cell.content for cell in cells) >= len(cells)
        is_labelled = labelled[row] > _LABELLED * standing[row]
        if len({page for page, _ in of_row}) < LEAST_PAGES or not is_content or is_labelled:
            continue
        if _is_part_of_text(Slot(row), SEVERAL, bodies):
            continue
        if len(rows) == _MOST_ROWS:
            break
        columns = choose_columns(list(of_row.values())[:_MOST_RECORDS], row)
        if len(columns.columns) > 1:
            rows[rows_name(row, rows)] = replace(columns, selected=selectors.elements(row))
    return rows


def _joined(chosen: Mapping[tuple[Slot, ...], Found]) -> dict[tuple[Slot, ...], Found]:
    """Return columns in which alternatives are one, the one that most pages have first."""
    joined: dict[tuple[Slot, ...], Found] = {}
    by_end: defaultdict[tuple[str, str], list[tuple[Slot, ...]]] = defaultdict(list)
    for slots, values in sorted(chosen.items(), key=lambda item: (-len(item[1]), item[0])):
        slot = slots[0]
        ends = (_end(slot.place), label_of_slot(slot, values))
        kind = kind_of_values(values)
        for others in by_end[ends][:_MOST_ALTERNATIVES]:
            known = joined[others]
            both = len(known.keys() & values.keys())
            if (
                both <= _OVERLAP * len(values)
                and _are_alternatives(others[0], slot)
                and kind_of_values(known) == kind
            ):
                all_slots = (*others, slot)
                by_end[ends][by_end[ends].index(others)] = all_slots
                joined[all_slots] = {**values, **joined.pop(others)}
                break
        else:
            by_end[ends].append(slots)
            joined[slots] = values
    return joined


def _end(place: str) -> str:
    """Return the last step of a place with words, wrappers without words left out."""
    steps = place.split("/")
    while len(steps) > 1 and steps[-1] in _WRAPPERS:
        steps.pop()
    return steps[-1]


def _are_alternatives(known: Slot, other: Slot) -> bool:
    """Return whether two places with the same end differ by a wrapper or a state, within a named element."""
    ours, others = ({step for step in slot.place.split("/") if parts_of(step)[1]} for slot in (known, other))
    is_old = any(parts_of(step)[0] in OLD for slot in (known, other) for step in slot.place.split("/"))
    return not is_old and len(ours & others) >= min(2, len(ours), len(others)) and bool(ours & others)


def _without_repeats(chosen: Mapping[tuple[Slot, ...], Found]) -> dict[tuple[Slot, ...], Found]:
    """Return columns without those that have the values of one that as many pages fill."""
    kept: dict[tuple[Slot, ...], Found] = {}
    known: set[tuple[tuple[int, str], ...]] = set()
    best_first = sorted(
        chosen.items(), key=lambda item: (-len(item[1]), "h1" not in item[0][0].place, item[0])
    )
    for slots, values in best_first:
        signature = tuple((page, of_page[0].text) for page, of_page in sorted(values.items()))
        if signature not in known:
            known.add(signature)
            kept[slots] = values
    return kept
