"""The facts of a page: a label and what it is the label of.

The markup says what is a label (``dt``, ``th`` before ``td``), or a colon does. Of other texts those are
labels that the pages of a type confirm: the first of the two cells of a row, on some pages, with several
values behind; or a text that a place always has, or that is one of the few of a place that has many, before
what differs elsewhere under the same parent. A text behind a stronger label is a value, and so is what has
another text each time, whatever its markup. A number before its unit ("37 followers") is a fact, too.

The values of a label are its next siblings that have units; behind a heading all up to the next heading.
One label is one, wherever it stands and in whatever markup.

Source: our own.  n units of a sample.  Cost: O(n), for values O(1) a unit.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from templcrawl.algorithms.columns.names import OLD
from templcrawl.algorithms.columns.units import LABEL, MOST_TEXT, PAIR, Unit, parts_of
from templcrawl.page.vocabulary import HEADINGS

COLONS = (":", "：")
ENDS = " :："
LONGEST_LABEL, MOST_WORDS = 45, 6
_MOST_VALUE = 14  # words behind a colon
_MOST_BEHIND = 20  # texts behind a label that are told apart
_MOST_VALUES = 200  # units of a fact
_PREFIXED = re.compile(r"([^:：]{1,60}?)\s*[:：](?!//|[:：]|(?<=\d.)\d)\s*(\S.*)", re.DOTALL).fullmatch
_NO_LABEL = re.compile(r"https?:|@|[.!?…]$|\d{3}|^[-–•*>|/]").search
_HAS_DIGIT = re.compile(r"\d").search
_OF_TITLES = re.compile(r"title|name|breadcrumb", re.IGNORECASE).search
_AMOUNT = re.compile(r"[\d.,' \xa0]{1,16}[kKmM%+]?").fullmatch
_RUNNING = 0.1  # of the pages: those that have a label before a colon in running text
_ONCE = 1.15  # texts in a place that a page has once, on average

Place = Callable[[Unit], str]


class Fact(NamedTuple):
    """A fact of a page.

    label  as it is written, without a colon
    values number of a unit, its text as a value
    said   number of the unit of the label; that of the value where the label stands in the same text
    """

    label: str
    values: Sequence[tuple[int, str]]
    said: int


@dataclass(frozen=True)
class Labels:
    """The labels of a type.

    weights   label, as a key -> how sure it is
    prefixes  labels before a colon in the text of their value, as keys
    running   those of them that are so in running text, too
    units     labels behind a number, as keys
    """

    weights: Mapping[str, float] = field(default_factory=dict)
    prefixes: frozenset[str] = frozenset()
    running: frozenset[str] = frozenset()
    units: frozenset[str] = frozenset()


def key_of(label: str) -> str:
    """Return a label as a key: one for "Age:", "age" and "AGE"."""
    return label[:MOST_TEXT].strip(ENDS).casefold()


def prefixed(unit: Unit) -> re.Match[str] | None:
    """Return what stands before a colon in a text and behind it; None where there is no label so."""
    text = unit.text
    if (
        (":" not in text and "：" not in text)
        or unit.is_picture
        or unit.tag in HEADINGS
        or "/h1" in unit.place
    ):
        return None
    if (unit.link and unit.tag == "a") or _OF_TITLES(unit.place.rpartition("/")[2]):
        return None
    match = _PREFIXED(text)
    return match if match and _is_like_label(match[1]) and len(match[2].split()) <= _MOST_VALUE else None


def _is_like_label(text: str) -> bool:
    letters, digits = sum(map(str.isalpha, text)), sum(map(str.isdigit, text))
    return (
        letters >= 2
        and letters > digits
        and len(text) <= LONGEST_LABEL
        and len(text.split()) <= MOST_WORDS
        and not _NO_LABEL(text)
    )


def _box(unit: Unit) -> int:
    """Return the element around the outermost one that holds nothing but a unit."""
    return unit.above[min(unit.lone + 1, len(unit.above) - 1)]


def _is_near(unit: Unit, other: Unit) -> bool:
    ours, others = unit.above[unit.lone : unit.lone + 4], other.above[other.lone : other.lone + 4]
    return not set(ours).isdisjoint(others)


def _is_sure(unit: Unit, following: Unit | None) -> bool:
    """Return whether the markup or a colon says that a text is a label."""
    says = unit.text.endswith(COLONS) or (following is not None and following.text.startswith(COLONS))
    return says or unit.sign == LABEL


def _may_label(unit: Unit, following: Unit) -> bool:
    """Return whether a text may be the label of what follows, by itself."""
    text = unit.text.rstrip(ENDS)
    is_sure = _is_sure(unit, following)
    if unit.is_picture or unit.tag == "button" or len(unit.text) > MOST_TEXT or not _is_like_label(text):
        return False
    if (unit.link and not unit.text.endswith(COLONS)) or is_title(unit) or is_title(following):
        return False
    if not _is_near(unit, following) or (not is_sure and _HAS_DIGIT(text)):
        return False
    return is_sure or (not following.is_picture and _box(unit) in following.above[following.lone :])


def is_behind(before: Unit | None, unit: Unit) -> bool:
    """Return whether a text stands behind another one in its own element: it may be a value, but no label."""
    return before is not None and unit.above[0] in before.above[1:]


def is_title(unit: Unit) -> bool:
    """Return whether a text is the title of a page, or a part of it."""
    return unit.tag == "h1" or "/h1" in unit.place


def is_old(unit: Unit) -> bool:
    """Return whether a text holds no longer: a price before its reduction."""
    return not OLD.isdisjoint(parts_of(step)[0] for step in unit.place.rsplit("/", 4)[1:])


class _Counts:
    """What is counted of the texts of a type: of each key that may be a label, and of each place."""

    def __init__(self) -> None:
        self.number = 0  # of scopes
        self.at, self.said, self.colon = Counter[str](), Counter[str](), Counter[str]()
        self.pair, self.leaves = Counter[str](), Counter[str]()
        self.prefixes, self.running, self.units = Counter[str](), Counter[str](), Counter[str]()
        self.having, self.standing, self.leaving = Counter[str](), Counter[str](), Counter[str]()
        self.texts: Counter[tuple[str, str]] = Counter()
        self.kinds: defaultdict[str, set[str]] = defaultdict(set)
        self.spots: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.behind: defaultdict[str, set[str]] = defaultdict(set)

    def add(self, scope: Sequence[Unit], place: Place, text_place: Place) -> None:
        """Count the texts of a page, or of a record."""
        self.number += 1
        placed = [place(unit) for unit in scope]
        self.standing.update(placed)
        self.having.update(set(placed))
        keyed = {(where, key_of(unit.text)) for where, unit in zip(placed, scope)}
        self.texts.update(keyed)
        for where, key in keyed:
            self.kinds[where].add(key)
        self.leaving.update(where for where, other in pairwise(placed) if where != other)
        seen = set[str]()
        for before, unit, following in zip([None, *scope], scope, scope[1:]):
            key = key_of(unit.text)
            if key in seen or is_behind(before, unit) or not _may_label(unit, following):
                continue
            if text_place(unit) and unit.sign != LABEL:
                is_short = len(following.text.split()) <= _MOST_VALUE
                self.running[key] += unit.text.endswith(COLONS) and is_short
                continue
            seen.add(key)
            self._add_label(key, unit, following, place)
        prefixes: tuple[set[str], set[str]] = (set(), set())
        for unit in scope:
            if match := prefixed(unit):
                prefixes[bool(text_place(unit))].add(key_of(match[1]))
        self.prefixes.update(prefixes[0])
        self.running.update(prefixes[1])
        self.units.update(key_of(scope[at + 1].text) for at in _amounts(scope))

    def _add_label(self, key: str, unit: Unit, following: Unit, place: Place) -> None:
        self.at[key] += 1
        self.said[key] += _is_sure(unit, following)
        self.colon[key] += unit.text.endswith(COLONS) or following.text.startswith(COLONS)
        self.pair[key] += unit.sign == PAIR
        self.leaves[key] += place(following) != place(unit)
        self.spots[key][place(unit)] += 1
        if len(self.behind[key]) < _MOST_BEHIND:
            self.behind[key].add(following.text[:MOST_TEXT])

    def weight(self, key: str) -> float:
        """Return how sure a text is a label, 0 if it is none."""
        count, number, several = self.at[key], self.number, len(self.behind[key])
        where, most = self.spots[key].most_common(1)[0]
        standing, having, kinds = self.standing[where], self.having[where], len(self.kinds[where])
        is_other_each_time = standing >= 12 and kinds > 0.5 * standing
        if is_other_each_time and self.colon[key] < 0.5 * count:
            return 0
        if self.said[key] >= 0.5 * count:
            return 3 * number + count
        if count < max(2, 0.03 * number) or several < 2:
            return 0
        if self.pair[key] >= 0.8 * count:
            return number + count
        if count < max(3, 0.08 * number) or most < 0.5 * count:
            return 0
        if standing <= _ONCE * having:
            return count * (self.texts[where, key] >= 0.995 * having)
        is_one_of_few = kinds <= 0.25 * standing and self.leaving[where] >= 0.8 * standing
        is_frequent = count >= 0.6 * number and several >= 3
        return count * ((is_one_of_few and self.leaves[key] >= 0.8 * count) or is_frequent)


def labels_of(scopes: Sequence[Sequence[Unit]], place: Place, text_place: Place) -> Labels:
    """Return the labels of pages, or of records.

    place       the place of a unit, as the type has it
    text_place  that of the running text which it is a part of, "" if it is of none: there only the markup and
                many pages make a label
    """
    counts = _Counts()
    for scope in scopes:
        counts.add(scope, place, text_place)
    weights = {key: weight for key in counts.at if (weight := counts.weight(key))}
    _drop_values(scopes, weights, counts.at, 2 * counts.number)
    least, most = max(2, 0.03 * counts.number), max(3, _RUNNING * counts.number)
    prefixes = {key for key, count in counts.prefixes.items() if count >= least}
    running = {key for key, count in counts.running.items() if count >= most or key in prefixes}
    units = {key for key, count in counts.units.items() if count >= most and key not in weights}
    return Labels(weights, frozenset(prefixes), frozenset(running), frozenset(units))


def _drop_values(
    scopes: Sequence[Sequence[Unit]], weights: dict[str, float], at: Counter[str], most: float
) -> None:
    """Leave out what stands behind a stronger label, in most of its places: a value."""
    follows: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for scope in scopes:
        for unit, following in pairwise(scope):
            key, other = key_of(unit.text), key_of(following.text)
            if key in weights and other in weights:
                follows[other][key] += 1
    for key in sorted(weights, key=lambda key: (weights[key], key)):
        if weights[key] <= most and any(
            weights.get(other, 0) > 1.15 * weights[key] and count >= 0.5 * at[key]
            for other, count in follows[key].items()
        ):
            del weights[key]


def _amounts(scope: Sequence[Unit]) -> Iterator[int]:
    """Yield the numbers of the units that are an amount, alone with one text behind it under its parent."""
    for at, (unit, following) in enumerate(pairwise(scope)):
        if not _AMOUNT(unit.text) or following.is_picture or not _is_like_label(following.text.rstrip(ENDS)):
            continue
        before = scope[at - 1] if at else None
        behind = scope[at + 2] if at + 2 < len(scope) else None
        box = _box(unit) if _box(unit) != unit.above[0] else unit.above[0]
        if box in following.above[: following.lone + 2] and not any(
            box in other.above[: other.lone + 2] for other in (before, behind) if other is not None
        ):
            yield at


def take_facts(
    scope: Sequence[Unit],
    labels: Labels,
    is_fixed: Callable[[int], bool],
    used: Collection[int] = (),
    running: Collection[int] = (),
) -> Iterator[Fact]:
    """Yield the facts of a page, or of a record.

    is_fixed  whether the unit of a number is no value, but where it alone stands behind a label
    used      numbers of units that are no part of facts
    running   numbers of those in running text
    """
    amounts = {at for at in _amounts(scope) if key_of(scope[at + 1].text) in labels.units}
    at = 0
    while at < len(scope):
        unit = scope[at]
        if at in used:
            at += 1
            continue
        if at in amounts:
            yield Fact(scope[at + 1].text.strip(ENDS), [(at, unit.text)], at + 1)
            at += 2
            continue
        is_label = not unit.is_picture and len(unit.text) <= MOST_TEXT and key_of(unit.text) in labels.weights
        if at in running and unit.sign != LABEL:
            is_label = unit.text.endswith(COLONS) and key_of(unit.text) in labels.running
            if (match := prefixed(unit)) and key_of(match[1]) in labels.running:
                yield Fact(match[1].strip(), [(at, match[2])], at)
        if is_label:
            values = list(_values(scope, at, labels, is_fixed, used))
            if values:
                new = [(number, text) for number, text in values if not is_old(scope[number])]
                yield Fact(unit.text.strip(ENDS), new or values, at)
                at = values[-1][0] + 1
                continue
        elif at not in running and (match := prefixed(unit)) and key_of(match[1]) in labels.prefixes:
            yield Fact(match[1].strip(), [(at, match[2])], at)
        at += 1


def _values(
    scope: Sequence[Unit], at: int, labels: Labels, is_fixed: Callable[[int], bool], used: Collection[int]
) -> Iterator[tuple[int, str]]:
    """Yield the units behind a label that are its values."""
    unit = scope[at]
    box, is_heading = _box(unit), unit.tag in HEADINGS or unit.tag_above(unit.lone) in HEADINGS
    is_sure = unit.sign == PAIR or _is_sure(unit, scope[at + 1] if at + 1 < len(scope) else None)
    sibling, found, before_old = 0, False, False
    for number in range(at + 1, min(at + 1 + _MOST_VALUES, len(scope))):
        value = scope[number]
        if number in used or is_title(value) or (is_heading and value.tag in HEADINGS):
            return
        if not value.is_picture and key_of(value.text) in labels.weights:
            return
        if is_fixed(number) and (found or not is_sure):
            return
        if box in value.above:
            up = value.above.index(box)
            child, tag = value.above[up - 1] if up else value.above[0], value.tag_above(max(up - 1, 0))
            if up == 0 and not is_heading and found:
                return
        elif not found and _is_near(unit, value):
            child, tag = value.above[0], value.tag
        else:
            return
        if not found or before_old:
            sibling, first = child, tag
        elif child != sibling and not is_heading and not (tag == "dd" or tag == first == "a"):
            return
        found, before_old = True, is_old(value)
        if text := value.text.lstrip(ENDS):
            yield number, text
