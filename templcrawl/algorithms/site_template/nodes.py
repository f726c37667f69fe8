"""The DOM tree of a page as parallel lists, for tree mappings, and the equality of two of its nodes.

A node is the document (node 0), an element, or a text run with words in it; what a raw-text element holds
(script, style, title ...) is a text run of its own below it.  Comments and white space are not nodes.  Nodes
stand in document order, so a subtree is a range: ``node`` to ``stops[node]``.  Equal subtrees have equal
keys, in every process, and others differ but for a chance of about 2^-60.

*Equality* is the parameter of the equal top-down mapping: how equal two nodes of one label are, 0 (they are
never paired) to 1; more than 0 of two nodes that are alike in all but their position.

Source: Alarte, Insa, Silva, Tamarit (2014), sections 3 and 4.2, which print neither weights nor threshold. m
nodes.  Cost: O(m), in numpy; the attributes of a distinct tag are read once.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from templcrawl.page.arrays import MASK, MIX, Flags, Indices, Keys, powers
from templcrawl.page.page import Page
from templcrawl.page.tokens import START, TEXT, VOID, attributes, raw_text
from templcrawl.page.vocabulary import RAW_TEXT_NAMES

Words = frozenset[str]
Attributes = frozenset[tuple[str, str]]

_CHILD = np.uint64(0x5851F42D4C957F2D)
_BASE = 0xD1342543DE82EF95  # of the polynomial; odd, so that its powers have inverses


class Node(NamedTuple):
    """The properties by which two nodes are compared.

    label              the tag name of an element, "" for the document; the key of its words for a text run
    classes            class names
    attributes         all other attributes, as (name, value)
    children           how many children it has
    relative_position  where it stands among its siblings, from 0 for the first to 1 for the last
    """

    label: str | int
    classes: Words = frozenset()
    attributes: Attributes = frozenset()
    children: int = 0
    relative_position: float = 0.0


class Nodes:
    """The nodes of a page.

    positions  node -> position of its token; -1 for the document
    elements   node -> its element, -1 for a text run
    parents    node -> its parent, always smaller; -1 for the document
    stops      node -> the node after the last of its subtree
    children   node -> how many children it has
    ranks      node -> how many siblings stand before it
    keys       node -> key of its subtree
    insides    node -> key of what is below it
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self._attributes_of: dict[int, Attributes] = {}
        tokens, elements = page.tokens, page.elements
        node_counts = _nodes_of_tokens(page)
        before = np.concatenate(([0], np.cumsum(node_counts))) + 1
        size = int(before[-1])
        self.positions: Indices = np.concatenate(([-1], np.repeat(np.arange(len(tokens)), node_counts)))
        node_of_element = before[elements.open_array]
        node_of_element[0] = 0
        self.elements: Indices = np.full(size, -1, dtype=np.intp)
        self.elements[node_of_element] = np.arange(len(elements))
        self.parents: Indices = np.full(size, -1, dtype=np.intp)
        self.parents[1:] = node_of_element[elements.owner_array[self.positions[1:]]]
        self.parents[node_of_element[1:]] = node_of_element[elements.parent_array[1:]]
        self.stops: Indices = np.arange(1, size + 1)
        self.stops[node_of_element] = before[np.array(elements.closes, dtype=np.intp)]
        self.stops[0] = size
        self.children: Indices = np.bincount(self.parents[1:], minlength=size)
        self._order = np.argsort(self.parents[1:], kind="stable") + 1
        self._starts = np.concatenate(([0], np.cumsum(self.children)))
        self.ranks: Indices = np.zeros(size, dtype=np.intp)
        self.ranks[self._order] = np.arange(size - 1) - self._starts[self.parents[self._order]]
        own: Keys = np.zeros(size, dtype=np.uint64)
        own[1:] = tokens.keys[self.positions[1:]]
        is_raw = self.texts[1:] & (tokens.kind_array[self.positions[1:]] == START)
        own[1:][is_raw] ^= _CHILD
        self.keys, self.insides = _subtree_keys(own, self.stops)

    def __len__(self) -> int:
        return len(self.positions)

    def children_of(self, node: int) -> list[int]:
        """Return the children of a node, in order."""
        return self._order[self._starts[node] : self._starts[node + 1]].tolist()

    def __getitem__(self, node: int) -> Node:
        """Return the properties by which a node is compared.  Cost: O(1)."""
        tokens = self.page.tokens
        parent, element = int(self.parents[node]), int(self.elements[node])
        siblings = int(self.children[parent]) if parent >= 0 else 1
        relative_position = int(self.ranks[node]) / (siblings - 1) if siblings > 1 else 0.0
        children = int(self.children[node])
        if element < 0:
            return Node(int(self.keys[node]), relative_position=relative_position)
        if element == 0:
            return Node("", children=children)
        form = tokens.form_of[self.positions[node]]
        tag = tokens.form_tags[form]
        return Node(tag.name, frozenset(tag.classes), self._attributes(form), children, relative_position)

    def _attributes(self, form: int) -> Attributes:
        pairs = self._attributes_of.get(form)
        if pairs is None:
            written = attributes(self.page.tokens.forms[form]).items()
            pairs = frozenset(pair for pair in written if pair[0] != "class")
            self._attributes_of[form] = pairs
        return pairs

    @cached_property
    def texts(self) -> Flags:
        """Node -> whether it is a text run."""
        return self.elements < 0

    def content_nodes(self, mask: bytes) -> Flags:
        """Return node -> whether its token is content, by a separation's mask."""
        content: Flags = np.zeros(len(self), dtype=bool)
        content[1:] = np.frombuffer(mask, dtype=bool)[self.positions[1:]]
        return content


