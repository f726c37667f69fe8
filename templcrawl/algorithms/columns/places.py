"""What the pages of a type repeat, and where on a page of it a value stands.

*Places.*  Class words may say what one page is about: ``topic-tea`` on the article of a post.  So a place
keeps the words that ``FEW_HAVE`` of the sampled pages have, and two at least.  It is read from its element
upwards until ``NAMED_STEPS`` steps have a word; ``html`` and ``body`` without a word are left out.  So a page
with another frame around the same part has the same place, and a selector is as short as a person's.  All that
is in an ``h1`` is there.

*Fixed* is a text that most pages of a type which have its place have there: a label or furniture.  It is
never a value, unless it stands behind a label.

*A slot* is where values stand.  A page is read in this order, and a text is used once: facts by their label
(:mod:`templcrawl.algorithms.columns.facts`), the running text (:mod:`templcrawl.algorithms.columns.texts`),
then what is left by its place; one of a place that nearly all pages have the same times by its number there.

Source: RoadRunner (Crescenzi, Mecca, Merialdo, VLDB 2001): what pages of one template repeat is template, a
mismatch is a field; EXALG (Arasu, Garcia-Molina, SIGMOD 2003): values are told apart by their place in the
template.  Departures: texts are aligned by their place, not by a grammar, which is linear and bears that a
part is missing; nobody says which pages are of one type.

n units, in places of d steps.  Cost: O(n d); a place is shortened once.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from statistics import fmean
from sys import intern
from typing import NamedTuple

from templcrawl.algorithms.columns.facts import (
    COLONS,
    ENDS,
    LONGEST_LABEL,
    Labels,
    is_behind,
    is_old,
    is_title,
    key_of,
    labels_of,
    prefixed,
    take_facts,
)
from templcrawl.algorithms.columns.kinds import kind_of
from templcrawl.algorithms.columns.records import HEADED
from templcrawl.algorithms.columns.texts import text_places
from templcrawl.algorithms.columns.units import MOST_TEXT, Unit, parts_of
from templcrawl.page.vocabulary import HEADINGS

FEW_HAVE, NAMED_STEPS = 0.1, 3
LEAST_PAGES = 3
SEVERAL = 1.5  # texts in a place on a page, on average
TEXT_OF = -1  # number of a slot: all running text in its place
_MOST_KNOWN = 4_000  # places whose short form is remembered
_FIXED = 0.995  # share of the pages with its place that have a fixed text: one author may write nearly all
_FIXED_OF_SEVERAL = 0.9  # in a place that a page has several times
_CONSTANT = 0.9  # of the pages: a text that stands behind a label, too, but is none of its values
_MOST_NUMBERED, _SAME_SIZE = 6, 0.8  # texts of a place that are told by their number; pages that have as many
_SHARED = 0.2  # of the values of two numbers of a place: they are of one kind
_PIVOTS = 0.15  # of the pages: those that have a row of a headed table that is a fact


Spot = tuple[str, int, str]  # the place of a unit, its number there (0: it is not told by that), its text


class Places(dict[str, str]):
    """The places of a page type: a place -> as the type has it, with these words.

    >>> Places({"price", "title", "item", "page"})["html/body/div.page/div.item/p.price.sale/b"]
    'div.page/div.item/p.price/b'
    """

    def __init__(self, words: Collection[str], steps: int = NAMED_STEPS) -> None:
        """Keep some words, and places from their element upwards until so many steps have one."""
        super().__init__()
        self._words, self._steps = words, steps

    def __missing__(self, place: str) -> str:
        steps: list[str] = []
        named = 0
        for step in reversed(place.split("/")):
            tag, words = parts_of(step)
            kept = [word for word in words if word in self._words]
            steps.append(".".join([tag, *kept]).replace(".#", "#"))
            named += bool(kept)
            if named == self._steps > 0:
                break
            if tag == "h1" and self._steps and not steps[0].startswith("img"):
                steps = ["h1"]
                break
        while len(steps) > 1 and steps[-1] in ("html", "body"):
            steps.pop()
        if len(self) >= _MOST_KNOWN:
            self.clear()
        short = self[place] = intern("/".join(reversed(steps)))
        return short


class Slot(NamedTuple):
    """Where values stand: in a place, or behind a label.

    label   what they are labelled by, as a key; then there is no place
    number  which of the texts of the place, from 1 on; 0: all of them, ``TEXT_OF``: the running text in it
    """

    place: str
    label: str = ""
    number: int = 0


class Value(NamedTuple):
    """A value of a slot.

    labelled  the unit of its label, or before it; None without one
    said      its label as it is written
    """

    text: str
    unit: Unit
    labelled: Unit | None = None
    said: str = ""


@dataclass(frozen=True)
class Template:
    """What the pages of a type repeat.

    words    class words that places keep, ids with their mark
    rows     rows of records that are read by themselves
    fixed    texts that are no values, each in its place
    constant those of them that nearly all pages have: no values behind a label, either
    several  places that a page has several times: there the label tells what a value is
    sizes    place -> how many of its texts are told by their number
    labels   of its facts
    pivots   labels that are the first cell of a row of a headed table
    texts    places of running text
    """

    words: frozenset[str] = frozenset()
    rows: frozenset[str] = frozenset()
    fixed: frozenset[Spot] = frozenset()
    constant: frozenset[Spot] = frozenset()
    several: frozenset[str] = frozenset()
    sizes: Mapping[str, int] = field(default_factory=dict)
    labels: Labels = Labels()
    pivots: frozenset[str] = frozenset()
    texts: frozenset[str] = frozenset()

    @cached_property
    def places(self) -> Places:
        """A place of a page -> as the type has it."""
        return Places(self.words)

    @cached_property
    def wholes(self) -> Places:
        """A place of a page -> with all of its steps."""
        return Places(self.words, 0)

    def place(self, unit: Unit) -> str:
        """Return the place of a unit as the type has it."""
        return self.places[unit.place]

    def row(self, unit: Unit) -> str:
        """Return the row of the record of a unit as the type has it."""
        return unit.row if unit.row.startswith(HEADED) or not unit.row else self.places[unit.row]

    def spots(self, scope: Sequence[Unit]) -> list[Spot]:
        """Return for each unit of a page its place, its number there where that counts, and its text."""
        numbers = Counter[str]()
        spots = []
        for unit in scope:
            place = self.places[unit.place]
            numbers[place] += place in self.sizes
            spots.append((place, numbers[place], unit.text[:MOST_TEXT]))
        return spots

    def outside(self, units: Iterable[Unit]) -> list[Unit]:
        """Return the units of a page that are in no record which is read by itself."""
        return [unit for unit in units if self.row(unit) not in self.rows]

    def read(self, units: Sequence[Unit]) -> Iterator[tuple[Slot, Value]]:
        """Yield the values of a page, each with its slot."""
        scope = self.outside(units)
        spots = self.spots(scope)
        used = set[int]()
        for at, unit in enumerate(scope):
            if unit.row.startswith(HEADED):
                used.add(at)
                if unit.head:
                    yield Slot("", key_of(unit.head)), Value(unit.text, unit, None, unit.head)
        running = {
            at for at, unit in enumerate(scope) if self.texts and at not in used and self.text_place(unit)
        }
        for fact in take_facts(scope, self.labels, lambda at: spots[at] in self.constant, used, running):
            labelled = scope[fact.said] if fact.said != fact.values[0][0] else None
            used |= {fact.said, *(at for at, _ in fact.values)}
            for at, text in fact.values:
                yield Slot("", key_of(fact.label)), Value(text, scope[at], labelled, fact.label)
        yield from self._pivots(units)
        yield from self._texts(scope, spots, running, used)
        yield from self._others(scope, spots, used)

    def _pivots(self, units: Sequence[Unit]) -> Iterator[tuple[Slot, Value]]:
        """Yield the facts that are rows of headed tables."""
        label: Unit | None = None
        seen = set[str]()
        for unit in units if self.pivots else ():
            if label is not None and unit.record == label.record:
                if unit.head != label.head:
                    yield Slot("", key_of(label.text)), Value(unit.text, unit, label, label.text)
                    label = None
            elif unit.head and (key := key_of(unit.text)) in self.pivots and key not in seen:
                seen.add(key)
                label = unit
            else:
                label = None

    def _texts(
        self, scope: Sequence[Unit], spots: Sequence[Spot], running: Collection[int], used: set[int]
    ) -> Iterator[tuple[Slot, Value]]:
        """Yield the running text of a page; the numbers of its units are used then."""
        parts: defaultdict[str, list[Unit]] = defaultdict(list)
        for at, unit in enumerate(scope):
            if at in running and at not in used:
                place = self.text_place(unit)
                used.add(at)
                if spots[at] not in self.fixed:
                    parts[place].append(unit)
        for place, of_text in parts.items():
            yield Slot(place, "", TEXT_OF), Value(" ".join(unit.text for unit in of_text), of_text[0])

    def text_place(self, unit: Unit) -> str:
        """Return the place of the running text that a unit is a part of, "" if it is of none."""
        if unit.is_picture or not self.texts or is_title(unit):
            return ""
        whole = self.wholes[unit.place]
        place = next(
            (one for one in self.texts if whole.startswith(one) and whole[len(one) :][:1] in ("", "/")), ""
        )
        inside = whole[len(place) + 1 :].split("/")[:-1] if place else []
        return "" if any(parts_of(step)[1] for step in inside) else place

    def _others(
        self, scope: Sequence[Unit], spots: Sequence[Spot], used: Collection[int]
    ) -> Iterator[tuple[Slot, Value]]:
        """Yield what is left of a page, by its place."""
        label: Unit | None = None
        labelled_place = ""  # of the first value behind the label: the only place that it is the label of
        for at, unit in enumerate(scope):
            if at in used:
                continue
            place, number, _ = spots[at]
            if spots[at] in self.fixed:
                if _may_label(unit) and not is_behind(scope[at - 1] if at else None, unit):
                    label, labelled_place = unit, ""
                continue
            labelled = None
            if not is_old(unit):
                is_near = label is not None and labelled_place in ("", place) and _is_label(label, unit)
                if is_near and label is not None and self.place(label) != place:
                    labelled = label
                labelled_place = labelled_place or place
            said = labelled.text.strip(ENDS) if labelled is not None else ""
            if labelled is not None and place in self.several and not number:
                yield Slot("", key_of(said)), Value(unit.text.lstrip(ENDS), unit, labelled, said)
            elif number <= self.sizes.get(place, 0):
                yield Slot(place, "", number), Value(unit.text, unit, labelled, said)


def _may_label(unit: Unit) -> bool:
    """Return whether a fixed text may be a label."""
    is_short = len(unit.text) <= LONGEST_LABEL and not unit.link
    return is_short and _is_word(unit.text) and not unit.is_picture


def _is_word(text: str) -> bool:
    return sum(map(str.isalpha, text)) > sum(map(str.isdigit, text))


def _is_label(label: Unit, unit: Unit) -> bool:
    """Return whether what may be a label is that of a unit: the two meet at most two elements up."""
    return not set(unit.above[:3]).isdisjoint(label.above[:3]) and label.tag not in HEADINGS


def template_of(
    pages: Sequence[Sequence[Unit]], words: frozenset[str], rows: frozenset[str], *, of_records: bool
) -> Template:
    """Return what pages of a type repeat.

    words       class words that places keep
    rows        rows of records that are read by themselves
    of_records  whether these are records, not pages
    """
    template = Template(words, rows)
    scopes = [template.outside(units) for units in pages]
    texts = text_places([[(template.wholes[unit.place], unit) for unit in scope] for scope in scopes])
    template = replace(template, texts=texts, pivots=_pivots_of(pages))
    template = _with_fixed(replace(template, sizes=_sizes(template, scopes)), scopes)
    return replace(template, labels=labels_of(scopes, template.place, template.text_place))


def _with_fixed(template: Template, scopes: Sequence[Sequence[Unit]]) -> Template:
    having, standing, texts = Counter[tuple[str, int]](), Counter[tuple[str, int]](), Counter[Spot]()
    for units in scopes:
        spots = template.spots(units)
        standing.update(spot[:2] for spot in spots)
        having.update({spot[:2] for spot in spots})
        texts.update(set(spots))
    several = {where for where, count in standing.items() if count > SEVERAL * having[where]}
    least = max(LEAST_PAGES, 0.1 * len(scopes))
    fixed = {
        spot
        for spot, count in texts.items()
        if count >= least
        and count >= (_FIXED_OF_SEVERAL if spot[:2] in several else _FIXED) * having[spot[:2]]
    }
    constant = frozenset(spot for spot in fixed if texts[spot] >= _CONSTANT * having[spot[:2]])
    fixed -= _labelled(scopes, template, fixed)
    return replace(
        template,
        fixed=frozenset(fixed),
        constant=constant,
        several=frozenset(place for place, number in several if not number),
    )


def words_of(pages: Iterable[Sequence[Unit]]) -> frozenset[str]:
    """Return the class words that the places of a type keep."""
    having, number = Counter[str](), 0
    for units in pages:
        number += 1
        steps = {step for place in {unit.place for unit in units} for step in place.split("/")}
        having.update({word for step in steps for word in parts_of(step)[1]})
    return frozenset(word for word, count in having.items() if count >= max(2, FEW_HAVE * number))


def _pivots_of(pages: Sequence[Sequence[Unit]]) -> frozenset[str]:
    """Return the texts that begin a row of a headed table, once a page that has them, on several pages."""
    having, repeated = Counter[str](), Counter[str]()
    for units in pages:
        firsts = Counter[str]()
        record = 0
        for unit in units:
            if unit.head and unit.record != record:
                record = unit.record
                if (
                    not unit.link
                    and not unit.is_picture
                    and _is_word(unit.text)
                    and len(unit.text) <= LONGEST_LABEL
                ):
                    firsts[key_of(unit.text)] += 1
        having.update(firsts.keys())
        repeated.update(key for key, count in firsts.items() if count > 1)
    least = max(LEAST_PAGES, _PIVOTS * len(pages))
    return frozenset(key for key, count in having.items() if count >= least and repeated[key] <= 0.1 * count)


def _sizes(template: Template, scopes: Sequence[Sequence[Unit]]) -> dict[str, int]:
    """Return place -> how many of its texts are told by their number, where nearly all pages have as many."""
    found: defaultdict[str, list[list[str]]] = defaultdict(list)
    for units in scopes:
        of_page: defaultdict[str, list[str]] = defaultdict(list)
        for unit in units:
            if not unit.row.startswith(HEADED) and not template.text_place(unit):
                of_page[template.place(unit)].append(unit.text)
        for place, values in of_page.items():
            found[place].append(values)
    sizes = {}
    for place, lists in found.items():
        size, count = Counter(map(len, lists)).most_common(1)[0]
        if 1 < size <= _MOST_NUMBERED and count >= _SAME_SIZE * len(lists) and _are_unlike(lists, size):
            sizes[place] = size
    return sizes


def _are_unlike(lists: Sequence[Sequence[str]], size: int) -> bool:
    """Return whether the texts of a place, by their number, are of several kinds."""
    columns = [[values[number] for values in lists if len(values) > number] for number in range(size)]
    if len({kind_of(column) for column in columns}) > 1:
        return True
    shared = [
        len(set(one) & set(other)) / max(1, min(len(set(one)), len(set(other))))
        for one, other in pairwise(columns)
    ]
    repeats = [len(set(column)) < 0.5 * len(column) for column in columns]
    return fmean(shared) < _SHARED and any(repeats)


def _labelled(pages: Sequence[Sequence[Unit]], template: Template, fixed: Collection[Spot]) -> set[Spot]:
    """Return fixed texts that are values: those behind a label which has other values, and before a label.

    "Full time" is the contract of most jobs, and stands between "Contract" and "Salary".
    """
    behind: defaultdict[Spot, Counter[Spot]] = defaultdict(Counter)
    for units in pages:
        before = None
        for (spot, unit), (other, following) in pairwise(zip(template.spots(units), units)):
            may_label = (
                spot in fixed and spot[0] != other[0] and not is_behind(before, unit) and _may_label(unit)
            )
            if may_label and _is_label(unit, following):
                behind[spot][other] += 1
            before = unit

    def is_before_labels(spot: Spot) -> bool:
        counts = behind.get(spot, Counter())
        return 2 * sum(count for other, count in counts.items() if other not in fixed) <= counts.total()

    return {
        other
        for others in behind.values()
        if len({text for _, _, text in others}) > 1
        for other in others
        if other in fixed and is_before_labels(other)
    }
