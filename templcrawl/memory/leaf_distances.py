"""Where a page stands among the leaves of its site (:mod:`templcrawl.memory.leaves`): how far from each."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

NEAR = 0.5  # distance up to which the pages of a leaf are built like a page


class LeafDistances(NamedTuple):
    """Where a page stands among the leaves of its site.

    leaf       number of its leaf
    leaf_id    id of its leaf, which never changes
    distances  leaf that is alive -> its distance to the page by structure; its own is at 0
    into       leaf -> the leaf that it was merged into, of those that are not alive
    """

    leaf: int
    leaf_id: str
    distances: Mapping[int, float]
    into: Mapping[int, int]

    def distance(self, leaf: int) -> float:
        """Return the distance of the page to a leaf, infinity if none is known yet."""
        distances = self.distances
        return distances[leaf] if leaf in distances else distances.get(living(leaf, self.into), math.inf)

    def is_near(self, leaf: int) -> bool:
        """Return whether the pages of a leaf are built like the page."""
        return self.distance(leaf) <= NEAR


ALONE = LeafDistances(0, "", {0: 0.0}, {})  # the place of a page whose site has no leaves


def living(leaf: int, into: Mapping[int, int]) -> int:
    """Return the leaf that a leaf has been merged into, itself if it is alive."""
    while leaf in into:
        leaf = into[leaf]
    return leaf
