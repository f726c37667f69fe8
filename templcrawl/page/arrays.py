"""Sums, products, edges and stretches of arrays, in calls of numpy that cost least where an array is short.

n numbers.  Cost: O(n).
"""

from __future__ import annotations

from collections.abc import Sequence
from struct import pack
from typing import Any

import numpy as np
import numpy.typing as npt

from templcrawl.page.ancestors import Indices


def indices(numbers: Sequence[int]) -> Indices:
    """Return numbers as an array, for which ``np.array`` takes twice as long."""
    return np.frombuffer(pack(f"{len(numbers)}n", *numbers), dtype=np.intp)


def dot(left: npt.NDArray[Any], right: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return a product of finite numbers.

    BLAS may say that some are invalid though all are finite (numpy issue 24067, OpenBLAS issue 1924).
    """
    with np.errstate(invalid="ignore"):
        product: npt.NDArray[Any] = left.dot(right)
    return product


def before(counts: npt.NDArray[np.bool_] | Indices) -> Indices:
    """Return the sum of all counts before each; and of all.

    >>> before(np.array([1, 0, 2])).tolist()
    [0, 1, 1, 3]
    """
    padded = np.zeros(len(counts) + 1, np.intp)
    padded[1:] = counts
    return padded.cumsum()


def stretches(values: npt.NDArray[np.generic]) -> tuple[Indices, Indices]:
    """Return the start and the stop of each stretch of equal values.

    >>> [bounds.tolist() for bounds in stretches(np.array([5, 5, 2, 5]))]
    [[0, 2, 3], [2, 3, 4]]
    """
    is_edge = np.ones(len(values) + 1, dtype=bool)
    np.not_equal(values[1:], values[:-1], out=is_edge[1:-1])
    edges = is_edge.nonzero()[0]
    return edges[:-1], edges[1:]


def edges_of(flags: npt.NDArray[np.bool_]) -> Indices:
    """Return where each stretch of flags that are set starts and stops, in turn.

    >>> edges_of(np.array([True, True, False, True])).tolist()
    [0, 2, 3, 4]
    """
    padded = np.zeros(len(flags) + 2, dtype=bool)
    padded[1:-1] = flags
    edges: Indices = (padded[1:] != padded[:-1]).nonzero()[0]
    return edges
