"""What a column is called, of what kind it is, and how it is selected, by the values that pages have in it.

The last of several breadcrumbs is a column of its own, the ``section`` of the page.  So are the links that
the values of a column stand in, unless other columns have them.

Source: our own.  n values of a column.  Cost: O(n).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace

from templcrawl.algorithms.columns.cells import Cell
from templcrawl.algorithms.columns.kinds import ADDRESS, PICTURE, TEXT
from templcrawl.algorithms.columns.names import LONGEST_NAME, free_name, is_named, name_of, said_of
from templcrawl.algorithms.columns.selectors import Selected, Selectors
from templcrawl.algorithms.columns.sifting import MANY, Found, kind_of_values, label_of_slot
from templcrawl.algorithms.columns.template import PREFIX, Slot, Template, Value
from templcrawl.algorithms.columns.values import HREF, SRC, Column

MOST_FIXED = 50  # texts in the places of a column that are named as no values of it
_OF_LABELS = frozenset("th dt label b strong".split())
_NO_PAGES = ("mailto:", "tel:", "sms:", "callto:", "skype:")  # addresses of no pages


class DescribedColumns:
    """The columns of a type, described one after the other.

    columns  those so far
    """

    def __init__(
        self, template: Template, pages: Sequence[Sequence[Cell]], taken: Collection[str], *, of_records: bool
    ) -> None:
        """Start without columns; ``taken`` are names that none has."""
        self.columns: list[Column] = []
        self._template, self._reserved = template, taken
        self._linked: set[tuple[int, str]] = set()  # pages and the links that columns have of them
        self._fixed: defaultdict[str, list[str]] = defaultdict(list)
        for place, text in sorted(template.fixed):
            self._fixed[place].append(text)
        having = {template.places[place] for place in {cell.place for cells in pages for cell in cells}}
        self._selectors = Selectors(template, having, of_records=of_records)
        self._parents = [{above for cell in cells for above in cell.above[1:]} for cells in pages]

    def add(self, slots: tuple[Slot, ...], values: Found) -> None:
        """Add the column of some slots, that of its last values, and that of its links."""
        flat = [value for of_page in values.values() for value in of_page]
        attribute = SRC if flat[0].cell.is_picture else ""
        kind = PICTURE if attribute else kind_of_values(values)
        owns = sum(
            value.cell.above[0] in self._parents[page]
            for page, of_page in values.items()
            for value in of_page
        )
        selected = self._select(slots, flat, attribute, own=2 * owns > len(flat))
        fixed = [text for place in dict.fromkeys(slot.place for slot in slots) for text in self._fixed[place]]
        column = Column(
            name=name_of(_naming_label(slots[0], values, kind), slots[0].place, kind, self._taken()),
            slots=slots,
            attribute=attribute,
            kind=kind,
            many=len(flat) > MANY * len(values),
            share=len(values) / len(self._parents),
            examples=tuple(sorted({value.text for value in flat})[:3]),
            css=", ".join(dict.fromkeys(one.css for one in selected)),
            xpath=" | ".join(dict.fromkeys(one.xpath for one in selected)),
            regex=_regex(slots, flat),
            elements=tuple((one.elements, told(slot, self._template)) for slot, one in zip(slots, selected)),
            fixed=tuple(fixed[:MOST_FIXED]),
        )
        self.columns.append(column)
        if column.many and "breadcrumb" in said_of(slots[0].place, kind):
            self._add_section(column, [of_page[-1].text for of_page in values.values()])
        if not attribute:
            self._add_links(column, values, flat)

    def _add_section(self, breadcrumbs: Column, last: Sequence[str]) -> None:
        """Add the column of the last breadcrumbs, where pages share them."""
        if 1 < len(set(last)) < len(last):
            section = replace(
                breadcrumbs,
                name=free_name("section", breadcrumbs.slots[0].place, self._taken()),
                many=False,
                last=True,
                examples=tuple(sorted(set(last))[:3]),
                css="",  # it has no word for the last of several
                xpath=f"({breadcrumbs.xpath})[last()]",
            )
            self.columns.append(section)

    def _add_links(self, column: Column, values: Found, flat: Sequence[Value]) -> None:
        """Add the column of the links that the values of another stand in, if no other has them."""
        links = {(page, value.cell.link) for page, of_page in values.items() for value in of_page}
        leading = {link for _, link in links if link and not link.startswith(("#", "javascript:"))}
        if len(leading) < 2 or links <= self._linked:
            return
        self._linked |= links
        selected = self._select(column.slots, flat, HREF)
        name = f"{column.name[: LONGEST_NAME - 4]}_url"
        of_links = replace(
            column,
            name=free_name(name, column.slots[0].place, self._taken()),
            attribute=HREF,
            kind=TEXT if all(link.startswith(_NO_PAGES) for link in leading) else ADDRESS,
            examples=tuple(sorted(leading)[:3]),
            css=", ".join(dict.fromkeys(one.css for one in selected)),
            xpath=" | ".join(dict.fromkeys(one.xpath for one in selected)),
            regex="",
        )
        self.columns.append(of_links)

    def _taken(self) -> set[str]:
        return {*self._reserved, *(column.name for column in self.columns)}

    def _select(
        self, slots: Sequence[Slot], values: Sequence[Value], attribute: str, *, own: bool = False
    ) -> list[Selected]:
        """Return what the values of each slot are selected by."""
        stands: defaultdict[str, list[Value]] = defaultdict(list)  # place -> values
        for value in values:
            stands[self._template.places[value.cell.place]].append(value)
        places = [f"{slot.place}/" for slot in slots]
        return [
            self._selectors.select(
                slot,
                stands[slot.place],
                attribute,
                own=own,
                inner=[
                    other[len(place) : -1] for other in places if other.startswith(place) and other != place
                ],
            )
            for slot, place in zip(slots, places)
        ]


def _naming_label(slot: Slot, values: Found, kind: str) -> str:
    """Return the label that names a column, "" if its markup names it better."""
    label = label_of_slot(slot, values)
    before = (
        value.labelled for of_page in values.values() for value in of_page if value.labelled is not None
    )
    is_one = any(cell.tag in _OF_LABELS or cell.text.endswith((":", "：")) for cell in before)
    return label if slot.way or is_one or not is_named(slot.place, kind) else ""


def told(slot: Slot, template: Template) -> str | None:
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
