"""The connected components of many undirected graphs at once, from their links as arrays.

Source: Shiloach & Vishkin (J. Algorithms 1982): *hook* the root of each link's larger end below its
smaller one, *shortcut* every path to its root, drop the links that have become inner ones, and again until
none is left.  It stands in the place of the breadth-first search of Bar-Yossef & Rajagopalan (WWW 2002),
Figure 5, step 5: there is one search for all groups, and numpy does it.

Notation: l links over n members.  Cost: O((n + l) log(n + l)) for numbering the members; a round is
O(n + l), and there are few: the smallest member's label crosses a group in 2 to 4 of them on page graphs.
The memory is some ten numbers a link.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int64]


class Components(NamedTuple):
    """The members of components, as three arrays of equal length; ordered by group, then by member.

    groups   group of each member
    members  the member
    roots    the smallest member of its component
    """

    groups: Numbers
    members: Numbers
    roots: Numbers


def connected_components(groups: Numbers, sources: Numbers, targets: Numbers) -> Components:
    """Return the components of two members or more; what no link names is not in the answer.

    groups            group of each link
    sources, targets  its two ends; members of different groups are different members

    >>> links = np.array([[7, 1, 2], [7, 3, 2], [9, 1, 4]])
    >>> connected_components(*links.T).roots.tolist()
    [1, 1, 1, 1, 1]
    """
    distinct_groups, group = np.unique(groups, return_inverse=True)
    distinct, end = np.unique(np.concatenate((sources, targets)), return_inverse=True)
    width = max(1, len(distinct))
    numbered = np.concatenate((group, group)) * width + end
    nodes, node_of_end = np.unique(numbered, return_inverse=True)
    roots = _roots(node_of_end[: len(sources)], node_of_end[len(sources) :], len(nodes))
    components = Components(
        distinct_groups[nodes // width], distinct[nodes % width], distinct[nodes[roots] % width]
    )
    sizes = np.bincount(roots, minlength=len(nodes))
    is_linked = sizes[roots] > 1
    return Components(*(column[is_linked] for column in components))


def _roots(sources: Numbers, targets: Numbers, count: int) -> Numbers:
    """Return node -> the smallest node of its component, for nodes 0 to ``count`` - 1."""
    roots = np.arange(count)
    while len(sources):
        a, b = roots[sources], roots[targets]
        is_open = a != b
        sources, targets, a, b = sources[is_open], targets[is_open], a[is_open], b[is_open]
        np.minimum.at(roots, np.maximum(a, b), np.minimum(a, b))
        while True:
            above = roots[roots]
            if np.array_equal(above, roots):
                break
            roots = above
    return roots
