"""Places and slots: name where a value stands on a page, alike on all pages of its type.

*Places.* Class words may say what one page is about: ``topic-tea`` on the article of a post. So a place keeps
the words that some of the sampled pages have (:mod:`templcrawl.algorithms.columns.template`). It is read from
its element upwards until ``NAMED_STEPS`` steps have a word; ``html`` and ``body`` are left out. So a page
with another frame around the same part has the same place, and a selector is as short as a person's. What is
in an ``h1`` has that as its place, unless the markup says that it is no title.

*A slot* is where values stand.  A page is read in this order: facts by their label
(:mod:`templcrawl.algorithms.columns.facts`), the running text with the facts and the rows of tables in it
(:mod:`templcrawl.algorithms.columns.texts`), then what is left by its place; one of a place that nearly all
pages have the same times by its number there.

Source: our own.
n units, in places of d steps.  Cost: O(n d); a place is shortened once.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile
from sys import intern
from typing import NamedTuple

from templcrawl.algorithms.columns.facts import (
    Labels,
    is_title,
    key_of,
    take_facts,
)
from templcrawl.algorithms.columns.flat_records import FLAT
from templcrawl.algorithms.columns.flows import calls_otherwise
from templcrawl.algorithms.columns.headed_tables import HEADED
from templcrawl.algorithms.columns.names import neighbour_of, says_tags
from templcrawl.algorithms.columns.separators import value_of
from templcrawl.algorithms.columns.texts import around, named_steps, sections_of
from templcrawl.algorithms.columns.units import MAX_TEXT, Unit, is_section, parts_of, words_in
from templcrawl.algorithms.columns.value_kinds import DATE, kind_of
from templcrawl.page.text import Memo
from templcrawl.page.vocabulary import HEADINGS

NAMED_STEPS = 3  # with a word, of a place
# Numbers of a slot: all running text in its place; what is first in that, a date if it begins it; headings.
TEXT_OF, PICTURE_OF, CODE_OF, DATE_OF, LEAD_OF, SECTIONS_OF = -1, -2, -3, -4, -5, -6
_BEFORE_DATE = 8  # words of each text before and of a date that begins running text
_MAX_STEPS = 12  # of a place without words
_BEGINNING = HEADINGS | {"p", "pre"}
_ARROWS = " ←→"
_FRAMES = ("html", "body")  # what their words say is about the page
_MAX_KNOWN = 4_000  # places whose short form is remembered


Spot = tuple[str, int, str]  # the place of a unit, its number there (0: it is not told by that), its text


class Places(dict[str, str]):
    """The places of a page type: page place -> type place, reduced to the words that the type keeps.

    >>> places = Places({"price", "title", "item", "page"})
    >>> places["html/body/div.page/div.item/p.price.sale/b"], places["html/body.page/p"]
    ('div.page/div.item/p.price/b', 'p')
    """

    def __init__(self, words: Collection[str], steps: int = NAMED_STEPS) -> None:
        """Keep these words; shorten places, from the element upwards, to so many steps with a word."""
        super().__init__()
        self._words, self._steps = words, steps

    def __missing__(self, place: str) -> str:
        steps: list[str] = []
        named = 0
        for step in reversed(place.split("/")):
            tag, words = parts_of(step)
            kept = [word for word in words if word in self._words] if tag not in _FRAMES else []
            steps.append(".".join([tag, *kept]).replace(".#", "#"))
            named += bool(kept)
            if self._steps and (named == self._steps or len(steps) == _MAX_STEPS):
                break
            if tag == "h1" and self._steps and not steps[0].startswith("img") and not is_section(step):
                steps = [steps[0], "h1"] if calls_otherwise(parts_of(steps[0])[1]) else ["h1"]
                break
        while len(steps) > 1 and steps[-1] in _FRAMES:
            steps.pop()
        if len(self) >= _MAX_KNOWN:
            self.clear()
        short = self[place] = intern("/".join(reversed(steps)))
        return short


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
    sizes    place -> how many of its texts are told by their number
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
    sizes: Mapping[str, int] = field(default_factory=dict)
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
            place = self.places[unit.place]
            numbers[place] += place in self.sizes
            spots.append((place, numbers[place], unit.text[:MAX_TEXT]))
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
        apart = {id(unit) for unit, spot in zip(scope, spots) if spot in self.fixed}
        headed = _headed(scope)
        used = {at for at, unit in enumerate(scope) if unit.row.startswith(HEADED) and not unit.head}
        for at in headed:
            unit = scope[at]
            yield Slot("", key_of(unit.head)), _value_of(unit.text, unit, None, unit.head)
        used.update(headed)
        texts = self._texts_of(units)
        running = [at for at, unit in enumerate(scope) if at not in used and self.text_place(unit) in texts]
        for fact in take_facts(
            scope, self.labels, lambda at: spots[at] in self.fixed, used, set(running), behind
        ):
            labelled = scope[fact.said] if fact.said != fact.values[0][0] else None
            used |= {fact.said, *(at for at, _ in fact.values)}
            if key_of(fact.label) in self.labels.always and scope[fact.said].tag not in HEADINGS:
                apart.update(id(scope[at]) for at in (fact.said, *(at for at, _ in fact.values)))
            for at, text in fact.values:
                yield Slot("", key_of(fact.label)), _value_of(text, scope[at], labelled, fact.label)
        yield from self._pivots(units)
        own = {id(scope[at]) for at in running if at not in used} - apart
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
            if place:
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
            if date := next((unit for unit in short if kind_of([unit.text]) == DATE), None):
                firsts[place, DATE_OF] = date
            first = next(filter(begins_text, parts), None)
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
            if at not in used and spots[at] not in self.fixed and number <= self.sizes.get(place, 0):
                yield Slot(place, "", number), _value_of(unit.text, unit)
