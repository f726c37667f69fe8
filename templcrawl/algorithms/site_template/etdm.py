"""The equal top-down mapping of two pages (ETDM), and the template of a page by it.

A mapping pairs nodes of two trees one to one.  It is *equal*: paired nodes are equal
(:mod:`templcrawl.algorithms.site_template.nodes`), and have one label.  It is *top-down*: the parents of
paired nodes are paired.  The template of a key page with respect to other pages are its nodes that stay
paired with a node of every other page.

Source: Alarte, Insa, Silva, Tamarit, "Web Template Extraction Based on Hyperlink Analysis" (2014),
Definitions 3.1 to 3.3 and Algorithm 2.  Departures: :class:`SiblingPairing`, :func:`drop_hollow`.  m nodes in
both trees, k children on both sides.  Cost: O(m) and O(k) each, and for a group that is weighed its pairs,
then at most their number to the power of 1.5, which is bounded; deep trees do not recurse.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

import numpy as np

from templcrawl.algorithms.site_template.nodes import Equality, Node, Nodes, weighted
from templcrawl.page.arrays import Flags, Floats, Indices
from templcrawl.page.separation import Spans, labelled_spans, whole

MAX_PAIRS = 1_024  # pairs of children of one label that are weighed against each other
MAX_WEIGHED = 200_000  # pairs that are weighed in one mapping
Pair = tuple[int, int]


class SiblingPairing:
    """Pairs siblings in one mapping of two pages.

    From the roots down, the children of two paired nodes are paired one to one.

    1. Children with equal subtrees are paired first, in order, together with all that is below them.  Where
       equality is an equivalence this loses nothing: an exchange of partners never makes the mapping smaller.
    2. Then equal children with all the same below them: the tag of a menu's active entry differs, or the
       address of a relative link.
    3. Of what is left, children of one label are paired for the greatest total of their equality.
    4. Where that would be more than ``MAX_PAIRS`` pairs to weigh, or more than ``MAX_WEIGHED`` in the whole
       mapping, children with the same classes and attributes are paired in order, then the others in order.

    Departures: the paper asks for the biggest mapping.  Ours pairs the children of one pair after the other,
    and of what is below them sees only whether it is the same, so it can be smaller: it is in 16 of 300 pairs
    of random trees of three levels, by 32 of 1,235 pairs of nodes, and in 35 of 300 of four levels
    (``test_etdm.py``).  In the paper each child goes to the one that is most equal, and nothing is said of
    two that want the same; steps 1, 2 and 4 are ours.
    """

    def __init__(self, tree: Nodes, other: Nodes, equality: Equality) -> None:
        self._tree = tree
        self._other = other
        self._equality = equality
        self._keys: list[int] = tree.keys.tolist()
        self._other_keys: list[int] = other.keys.tolist()
        self._may_weigh = MAX_WEIGHED

    def pair(self, left: list[int], right: list[int]) -> tuple[list[Pair], list[Pair]]:
        """Return the pairs of children with equal subtrees, and of others that are equal."""
        keys = ((child, self._keys[child]) for child in left)
        others = [(child, self._other_keys[child]) for child in right]
        same = _alike(keys, others)
        left, right = _others(left, right, same)
        return same, self._equal(left, right) if left and right else []

    def _equal(self, left: list[int], right: list[int]) -> list[Pair]:
        nodes = {child: self._tree[child] for child in left}
        others = {child: self._other[child] for child in right}
        groups: dict[Hashable, tuple[list[int], list[int]]] = {}
        for child, node in nodes.items():
            groups.setdefault(node.label, ([], []))[0].append(child)
        for child, node in others.items():
            if node.label in groups:
                groups[node.label][1].append(child)
        pairs = []
        for mine, theirs in groups.values():
            alike = _alike(  # those with all the same below them; childless ones are left
                ((child, int(self._tree.insides[child])) for child in mine if self._tree.children[child]),
                [(child, int(self._other.insides[child])) for child in theirs if self._other.children[child]],
            )
            same = [(a, b) for a, b in alike if self._equality(nodes[a], others[b]) > 0]
            rows, columns = _others(mine, theirs, same)
            pairs += same
            for row, column in self._weighed([nodes[a] for a in rows], [others[b] for b in columns]):
                pairs.append((rows[row], columns[column]))
        return pairs

    def _weighed(self, nodes: Sequence[Node], others: Sequence[Node]) -> list[Pair]:
        if not nodes or not others:
            return []
        pairs = len(nodes) * len(others)
        if pairs > min(MAX_PAIRS, self._may_weigh):
            mine, theirs = ([(node.classes, node.attributes) for node in side] for side in (nodes, others))
            same = _alike(enumerate(mine), list(enumerate(theirs)))
            same += zip(*_others(list(range(len(nodes))), list(range(len(others))), same))
            return [(row, column) for row, column in same if self._equality(nodes[row], others[column]) > 0]
        self._may_weigh -= pairs
        return best_pairs(np.array([[self._equality(node, other) for other in others] for node in nodes]))


def _alike(left: Iterable[tuple[int, Hashable]], right: Sequence[tuple[int, Hashable]]) -> list[Pair]:
    free: dict[Hashable, list[int]] = {}
    for child, key in reversed(right):
        free.setdefault(key, []).append(child)
    return [(child, free[key].pop()) for child, key in left if free.get(key)]


def _others(left: list[int], right: list[int], paired: Sequence[Pair]) -> tuple[list[int], list[int]]:
    if not paired:
        return left, right
    mine, theirs = ({pair[side] for pair in paired} for side in (0, 1))
    return [child for child in left if child not in mine], [child for child in right if child not in theirs]


def best_pairs(weights: Floats) -> list[tuple[int, int]]:
    """Return the pairs (row, column) of greatest total weight, by row; pairs of weight 0 are left out.

    Source: Kuhn (1955), Munkres (1957), in the form of shortest augmenting paths with potentials (Jonker &
    Volgenant 1987): rows come one by one, each takes the cheapest path of re-pairings to a free column.  r
    rows, c columns, r <= c (else the matrix is turned).  Cost: O(r^2 c), the innermost loop in numpy; O(r c)
    where no two rows want the same column most.

    weights  rows x columns, 0 or more; 0 says that the two may not be paired

    >>> best_pairs(np.array([[0.9, 0.8], [0.8, 0.0]]))
    [(0, 1), (1, 0)]
    """
    rows, columns = weights.shape
    if not rows or not columns:
        return []
    if rows > columns:
        return sorted((row, column) for column, row in best_pairs(weights.T))
    best_columns = weights.argmax(axis=1).tolist()
    chosen = best_columns if len(set(best_columns)) == rows else _columns_of_rows(-weights)
    return [(row, column) for row, column in enumerate(chosen) if weights[row, column] > 0]


def _columns_of_rows(costs: Floats) -> list[int]:
    rows, columns = costs.shape
    row_price, column_price = np.zeros(rows), np.zeros(columns + 1)
    row_of = np.full(columns + 1, -1)
    for row in range(rows):
        row_of[columns] = row
        column = columns
        least = np.full(columns, np.inf)
        came_from = np.full(columns, columns)
        is_done = np.zeros(columns + 1, dtype=bool)
        while row_of[column] >= 0:
            is_done[column] = True
            held = row_of[column]
            slack = costs[held] - row_price[held] - column_price[:columns]
            is_open = ~is_done[:columns]
            is_less = is_open & (slack < least)
            least[is_less] = slack[is_less]
            came_from[is_less] = column
            nearest = int(np.where(is_open, least, np.inf).argmin())
            step = least[nearest]
            row_price[row_of[is_done]] += step
            column_price[is_done] -= step
            least[is_open] -= step
            column = nearest
        while column != columns:
            before = int(came_from[column])
            row_of[column] = row_of[before]
            column = before
    columns_of = np.zeros(rows, dtype=np.intp)
    columns_of[row_of[:columns][row_of[:columns] >= 0]] = np.flatnonzero(row_of[:columns] >= 0)
    return columns_of.tolist()


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

    A refined template keeps the features of the key page's nodes, as in Definition 3.3.

    A page whose root is not equal to the key page's says nothing.
    """
    template: Flags = np.ones(len(tree), dtype=bool)
    for other in others:
        if equality(tree[0], other[0]) > 0:
            template &= etdm(tree, other, equality, template) >= 0
    return template


