"""Read a page for tables: its units, and the properties that it declares.

n units, m elements.  Cost: O(n + m + length of the texts); a packed page has some 5 KB.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from sys import intern

from templcrawl.algorithms.columns.attribute_texts import dates_for_machines, silent_texts
from templcrawl.algorithms.columns.records import (
    Spans,
    cells_of,
    headed_rows,
    known_records,
    repeated_records,
)
from templcrawl.algorithms.columns.separators import Text
from templcrawl.algorithms.columns.units import (
    FIRST,
    LABEL,
    MAX_TEXT,
    PAIR,
    REACH,
    SILENT,
    Unit,
    places_and_links,
    read_texts,
)
from templcrawl.algorithms.columns.value_kinds import are_price, price_of
from templcrawl.page.declared import Declared, read_declared
from templcrawl.page.page import Page

SAMPLED_UNITS, SAMPLED_CHARACTERS = 2_000, 500_000  # of a page in a sample
_PACKING = 1  # the fastest level of zlib
_MAX_DATED = 4  # units in an element with a date
_MAX_LONE = 24  # elements that hold nothing but one unit
_NO_PRICE = frozenset("tr table tbody ul ol dl nav body html".split())


@dataclass(frozen=True)
class PageUnits:
    """The units of a page, or of a record, in reading order, what it declares, and its title."""

    units: Sequence[Unit]
    declared: Declared = field(default_factory=lambda: Declared("", {}))
    title: str = ""


def read_page(
    page: Page, mask: bytes = b"", is_row: Callable[[str], bool] | None = None, *, declares: bool = True
) -> PageUnits:
    """Read a page.

    mask      token -> 1 if it is content; empty: nothing is known
    is_row    whether elements of a row are records, where it is known; None: they are found by what repeats
    declares  whether what it declares is read
    """
    declared = read_declared(page) if declares else Declared("", {})
    return PageUnits(_units(page, mask or bytes(len(page.tokens)), is_row), declared, page.title)


def _units(page: Page, mask: bytes, is_row: Callable[[str], bool] | None) -> list[Unit]:
    names, parents = page.elements.names, page.elements.parents
    silent = silent_texts(page)
    texts = read_texts(page, mask, silent)
    if not texts:
        return []
    spans = _spans(texts, parents)
    if joined := _joined_prices(texts, names, spans):
        texts = joined
        spans = _spans(texts, parents)
    places, links = places_and_links(page)
    dates = _dates(page, texts, spans)
    owners = [element for element, _, _ in texts]
    if is_row is None:
        records = repeated_records(names, parents, texts, places, links, spans)
    else:
        records = known_records(parents, owners, places, is_row)
    cells = cells_of(page)
    headed, began_above = headed_rows(page, cells, texts, spans)
    units: list[Unit] = []
    of_rows: list[Unit] = []  # with those again that span several rows
    for number, ((element, text, content), (record, row)) in enumerate(zip(texts, records)):
        above, lone = _above(element, parents, spans)
        head = ""
        if number in headed:
            record, row, head = headed[number]
        sign = SILENT if element in silent else _sign(above[: lone + 1], names, parents, cells)
        began = began_above.pop(record, ()) if head else ()
        of_rows.extend(units[other]._replace(record=record) for other in began)
        date = dates.get(element, "")
        unit = Unit(
            places[element], text, above, lone, content, links[element], record, row, sign, head, date
        )
        units.append(unit)
        of_rows.append(unit)
    return of_rows


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


def _joined_prices(texts: Sequence[Text], names: Sequence[str], spans: Spans) -> list[Text]:
    """Return the units of a page with the parts of each price joined; [] if no price is in parts."""
    ends: dict[int, tuple[int, int]] = {}
    for element, (start, end) in enumerate(zip(*spans)):
        may_be = 2 <= end - start <= 5 and names[element] not in _NO_PRICE and start not in ends
        if may_be and are_price([text for _, text, _ in texts[start:end]]):
            ends[start] = (end, element)
    units: list[Text] = []
    number = 0
    while ends and number < len(texts):
        end, element = ends.get(number, (number + 1, texts[number][0]))
        units.append((element, price_of([text for _, text, _ in texts[number:end]]), texts[number][2]))
        number = end
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
            at = row.index(element) if element in row[:20] else -1
            if name == "th" and 0 <= at < len(row) - 1 and names[row[at + 1]] == "td":
                return LABEL
            if at or len(row) < 2:
                return ""
            return PAIR if len(row) == 2 else FIRST if name == "td" else ""
    return ""


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
        json.dumps([kept, read.declared.kind, values, read.title[:MAX_TEXT]]).encode(), _PACKING
    )


def unpack(packed: bytes) -> PageUnits:
    """Return the page that was packed."""
    units, kind, values, title = json.loads(zlib.decompress(packed))
    return PageUnits(
        [Unit(intern(place), text, tuple(above), *rest) for place, text, above, *rest in units],
        Declared(kind, values),
        title,
    )
