"""Read a page for tables: its units, and the properties that it declares.

n units, m elements.  Cost: O(n + m + length of the texts); a packed page has some 5 KB.
"""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from sys import intern

from templcrawl.algorithms.columns.attribute_texts import dates_for_machines, silent_texts
from templcrawl.algorithms.columns.class_words import names_record
from templcrawl.algorithms.columns.flat_records import FLAT, outranks
from templcrawl.algorithms.columns.headed_tables import NO_RECORD, Spans, cells_of, headed_rows
from templcrawl.algorithms.columns.links import host_of, within
from templcrawl.algorithms.columns.names import neighbour_of
from templcrawl.algorithms.columns.navigation import without_navigation
from templcrawl.algorithms.columns.records import repeated_records
from templcrawl.algorithms.columns.row_places import least_of, rows_of
from templcrawl.algorithms.columns.separators import Text
from templcrawl.algorithms.columns.signatures import is_signature
from templcrawl.algorithms.columns.units import (
    FIRST,
    LABEL,
    MAX_TEXT,
    PAIR,
    REACH,
    SILENT,
    Unit,
    parts_of,
    places_and_links,
    read_texts,
    without_value,
)
from templcrawl.algorithms.columns.value_kinds import are_price, are_time, price_of
from templcrawl.page.declared import Declared, read_declared
from templcrawl.page.page import Page

SAMPLED_UNITS, SAMPLED_CHARACTERS = 2_000, 500_000  # of a page in a sample
_PACKING = 1  # the fastest level of zlib
_MIN_CELLS, _MAX_CELLS = 3, 20  # of a row: so many are told by their number; those that are looked at
_MAX_DATED = 4  # units in an element with a date
REST = "text"  # step of what an item of a list says behind a link, if it says something before that
_MAX_LONE = 24  # elements that hold nothing but one unit
_NO_PRICE = frozenset("tr table tbody ul ol dl nav body html".split())


@dataclass(frozen=True)
class PageUnits:
    """The units of a page, or of a record, in reading order, what it declares, its title and its host."""

    units: Sequence[Unit]
    declared: Declared = field(default_factory=lambda: Declared("", {}))
    title: str = ""
    host: str = ""


def read_page(
    page: Page,
    mask: bytes = b"",
    is_row: Callable[[str], bool] | None = None,
    is_own: Callable[[str], bool] = lambda _: False,
    *,
    declares: bool = True,
) -> PageUnits:
    """Read a page.

    mask      token -> 1 if it is content; empty: nothing is known
    is_row    whether elements of a row are records, where it is known; None: they are found by what repeats
    is_own    whether elements of a row are no records where they stand alone
    declares  whether what it declares is read
    """
    declared = read_declared(page) if declares else Declared("", {})
    units = _units(page, mask or bytes(len(page.tokens)), is_row, is_own)
    return PageUnits(units, declared, page.title, host_of(page.url))


def _units(
    page: Page, mask: bytes, is_row: Callable[[str], bool] | None, is_own: Callable[[str], bool]
) -> list[Unit]:
    names, parents = page.elements.names, page.elements.parents
    silent = silent_texts(page)
    texts = read_texts(page, mask, silent)
    if not texts:
        return []
    places, links = places_and_links(page)
    own_links = {link: within(link, page.url, page.base_url) for link in set(links) if "#" in link}
    texts, called = without_navigation(texts, places, links, own_links, page.elements)
    for element, word in called.items():
        if not neighbour_of(places[element]):
            places[element] += f".{word}"
    spans = _spans(texts, parents)
    if joined := _joined_parts(texts, names, spans):
        texts = joined
        spans = _spans(texts, parents)
    dates = _dates(page, texts, spans)
    owners = [element for element, _, _ in texts]
    if is_row is None:
        records = repeated_records(names, parents, texts, places, links, spans)
    else:
        records = _known_records(names, parents, owners, places, is_row, is_own)
    replies = _replies(records, owners, names, parents, places)
    cells = cells_of(page)
    headed, began_above = headed_rows(page, cells, texts, spans)
    units: list[Unit] = []
    of_rows: list[Unit] = []  # with those again that span several rows
    for number, ((element, text, content), (record, row)) in enumerate(zip(texts, records)):
        above, lone = _above(element, parents, spans)
        head, place = "", places[element]
        if number in headed:
            record, row, head = headed[number]
        elif number in replies:
            record, place = replies[number]
        place = _place_of(number, texts, names, place)
        lonely = () if is_signature(place) else above[: lone + 1]
        sign = SILENT if element in silent else _sign(lonely, names, parents, cells)
        began = began_above.pop(record, ()) if head else ()
        of_rows.extend(units[other]._replace(record=record) for other in began)
        link = links[element] if record else own_links.get(links[element], links[element])
        cell = _cell(above, 0 if head else record, places, cells)
        unit = Unit(
            place, text, above, lone, content, link, record, row, sign, head, dates.get(element, ""), cell
        )
        units.append(unit)
        of_rows.append(unit)
    return of_rows


