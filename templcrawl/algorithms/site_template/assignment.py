"""Pair rows with columns one to one for the greatest total weight.

Source: Kuhn (1955), Munkres (1957), in the form of shortest augmenting paths with potentials (Jonker &
Volgenant 1987): rows come one by one, each takes the cheapest path of re-pairings to a free column.

r rows, c columns, r <= c (else the matrix is turned).  Cost: O(r^2 c), the innermost loop in numpy; O(r c)
where no two rows want the same column most.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def best_pairs(weights: Floats) -> list[tuple[int, int]]:
    """Return the pairs (row, column) of greatest total weight, by row; pairs of weight 0 are left out.

    weights  rows x columns, 0 or more; 0 says that the two may not be paired

    >>> best_pairs(np.array([[0.9, 0.8], [0.8, 0.0]]))
    [(0, 1), (1, 0)]
    """
    rows, columns = weights.shape
    if not rows or not columns:
        return []
    if rows > columns:
        return sorted((row, column) for column, row in best_pairs(weights.T))
    wanted = weights.argmax(axis=1).tolist()
    chosen = wanted if len(set(wanted)) == rows else _columns_of_rows(-weights)
    return [(row, column) for row, column in enumerate(chosen) if weights[row, column] > 0]


def _columns_of_rows(costs: Floats) -> list[int]:
    """Return row -> its column in the assignment of least total cost."""
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
    chosen: list[int] = columns_of.tolist()
    return chosen
