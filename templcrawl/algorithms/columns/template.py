"""What the pages of a type repeat, and where on a page of it a value stands.

*Fixed* is a text that most pages of a type which have its place have there: a label or furniture.  It is
never a value, unless what it stands behind has other values, too.

*A slot* is where a value stands: a place, and what it is labelled by, if a page has the place several
times.  The label is the last fixed text before the value, where the two meet at most two elements up; or what
stands before a colon in the text itself.

Source: RoadRunner (Crescenzi, Mecca, Merialdo, VLDB 2001): what pages of one template repeat is template, a
mismatch is a field; EXALG (Arasu, Garcia-Molina, SIGMOD 2003): texts that are equally often on all pages are
the template, and values are told apart by their place in it.  Departures: texts are aligned by their place,
not by a grammar, which is linear and bears that a part is missing; nobody says which pages are of one type.

n cells.  Cost: O(n).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from templcrawl.algorithms.columns.cells import Cell
from templcrawl.algorithms.columns.names import OLD, says_value
from templcrawl.algorithms.columns.places import Places, places_of
from templcrawl.page.vocabulary import HEADINGS

LONGEST_LABEL = 32
MOST_TEXT = 200  # characters of a text that is compared
LEAST_PAGES = 3
BEFORE, PREFIX = "before", "prefix"
_PREFIXED = re.compile(r"([^:：]{1,40}?)\s*[:：](?!//|[:：]|(?<=\d.)\d)\s*(\S.*)", re.DOTALL).fullmatch
SEVERAL = 1.5  # texts in a place on a page, on average
_FIXED, _FIXED_OF_SEVERAL = 0.9, 0.5  # share of the pages with its place that have a fixed text
_PREFIX, _PREFIX_OF_SEVERAL = 0.8, 0.3
_ENDS = " :："


class Slot(NamedTuple):
    """Where a value stands.

    label  "" without one
    way    how it stands there: ``BEFORE`` the value, as a ``PREFIX`` of its text; "" without one
    """

    place: str
    label: str = ""
    way: str = ""


class Value(NamedTuple):
    """A value of a slot.

    labelled  the cell of its label; None without one
    """

    text: str
    cell: Cell
    labelled: Cell | None = None


@dataclass(frozen=True)
class Template:
    """What the pages of a type repeat.

    fixed     texts that are no values, each with its place
    prefixes  labels before a colon, each with its place
    several   places that a page has several times: there the label tells what a value is
    """

    places: Places
    fixed: frozenset[tuple[str, str]] = frozenset()
    prefixes: frozenset[tuple[str, str]] = frozenset()
    several: frozenset[str] = frozenset()

    @property
    def told(self) -> frozenset[str]:
        """The places whose values a label tells from each other."""
        return self.several.union(place for place, _ in self.prefixes)

    def read(self, cells: Iterable[Cell]) -> Iterator[tuple[Slot, Value]]:
        """Yield the values of a page in reading order, each with its slot."""
        label: Cell | None = None
        labelled_place = ""  # of the first value behind the label: the only place that it is the label of
        for cell in cells:
            place = self.places[cell.place]
            if self.is_fixed(place, cell.text):
                if may_label(cell):
                    label, labelled_place = cell, ""
                continue
            match = prefixed(cell.text)
            if match and (place, match[1]) in self.prefixes:
                yield Slot(place, match[1], PREFIX), Value(match[2], cell)
                continue
            is_old = not OLD.isdisjoint(place.split("/"))
            has_label = label is not None and labelled_place in ("", place) and is_label(label, cell)
            if not is_old:
                labelled_place = labelled_place or place
            labelled = label if has_label and not is_old else None
            if labelled is not None and place in self.several:
                yield Slot(place, label_of(labelled), BEFORE), Value(cell.text.lstrip(_ENDS), cell, labelled)
            else:
                yield Slot(place), Value(cell.text, cell, labelled)

    def passed(self, cells: Sequence[Cell]) -> Iterator[str]:
        """Yield the fixed texts of a page that stand between a label and its value."""
        labelled = {id(value.cell) for slot, value in self.read(cells) if slot.way == BEFORE}
        since: list[str] = []
        for cell in cells if labelled else ():
            if id(cell) in labelled:
                yield from since
            elif self.is_fixed(self.places[cell.place], cell.text):
                since = [] if may_label(cell) else [*since, cell.text[:MOST_TEXT].rstrip(_ENDS)]

    def is_fixed(self, place: str, text: str) -> bool:
        """Return whether a text is no value: a fixed one, or a label with its colon."""
        is_prefix = text.endswith((":", "：")) and (place, text[:MOST_TEXT].rstrip(_ENDS)) in self.prefixes
        return is_prefix or (place, text[:MOST_TEXT]) in self.fixed


def prefixed(text: str) -> re.Match[str] | None:
    """Return what stands before a colon and behind it, None where there is no label so."""
    return _PREFIXED(text) if (":" in text or "：" in text) and not text.startswith("data:") else None


def label_of(cell: Cell) -> str:
    """Return what a cell says as a label."""
    return cell.text[:MOST_TEXT].rstrip(_ENDS)


def is_word(text: str) -> bool:
    """Return whether a text has more letters than digits."""
    return sum(map(str.isalpha, text)) > sum(map(str.isdigit, text))


def may_label(cell: Cell) -> bool:
    """Return whether a fixed text may be a label."""
    is_short = len(cell.text) <= LONGEST_LABEL and not cell.link
    return is_short and is_word(cell.text) and not cell.is_picture


def is_label(cell: Cell, labelled: Cell) -> bool:
    """Return whether what may be a label is that of a cell: the two meet at most two elements up."""
    return not set(cell.above).isdisjoint(labelled.above) and labelled.tag not in HEADINGS


def template_of(pages: Sequence[Sequence[Cell]]) -> Template:
    """Return what pages of a type repeat."""
    places = places_of(pages)
    having, standing = Counter[str](), Counter[str]()
    texts, prefixes = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for cells in pages:
        placed = [(places[cell.place], cell.text[:MOST_TEXT]) for cell in cells]
        standing.update(place for place, _ in placed)
        having.update({place for place, _ in placed})
        texts.update(set(placed))
        prefixes.update({(place, match[1]) for place, text in placed if (match := prefixed(text))})
    several = frozenset(place for place, count in standing.items() if count > SEVERAL * having[place])

    def is_fixed(place: str, text: str, count: int) -> bool:
        share = count / having[place]
        if place in several:
            return share >= (_FIXED_OF_SEVERAL if is_word(text) else _FIXED)
        return share >= (1 if says_value(place) else _FIXED)

    least = max(LEAST_PAGES, 0.1 * len(pages))
    fixed = {key for key, count in texts.items() if count >= least and is_fixed(*key, count)}
    return Template(
        places,
        frozenset(fixed - _labelled(pages, places, fixed)),
        frozenset(
            (place, label)
            for (place, label), count in prefixes.items()
            if count >= LEAST_PAGES
            and count >= (_PREFIX_OF_SEVERAL if place in several else _PREFIX) * having[place]
        ),
        several,
    )


def _labelled(
    pages: Sequence[Sequence[Cell]], places: Places, fixed: Collection[tuple[str, str]]
) -> set[tuple[str, str]]:
    """Return fixed texts that are values: those behind a label which has other values, and before a label.

    "Full time" is the contract of most jobs, and stands between "Contract" and "Salary".
    """
    behind: defaultdict[tuple[str, str], Counter[tuple[str, str]]] = defaultdict(Counter)
    for cells in pages:
        placed = [((places[cell.place], cell.text[:MOST_TEXT]), cell) for cell in cells]
        for (key, cell), (other, following) in pairwise(placed):
            if key in fixed and key[0] != other[0] and may_label(cell) and is_label(cell, following):
                behind[key][other] += 1

    def is_before_labels(key: tuple[str, str]) -> bool:
        counts = behind.get(key, Counter())
        return 2 * sum(count for other, count in counts.items() if other not in fixed) <= counts.total()

    return {
        other
        for others in behind.values()
        if len({text for _, text in others}) > 1
        for other in others
        if other in fixed and is_before_labels(other)
    }
