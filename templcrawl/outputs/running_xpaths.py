"""XPaths that may select running text, found by the text nodes that it is made of.

A cell of running text is some text nodes of an element (:mod:`templcrawl.outputs.told_texts`).  Proposed are
the elements that hold the text, the outermost elements in these that hold only text, and the elements that
hold the text without the outermost ones in these that have none of it.

Source: our own.  n text nodes, d their depth.  Cost: O(n d) a cell.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import cast

from lxml.etree import _Element as Element

from templcrawl.algorithms.columns.values import Column
from templcrawl.outputs.proposed_xpaths import MAX_TRIED, Selection, placed, rank
from templcrawl.outputs.slot_xpaths import slot_xpaths
from templcrawl.outputs.told_texts import Told
from templcrawl.outputs.tried_pages import Scope, bare, literal, tag_of, words_of, xpath_step

_MAX_AROUND, _MAX_UP = 40, 3  # elements around running text; of these that are proposed
_MAX_SHAPES, _MAX_DEPTH = 12, 8  # kinds of elements in running text; levels between
_MAX_TOLD = 16  # scopes that are looked at once more
_MAX_CUT, _MAX_KINDS, _MAX_SAID = 3, 6, 30  # places; elements left out of one; characters of one
_WEIGHT_KEPT = 4  # of an element that has some of the text, of those that have none: 1
_IS_ALL = re.compile(r"//(?:html|body)\b").match  # the XPath of an element around all
_ENDING = 40  # characters of both ends of a text by which it is found


def running(column: Column, scopes: Sequence[Scope]) -> Iterator[Selection]:
    """Yield XPaths for running text."""
    places, shapes = _around(column, scopes)
    slots = [Selection(xpath) for xpath in slot_xpaths(column, scopes[0].start)] if scopes else []
    known: dict[Element, Told] = {}
    for place in dict.fromkeys([*places, *slots]):
        found = shapes[place] if place in shapes else _shapes_in(_told_in(place, column, scopes, known))
        if ends := _outermost(found):
            yield Selection(" | ".join(one + end for one in place.xpath.split(" | ") for end in ends))
        yield place
    for place in dict.fromkeys([*places[:_MAX_CUT], *slots]):
        if without := _left_out(_told_in(place, column, scopes, known), scopes[0].start):
            yield replace(place, without=without)


def _around(
    column: Column, scopes: Sequence[Scope]
) -> tuple[list[Selection], Mapping[Selection, Counter[str]]]:
    """Return XPaths of elements around the text, those of most scopes first, and what is of the text in each.

    That is: path of elements in them -> how much more often it is of the text than not.
    """
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
            told = Told(steps[-1], text)
            for one in steps:
                found = _shape_votes(one, told)
                for place in set(placed(one, "", scope)):
                    votes[place] += 1
                    shapes[place].update(found)
    places = sorted(
        votes, key=lambda one: (-votes[one], _IS_ALL(one.xpath) is not None, rank(one), one.xpath)
    )
    return places[: MAX_TRIED // 2], shapes


def _told_in(
    place: Selection, column: Column, scopes: Sequence[Scope], known: dict[Element, Told]
) -> Iterator[Told]:
    """Yield which text nodes of the elements that an XPath selects are of the running text.

    known  those of elements that were looked at before
    """
    for scope in scopes[:_MAX_TOLD]:
        for text in map(bare, scope.cells[column.name]):
            for element in cast("list[Element]", scope.select(place.xpath)[:_MAX_UP]):
                if element not in known:
                    known[element] = Told(element, text)
                yield known[element]


def _shapes_in(elements: Iterable[Told]) -> Counter[str]:
    """Return the paths of elements in some elements, each with how much more often it is of the text."""
    shapes = Counter[str]()
    for told in elements:
        shapes.update(_shape_votes(told.root, told))
    return shapes


def _shape_votes(element: Element, told: Told) -> Counter[str]:
    """Return the paths of elements in one, each with how much more often it is of the text than not."""
    votes = Counter[str]()
    for path, is_part in _shapes(element, told):
        votes[path] += 1 if is_part else -1
    return votes


def _left_out(elements: Iterable[Told], start: str) -> str:
    """Return the XPath of the elements in some elements that have nothing of the text."""
    kept, groups = Counter[str](), list[list[str]]()
    for told in elements:
        for element in told.root.iterdescendants():
            if told.inside[element]:
                kept.update(_kinds(element))
            elif told.total[element] and told.inside[element.getparent()]:
                groups.append(_kinds(element))
    found: list[str] = []
    while groups and len(found) < _MAX_KINDS:
        apart = Counter(kind for kinds in groups for kind in kinds)
        best = max(apart, key=lambda kind: (apart[kind] - _WEIGHT_KEPT * kept[kind], -len(kind)))
        if apart[best] <= _WEIGHT_KEPT * kept[best]:
            break
        found.append(best)
        groups = [kinds for kinds in groups if best not in kinds]
    return " | ".join(start + kind for kind in found)


def _kinds(element: Element) -> list[str]:
    """Return the steps that may select an element: its tag, its words, its text, the tag around it."""
    tag, said = tag_of(element), " ".join("".join(element.itertext()).split())
    steps = [tag, *(xpath_step(tag, word) for word in words_of(element))]
    steps += [f"{tag}[normalize-space()={literal(said)}]"] if len(said) <= _MAX_SAID else []
    return [*steps, f"{tag_of(element.getparent())}/{tag}"]


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


def _shapes(element: Element, told: Told, path: str = "") -> Iterator[tuple[str, bool]]:
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
