"""Find the labels of a page type: fixed texts that name the value beside them.

The markup says what is a label (``dt``, ``th`` before ``td``), or a colon does. Of other texts those are
labels that the pages of a type confirm: the first of the two cells of a row, on some pages; or the only text
that its place ever has, or one of the few of a place, or a frequent one; with several values behind.
What has another text each time is a value, whatever its markup. In running text a colon on some pages makes a
label, and so does a heading that many texts have. A number before its unit ("37 followers") is a fact, too.

Source: our own.  n units of a sample.  Cost: O(n).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise

from templcrawl.algorithms.columns.facts import (
    MAX_VALUE,
    Labels,
    Place,
    amounts,
    is_among,
    is_behind,
    is_sure,
    key_of,
    may_label,
    prefixed,
)
from templcrawl.algorithms.columns.separators import COLONS
from templcrawl.algorithms.columns.units import LABEL, MAX_TEXT, PAIR, Unit

_MAX_BEHIND = 20  # texts behind a label that are told apart
_FEW = 0.03  # of the pages: those that have a label of a pair, or before a colon in the text of its value
_SOME = 0.08  # of the pages: those that have a label of another kind
_RUNNING = 0.1  # of the pages: those that have a label before a colon in running text
# Of many pages, and of few: those that have a heading in running text that is a label.
_SECTIONS, _HALF = 0.1, 0.5
_MANY = 8  # pages with such a heading: enough, if they are a tenth
_ALWAYS = 0.9  # of the pages: those that have a label of the template
_ONCE = 1.15  # texts in a place that a page has once, on average
_MIN_OTHERS = 12  # texts in a place of which most are different: no labels


class _Counts:
    """Counts over the texts of a type: for each key that may be a label, and for each place."""

    def __init__(self) -> None:
        self.scopes = 0
        self.at, self.sure, self.colon, self.pair, self.leaves = (Counter[str]() for _ in range(5))
        self.prefixes, self.running, self.sections, self.units = (Counter[str]() for _ in range(4))
        self.having, self.standing, self.leaving = (Counter[str]() for _ in range(3))
        self.texts: Counter[tuple[str, str]] = Counter()
        self.kinds: defaultdict[str, set[str]] = defaultdict(set)
        self.spots: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.behind: defaultdict[str, set[str]] = defaultdict(set)

    def add(self, scope: Sequence[Unit], place: Place, text_place: Place) -> None:
        """Count the texts of a page, or of a record."""
        self.scopes += 1
        placed = [place(unit) for unit in scope]
        self.standing.update(placed)
        self.having.update(set(placed))
        self.leaving.update(where for where, other in pairwise(placed) if where != other)
        keyed = {(where, key_of(unit.text)) for where, unit in zip(placed, scope)}
        self.texts.update(keyed)
        for where, key in keyed:
            self.kinds[where].add(key)
        seen = set[str]()
        for at, (before, unit, following) in enumerate(zip([None, *scope], scope, scope[1:])):
            key = key_of(unit.text)
            is_value = is_behind(before, unit) or is_among(before, unit, following)
            if key in seen or is_value or not may_label(unit, following):
                continue
            seen.add(key)
            if text_place(unit) and unit.sign != LABEL:
                is_short = len(following.text.split()) <= MAX_VALUE
                self.running[key] += unit.text.endswith(COLONS) and is_short
                self.sections[key] += unit.is_in_heading
            else:
                self._add_label(key, unit, following, placed[at], placed[at + 1])
        prefixes: tuple[set[str], set[str]] = (set(), set())
        for unit in scope:
            if match := prefixed(unit):
                prefixes[bool(text_place(unit))].add(key_of(match[1]))
        self.prefixes.update(prefixes[0])
        self.running.update(prefixes[1])
        self.units.update(key_of(scope[at + 1].text) for at in amounts(scope))

    def _add_label(self, key: str, unit: Unit, following: Unit, where: str, other: str) -> None:
        self.at[key] += 1
        self.sure[key] += is_sure(unit, following)
        self.colon[key] += unit.text.endswith(COLONS) or following.text.startswith(COLONS)
        self.pair[key] += unit.sign == PAIR
        self.leaves[key] += where != other
        self.spots[key][where] += 1
        if len(self.behind[key]) < _MAX_BEHIND:
            self.behind[key].add(following.text[:MAX_TEXT])

    def is_label(self, key: str) -> bool:
        """Return whether a text is a label, outside of running text."""
        count = self.at[key]
        where, most = self.spots[key].most_common(1)[0]
        standing, having, kinds = self.standing[where], self.having[where], len(self.kinds[where])
        if standing >= _MIN_OTHERS and kinds > 0.5 * standing and self.colon[key] < 0.5 * count:
            return False
        if self.sure[key] >= 0.5 * count:
            return True
        if count < max(2, _FEW * self.scopes) or len(self.behind[key]) < 2:
            return False
        if self.pair[key] >= 0.8 * count:
            return True
        if count < max(3, _SOME * self.scopes) or most < 0.5 * count:
            return False
        if standing <= _ONCE * having:
            return self.texts[where, key] >= 0.995 * having
        are_few = kinds <= 0.25 * standing and self.leaving[where] >= 0.8 * standing
        is_frequent = count >= 0.6 * self.scopes and len(self.behind[key]) > 2
        return is_frequent or (are_few and self.leaves[key] >= 0.8 * count)


def labels_of(scopes: Sequence[Sequence[Unit]], place: Place, text_place: Place) -> Labels:
    """Return the labels of pages, or of records.

    place       the place of a unit, as the type has it
    text_place  that of the running text which it is a part of, "" if it is of none
    """
    counts = _Counts()
    for scope in scopes:
        counts.add(scope, place, text_place)

    def on(found: Counter[str], least: int, share: float) -> set[str]:
        return {key for key, count in found.items() if count >= max(least, share * counts.scopes)}

    alone = frozenset(filter(counts.is_label, counts.at))
    prefixes = on(counts.prefixes, 2, _FEW)
    running = on(counts.running, 3, _RUNNING) | (counts.running.keys() & prefixes)
    sections = on(counts.sections, 3, max(_SECTIONS, min(_HALF, _MANY / max(counts.scopes, 1))))
    return Labels(
        alone,
        frozenset(prefixes),
        frozenset(running | sections),
        frozenset(on(counts.units, 3, _RUNNING) - alone),
        frozenset(on(counts.at + counts.running + counts.prefixes, 2, _ALWAYS)),
    )
