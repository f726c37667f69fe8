"""XPaths that may select running text, found by the text nodes that it is made of.

A cell of running text is some text nodes of an element, one behind the other.  They are looked for in reading
order: each may be the next part of the text, or be none.  Of all ways that tell the whole text that with the
fewest gaps counts, or else each node counts that the text contains.  Proposed are the elements that hold the
text, and the outermost elements in these that hold only text.

Source: our own.  n text nodes, d their depth.  Cost: O(n (``_MAX_WAYS`` + d)) a cell.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, cast

from lxml.etree import _Element as Element
from lxml.etree import iterwalk

from templcrawl.algorithms.columns.values import Column
from templcrawl.outputs.proposed_xpaths import MAX_TRIED, Selection, placed, rank, tag_of
from templcrawl.outputs.slot_xpaths import slot_xpaths
from templcrawl.outputs.spider_texts import SILENT
from templcrawl.outputs.tried_pages import Scope, bare

_MAX_WAYS = 8  # in which nodes may tell a text
_MAX_AROUND, _MAX_UP = 40, 3  # elements around running text; of these that are proposed
_MAX_SHAPES, _MAX_DEPTH = 12, 8  # kinds of elements in running text; levels between
_IS_ALL = re.compile(r"//(?:html|body)\b").match  # the XPath of an element around all
_ENDING = 40  # characters of both ends of a text by which it is found

Node = tuple[Element, int]  # an element, and the number of its own text: 0 the first, n behind child n


class _Way(NamedTuple):
    """A way to tell the first part of a text: gaps between its nodes, the last node, the way before it."""

    gaps: int
    last: int
    before: _Way | None


@dataclass
class _Told:
    """The text nodes in an element, and which of these tell a text.

    nodes   those that do
    total   element -> text nodes in it
    inside  element -> those in it that tell the text
    """

    root: Element
    text: str
    nodes: set[Node] = field(init=False)
    total: Counter[Element] = field(init=False)
    inside: Counter[Element] = field(init=False)

    def __post_init__(self) -> None:
        """Look for the text."""
        found = [(node, said) for node, text in _text_nodes(self.root) if (said := bare(text))]
        self.nodes = {found[at][0] for at in _way([said for _, said in found], self.text)}
        self.total, self.inside = Counter(), Counter()
        for node, _ in found:
            self.total[node[0]] += 1
            self.inside[node[0]] += node in self.nodes
        for element in reversed(list(self.root.iter())):
            if element is not self.root:
                for counts in (self.total, self.inside):
                    counts[element.getparent()] += counts[element]

    def is_whole(self, element: Element) -> bool:
        """Return whether all that an element says is of the text."""
        return self.inside[element] == self.total[element]


def running(column: Column, scopes: Sequence[Scope]) -> Iterator[Selection]:
    """Yield XPaths for running text."""
    # XPath of elements around -> path of elements in these -> how much more often it is of the text than not
    shapes: defaultdict[Selection, Counter[str]] = defaultdict(Counter)
    votes = Counter[Selection]()
    for scope in scopes:
        for text in map(bare, scope.cells[column.name]):
            element = scope.part.root
            for _ in range(_MAX_AROUND):
                element = next((one for one in element if _holds(one, text, scope)), element)
            steps = scope.up(element)[:_MAX_UP]
            if not steps:
                continue
            told = _Told(steps[-1], text)
            for one in steps:
                for place in set(placed(one, "", scope)):
                    votes[place] += 1
                    for path, is_part in _shapes(one, told):
                        shapes[place][path] += 1 if is_part else -1
    places = sorted(
        votes, key=lambda one: (-votes[one], _IS_ALL(one.xpath) is not None, rank(one), one.xpath)
    )
    del places[MAX_TRIED // 2 :]
    for place in places:
        if ends := _outermost(shapes[place]):
            yield Selection(" | ".join(place.xpath + end for end in ends))
        yield place
    for xpath in slot_xpaths(column, scopes[0].start) if scopes else ():
        if ends := _outermost(_shapes_at(xpath, column, scopes)):
            yield Selection(" | ".join(one + end for one in xpath.split(" | ") for end in ends))
        yield Selection(xpath)


def _shapes_at(xpath: str, column: Column, scopes: Sequence[Scope]) -> Counter[str]:
    """Return the paths of elements in those of an XPath, each with how much more often it is of the text."""
    shapes = Counter[str]()
    for scope in scopes:
        for element in scope.select(xpath)[:_MAX_UP]:
            for text in map(bare, scope.cells[column.name]):
                told = _Told(cast("Element", element), text)
                for path, is_part in _shapes(told.root, told):
                    shapes[path] += 1 if is_part else -1
    return shapes


def _outermost(shapes: Counter[str]) -> list[str]:
    """Return the paths of the outermost elements that hold only text."""
    ends: list[str] = []
    for path in sorted(path for path, more in shapes.most_common(_MAX_SHAPES) if more >= 0):
        if not any(path.startswith(f"{end}/") for end in ends):
            ends.append(path)
    return ends


def _holds(element: Element, text: str, scope: Scope) -> bool:
    """Return whether an element has the beginning and the end of a text."""
    if not isinstance(element.tag, str):
        return False
    whole = bare(scope.page.words(element))
    return text[:_ENDING] in whole and text[-_ENDING:] in whole


def _text_nodes(root: Element) -> Iterator[tuple[Node, str]]:
    """Yield the text nodes in an element, in reading order."""
    children = Counter[Element]()
    for event, one in iterwalk(root, events=("start", "end")):
        if event == "start" and isinstance(one.tag, str) and one.tag not in SILENT:
            yield (one, 0), one.text or ""
        elif event == "end" and one is not root:
            parent = one.getparent()
            children[parent] += 1
            yield (parent, children[parent]), one.tail or ""


def _way(texts: Sequence[str], whole: str) -> list[int]:
    """Return the numbers of the texts that tell a whole one; of all that it contains if no way tells it.

    >>> _way(["tea", "May", "tea", "is", "May", "ok"], "teaisok")
    [2, 3, 5]
    """
    ways = {0: _Way(0, -1, None)}  # characters that are told -> the best way
    for at, text in enumerate(texts):
        for told in sorted(ways, reverse=True):
            if whole.startswith(text, told):
                before = ways[told]
                way = _Way(before.gaps + (before.last != at - 1), at, before)
                end = told + len(text)
                known = ways.get(end)
                if known is None or way.gaps <= known.gaps + (end < len(whole)):  # a gap is behind the known
                    ways[end] = way
        if len(ways) > _MAX_WAYS:
            ways = {told: ways[told] for told in sorted(ways)[-_MAX_WAYS:]}
    if len(whole) not in ways:
        return [at for at, text in enumerate(texts) if text in whole]
    numbers, way = [], ways[len(whole)]
    while way.before:
        numbers.append(way.last)
        way = way.before
    return numbers[::-1]


def _shapes(element: Element, told: _Told, path: str = "") -> Iterator[tuple[str, bool]]:
    """Yield the paths of elements, and texts, in an element, each with whether it is of the text."""
    own = [(element, number) for number in range(len(element) + 1)]
    if told.total[element] > sum(told.total[one] for one in element):
        yield f"{path}/text()", any(node in told.nodes for node in own)
    for one in element:
        if told.total[one]:
            below = f"{path}/{tag_of(one)}"
            yield below, told.is_whole(one)
            if not told.is_whole(one) and path.count("/") < _MAX_DEPTH:
                yield from _shapes(one, told, below)