def drop_hollow(tree: Nodes, template: Flags) -> Flags:
    """Return the template without the elements that have lost all that the key page has in them.

    Ours: the paper's template keeps the empty shells of content.
    """
    is_childless = template & (tree.children == 0)
    childless = np.concatenate(([0], np.cumsum(is_childless)))
    return template & (childless[tree.stops] > childless[:-1])


def content_spans(tree: Nodes, template: Flags) -> Spans:
    """Return the spans of the page's tokens that are not template."""
    elements, texts = tree.page.elements, tree.texts
    is_template = np.zeros(len(elements), dtype=bool)
    is_template[tree.elements[~texts]] = template[~texts]
    content = ~is_template[elements.owner_array]
    content[tree.positions[texts]] = ~template[texts]
    return labelled_spans(tree.page.tokens, content)


def separate_by_mapping(tree: Nodes, others: Iterable[Nodes], equality: Equality = weighted) -> Spans:
    """Return the spans of the key page's tokens that are content; all of it where there is no other page.

    >>> from templcrawl.page.page import Page
    >>> key, other = (Nodes(Page(f"<ul><li>Home</ul><p>{word}", "")) for word in ("Tea", "Milk"))
    >>> separate_by_mapping(key, [other]), separate_by_mapping(key, [])
    (((4, 6),), ((0, 6),))
    """
    others = list(others)
    if not others:
        return whole(tree.page.tokens)
    return content_spans(tree, drop_hollow(tree, extract_template(tree, others, equality)))
