"""Slow twins of the algorithms, too simple to be wrong."""

from __future__ import annotations

from collections.abc import Sequence


def lcs_length(a: Sequence[object], b: Sequence[object]) -> int:
    """Return the length of a longest common subsequence, by the textbook's table, row by row."""
    above = [0] * (len(b) + 1)
    for x in a:
        row = [0]
        for j, y in enumerate(b):
            row.append(above[j] + 1 if x == y else max(above[j + 1], row[j]))
        above = row
    return above[-1]


def edit_distance(a: Sequence[object], b: Sequence[object]) -> int:
    """Return the Levenshtein distance, by the textbook's table, row by row."""
    above = list(range(len(b) + 1))
    for i, x in enumerate(a, start=1):
        row = [i]
        for j, y in enumerate(b):
            row.append(min(above[j] + (x != y), above[j + 1] + 1, row[j] + 1))
        above = row
    return above[-1]