def _nodes_of_tokens(page: Page) -> Indices:
    # 2 of a raw-text element, with its text
    tokens = page.tokens
    kinds = tokens.kind_array
    node_counts: Indices = ((kinds == TEXT) | (kinds == START) | (kinds == VOID)).astype(np.intp)
    raw = [
        form
        for form, (kind, name) in enumerate(zip(tokens.form_kinds, tokens.form_names))
        if kind == START and name in RAW_TEXT_NAMES and raw_text(tokens.forms[form]).strip()
    ]
    if raw:
        node_counts += np.isin(tokens.form_array, raw)
    return node_counts


def _subtree_keys(own: Keys, stops: Indices) -> tuple[Keys, Keys]:
    """Return the polynomials of each node's range, and of that range without the node.

    The key of a subtree is a polynomial hash, modulo 2^64, of its range: of each node's own key (its tag as
    written, or its words with white space folded) mixed with the size of its subtree.

    Each is divided by the power that its range begins with.
    """
    size = len(own)
    sizes = (stops - np.arange(size)).astype(np.uint64)
    values = (own ^ (sizes * np.uint64(MIX))) * np.uint64(_BASE)
    values ^= values >> np.uint64(29)
    values *= _CHILD
    sums = np.concatenate((np.zeros(1, dtype=np.uint64), np.cumsum(values * powers(_BASE, size))))
    inverse = powers(pow(_BASE, -1, MASK + 1), size + 1)
    return (sums[stops] - sums[:-1]) * inverse[:-1], (sums[stops] - sums[1:]) * inverse[1:]


Equality = Callable[[Node, Node], float]  # how equal two nodes of one label are, 0 to 1

_LEAST = 0.5  # of two nodes that count as equal
_SKELETON = frozenset({"", "html", "head", "body"})


def weighted(a: Node, b: Node) -> float:
    """Return the weighted likeness of two nodes, 0 where it is below the least that counts as equal.

    The default.  It weighs what the paper names, all alike, and counts two nodes as equal from one half on::

        class names and attributes   those of both over those of either (Jaccard), 1 if neither has any
        number of children           the smaller over the larger
        relative position            1 less the difference of the relative positions

    ``html``, ``head`` and ``body`` are equal whatever they carry: a page has one of each.

    >>> weighted(Node("li", frozenset({"active"})), Node("li"))
    0.75
    >>> weighted(Node("p", frozenset({"x"}), frozenset({("id", "1")}), 2), Node("p", frozenset({"y"})))
    0.0
    """
    if a.label in _SKELETON:
        return 1.0
    children = 1.0 if a.children == b.children else min(a.children, b.children) / max(a.children, b.children)
    names = _likeness(a.classes, b.classes) + _likeness(a.attributes, b.attributes)
    likeness = (names + children + (1.0 - abs(a.relative_position - b.relative_position))) / 4
    return likeness if likeness >= _LEAST else 0.0


def same_tag(a: Node, b: Node) -> float:
    """Return 1 for two nodes with equal class names and attributes, else 0.

    >>> same_tag(Node("li", frozenset({"active"})), Node("li")), same_tag(Node("li"), Node("li", children=3))
    (0.0, 1.0)
    """
    is_same = (a.classes, a.attributes) == (b.classes, b.attributes)
    return float(a.label in _SKELETON or is_same)


def same_label(a: Node, b: Node) -> float:
    """Return 1: two nodes of one label are equal, as in a top-down mapping by names alone.

    >>> same_label(Node("li", frozenset({"active"})), Node("li"))
    1.0
    """
    return 1.0


EQUALITIES = {"weighted": weighted, "tag": same_tag, "name": same_label}


def _likeness(a: frozenset[Any], b: frozenset[Any]) -> float:
    return 1.0 if a == b else len(a & b) / len(a | b)
