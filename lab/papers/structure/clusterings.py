"""Two plain clusterings: by leader for distances, by equal key for hashes.

By leader: a page joins the nearest of the leaders within the threshold; without one it leads a cluster
of its own.  A leader stays the first page of its cluster, so the result depends on the order of the
pages.  Cost: O(pages * clusters) comparisons.

By key: equality is transitive, so the connected components of "equal key" are the keys.  O(pages).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

F = TypeVar("F")


def by_leader(features: Sequence[F], distance: Callable[[F, F], float], threshold: float) -> list[int]:
    """Return the cluster of each page; the nearest leader wins, the earlier one of two equally near.

    >>> by_leader([0.0, 0.4, 1.0, 0.6], lambda a, b: abs(a - b), threshold=0.5)
    [0, 0, 1, 1]
    """
    leaders: list[F] = []
    clusters = []
    for feature in features:
        far, cluster = min(
            ((distance(leader, feature), number) for number, leader in enumerate(leaders)),
            default=(threshold + 1, 0),
        )
        if far > threshold:
            cluster = len(leaders)
            leaders.append(feature)
        clusters.append(cluster)
    return clusters


def by_key(keys: Sequence[Hashable]) -> list[int]:
    """Return the cluster of each page, the same for equal keys.

    >>> by_key(["b", "a", "b"])
    [0, 1, 0]
    """
    numbers: dict[Hashable, int] = {}
    return [numbers.setdefault(key, len(numbers)) for key in keys]
