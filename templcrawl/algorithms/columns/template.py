"""What the pages of a type repeat, and where on a page of it a value stands.

*Places.*  Class words may say what one page is about: ``topic-tea`` on the article of a post.  So a place
keeps the words that ``FEW_HAVE`` of the sampled pages have, and two at least.  It is read from its element
upwards until ``NAMED_STEPS`` steps have a word; ``html`` and ``body`` without a word are left out.  So a page
with another frame around the same part has the same place, and a selector is as short as a person's.

*Fixed* is a text that most pages of a type which have its place have there: a label or furniture.  It is
never a value, unless what it stands behind has other values, too.

*A slot* is where a value stands: a place, and what it is labelled by, if a page has the place several
times.  The label is the last fixed text before the value, where the two meet at most two elements up; or what
stands before a colon in the text itself.

Source: RoadRunner (Crescenzi, Mecca, Merialdo, VLDB 2001): what pages of one template repeat is template, a
mismatch is a field; EXALG (Arasu, Garcia-Molina, SIGMOD 2003): texts that are equally often on all pages are
the template, and values are told apart by their place in it.  Departures: texts are aligned by their place,
not by a grammar, which is linear and bears that a part is missing; nobody says which pages are of one type.

n cells, in places of d steps.  Cost: O(n d); a place is shortened once.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from sys import intern
from typing import NamedTuple

from templcrawl.algorithms.columns.cells import MOST_TEXT, Cell, parts_of
from templcrawl.algorithms.columns.names import OLD
from templcrawl.page.vocabulary import HEADINGS

FEW_HAVE, NAMED_STEPS = 0.1, 3
LONGEST_LABEL = 32
LEAST_PAGES = 3
COLONS = (":", "：")
SEVERAL = 1.5  # texts in a place on a page, on average
_MOST_KNOWN = 4_000  # places whose short form is remembered
_PREFIXED = re.compile(r"([^:：]{1,40}?)\s*[:：](?!//|[:：]|(?<=\d.)\d)\s*(\S.*)", re.DOTALL).fullmatch
_FIXED = 0.98  # share of the pages with its place that have a fixed text: one author may write nearly all
_FIXED_WORDS, _FIXED_NUMBERS = 0.5, 0.9  # in a place that a page has several times
_PREFIX, _PREFIX_OF_SEVERAL = 0.8, 0.3
_ENDS = " :："


class Places(dict[str, str]):
    """The places of a page type: a place -> as the type has it, with these words.

    >>> Places({"price", "title", "item", "page"})["html/body/div.page/div.item/p.price.sale/b"]
    'div.page/div.item/p.price/b'
    """

    def __init__(self, words: Collection[str]) -> None:
        super().__init__()
        self._words = words

    def __missing__(self, place: str) -> str:
        steps: list[str] = []
        named = 0
        for step in reversed(place.split("/")):
            tag, words = parts_of(step)
            kept = [word for word in words if word in self._words]
            steps.append(".".join([tag, *kept]).replace(".#", "#"))
            named += bool(kept)
            if named == NAMED_STEPS:
                break
        while len(steps) > 1 and steps[-1] in ("html", "body"):
            steps.pop()
        if len(self) >= _MOST_KNOWN:
            self.clear()
        short = self[place] = intern("/".join(reversed(steps)))
        return short


class Slot(NamedTuple):
    """Where a value stands.

    label  what it is labelled by, with a colon if that is in the same text; "" without a label
    """

    place: str
    label: str = ""

    @property
    def is_prefixed(self) -> bool:
        """Whether the label stands in the text of the value."""
        return self.label.endswith(":")


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

    words     class words that places keep, ids with their mark
    fixed     texts that are no values, each with its place
    prefixes  labels before a colon, each with its place
    several   places that a page has several times: there the label tells what a value is
    """

    words: frozenset[str] = frozenset()
    fixed: frozenset[tuple[str, str]] = frozenset()
    prefixes: frozenset[tuple[str, str]] = frozenset()
    several: frozenset[str] = frozenset()

    @cached_property
    def places(self) -> Places:
        """A place of a page -> as the type has it."""
        return Places(self.words)

    def read(self, cells: Iterable[Cell]) -> Iterator[tuple[Slot, Value]]:
        """Yield the values of a page in reading order, each with its slot."""
        label: Cell | None = None
        labelled_place = ""  # of the first value behind the label: the only place that it is the label of
        for cell in cells:
            place = self.places[cell.place]
            if self._is_fixed(place, cell.text):
                if may_label(cell):
                    label, labelled_place = cell, ""
                continue
            match = prefixed(cell.text)
            if match and (place, match[1]) in self.prefixes:
                yield Slot(place, f"{match[1]}:"), Value(match[2], cell)
                continue
            labelled = None
            if OLD.isdisjoint(place.split("/")):
                if label is not None and labelled_place in ("", place) and is_label(label, cell):
                    labelled = label
                labelled_place = labelled_place or place
            if labelled is not None and place in self.several:
                yield Slot(place, label_of(labelled)), Value(cell.text.lstrip(_ENDS), cell, labelled)
            else:
                yield Slot(place), Value(cell.text, cell, labelled)

    def _is_fixed(self, place: str, text: str) -> bool:
        """Return whether a text is no value: a fixed one, or a label with its colon."""
        is_prefix = text.endswith(COLONS) and (place, text[:MOST_TEXT].rstrip(_ENDS)) in self.prefixes
        return is_prefix or (place, text[:MOST_TEXT]) in self.fixed


