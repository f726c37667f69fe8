"""XPaths of the columns of a table, as a person would write them, found by its cells and tried by parsel.

On some pages of a type the cells of the table are looked up, as the spider reads a page
(:mod:`templcrawl.outputs.spider_texts`), and propose XPaths (:mod:`templcrawl.outputs.proposed_xpaths`).
What most cells propose is tried; the first that gives all cells as the table has them is taken, else the one
that gives most.

Source: our own; to learn a wrapper from examples is Kushmerick's (1997).  ``has-class`` is that of parsel.
e elements of the pages, c cells.  Cost: O(e + c) to propose; of a column ``MAX_TRIED`` XPaths are tried.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple
from urllib.parse import urljoin

from lxml.etree import XPathError

from templcrawl.algorithms.columns.flat_records import FLAT
from templcrawl.algorithms.columns.separators import trimmed
from templcrawl.algorithms.columns.values import Column
from templcrawl.outputs.proposed_xpaths import MAX_TRIED, Selection, has_label, proposed, rank
from templcrawl.outputs.record_xpaths import narrowed, rows_paths
from templcrawl.outputs.running_xpaths import running
from templcrawl.outputs.slot_xpaths import slot_xpaths
from templcrawl.outputs.tried_pages import Row, Scope, TriedPage, bare, scopes_of
from templcrawl.page.text import storable

MAX_SCOPES, MAX_ASKED = 40, 12  # records of a table that XPaths are tried on; that propose some
MAX_BUT = 12  # texts that an XPath selects and that are not values
_MAX_SELECTED = 60  # nodes that an XPath selects beyond the values
_MAX_PARTS = 2_000  # nodes of running text
_LEAST = 0.25  # of the cells: what an XPath gives that is of use, alone or joined with others
_MAX_ALTERNATIVES = 2  # XPaths that one is joined with
_MIN_OF_ALTERNATIVE = 3  # cells that each adds
_RARE = 0.1  # of the scopes: fewer cells may be enough, if these are more
_MAX_LABELLED = 4  # XPaths with the label that are tried, though few scopes propose them
_GRADES = 10  # of the cells that propose an XPath: what differs by less is alike
_IS_ELEMENT = re.compile(r"(?!.*(?: \| |/@[\w-]+$|/text\(\)))").match  # no union, attribute or text


class _Sampled(NamedTuple):
    """A scope that stands for so many."""

    scope: Scope
    weight: int


class _Cell:
    """A cell of a table, compared with the texts that a selection gives; running text without white space."""

    def __init__(self, texts: Sequence[str], column: Column) -> None:
        self.texts, self._column, self._whole = list(texts), column, bare(" ".join(texts))

    def has(self, text: str) -> bool:
        """Return whether a text is of the cell."""
        return bare(text) in self._whole if self._column.joined else text in self.texts

    def may_be(self, texts: Sequence[str]) -> bool:
        """Return whether texts of the cell are all of it."""
        return self.is_one(texts) if self._column.joined else set(self.texts) <= set(texts)

    def is_one(self, texts: Sequence[str]) -> bool:
        """Return whether texts are those of the cell, which has the first of them or all."""
        if self._column.joined:
            return bare("".join(texts)) == self._whole
        return list(texts if self._column.many else texts[:1]) == self.texts


def selections(
    columns: Sequence[Column], places: Sequence[str], pages: Sequence[tuple[TriedPage, Sequence[Row]]]
) -> tuple[str, dict[str, Selection]]:
    """Return the XPath of the records of a table, and column -> the selection of its values.

    The XPath is "" for pages; for flat records, which have no element around each, it is that of leaders.
    places  those of records
    pages   each with the rows that the table has of it
    """
    flat = all(place.startswith(FLAT) for place in places)
    total = sum(len(rows) for _, rows in pages)

    def tried(xpath: str) -> tuple[int, str, list[Scope]]:
        scopes = [scope for page, rows in pages for scope in scopes_of(page, xpath, rows, flat=flat)]
        return total + sum(-1 if one.row else 1 for one in scopes), xpath, scopes

    found: list[tuple[int, str, list[Scope]]] = []
    for xpath in rows_paths(places, [page for page, _ in pages]) if places else [""]:
        found.append(tried(xpath))
        if not found[-1][0]:
            break
    wrong, best, scopes = min(found, key=lambda one: one[0])
    if wrong and places and not flat and (narrow := narrowed(best, scopes)):
        wrong, best, scopes = min((wrong, best, scopes), tried(narrow), key=lambda one: one[0])
    return best, {column.name: _selection(column, _sample(column, scopes)) for column in columns}


def _sample(column: Column, scopes: Sequence[Scope]) -> list[_Sampled]:
    """Return some scopes: as many at most with a value of a column as without one."""
    found: list[_Sampled] = []
    for has_value in (True, False):
        group = [one for one in scopes if bool(one.cells[column.name]) is has_value]
        step = 1 + len(group) // (MAX_SCOPES // 2)
        found += [_Sampled(one, step) for one in group[::step]]
    return found


def _selection(column: Column, sample: Sequence[_Sampled]) -> Selection:
    """Return the selection of the values of a column, without an XPath if none fits."""
    best, right = _best(column, sample)
    for _ in range(_MAX_ALTERNATIVES):
        if not 0 < best.holds < 1 or column.last:  # of the last of some nodes there is no other
            break
        rest = [one for at, one in enumerate(sample) if at not in right]
        other, _ = _best(column, rest)
        done = (
            [_tried(one, column, sample, best.holds) for one in _joined(best, other)] if other.xpath else []
        )
        joined = max(done, key=lambda one: one[0].holds, default=(best, right))
        added = len(joined[1] - right)
        is_rare = added < _MIN_OF_ALTERNATIVE and added <= _RARE * len(sample)
        if joined[0].holds <= best.holds or is_rare:
            break
        best, right = joined
    return best


def _joined(one: Selection, other: Selection) -> Iterator[Selection]:
    """Yield what selects as two selections do, each where the other does not."""
    if one.without != other.without:
        yield replace(one, without=" | ".join(filter(None, [one.without, other.without])), but=(), holds=0.0)
    elif one.regex == other.regex:
        yield replace(one, xpath=f"{one.xpath} | {other.xpath}", but=(), holds=0.0)
        yield from (_both(*two) for two in ((one, other), (other, one)) if _IS_ELEMENT(two[0].xpath))
    else:
        yield replace(one, regex=other.regex, but=(), holds=0.0)
        yield replace(other, regex=one.regex, but=(), holds=0.0)


def _both(outer: Selection, inner: Selection) -> Selection:
    """Return the union of two XPaths; the first is left out where the second selects inside of it."""
    is_below = inner.xpath.startswith(f"{outer.xpath}/")
    below = inner.xpath[len(outer.xpath) + 1 :] if is_below else f".//{inner.xpath.lstrip('./')}"
    return replace(outer, xpath=f"{outer.xpath}[not({below})] | {inner.xpath}", but=(), holds=0.0)


def _best(column: Column, sample: Sequence[_Sampled]) -> tuple[Selection, set[int]]:
    """Return the best proposal, and the numbers of the scopes in which it gives the right cells."""
    best: tuple[Selection, set[int]] = Selection(), set()
    for one in _ordered(column, [scope for scope, _ in sample if scope.cells[column.name]]):
        done = _tried(one, column, sample, max(best[0].holds, _LEAST))
        best = max(best, done, key=_worth)
        if best[0].holds == 1.0 and not best[0].but:
            break
    return best


def _worth(found: tuple[Selection, set[int]]) -> tuple[float, int, bool]:
    """Return the worth of a proposal: one by a label selects nothing else, and is joined best."""
    one, _ = found
    return one.holds, -len(one.but), one.holds < 1 and has_label(one)


def _ordered(column: Column, filled: Sequence[Scope]) -> Iterable[Selection]:
    """Return what is tried, first what most scopes with a cell propose."""
    if column.joined:
        return running(column, filled)
    asked = filled[:: 1 + len(filled) // MAX_ASKED]
    votes = Counter(one for scope in asked for one in set(proposed(column, scope)))
    most = max(votes.values(), default=1)
    ranked = sorted(votes, key=lambda one: (-round(_GRADES * votes[one] / most), rank(one), one.xpath))
    labelled = list(filter(has_label, ranked))
    slots = map(Selection, slot_xpaths(column, filled[0].start)) if filled else ()
    return list(dict.fromkeys([*ranked[:MAX_TRIED], *labelled[:_MAX_LABELLED], *slots]))


def _tried(
    one: Selection, column: Column, sample: Sequence[_Sampled], least: float
) -> tuple[Selection, set[int]]:
    """Return a selection with the share of cells that it gives, and the numbers of scopes where it does.

    least  share of the cells below which it is given up
    """
    if column.last:
        number = f"last()-{column.last - 1}" if column.last > 1 else "last()"
        one = replace(one, xpath=f"({one.xpath})[{number}]")
    room = (1 - least) * sum(weight for scope, weight in sample if scope.cells[column.name])
    given = []
    extra, said = Counter[str](), set[str]()
    for scope, weight in sample:
        texts = given_by(one, column, scope)
        cell = _Cell(scope.cells[column.name], column)
        ours = list(filter(cell.has, texts or ()))
        room -= 0 if cell.may_be(ours) else weight
        if room < 0:
            return one, set()
        given.append((texts, cell, weight))
        said.update(ours)
        extra.update(list(dict.fromkeys(texts or ())))
    but = tuple(
        text
        for text, count in sorted(extra.items(), key=lambda item: -item[1])
        if count > 1 and text not in said
    )[:MAX_BUT]
    right, filled, correct = set[int](), 0, 0
    for at, (texts, cell, weight) in enumerate(given):
        left = [text for text in texts or () if text not in but]
        if texts is None or left or cell.texts:
            filled += weight
        if left and cell.is_one(left):
            right.add(at)
            correct += weight
    return replace(one, but=but, holds=correct / max(filled, 1)), right


def given_by(one: Selection, column: Column, scope: Scope) -> list[str] | None:
    """Return the texts that the spider takes for a column; None if they are far too many."""
    try:
        nodes = scope.select(one.xpath)
        skipped = scope.inside_of(one.without) if one.without else ()
    except XPathError:  # two that are joined may be no XPath
        return None
    if len(nodes) > (_MAX_PARTS if column.joined else _MAX_SELECTED + 2 * len(scope.cells[column.name])):
        return None
    form = str if column.joined or column.is_address else trimmed
    wholes = [form(scope.page.words(node, skipped)) for node in nodes]
    matches = [re.search(one.regex, whole) for whole in wholes] if one.regex else []
    found = [match[1] for match in matches if match and match[1]] if one.regex else list(filter(None, wholes))
    if column.is_address:
        found = [urljoin(scope.page.base, address) for address in found]
    return list(map(storable, found))
