"""The equal top-down mapping of two pages (ETDM), and the template of a page by it.

Source: Alarte, Insa, Silva, Tamarit, "Web Template Extraction Based on Hyperlink Analysis" (2014),
Definitions 3.1 to 3.3 and Algorithm 2.

A mapping pairs nodes of two trees one to one.  It is *equal*: paired nodes are equal (see
:mod:`templcrawl.algorithms.site_template.nodes`), and have one label.  It is *top-down*: the
parents of paired nodes are paired.  The template of a key page with respect to other pages are its nodes
that stay paired with a node of every other page.

How: from the roots down, the children of two paired nodes are paired one to one, those with equal subtrees
together with all that is below them (see :mod:`templcrawl.algorithms.site_template.sibling_pairs`).

Departures: the paper asks for the biggest mapping.  Ours pairs the children of one pair after the other, and
of what is below them sees only whether it is the same, so it can be smaller: it is in 16 of 300 pairs of
random trees of three levels, by 32 of 1,235 pairs of nodes, and in 35 of 300 of four levels
(``test_etdm.py``).  A refined template keeps the features of the key page's nodes (number of children,
relative position), as in Definition 3.3.  ``without_hollow`` is ours: the paper's template keeps the empty
shells of content.

m nodes in both trees.  Cost: O(m) beyond what is weighed of siblings, which is bounded; deep trees do not
recurse.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from templcrawl.algorithms.site_template.nodes import Equality, Flags, Nodes, weighted
from templcrawl.algorithms.site_template.sibling_pairs import SiblingPairing
from templcrawl.page.ancestors import Indices
from templcrawl.page.separation import Spans, labelled_spans


def etdm(tree: Nodes, other: Nodes, equality: Equality = weighted, within: Flags | None = None) -> Indices:
    """Return node of ``tree`` -> the node of ``other`` that it is paired with, -1 for none.

    within  nodes of ``tree`` that may be paired, each with its parent; all by default

    >>> from templcrawl.page.page import Page
    >>> a, b = (Nodes(Page(f"<ul><li>{word}<li>Home</ul>", "")) for word in ("Tea", "Milk"))
    >>> etdm(a, b).tolist()
    [0, 1, 2, -1, 4, 5]
    """
    partners: Indices = np.full(len(tree), -1, dtype=np.intp)
    if equality(tree[0], other[0]) <= 0:
        return partners
    siblings = SiblingPairing(tree, other, equality)
    allowed = None if within is None else within.tolist()
    partners[0] = 0
    waiting = [(0, 0)]
    while waiting:
        a, b = waiting.pop()
        left = [child for child in tree.children_of(a) if allowed is None or allowed[child]]
        same, equal = siblings.pair(left, other.children_of(b))
        for c, d in same:
            partners[c : tree.stops[c]] = np.arange(d, other.stops[d])
        for c, d in equal:
            partners[c] = d
        waiting += equal
    if within is not None:
        partners[~within] = -1
    return partners


def extract_template(tree: Nodes, others: Iterable[Nodes], equality: Equality = weighted) -> Flags:
    """Return node of the key page -> whether it is template with respect to the other pages.

    A page whose root is not equal to the key page's says nothing.
    """
    template: Flags = np.ones(len(tree), dtype=bool)
    for other in others:
        if equality(tree[0], other[0]) > 0:
            template &= etdm(tree, other, equality, template) >= 0
    return template


def without_hollow(tree: Nodes, template: Flags) -> Flags:
    """Return the template without the elements that have lost all that the key page has in them."""
    is_childless = template & (tree.children == 0)
    childless = np.concatenate(([0], np.cumsum(is_childless)))
    solid: Flags = template & (childless[tree.stops] > childless[:-1])
    return solid


def content_spans(tree: Nodes, template: Flags) -> Spans:
    """Return the spans of the page's tokens that are not template."""
    page = tree.page
    elements = page.elements
    of_element = np.zeros(len(elements), dtype=bool)
    is_element = ~tree.texts
    of_element[tree.elements[is_element]] = template[is_element]
    content = ~of_element[elements.owner_array]
    texts = tree.texts[1:]
    positions = tree.positions[1:]
    content[positions[texts]] = ~template[1:][texts]
    return labelled_spans(page.tokens, content)


def separate_by_mapping(tree: Nodes, others: Iterable[Nodes], equality: Equality = weighted) -> Spans:
    """Return the spans of the key page's tokens that are content; all of it where there is no other page.

    >>> from templcrawl.page.page import Page
    >>> key, other = (Nodes(Page(f"<ul><li>Home</ul><p>{word}", "")) for word in ("Tea", "Milk"))
    >>> separate_by_mapping(key, [other]), separate_by_mapping(key, [])
    (((4, 6),), ((0, 6),))
    """
    others = list(others)
    if not others:
        tokens = len(tree.page.tokens)
        return ((0, tokens),) if tokens else ()
    return content_spans(tree, without_hollow(tree, extract_template(tree, others, equality)))
