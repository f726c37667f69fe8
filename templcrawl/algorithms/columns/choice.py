"""The columns of a page type, by a sample of its pages: what differs from page to page in one place.

*The sample* holds the cells of the pages with the smallest keys, a bottom-k sketch (Cohen, Kaplan, PODC
2007), the same in whatever order pages come; two are merged by adding one to the other.  It has
``MOST_PAGES`` pages and ``MOST_CHARACTERS``; a page has the first of its cells that take up an eighth of
these, texts cut at ``MOST_TEXT``.

*The choice.*  What pages repeat in a place is fixed (:mod:`templcrawl.algorithms.columns.values`), what else
stands there is a column.  It needs two values, ``LEAST_PAGES`` pages, and enough of it must be content.
Columns of which a page has one, in places that differ by a wrapper or a state (a reduced price), are one
column with alternatives.  A column that repeats another is left out.

*Records* of one place (:mod:`templcrawl.algorithms.columns.cells`) are pages of a type of their own, unless
most of their values are labelled: rows of "Weight: 3 kg" are columns of the page.

Source: RoadRunner (Crescenzi, Mecca, Merialdo, VLDB 2001): what pages of one template repeat is template, a
mismatch is a field; EXALG (Arasu, Garcia-Molina, SIGMOD 2003): tokens that are equally often on all pages are
the template, and values are told apart by their place in it.  Departures: texts are aligned by their place,
not by a grammar, which is linear and bears that a part is missing; nobody says which pages are of one type.

n cells of the sample, c columns.  Cost: O(n d + c^2) with places of depth d.
"""

from __future__ import annotations

from bisect import insort
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from statistics import fmean
from sys import intern

from templcrawl.algorithms.columns.cells import MOST_CELLS, Cell
from templcrawl.algorithms.columns.describing import MANY, Found, describe, kind_of_values, label_of_slot
from templcrawl.algorithms.columns.kinds import (
    rows_name,
    says_value,
)
from templcrawl.algorithms.columns.places import Places, parts_of, places_of
from templcrawl.algorithms.columns.values import (
    MOST_TEXT,
    OLD,
    Column,
    Slot,
    Template,
    TypeColumns,
    is_label,
    may_label,
    prefixed,
)

MOST_PAGES = 128
MOST_COLUMNS = 200
RESERVED = frozenset({"url", "position"})  # names of what stands beside the columns in a table
LEAST_PAGES, LEAST_SHARE = 3, 0.05
LEAST_CONTENT = 0.5  # of the values of a column
_FIXED, _FIXED_OF_SEVERAL = 0.9, 0.5  # share of the pages with its place that have a fixed text
_PREFIXED, _PREFIXED_OF_SEVERAL = 0.8, 0.3
_SEVERAL = 1.5  # texts in a place on a page, on average
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
    bodies = _bodies(found)
    rows = {} if row else _rows(pages, template, found, bodies)
    chosen: dict[tuple[Slot, ...], Found] = {}
    in_rows = {rows_of.row for rows_of in rows.values()}
    least = max(LEAST_PAGES, LEAST_SHARE * len(pages))
    for slot, values in found.items():
        flat = [value for of_page in values.values() for value in of_page]
        inside = sum(
            template.places.shorten(value.cell.row) in in_rows for value in flat if value.cell.record
        )
        is_content = sum(value.cell.content for value in flat) >= LEAST_CONTENT * len(flat)
        if _is_part_of_text(slot, len(flat) / len(values), bodies):
            continue
        if slot.place and is_content and 2 * inside < len(flat) and len({value.text for value in flat}) > 1:
            chosen[slot,] = values
    chosen = _without_repeats(_joined(chosen))
    order = {slots: fmean(positions[slots[0]]) for slots in chosen}
    kept = [slots for slots in chosen if len(chosen[slots]) >= least]
    kept.sort(key=lambda slots: (-len(chosen[slots]), order[slots], slots))
    parents = [{above for cell in cells for above in cell.above[1:]} for cells in pages]
    columns: list[Column] = []
    for slots in sorted(kept[:MOST_COLUMNS], key=lambda slots: (order[slots], slots)):
        taken = RESERVED | {column.name for column in columns}
        columns += describe(slots, chosen[slots], template, parents, taken, of_records=row != "")
    return TypeColumns(
        template, tuple(columns[:MOST_COLUMNS]), rows, row, dropped=max(len(kept) - MOST_COLUMNS, 0)
    )


