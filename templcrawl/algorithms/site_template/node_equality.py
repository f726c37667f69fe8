"""When are two nodes of two pages equal?  The parameter of the equal top-down mapping.

An *equality* says of two nodes of one label how equal they are, 0 (not at all: they are never paired) to
1.  It must say more than 0 of two nodes that are alike in all but their position.

The default weighs what the paper names: class names, number of children, relative position and HTML
attributes, each from 0 to 1 and all alike, and counts two nodes as equal from one half on::

    class names and attributes   those of both over those of either (Jaccard), 1 if neither has any
    number of children           the smaller over the larger
    relative position            1 less the difference of the relative positions

Source: Alarte, Insa, Silva, Tamarit (2014), sections 3 and 4.2, which print neither weights nor threshold: of
13 other settings none did better on the saved sites of ``benchmarks/template.py``.  ``html``, ``head`` and
``body`` are equal whatever they carry: a page has one of each.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from templcrawl.page.nodes import Node

Equality = Callable[[Node, Node], float]
"""How equal two nodes of one label are, 0 to 1."""

_LEAST = 0.5
_SKELETON = frozenset({"", "html", "head", "body"})


def weighted(a: Node, b: Node) -> float:
    """Return the weighted likeness of two nodes, 0 where it is below the least that counts as equal.

    >>> weighted(Node("li", frozenset({"active"})), Node("li"))
    0.75
    >>> weighted(Node("p", frozenset({"x"}), frozenset({("id", "1")}), 2), Node("p", frozenset({"y"})))
    0.0
    """
    if a.label in _SKELETON:
        return 1.0
    likeness = (
        _likeness(a.classes, b.classes)
        + _likeness(a.attributes, b.attributes)
        + _share(a.children, b.children)
        + (1.0 - abs(a.relative_position - b.relative_position))
    ) / 4
    return likeness if likeness >= _LEAST else 0.0


def by_label(a: Node, b: Node) -> float:
    """Return 1: every two nodes of one label are equal, as in the paper's Figure 1."""
    return 1.0


def _likeness(a: frozenset[Any], b: frozenset[Any]) -> float:
    return 1.0 if a == b else len(a & b) / len(a | b)


def _share(a: int, b: int) -> float:
    return 1.0 if a == b else min(a, b) / max(a, b)
