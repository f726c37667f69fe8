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
from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import urljoin

from lxml.etree import XPathError

from templcrawl.algorithms.columns.separators import trimmed
from templcrawl.algorithms.columns.values import Column
from templcrawl.outputs.proposed_xpaths import MAX_TRIED, Selection, proposed, rank, running
from templcrawl.outputs.tried_pages import Row, Scope, TriedPage, bare, rows_paths, scopes_of
from templcrawl.page.text import storable

MAX_SCOPES, MAX_ASKED = 40, 12  # records of a table that XPaths are tried on; that propose some
MAX_BUT = 12  # texts that an XPath selects and that are not values
_MAX_SELECTED = 60  # nodes that an XPath selects beyond the values
_MAX_PARTS = 2_000  # nodes of running text
_LEAST = 0.6  # of the cells: what an XPath gives that is of use
_GRADES = 10  # of the cells that propose an XPath: what differs by less is alike


def selections(
    columns: Sequence[Column], places: Sequence[str], pages: Sequence[tuple[TriedPage, Sequence[Row]]]
) -> tuple[str, dict[str, Selection]]:
    """Return the XPath of the records of a table, and column -> the selection of its values.

    The XPath is "" for pages, and for flat records: these have no element around each.
    places  those of records
    pages   each with the rows that the table has of it
    """
    found = {
        xpath: [scope for page, rows in pages for scope in scopes_of(page, xpath, rows)]
        for xpath in (rows_paths(places, [page for page, _ in pages]) if places else [""])
    }
    if not found:
        return "", {column.name: Selection() for column in columns}
    total = sum(len(rows) for _, rows in pages)
    wrong = {xpath: total + sum(-1 if one.row else 1 for one in scopes) for xpath, scopes in found.items()}
    best = min(wrong, key=lambda xpath: wrong[xpath])
    scopes = found[best][:: 1 + len(found[best]) // MAX_SCOPES]
    return best, {column.name: _selection(column, scopes) for column in columns}


def _selection(column: Column, scopes: Sequence[Scope]) -> Selection:
    """Return the selection of the values of a column, without an XPath if none fits."""
    best, right = _best(column, scopes)
    if 0 < best.holds < 1 and not column.last:  # of the last of some nodes there is no other
        other, _ = _best(column, [one for at, one in enumerate(scopes) if at not in right])
        for both in (_both(best, other), _both(other, best)) if other.regex == best.regex else ():
            joined, _ = _tried(both, column, scopes, best.holds)
            best = max(best, joined, key=lambda one: one.holds)
    return best


def _both(outer: Selection, inner: Selection) -> Selection:
    """Return the union of two XPaths; the first is left out where the second selects inside of it."""
    is_below = inner.xpath.startswith(f"{outer.xpath}/")
    below = inner.xpath[len(outer.xpath) + 1 :] if is_below else f".//{inner.xpath.lstrip('./')}"
    return replace(outer, xpath=f"{outer.xpath}[not({below})] | {inner.xpath}", css="", but=(), holds=0.0)


def _best(column: Column, scopes: Sequence[Scope]) -> tuple[Selection, set[int]]:
    """Return the best proposal, and the scopes in which it gives the right cells."""
    if column.joined:
        order = list(running(column, scopes))
    else:
        filled = [scope for scope in scopes if scope.cells[column.name]]
        asked = filled[:: 1 + len(filled) // MAX_ASKED]
        votes = Counter(one for scope in asked for one in set(proposed(column, scope)))
        most = max(votes.values(), default=1)
        order = sorted(votes, key=lambda one: (-round(_GRADES * votes[one] / most), rank(one), one.xpath))
    best: tuple[Selection, set[int]] = Selection(), set()
    for one in order[:MAX_TRIED]:
        done = _tried(one, column, scopes, max(best[0].holds, _LEAST))
        best = max(best, done, key=lambda each: (each[0].holds, -len(each[0].but)))
        if best[0].holds == 1.0 and not best[0].but:
            break
    return best


def _tried(
    one: Selection, column: Column, scopes: Sequence[Scope], least: float
) -> tuple[Selection, set[int]]:
    """Return a selection with the share of cells that it gives, and the numbers of scopes where it does.

    least  share of the cells below which it is given up
    """
    if column.last:
        number = f"last()-{column.last - 1}" if column.last > 1 else "last()"
        one = replace(one, xpath=f"({one.xpath})[{number}]", css="")
    form = bare if column.joined else str
    wanted, given = [list(map(form, scope.cells[column.name])) for scope in scopes], []
    room = (1 - least) * sum(map(bool, wanted))
    for scope, cell in zip(scopes, wanted):
        texts = given_by(one, column, scope)
        given.append(None if texts is None else list(map(form, texts)))
        room -= not set(cell) <= set(given[-1] or ())
        if room < 0:
            return one, set()
    if not column.joined:
        values = {text for cell in wanted for text in cell}
        extra = Counter(text for texts in given for text in dict.fromkeys(texts or ()) if text not in values)
        one = replace(one, but=tuple(text for text, count in extra.most_common(MAX_BUT) if count > 1))
    right, filled = set(), 0
    for at, (texts, cell) in enumerate(zip(given, wanted)):
        ours = texts and [text for text in texts if text not in one.but]
        ours = ours if column.many or not ours else ours[:1]
        filled += bool(ours or cell or texts is None)
        if ours and ours == cell:
            right.add(at)
    return replace(one, holds=len(right) / max(filled, 1)), right


def given_by(one: Selection, column: Column, scope: Scope) -> list[str] | None:
    """Return the values that the spider takes for a column; None if they are far too many."""
    try:
        nodes = scope.select(one.xpath)
    except XPathError:  # two that are joined may be no XPath
        return None
    if len(nodes) > (_MAX_PARTS if column.joined else _MAX_SELECTED + 2 * len(scope.cells[column.name])):
        return None
    form = str if column.joined or column.attribute else trimmed
    wholes = [form(scope.page.words(node)) for node in nodes]
    matches = [re.search(one.regex, whole) for whole in wholes] if one.regex else []
    found = [match[1] for match in matches if match and match[1]] if one.regex else list(filter(None, wholes))
    if column.attribute:
        found = [urljoin(scope.page.base, address) for address in found]
    return [storable(" ".join(found))] if column.joined and found else [storable(text) for text in found]