def template_of(pages: Sequence[Sequence[Cell]]) -> Template:
    """Return what pages of a type repeat."""
    places = places_of(pages)
    having, standing = Counter[str](), Counter[str]()
    texts, prefixes = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for cells in pages:
        placed = [(places.shorten(cell.place), cell.text[:MOST_TEXT]) for cell in cells]
        standing.update(place for place, _ in placed)
        having.update({place for place, _ in placed})
        texts.update(set(placed))
        prefixes.update({(place, match[1]) for place, text in placed if (match := prefixed(text))})
    several = frozenset(place for place, count in standing.items() if count > _SEVERAL * having[place])

    def is_fixed(place: str, text: str, count: int) -> bool:
        share = count / having[place]
        if place in several:
            return share >= (_FIXED_OF_SEVERAL if may_label(text) else _FIXED)
        return share >= (1 if says_value(place) else _FIXED)

    least = max(LEAST_PAGES, 0.1 * len(pages))
    fixed = {key for key, count in texts.items() if count >= least and is_fixed(*key, count)}
    return Template(
        places,
        frozenset(fixed - _labelled(pages, places, fixed)),
        frozenset(
            (place, label)
            for (place, label), count in prefixes.items()
            if count >= LEAST_PAGES
            and count >= (_PREFIXED_OF_SEVERAL if place in several else _PREFIXED) * having[place]
        ),
        several,
    )


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


def _labelled(
    pages: Sequence[Sequence[Cell]], places: Places, fixed: Collection[tuple[str, str]]
) -> set[tuple[str, str]]:
    """Return fixed texts that are values: those behind a label which has other values, and before a label.

    "Full time" is the contract of most jobs, and stands between "Contract" and "Salary".
    """
    behind: defaultdict[tuple[str, str], Counter[tuple[str, str]]] = defaultdict(Counter)
    for cells in pages:
        for cell, following in pairwise(cells):
            key, other = ((places.shorten(one.place), one.text[:MOST_TEXT]) for one in (cell, following))
            if key in fixed and key[0] != other[0] and is_label(cell, following):
                behind[key][other] += 1

    def is_before_labels(key: tuple[str, str]) -> bool:
        counts = behind.get(key, Counter())
        return 2 * sum(count for other, count in counts.items() if other not in fixed) <= counts.total()

    return {
        other
        for others in behind.values()
        if len({text for _, text in others}) > 1
        for other in others
        if other in fixed and is_before_labels(other)
    }


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
            row = template.places.shorten(value.cell.row)
            standing[row] += 1
            labelled[row] += slot.way != ""
    records: defaultdict[str, dict[tuple[int, int], list[Cell]]] = defaultdict(dict)
    for page, cells in enumerate(pages):
        for cell in cells:
            if cell.record:
                of_row = records[template.places.shorten(cell.row)]
                of_row.setdefault((page, cell.record), []).append(cell)
    rows: dict[str, TypeColumns] = {}
    for row, of_row in sorted(records.items(), key=lambda item: (-len(item[1]), item[0])):
        cells = [cell for held in of_row.values() for cell in held]
        is_content = 2 * sum(cell.content for cell in cells) >= len(cells)
        is_labelled = labelled[row] > _LABELLED * standing[row]
        if len({page for page, _ in of_row}) < LEAST_PAGES or not is_content or is_labelled:
            continue
        if _is_part_of_text(Slot(row), _SEVERAL, bodies):
            continue
        if len(rows) == _MOST_ROWS:
            break
        columns = choose_columns(list(of_row.values())[:_MOST_RECORDS], row)
        if len(columns.columns) > 1:
            rows[rows_name(row, rows)] = columns
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
