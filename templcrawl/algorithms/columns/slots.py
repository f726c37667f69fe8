"""Slots: where values stand on the pages of a type, and the values that a page has there.

A page is read in this order: facts by their label (:mod:`templcrawl.algorithms.columns.facts`), the running
text with the facts and the rows of tables in it (:mod:`templcrawl.algorithms.columns.texts`), then what is
left by its place; one of a place that nearly all pages have the same times by its number there, one of a row
without headings by that of its cell, and one that says a count, or always the same, by what it says.

Source: our own.  n units.  Cost: O(n).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile
from typing import NamedTuple

from templcrawl.algorithms.columns.facts import (
    Labels,
    is_title,
    key_of,
    take_facts,
)
from templcrawl.algorithms.columns.flat_records import FLAT
from templcrawl.algorithms.columns.headed_tables import HEADED
from templcrawl.algorithms.columns.names import neighbour_of, says_tags
from templcrawl.algorithms.columns.places import Places
from templcrawl.algorithms.columns.separators import value_of
from templcrawl.algorithms.columns.signatures import is_in_signature
from templcrawl.algorithms.columns.texts import around, named_steps, sections_of
from templcrawl.algorithms.columns.units import MAX_TEXT, Unit, words_in
from templcrawl.algorithms.columns.value_kinds import DATE, count_key, kind_of
from templcrawl.page.text import Memo
from templcrawl.page.vocabulary import HEADINGS

# Numbers of a slot: all running text in its place; what is first in that, a date if it begins it; headings.
TEXT_OF, PICTURE_OF, CODE_OF, DATE_OF, LEAD_OF, SECTIONS_OF = -1, -2, -3, -4, -5, -6
_BEFORE_DATE = 8  # words of each text before and of a date that begins running text
_BEGINNING = HEADINGS | {"p", "pre"}
_ARROWS = " ←→"


Spot = tuple[str, int, str]  # the place of a unit, its number there (0: it is not told by that), its text


class Slot(NamedTuple):
    """Where values stand: at a place, or behind a label.

    label   what they are labelled by, as a key; then there is no place
    number  which of the texts of the place, from 1 on; 0: all of them; or one of those below 0
    """

    place: str
    label: str = ""
    number: int = 0

    @property
    def is_in_text(self) -> bool:
        """True of what is a part of running text: the first of a kind, or its headings."""
        return self.number < TEXT_OF


class Value(NamedTuple):
    """A value of a slot.

    labelled  the unit of its label; None without one
    said      its label as it is written
    parts     of running text the units
    """

    text: str
    unit: Unit
    labelled: Unit | None = None
    said: str = ""
    parts: Sequence[Unit] = ()


def begins_text(unit: Unit) -> bool:
    """Return whether a part of running text is a paragraph, a heading or code."""
    return unit.tag in _BEGINNING


def _value_of(text: str, unit: Unit, labelled: Unit | None = None, said: str = "") -> Value:
    """Return a text of a unit as a value: of a link to a neighbour of the page without its arrow."""
    text = text if unit.is_picture else value_of(text)
    return Value(text.strip(_ARROWS) if neighbour_of(unit.place) else text, unit, labelled, said)


def _headed(scope: Sequence[Unit]) -> list[int]:
    """Return the units of rows of tables that have the heading of their cell: the first of each.

    A picture before a text is its icon, and so are a number before a link, and a mark.
    """
    firsts: dict[tuple[int, str], int] = {}
    for at, unit in enumerate(scope):
        if unit.row.startswith(HEADED) and unit.head:
            first = scope[firsts.setdefault((unit.record, unit.head), at)]
            is_number = first.text.isdecimal() and unit.link and not unit.text.isdecimal()
            is_icon = first.is_picture or is_number or not value_of(first.text)
            if is_icon and not unit.is_picture:
                firsts[unit.record, unit.head] = at
    return sorted(firsts.values())


@dataclass(frozen=True)
class Template:
    """The fixed texts of a page type, and the places of its values.

    words    class words that places keep, ids with their mark
    rows     rows of records that are read by themselves
    own      those of these that are no records where they stand alone
    fixed    texts that are not values, each in its place
    leading  texts that pages repeat of which the links are values -> their number in their place
    sizes    place -> how many of its texts are told by their number
    cells    places of which the texts are told by the number of their cell
    counts   place -> key of a count there ("12 comments") -> which of them that is
    labels   of its facts
    pivots   labels that are the first cell of a row of a table
    texts    places of running text
    inside   places with class words in these that are parts of them
    apart    places in these that are columns of their own
    heads    row -> the place of what stands above groups of its records
    led      places of running text with sections behind the paragraph that leads it
    parted   place of running text with several sections -> the heading that these mostly have
    """

    words: frozenset[str] = frozenset()
    rows: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()
    fixed: frozenset[Spot] = frozenset()
    leading: Mapping[Spot, int] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)
    cells: frozenset[str] = frozenset()
    counts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    labels: Labels = field(default_factory=Labels)
    pivots: frozenset[str] = frozenset()
    texts: frozenset[str] = frozenset()
    inside: frozenset[str] = frozenset()
    apart: frozenset[str] = frozenset()
    heads: Mapping[str, str] = field(default_factory=dict)
    led: frozenset[str] = frozenset()
    parted: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def places(self) -> Places:
        """Page place -> type place."""
        return Places(self.words)

    @cached_property
    def wholes(self) -> Places:
        """Page place -> type place with all of its steps."""
        return Places(self.words, 0)

    def place(self, unit: Unit) -> str:
        """Return the type place of a unit."""
        return self.places[unit.place]

    def row(self, row: str) -> str:
        """Return the type place of the row of a record, "" of none."""
        if row.startswith(HEADED) or not row:
            return row
        sign = FLAT if row.startswith(FLAT) else ""
        return f"{sign}{self.places[row.removeprefix(FLAT)]}"

    def spots(self, scope: Sequence[Unit]) -> list[Spot]:
        """Return (place, number there where that counts, text) of each unit of a page."""
        numbers = Counter[str]()
        spots = []
        for unit in scope:
            place, text = self.places[unit.place], unit.text[:MAX_TEXT]
            if place in self.counts:
                number = self.counts[place].get(count_key(text), 0)
            elif place in self.cells:
                number = unit.cell
            else:
                numbers[place] += place in self.sizes
                number = numbers[place]
            spots.append((place, number, text))
        return spots

    def outside(self, units: Iterable[Unit]) -> list[Unit]:
        """Return the units of a page outside of records that have their own table."""
        return self._split(units)[0]

    def _split(self, units: Iterable[Unit]) -> tuple[list[Unit], set[int]]:
        """Return the units of a page outside of these records, and the numbers of those right behind one."""
        scope, behind = list[Unit](), set[int]()
        for unit in units:
            if self.row(unit.row) in self.rows:
                behind.add(len(scope))
            else:
                scope.append(unit)
        return scope, behind

    def read(self, units: Sequence[Unit]) -> Iterator[tuple[Slot, Value]]:
        """Yield the values of a page, each with its slot."""
        return (one for one in self._read(units) if one[1].text)

    def _read(self, units: Sequence[Unit]) -> Iterator[tuple[Slot, Value]]:
        scope, behind = self._split(units)
        spots = self.spots(scope)
        apart = {id(unit) for unit, spot in zip(scope, spots) if spot in self.fixed or spot in self.leading}
        headed = _headed(scope)
        used = {at for at, unit in enumerate(scope) if unit.row.startswith(HEADED) and not unit.head}
        for at in headed:
            unit = scope[at]
            yield Slot("", key_of(unit.head)), _value_of(unit.text, unit, None, unit.head)
        used.update(headed)
        texts, sections = self._texts_of(units), set[int]()  # units that are facts by a heading
        running = [
            at
            for at, unit in enumerate(scope)
            if at not in used and self.text_place(unit) in texts and spots[at] not in self.leading
        ]
        for fact in take_facts(
            scope,
            self.labels,
            lambda at: spots[at] in self.fixed,
            used,
            set(running),
            behind,
            lambda at: around(self.texts, self.wholes[scope[at].place]) != "",
        ):
            labelled = scope[fact.said] if fact.said != fact.values[0][0] else None
            told = {fact.said, *(at for at, _ in fact.values)}
            used |= told
            is_of_template = key_of(fact.label) in self.labels.always
            if is_of_template and not scope[fact.said].is_in_heading:
                apart.update(id(scope[at]) for at in told)
            elif not is_of_template and scope[fact.said].is_in_heading:
                sections |= told
            for at, text in fact.values:
                yield Slot("", key_of(fact.label)), _value_of(text, scope[at], labelled, fact.label)
        yield from self._pivots(units)
        own = {id(scope[at]) for at in running if at not in used or at in sections} - apart
        for place, parts in texts.items():
            if any(id(unit) in own for unit in parts):
                found = [unit for unit in parts if id(unit) not in apart]
                text = " ".join(unit.text for unit in found)
                yield Slot(place, "", TEXT_OF), Value(text, found[0], parts=found)
                if place in self.parted:
                    for unit in sections_of(parts[parts.index(found[0]) :], self.parted[place]):
                        yield Slot(place, "", SECTIONS_OF), _value_of(unit.text, unit)
        used.update(running)
        yield from self._firsts(scope, texts)
        yield from self._others(scope, spots, used)

    def _pivots(self, units: Sequence[Unit]) -> Iterator[tuple[Slot, Value]]:
        """Yield the facts that are rows of headed tables."""
        label: Unit | None = None
        seen = set[str]()
        for unit in units if self.pivots else ():
            if label is not None and unit.record == label.record:
                if unit.head != label.head:
                    yield Slot("", key_of(label.text)), _value_of(unit.text, unit, label, label.text)
                    label = None
            elif (
                unit.row.startswith(HEADED) and (key := key_of(unit.text)) in self.pivots and key not in seen
            ):
                seen.add(key)
                label = unit
            else:
                label = None

    def _texts_of(self, units: Sequence[Unit]) -> dict[str, list[Unit]]:
        """Return the place of each running text of a page -> its units; none in which there is another one.

        Facts and the rows of tables in it are a part of it, but for facts that nearly all pages have.
        """
        texts: defaultdict[str, list[Unit]] = defaultdict(list)
        for unit in units if self.texts else ():
            place = self.text_place(unit)
            if not place and unit.row.startswith(HEADED) and not unit.is_picture:  # the table is in a box
                place = self._text_places[f"{unit.place.rpartition('/table')[0].rpartition('/')[0]}/table"]
            if place and not is_in_signature(unit.place):
                texts[place].append(unit)
        return {
            place: found
            for place, found in texts.items()
            if not any(one.startswith(f"{place}/") for one in texts)
        }

    def _firsts(
        self, scope: Sequence[Unit], texts: Mapping[str, Sequence[Unit]]
    ) -> Iterator[tuple[Slot, Value]]:
        """Yield the first picture and the first code in each running text, and how it begins."""
        firsts: dict[tuple[str, int], Unit] = {}
        for unit in scope:
            number = PICTURE_OF if unit.is_picture else CODE_OF if unit.tag == "pre" else 0
            if number and (place := around(self.texts, self.wholes[unit.place])):
                firsts.setdefault((place, number), unit)
        for place, parts in texts.items():
            short = takewhile(lambda unit: words_in(unit.text) <= _BEFORE_DATE, parts)
            date = next((unit for unit in short if kind_of([unit.text]) == DATE), None)
            if date:
                firsts[place, DATE_OF] = date
            first = next((unit for unit in parts if begins_text(unit) and unit is not date), None)
            if first and first.tag == "p" and place in self.led:
                firsts[place, LEAD_OF] = first
        for (place, number), unit in firsts.items():
            yield Slot(place, "", number), _value_of(unit.text, unit)

    def text_place(self, unit: Unit) -> str:
        """Return the place of the running text that a unit is a part of, "" if it is of none."""
        if not self.texts or unit.is_picture or is_title(unit):
            return ""
        is_apart = unit.link != "" and (says_tags(self.places[unit.place]) or neighbour_of(unit.place) != "")
        return "" if is_apart else self._text_places[unit.place]

    @cached_property
    def _text_places(self) -> Memo[str]:
        return Memo(self._text_place)

    def _text_place(self, place: str) -> str:
        whole = self.wholes[place]
        if whole in self.apart:
            return ""
        text = around(self.texts, whole)
        return text if text and self.inside.issuperset(named_steps(text, whole)) else ""

    def _others(
        self, scope: Sequence[Unit], spots: Sequence[Spot], used: Collection[int]
    ) -> Iterator[tuple[Slot, Value]]:
        """Yield what is left of a page, by its place."""
        for at, unit in enumerate(scope):
            place, number, _ = spots[at]
            is_known = number <= self.sizes.get(place, number)
            if at not in used and spots[at] not in self.fixed and is_known:
                number = self.leading.get(spots[at], number)
                yield Slot(place, "", number), _value_of(unit.text, unit)
