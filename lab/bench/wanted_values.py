"""Values that XPaths find on a page, and whether the cell of a table has one of them.

Two texts are the same by their characters without white space, and without marks and symbols at their ends;
a text of ``LONG`` words also if F1 of the words is ``ALIKE``.  A cell with several texts has a value whose
texts are these, and a value of one text that comes first.  A ``time`` may be told by its ``datetime``.
Imported by :mod:`lab.bench.wanted`.  Cost: O(characters); quadratic in the records of a page whose texts are
long.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from unicodedata import category
from urllib.parse import unquote, urljoin

import lxml.etree
from parsel import Selector

from lab.bench.measures import score
from lab.bench.saved_sites import words_of
from lab.bench.wanted_fields import Wanted

LONG, ALIKE = 40, 0.9
_ADDRESS = ("@href", "@src")
_MARKS = frozenset("«»·•|›:,;–—-")


class Value(NamedTuple):
    """What is wanted of a page or a record.

    texts   its forms, as they are compared
    first   those of them that are one text
    long    the forms that have ``LONG`` words
    """

    texts: frozenset[str]
    first: frozenset[str]
    long: Sequence[str] = ()


def bare(text: str) -> str:
    """Return a text as it is compared.

    >>> bare(" « June 5, 2019, 10:39 » "), bare("£5.00"), bare("(two)")
    ('June5,2019,10:39', '£5.00', '(two)')
    """
    return "".join(_stripped(text).split())


def _stripped(text: str) -> str:
    start, end = 0, len(text)
    while start < end and _is_mark(text[start]):
        start += 1
    while start < end and _is_mark(text[end - 1]):
        end -= 1
    return text[start:end]


def _is_mark(character: str) -> bool:
    return character in _MARKS or character.isspace() or category(character) in {"So", "Mn", "Cf", "Co"}


def value_of(forms: Sequence[Sequence[str]]) -> Value | None:
    """Return a value by its forms, each the texts that an XPath finds; None if there is no text."""
    told = [form for texts in forms if (form := [text for text in texts if bare(text)])]
    if not told:
        return None
    whole = [" ".join(form) for form in told]
    return Value(
        frozenset(map(bare, whole)) | frozenset(unquote(bare(text)) for text in whole),
        frozenset(bare(form[0]) for form in told if len(form) == 1),
        [text for text in whole if words_of(text).total() >= LONG],
    )


class Cell(NamedTuple):
    """A cell of a table: all its texts as they are compared, the first of several so, and as they are."""

    whole: str
    first: str
    text: str

    def has(self, value: Value) -> bool:
        """Return whether the value is in the cell."""
        if self.whole in value.texts or unquote(self.whole) in value.texts or self.first in value.first:
            return True
        words = words_of(self.text) if value.long else None
        return words is not None and any(score(words, words_of(text)).f1 >= ALIKE for text in value.long)


def cell_of(content: object) -> Cell:
    """Return a cell by what a table has there: a text, a list of texts, None.

    >>> cell_of(["Green", "Tea"]), cell_of(None)
    (Cell(whole='GreenTea', first='Green', text='Green Tea'), Cell(whole='', first='', text=''))
    """
    texts = content if isinstance(content, list) else [content]
    told = [str(text) for text in texts if text is not None]
    text = " ".join(told)
    return Cell(bare(text), bare(told[0]) if told and isinstance(content, list) else "", text)


def values_on(page: Selector, wanted: Wanted, base: str) -> list[dict[str, Value]]:
    """Return the values of a page, or of each record on it; nothing if it is not such a page."""
    if wanted.mark and not page.xpath(wanted.mark):
        return []
    records = page.xpath(wanted.record) if wanted.record else [page]
    found = [
        {
            name: value
            for name, paths in wanted.fields.items()
            if (value := value_of(_forms(one, paths, base)))
        }
        for one in records
    ]
    return [one for one in found if one]


def _forms(node: Selector, paths: Sequence[str], base: str) -> list[list[str]]:
    forms: list[list[str]] = []
    for path in paths:
        found = node.xpath(path)
        texts = [_text(one.root) for one in found]
        forms.append(texts)
        if path.endswith(_ADDRESS):
            forms.append([urljoin(base, text) for text in texts])
        times = [one.root.get("datetime") for one in found if getattr(one.root, "tag", "") == "time"]
        forms.append([time for time in times if time])
    return forms


def _text(node: object) -> str:
    if isinstance(node, lxml.etree._Element):
        texts = node.xpath(
            "descendant::text()[not(ancestor::script or ancestor::style or ancestor::noscript"
            " or ancestor::template)]"
        )
        return " ".join("".join(map(str, texts)).split())
    return " ".join(str(node).split())


def count_of(values: Sequence[Value], cells: Sequence[Cell]) -> int:
    """Return how many of the values are in a cell, each in one of its own."""
    waiting: defaultdict[str, list[int]] = defaultdict(list)
    for number, cell in enumerate(cells):
        waiting[cell.whole].append(number)
        if cell.first:
            waiting[cell.first].append(number)
    taken: set[int] = set()
    for value in values:
        likely = [place for text in value.texts | value.first for place in waiting.get(text, ())]
        places = (*likely, *range(len(cells))) if value.long else likely
        place = next((one for one in places if one not in taken and cells[one].has(value)), None)
        if place is not None:
            taken.add(place)
    return len(taken)


def whole_rows(records: Sequence[Mapping[str, Value]], rows: Sequence[Mapping[str, Cell]]) -> int:
    """Return of how many records a row of its own has all: fields that it lacks are empty there."""
    free = list(rows)
    whole = 0
    for record in records:
        for row in free:
            if all(
                cell.has(record[name]) if name in record else not cell.whole for name, cell in row.items()
            ):
                free.remove(row)
                whole += 1
                break
    return whole