def _place_of(number: int, texts: Sequence[Text], names: Sequence[str], place: str) -> str:
    """Return the place of a unit by that of its element."""
    element, text, _ = texts[number]
    place = without_value(place, text)
    is_behind = names[element] == "li" and number > 1 and texts[number - 2][0] == element
    return f"{place}/{REST}" if is_behind and names[texts[number - 1][0]] == "a" else place


def _known_records(
    names: Sequence[str],
    parents: Sequence[int],
    owners: Sequence[int],
    places: Sequence[str],
    is_row: Callable[[str], bool],
    is_own: Callable[[str], bool],
) -> list[tuple[int, str]]:
    """Return unit -> the outermost element around it of a row of records, and that row; 0 without one.

    A flat record has the units behind its leader, up to the next one or a heading above it.  An element that
    stands alone, where records are several, leaves those in it to themselves.
    """
    known = {
        place: next(filter(is_row, (row for each in rows_of(place) for row in (each, f"{FLAT}{each}"))), "")
        for place in set(places)
    }
    rows = [known[place] for place in places]
    counts = Counter(zip(parents, rows))

    def is_alone(element: int) -> bool:
        row = rows[element]
        return not row.startswith(FLAT) and counts[parents[element], row] < least_of(row)

    records, last = [NO_RECORD], dict[int, tuple[int, str]]()  # parent -> its last leader
    for element, parent in enumerate(parents[1:], start=1):
        record, row = records[parent], rows[element]
        if parent in last and outranks(names[element], names[last[parent][0]]):
            del last[parent]
        if not record[0]:
            is_record = row and not (is_own(row) and is_alone(element))
            record = (element, row) if is_record else last.get(parent, NO_RECORD)
            if row.startswith(FLAT):
                last[parent] = record
        elif row and not row.startswith(FLAT) and is_alone(record[0]) and not is_alone(element):
            record = (element, row)
        records.append(record)
    found, before = list[tuple[int, str]](), NO_RECORD
    for owner in owners:
        between = before[0] and before[1].startswith(FLAT) and parents[before[0]] == owner
        before = before if between else records[owner]
        found.append(before)
    return found


def _replies(
    records: Sequence[tuple[int, str]],
    owners: Sequence[int],
    names: Sequence[str],
    parents: Sequence[int],
    places: Sequence[str],
) -> dict[int, tuple[int, str]]:
    """Return what units are in that stand in a record of the same kind: unit -> that record, its place there.

    A reply in a comment, or an item of a list in an item of the list around it, is a record, as that is.
    """
    known = {record for record, row in records if record and not row.startswith(FLAT)}
    if not any(names[one] == "li" or any(map(names_record, _own_words(places[one]))) for one in known):
        return {}
    inner, outer = [0], dict[int, int]()  # element -> the inner record around it; record -> the outermost one
    for element, parent in enumerate(parents[1:], start=1):
        around = inner[parent]
        if element in known:
            around = outer[element] = element
        elif around and names[element] == names[around]:
            words, others = _own_words(places[element]), _own_words(places[around])
            is_item = names[element] == "li" and words == others and parents[parent] == around
            if is_item or any(word in others and names_record(word) for word in words):
                around, outer[element] = element, outer[around]
        inner.append(around)
    return {
        number: (record, places[outer[record]] + places[owner][len(places[record]) :])
        for number, owner in enumerate(owners if len(outer) > len(known) else ())
        if (record := inner[owner]) and outer[record] != record
    }


def _own_words(place: str) -> tuple[str, ...]:
    return parts_of(place.rpartition("/")[2])[1]


def _spans(texts: Sequence[Text], parents: Sequence[int]) -> Spans:
    """Return element -> the first unit in it, and the one after the last."""
    first, after = [len(texts)] * len(parents), [0] * len(parents)
    for number, (owner, _, _) in enumerate(texts):
        first[owner], after[owner] = min(first[owner], number), number + 1
    for element in range(len(parents) - 1, 0, -1):
        parent = parents[element]
        if after[element]:
            first[parent] = min(first[parent], first[element])
            after[parent] = max(after[parent], after[element])
    return first, after


