"""The distiller of a focused crawl: the pagelets that lead to most of what is relevant.

Every so often a focused crawler ranks what it has crawled by hubs and authorities and brings the links of
the best hubs forward.  Hubs are pagelets here, authorities the pages that their links led to, and a
link counts as much as its page is relevant.

Source: Chakrabarti, van den Berg & Dom (WWW 1999), section 3.3; pagelets as hubs: Bar-Yossef &
Rajagopalan (WWW 2002), section 4.  In simulations of focused crawls it brought nothing beyond the records of
:mod:`templcrawl.algorithms.crawl_order.focus`; it stands here as the papers' reference.

E links, cost: O(E) an iteration of :func:`templcrawl.algorithms.ranking.hits.hits`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from templcrawl.algorithms.ranking.hits import hits

MOST_HUBS = 10


def best_hubs(
    links: Iterable[tuple[int, Sequence[int]]], relevance: Mapping[int, float], *, most: int = MOST_HUBS
) -> list[int]:
    """Return the pagelets with the highest hub scores, best first; of equal ones the smallest key.

    links      (page, pagelets that link to it)
    relevance  page -> how relevant it is, 0 to 1; other pages do not count
    most       pagelets returned at most; those with less than a thousandth of the best score are none
    Raises MissingExtra without scipy.

    >>> best_hubs([(1, [7, 8]), (2, [7]), (3, [9])], {1: 1.0, 2: 0.5, 3: 0.0})
    [7, 8]
    """
    hubs: dict[int, int] = {}
    pages: dict[int, int] = {}
    ends: list[tuple[int, int, float]] = []
    for page, pagelets in links:
        weight = relevance.get(page, 0.0)
        if weight > 0:
            number = pages.setdefault(page, len(pages))
            ends += [(hubs.setdefault(pagelet, len(hubs)), number, weight) for pagelet in pagelets]
    if not ends:
        return []
    sources, targets, weights = zip(*ends)
    scores = hits(sources, targets, shape=(len(hubs), len(pages)), weights=weights).hubs
    keys = np.array(list(hubs), dtype=np.uint64)
    order = np.lexsort((keys, -scores.round(9)))[:most]
    return [int(keys[hub]) for hub in order.tolist() if scores[hub] >= scores.max() / 1_000]
