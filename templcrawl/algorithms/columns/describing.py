"""What a column is called, of what kind it is, and how it is selected, by the values that pages have in it.

Source: our own.  n values.  Cost: O(n).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from templcrawl.algorithms.columns.kinds import ADDRESS, LONGEST_NAME, PICTURE, kind_of, name_of
from templcrawl.algorithms.columns.places import Places
from templcrawl.algorithms.columns.selectors import Spot, css_of, up_to_link, xpath_of
from templcrawl.algorithms.columns.values import (
    BEFORE,
    HREF,
    PREFIX,
    SRC,
    Column,
    Slot,
    Template,
    Value,
    label_of,
)

MANY = 1.2  # texts in a place on a page, on average: a list
_LABELS = 0.8  # of the values of a column have its label

Found = dict[int, list[Value]]  # page -> values


def describe(
    slots: tuple[Slot, ...],
    values: Found,
    template: Template,
    parents: Sequence[Collection[int]],
    taken: Collection[str],
    *,
    of_records: bool,
) -> Iterator[Column]:
    """Yield the column of some slots, and that of its links.

    parents     page of the sample -> the elements around its cells
    taken       names of other columns
    of_records  whether it is selected within a record
    """
    flat = [value for of_page in values.values() for value in of_page]
    is_picture = flat[0].cell.is_picture
    kind = PICTURE if is_picture else kind_of_values(values)
    owns = sum(value.cell.above[0] in parents[page] for page, of_page in values.items() for value in of_page)
    attribute = SRC if is_picture else ""
    spots = [
        _spot(slot, flat, template.places, of_records)._replace(
            attribute=attribute, own=2 * owns > len(flat), inner=_inside(slot, slots)
        )
        for slot in slots
    ]
    column = Column(
        name=name_of(label_of_slot(slots[0], values), slots[0].place, kind, taken),
        slots=slots,
        attribute=attribute,
        kind=kind,
        many=len(flat) > MANY * len(values),
        share=len(values) / len(parents),
        examples=tuple(sorted({value.text for value in flat})[:3]),
        css=", ".join(map(css_of, spots)),
        xpath=" | ".join(map(xpath_of, spots)),
        regex=_regex(slots, flat),
    )
    yield column
    if not is_picture:
        yield from _link_column(column, spots[0], flat, taken)


def _link_column(
    column: Column, spot: Spot, values: Sequence[Value], taken: Collection[str]
) -> Iterator[Column]:
    """Yield the column of the links that the values of another stand in, if they differ."""
    links = {value.cell.link for value in values if value.cell.link}
    place = up_to_link("/".join(spot.steps))
    if not place or len(links) < 2:
        return
    above = len(spot.steps) - place.count("/") - 1
    yield replace(
        column,
        name=name_of(f"{column.name[: LONGEST_NAME - 4]}_url", place, ADDRESS, {*taken, column.name}),
        attribute=HREF,
        kind=ADDRESS,
        examples=tuple(sorted(links)[:3]),
        css=css_of(link := _of_link(spot, above)),
        xpath=xpath_of(link),
        regex="",
    )


def _of_link(spot: Spot, above: int) -> Spot:
    """Return what is selected for a link that stands so many elements above a spot."""
    return spot._replace(
        slot=spot.slot._replace(place=up_to_link(spot.slot.place)),
        up=max(spot.up - above, 0),
        attribute=HREF,
        own=False,
        inner=(),
        below=spot.below - above if spot.below >= 0 else -1,
    )


def _spot(slot: Slot, values: Iterable[Value], places: Places, of_records: bool) -> Spot:
    """Return what is selected of a slot, by how most of some values stand."""
    met, below = Counter[tuple[tuple[str, ...], int]](), Counter[int]()
    for value in values:
        if of_records:
            below[value.cell.place.count("/") - value.cell.row.count("/")] += 1
        if slot.way == BEFORE and value.labelled is not None:
            up, down = _up(value.cell.above, value.labelled.above)
            steps = places.shorten(value.labelled.place).split("/")
            met[tuple(steps[len(steps) - down :]), up] += 1
    label, up = max(met, key=lambda key: (met[key], key), default=((), 0))
    return Spot(slot, label, up, below=max(below, key=lambda key: (below[key], key), default=-1))


def _up(ours: Sequence[int], others: Sequence[int]) -> tuple[int, int]:
    return next((up, others.index(element)) for up, element in enumerate(ours) if element in others)


def _inside(slot: Slot, slots: Sequence[Slot]) -> tuple[str, ...]:
    """Return the places of other slots that are inside that of a slot, from there on."""
    start = f"{slot.place}/"
    return tuple(one.place.removeprefix(start) for one in slots if one.place.startswith(start))


def label_of_slot(slot: Slot, values: Found) -> str:
    """Return the label of a slot: the one that tells it from others, else the one that its values have."""
    flat = [value for of_page in values.values() for value in of_page]
    said = Counter(label_of(value.labelled) for value in flat if value.labelled is not None)
    return slot.label or next((text for text, count in said.items() if count >= _LABELS * len(flat)), "")


def kind_of_values(values: Found) -> str:
    """Return the kind of the first values of pages."""
    return kind_of([of_page[0].text for of_page in values.values()])


def _regex(slots: Sequence[Slot], values: Iterable[Value]) -> str:
    """Return what a selected text must match, "" where it is the value."""
    label = re.escape(slots[0].label) if slots[0].way == PREFIX else ""
    is_whole = not label and all(value.text == value.cell.text for value in values)
    if label and any(slot.way != PREFIX for slot in slots):
        label = f"(?:{label})?"
    return "" if is_whole else rf"^\s*{label}\s*[:：]?\s*(.*)"
