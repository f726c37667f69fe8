"""Which texts of a type are labels.

The markup says what is a label (``dt``, ``th`` before ``td``), or a colon does. Of other texts those are
labels that the pages of a type confirm: the first of the two cells of a row, on some pages, with several
values behind; or a text that a place always has, or that is one of the few of a place that has many, before
what differs elsewhere under the same parent. A text behind a stronger label is a value, and so is what has
another text each time, whatever its markup. A number before its unit ("37 followers") is a fact, too.

Source: our own.  n units of a sample.  Cost: O(n).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise

from templcrawl.algorithms.columns.facts import (
    COLONS,
    MAX_VALUE,
    Labels,
    Place,
    amounts,
    is_behind,
    is_sure,
    key_of,
    may_label,
    prefixed,
)
from templcrawl.algorithms.columns.units import LABEL, MAX_TEXT, PAIR, Unit
from templcrawl.page.vocabulary import HEADINGS

_MAX_BEHIND = 20  # texts behind a label that are told apart
_RUNNING = 0.1  # of the pages: those that have a label before a colon in running text
_SECTIONS = 0.5  # of the pages: those that have a heading in running text that is a label
_ONCE = 1.15  # texts in a place that a page has once, on average


class _Counts:
    """What is counted of the texts of a type: of each key that may be a label, and of each place."""

    def __init__(self) -> None:
        self.number = 0  # of scopes
        self.at, self.said, self.colon = Counter[str](), Counter[str](), Counter[str]()
        self.pair, self.leaves = Counter[str](), Counter[str]()
        self.prefixes, self.running, self.units = Counter[str](), Counter[str](), Counter[str]()
        self.sections = Counter[str]()
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
            if key in seen or is_behind(before, unit) or not may_label(unit, following):
                continue
            if text_place(unit) and unit.sign != LABEL:
                is_short = len(following.text.split()) <= MAX_VALUE
                self.running[key] += unit.text.endswith(COLONS) and is_short
                self.sections[key] += unit.tag in HEADINGS
                seen.add(key)
                continue
            seen.add(key)
            self._add_label(key, unit, following, place)
        prefixes: tuple[set[str], set[str]] = (set(), set())
        for unit in scope:
            if match := prefixed(unit):
                prefixes[bool(text_place(unit))].add(key_of(match[1]))
        self.prefixes.update(prefixes[0])
        self.running.update(prefixes[1])
        self.units.update(key_of(scope[at + 1].text) for at in amounts(scope))

    def _add_label(self, key: str, unit: Unit, following: Unit, place: Place) -> None:
        self.at[key] += 1
        self.said[key] += is_sure(unit, following)
        self.colon[key] += unit.text.endswith(COLONS) or following.text.startswith(COLONS)
        self.pair[key] += unit.sign == PAIR
        self.leaves[key] += place(following) != place(unit)
        self.spots[key][place(unit)] += 1
        if len(self.behind[key]) < _MAX_BEHIND:
            self.behind[key].add(following.text[:MAX_TEXT])

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
    running |= {key for key, count in counts.sections.items() if count >= max(3, _SECTIONS * counts.number)}
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