def prefixed(text: str) -> re.Match[str] | None:
    """Return what stands before a colon and behind it, None where there is no label so."""
    return _PREFIXED(text) if (":" in text or "：" in text) and not text.startswith("data:") else None


def label_of(cell: Cell) -> str:
    """Return what a cell says as a label."""
    return cell.text[:MOST_TEXT].rstrip(_ENDS)


def may_label(cell: Cell) -> bool:
    """Return whether a fixed text may be a label."""
    is_short = len(cell.text) <= LONGEST_LABEL and not cell.link
    return is_short and _is_word(cell.text) and not cell.is_picture


def _is_word(text: str) -> bool:
    return sum(map(str.isalpha, text)) > sum(map(str.isdigit, text))


def is_label(cell: Cell, labelled: Cell) -> bool:
    """Return whether what may be a label is that of a cell: the two meet at most two elements up."""
    return not set(cell.above).isdisjoint(labelled.above) and labelled.tag not in HEADINGS


def template_of(pages: Sequence[Sequence[Cell]]) -> Template:
    """Return what pages of a type repeat."""
    words = _words_of(pages)
    places = Places(words)
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
            return share >= (_FIXED_WORDS if _is_word(text) else _FIXED_NUMBERS)
        return share >= _FIXED

    def is_prefix(place: str, count: int) -> bool:
        share = _PREFIX_OF_SEVERAL if place in several else _PREFIX
        return count >= max(LEAST_PAGES, share * having[place])

    least = max(LEAST_PAGES, 0.1 * len(pages))
    fixed = {key for key, count in texts.items() if count >= least and is_fixed(*key, count)}
    return Template(
        words,
        frozenset(fixed - _labelled(pages, places, fixed)),
        frozenset(key for key, count in prefixes.items() if is_prefix(key[0], count)),
        several,
    )


def _words_of(pages: Sequence[Sequence[Cell]]) -> frozenset[str]:
    having = Counter[str]()
    for cells in pages:
        steps = {step for place in {cell.place for cell in cells} for step in place.split("/")}
        having.update({word for step in steps for word in parts_of(step)[1]})
    return frozenset(word for word, count in having.items() if count >= max(2, FEW_HAVE * len(pages)))


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