def _joined_parts(texts: Sequence[Text], names: Sequence[str], spans: Spans) -> list[Text]:
    """Return the units of a page with the parts of each price, or time, joined; [] if none is in parts."""
    joined: dict[int, tuple[int, Text]] = {}  # first part -> the one after the last, the unit of all
    for element, (start, end) in enumerate(zip(*spans)):
        may_be = 2 <= end - start <= 5 and names[element] not in _NO_PRICE and start not in joined
        parts = [text for _, text, _ in texts[start:end]] if may_be else []
        whole = " ".join(parts) if are_time(parts) else price_of(parts) if are_price(parts) else ""
        if whole:
            joined[start] = end, (element, whole, texts[start][2])
    units: list[Text] = []
    number = 0
    while joined and number < len(texts):
        number, unit = joined.get(number, (number + 1, texts[number]))
        units.append(unit)
    return units


def _dates(page: Page, texts: Sequence[Text], spans: Spans) -> dict[int, str]:
    """Return element of a unit -> the date for machines of an element around it, or in its text."""
    parents, (first, after) = page.elements.parents, spans
    owners = {element for element, _, _ in texts}
    dates: dict[int, str] = {}
    for element, date in dates_for_machines(page).items():
        inside = range(first[element], min(after[element], first[element] + _MAX_DATED))
        around = [element]
        while not inside and around[-1] not in owners and len(around) < REACH:
            around.append(parents[around[-1]])
        for owner in [texts[number][0] for number in inside] or around[-1:]:
            dates.setdefault(owner, date)
    return dates


def _above(element: int, parents: Sequence[int], spans: Spans) -> tuple[tuple[int, ...], int]:
    """Return an element and those above it; where in these the outermost stands that has no more units."""
    first, after = spans
    above, lone = [element], 0
    while len(above) < lone + 1 + REACH and (parent := parents[above[-1]]) > 0:
        if lone == len(above) - 1 < _MAX_LONE and after[parent] - first[parent] == 1:
            lone += 1
        above.append(parent)
    return tuple(above), lone


def _sign(
    lone: Sequence[int], names: Sequence[str], parents: Sequence[int], cells: Mapping[int, Sequence[int]]
) -> str:
    """Return the mark of a unit: a label, the first of the cells of a row, or none.

    lone  the elements that hold nothing but the unit
    """
    for element in lone:
        name = names[element]
        if name == "dt":
            return LABEL
        if name in ("td", "th"):
            row = cells.get(parents[element], ())
            at = row.index(element) if element in row[:_MAX_CELLS] else -1
            if name == "th" and 0 <= at < len(row) - 1 and names[row[at + 1]] == "td":
                return LABEL
            if at or len(row) < 2:
                return ""
            return PAIR if len(row) == 2 else FIRST if name == "td" else ""
    return ""


def _cell(
    above: Sequence[int], record: int, places: Sequence[str], cells: Mapping[int, Sequence[int]]
) -> int:
    """Return the number of the cell of a unit in a row that is a record; 0 if class words tell it."""
    row = cells.get(record, ())
    cell = above[above.index(record) - 1] if len(row) >= _MIN_CELLS and record in above[1:] else 0
    is_told = not cell or "." in places[cell].rpartition("/")[2] or cell not in row[:_MAX_CELLS]
    return 0 if is_told else row.index(cell) + 1


def pack(read: PageUnits) -> bytes:
    """Return the first units of a page, their texts cut, as a sample keeps them."""
    kept, size = [], 0
    for unit in read.units[:SAMPLED_UNITS]:
        unit = unit._replace(text=unit.text[:MAX_TEXT], link=unit.link[:MAX_TEXT])
        size += sum(len(text) for text in (unit.place, unit.text, unit.link, unit.row))
        if size > SAMPLED_CHARACTERS:
            break
        kept.append(unit)
    values = {name: [text[:MAX_TEXT] for text in texts] for name, texts in read.declared.values.items()}
    return zlib.compress(
        json.dumps([kept, read.declared.kind, values, read.title[:MAX_TEXT], read.host]).encode(), _PACKING
    )


def unpack(packed: bytes) -> PageUnits:
    """Return the page that was packed."""
    units, kind, values, *rest = json.loads(zlib.decompress(packed))
    return PageUnits(
        [Unit(intern(place), text, tuple(above), *others) for place, text, above, *others in units],
        Declared(kind, values),
        *rest,
    )
