"""Local template detection: pagelets that stand on several pages of a collection are template.

Source: Bar-Yossef & Rajagopalan (WWW 2002), Figure 4: eliminate duplicate pages, group the pagelets
by their shingle, output each group.  A template is a group of two pagelets or more.

This is the algorithm over a finished collection.  A crawl keeps the same groups as counts
(:mod:`templcrawl.memory.pagelet_table`), which gives the same answer once all pages are in.

Cost: O(K) for K pagelets, where the paper sorts.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

PageKey = TypeVar("PageKey", bound=Hashable)


def detect_local_templates(
    pagelets: Mapping[PageKey, Sequence[int]],
    duplicates: Iterable[PageKey] = (),
    *,
    min_pages: int = 2,
) -> dict[int, list[PageKey]]:
    """Return shingle -> pages that own a pagelet of this template.

    pagelets    page -> shingles of its pagelets
    duplicates  pages that repeat another page; they own nothing
    min_pages   how many pages must share a pagelet

    >>> detect_local_templates({"a": [7, 1], "b": [7, 2], "c": [7, 1]}, duplicates=["c"])
    {7: ['a', 'b']}
    """
    left_out = set(duplicates)
    groups: dict[int, list[PageKey]] = {}
    for page, shingles in pagelets.items():
        if page not in left_out:
            for shingle in dict.fromkeys(shingles):
                groups.setdefault(shingle, []).append(page)
    return {shingle: pages for shingle, pages in groups.items() if len(pages) >= min_pages}
