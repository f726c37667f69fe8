"""RTDM: the restricted top-down mapping, a tree edit distance.

Source: Reis, Golgher, da Silva & Laender (WWW 2004); Hachenberg & Gottron (CIKM 2013, section 4.2) as a
baseline.

A mapping pairs nodes of two trees.  It is *top-down*: the roots are paired, and nodes are paired only if
their parents are; children keep their order.  It is *restricted*: below a pair of different names
nothing is paired.  A node left out costs 1, a pair of different names 1; the edit distance is the least
cost of a mapping.

How: the children of a pair are aligned as strings are, with the cost of a pair of children computed in
the same way.  Pairs of equal subtrees cost nothing and are not looked into; each pair of distinct
subtrees is computed once; equal children at both ends are paired first (this loses nothing, for a pair
never costs less than the difference of its sizes).

    distance(a, b) = edits / (nodes of a + nodes of b), the documents themselves not counted

Trees hold elements, no text.  The paper prints neither unit costs nor the norm: the plainest are taken.
Threshold: a class's own when classifying, as in the paper; for clusters none is given: .2, as for LCTS.
Departure: elements deeper than 200 hang on their ancestor at that depth.
Cost: O(nodes^2) a comparison at worst, so a sample of the pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xxhash import xxh3_64_intdigest

from lab.papers.structure.judging import ByDistance
from templcrawl import Page

_DEEPEST = 200
Costs = dict[tuple[int, int], int]


class Tree(NamedTuple):
    """A subtree.

    key       equal for equal subtrees (64-bit hash of the name and the children's keys)
    size      how many nodes it has
    children  its child subtrees, in order
    """

    name: str
    key: int
    size: int
    children: tuple[Tree, ...]


def tree(name: str, children: Sequence[Tree] = ()) -> Tree:
    keys = b"".join(child.key.to_bytes(8, "little") for child in children)
    key = xxh3_64_intdigest(keys + name.encode("utf-8", "surrogatepass"))
    return Tree(name, key, 1 + sum(child.size for child in children), tuple(children))


def features(page: Page) -> Tree:
    """Return the element tree of a page; equal subtrees are one object.

    >>> features(Page("<ul><li>one<li>two</ul><p>", "")).size
    5
    """
    parents = _capped(page.elements.parents)
    children: list[list[Tree]] = [[] for _ in parents]
    known: dict[int, Tree] = {}
    for element in range(len(parents) - 1, 0, -1):
        made = tree(page.elements.names[element], children[element][::-1])
        children[parents[element]].append(known.setdefault(made.key, made))
        children[element] = []
    return tree("", children[0][::-1])


def _capped(parents: Sequence[int]) -> list[int]:
    """Return the parents with nothing deeper than ``_DEEPEST``."""
    depths, capped = [0], [-1]
    for parent in parents[1:]:
        while depths[parent] >= _DEEPEST:
            parent = capped[parent]
        capped.append(parent)
        depths.append(depths[parent] + 1)
    return capped


def edits(a: Tree, b: Tree) -> int:
    """Return the least cost of a restricted top-down mapping of two trees.

    >>> item, word = tree("li"), tree("b")
    >>> edits(tree("ul", [item, item]), tree("ul", [item, tree("li", [word]), item]))
    2
    """
    return _pair(a, b, {})


def _pair(a: Tree, b: Tree, known: Costs) -> int:
    if a.key == b.key:
        return 0
    if a.name != b.name:
        return a.size + b.size - 1
    if not a.children or not b.children:
        return a.size + b.size - 2
    cost = known.get((a.key, b.key))
    if cost is None:
        cost = known[a.key, b.key] = _align(a.children, b.children, known)
    return cost


def _align(a: Sequence[Tree], b: Sequence[Tree], known: Costs) -> int:
    """Return the least cost of pairing two rows of siblings in order."""
    start = 0
    while start < min(len(a), len(b)) and a[start].key == b[start].key:
        start += 1
    a, b = a[start:], b[start:]
    while a and b and a[-1].key == b[-1].key:
        a, b = a[:-1], b[:-1]
    above = [0]
    for right in b:
        above.append(above[-1] + right.size)
    for left in a:
        row = [above[0] + left.size]
        for column, right in enumerate(b):
            apart = min(above[column + 1] + left.size, row[column] + right.size)
            row.append(min(apart, above[column] + _pair(left, right, known)))
        above = row
    return above[-1]


def distance(a: Tree, b: Tree) -> float:
    """Return the edits as a share of the nodes of both trees, their roots not counted."""
    nodes = a.size + b.size - 2
    return edits(a, b) / nodes if nodes else 0.0


RTDM = ByDistance("RTDM", features, distance, threshold=0.2, is_slow=True)
