"""Average-linkage clustering of groups: the merge tree, distances between the sides of a merge, and cuts.

A merge (a, b, distance) joins two nodes; rows are nodes 0 to L - 1, merge k makes node L + k.

Source: linkage by average, here weighted by pages, is of Sokal & Michener (1958), its update of Lance &
Williams (1967).  L rows.  Cost: O(L^3) for the tree, in numpy; O(L^2) for the distances of a view between its
sides.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Merge = tuple[int, int, float]


def average_linkage(distances: Array, pages: Array) -> list[Merge]:
    """Average linkage weighted by pages: merges (a, b, distance), nearest first; merge k makes L + k.

    Two sides of equal distance merge in the order of their rows: the answer is always the same.
    """
    count = len(distances)
    between, size, names = distances.copy(), pages.astype(np.float64).tolist(), list(range(count))
    between.ravel()[:: count + 1] = np.inf
    merges = []
    for step in range(count - 1):
        first, second = sorted(divmod(int(between.argmin()), count))
        merges.append((names[first], names[second], float(between[first, second])))
        together = size[first] + size[second]
        joined = between[first]
        joined *= size[first]
        joined += size[second] * between[second]
        joined /= together
        joined[first] = joined[second] = np.inf
        between[:, first] = joined
        between[second] = between[:, second] = np.inf
        size[first] = together
        names[first] = count + step
    return merges


def node_pages(pages: Array, merges: Sequence[Merge]) -> Array:
    """Return node -> how many pages it has.

    >>> node_pages(np.array([2, 1, 4]), [(0, 1, 0.1), (3, 2, 0.5)]).tolist()
    [2.0, 1.0, 4.0, 3.0, 7.0]
    """
    sizes = pages.astype(np.float64).tolist()
    for first, second, _ in merges:
        sizes.append(sizes[first] + sizes[second])
    return np.array(sizes)


def node_sums(values: Array, pages: Array, merges: Sequence[Merge]) -> Array:
    """Return node, column -> sum over its pages.

    values  row, column -> mean of the row's pages

    >>> node_sums(np.array([[1.0], [0.5]]), np.array([2, 4]), [(0, 1, 0.1)]).ravel().tolist()
    [2.0, 2.0, 4.0]
    """
    count = len(pages)
    sums = np.empty((count + len(merges), values.shape[1]))
    np.multiply(values, pages[:, None], out=sums[:count])
    for node, (left, right, _) in enumerate(merges, count):
        np.add(sums[left], sums[right], out=sums[node])
    return sums


def sides_of(merges: Sequence[Merge]) -> tuple[Array, Array]:
    """Return the nodes on the left and on the right side of each merge."""
    sides = np.array([merge[:2] for merge in merges], dtype=np.intp).reshape(-1, 2)
    return sides[:, 0], sides[:, 1]


def mean_distances(views: Sequence[Array], pages: Array, merges: Sequence[Merge]) -> Array:
    """Return view, merge -> mean distance between the pages of its two sides.

    views  row, row -> distance, of each view; the tree may have been made by another

    >>> distances = np.array([[0, 0.2, 0.8], [0.2, 0, 0.5], [0.8, 0.5, 0]])
    >>> mean_distances([distances], np.array([2, 1, 4]), [(0, 1, 0.2), (3, 2, 0.7)]).round(3).tolist()
    [[0.2, 0.7]]
    """
    count = len(pages)
    left, right = sides_of(merges)
    sums = node_sums(np.hstack([np.eye(count), *views]), pages, merges)
    below, size = sums[right, :count], node_pages(pages, merges)
    pairs = size[left] * size[right]
    view_sums = (sums[left, count * view : count * (view + 1)] for view in range(1, len(views) + 1))
    return np.array([np.einsum("ij,ij->i", view_sum, below) / pairs for view_sum in view_sums])


def join(count: int, merges: Sequence[Merge], allowed: Sequence[bool]) -> list[list[int]]:
    """Return the groups of rows that the allowed merges make; a merge above a refused one is refused too."""
    groups = {row: [row] for row in range(count)}
    for step, ((first, second, _), is_allowed) in enumerate(zip(merges, allowed)):
        if is_allowed and first in groups and second in groups:
            groups[count + step] = groups.pop(first) + groups.pop(second)
    return sorted(map(sorted, groups.values()))


def branches(merges: Sequence[Merge], nodes: Sequence[int]) -> list[list[int]]:
    """Return the rows below each of some nodes that lie beside each other, in ascending order.

    >>> branches([(0, 1, 0.1), (3, 2, 0.5)], [3, 2])
    [[0, 1], [2]]
    """
    count = len(merges) + 1
    groups = []
    for node in nodes:
        rows, waiting = [], [node]
        while waiting:
            below = waiting.pop()
            if below < count:
                rows.append(below)
            else:
                waiting.extend(merges[below - count][:2])
        groups.append(sorted(rows))
    return sorted(groups)
