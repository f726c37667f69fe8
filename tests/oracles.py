"""Slow twins of the algorithms, too simple to be wrong."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from templcrawl.page.arrays import Keys

PageKey = TypeVar("PageKey", bound=Hashable)


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


def detect_local_templates(
    pagelets: Mapping[PageKey, Sequence[int]],
    duplicates: Iterable[PageKey] = (),
    *,
    min_pages: int = 2,
) -> dict[int, list[PageKey]]:
    """Return shingle -> pages that own a pagelet of this template.

    Figure 4 of Bar-Yossef & Rajagopalan (WWW 2002): drop duplicates, group the pagelets by shingle.

    pagelets    page -> shingles of its pagelets
    duplicates  pages that repeat another page; they own nothing
    min_pages   how many pages must share a pagelet
    """
    left_out = set(duplicates)
    groups: dict[int, list[PageKey]] = {}
    for page, shingles in pagelets.items():
        if page not in left_out:
            for shingle in dict.fromkeys(shingles):
                groups.setdefault(shingle, []).append(page)
    return {shingle: pages for shingle, pages in groups.items() if len(pages) >= min_pages}


def resemblance(a: Keys, b: Keys) -> float:
    """Return the resemblance of two sets of shingles, 0 to 1; two empty sets resemble each other fully."""
    common = len(np.intersect1d(a, b, assume_unique=True))
    union = len(a) + len(b) - common
    return common / union if union else 1.0
