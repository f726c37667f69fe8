"""Clustering of groups of pages into templates: three views, a merge tree, and its best cut.

A *view* is a set of features a page: its structure, the tag paths of the anchors that led to it, the shape of
its URL.  Groups are compared in each view by themselves (``page_profiles``) and joined by average linkage
over the mean of the views' distances, structure counting 1, the others .3.  Each merge of the tree has a
probability that its two sides are one template, p = 1 / (1 + e^-z), where z is linear in

    d   mean distance of their pages in a view          sw      switched share in a view
    n   pages of the smaller side                       within  the larger mean distance inside of a side

The cut (:func:`best_branches`) takes the branches with the highest adjusted Rand index to be expected.  The
rule and the views are our own; the coefficients are a logistic regression over the merges of 57 sites
(``docs/measured.md`` says what they reach on sites left out).  L groups, C features.  Cost: O(L^2 C + L^3).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from templcrawl.algorithms.page_types.merge_tree import (
    Array,
    Merge,
    average_linkage,
    branches,
    join,
    mean_distances,
    node_pages,
)
from templcrawl.algorithms.page_types.page_profiles import WeightedCounts, switched_shares

_BESIDE = 0.3  # what anchors and addresses count, where structure counts 1
# Without addresses and links there is structure alone, and then a threshold is as good: two sides are one
# template iff d + 0.4 * sw <= 0.8, and so it is within each of them.
_THRESHOLD = 0.8  # of structure alone
_SWITCH_WEIGHT = 0.4  # of the switched share beside the distance
_MIN_GAIN = 1e-9  # of a ratio: rounding is not progress
_MAX_ROUNDS = 20  # Dinkelbach's iteration ends after a few


class MergeOdds(NamedTuple):
    """Coefficients of z: what is added, then one for each column of ``merge_features``."""

    bias: float
    structure: float
    structure_switched: float
    anchors: float
    urls: float
    urls_switched: float
    smaller: float
    within: float

    def evaluate(self, features: Array) -> Array:
        """Return z of each merge."""
        return self.bias + features @ np.array(self[1:])


WITH_BOTH = MergeOdds(8.25, -7.6, -2.2, -2.8, -1.3, -2.2, -0.1, 1.9)
WITH_URLS = MergeOdds(7.15, -6.8, -3.65, 0.0, -2.5, -1.6, -0.1, 1.4)
WITH_ANCHORS = MergeOdds(7.95, -7.4, -3.1, -3.2, 0.0, 0.0, -0.07, 1.1)


def template_groups(
    pages: Array,
    structure: WeightedCounts,
    anchors: WeightedCounts | None = None,
    urls: WeightedCounts | None = None,
) -> list[list[int]]:
    """Return the groups of rows that are one template each, in ascending order.

    pages          group -> how many pages it has
    anchors, urls  None where too little is known of the links that led to the pages, of their addresses
    """
    merges = template_tree(pages, structure, anchors, urls)
    if anchors is None and urls is None:
        distances = zip(merges, _switched(structure, pages, merges))
        allowed = [of[2] + _SWITCH_WEIGHT * share <= _THRESHOLD for of, share in distances]
        return join(len(pages), merges, allowed)
    odds = WITH_ANCHORS if urls is None else WITH_URLS if anchors is None else WITH_BOTH
    features = merge_features(pages, merges, structure, anchors, urls)
    return branches(merges, best_branches(pages, merges, odds.evaluate(features)))


def template_tree(
    pages: Array,
    structure: WeightedCounts,
    anchors: WeightedCounts | None = None,
    urls: WeightedCounts | None = None,
) -> list[Merge]:
    """Return the merges of all groups, by the views together."""
    beside = [view.distances for view in (anchors, urls) if view is not None]
    together = structure.distances + _BESIDE * sum(beside)
    return average_linkage(together / (1 + _BESIDE * len(beside)), pages)


def merge_features(
    pages: Array,
    merges: Sequence[Merge],
    structure: WeightedCounts,
    anchors: WeightedCounts | None = None,
    urls: WeightedCounts | None = None,
) -> Array:
    """Return merge, feature -> its value: what z is linear in, as ``MergeOdds`` names them."""
    nothing = np.zeros(len(merges))
    views = (structure, anchors, urls)
    means = iter(mean_distances([view.distances for view in views if view is not None], pages, merges))
    structure_means, anchor_means, url_means = (nothing if view is None else next(means) for view in views)
    smaller, within = _sides(pages, merges)
    switched, urls_switched = (
        nothing if view is None else _switched(view, pages, merges) for view in (structure, urls)
    )
    return np.column_stack(
        [structure_means, switched, anchor_means, url_means, urls_switched, np.log(smaller), within]
    )


def _switched(view: WeightedCounts, pages: Array, merges: Sequence[Merge]) -> Array:
    return switched_shares(view.profiles, view.weights, pages, merges)


def _sides(pages: Array, merges: Sequence[Merge]) -> tuple[Array, Array]:
    """Return for each merge (pages of the smaller side, the larger mean distance inside of a side)."""
    sizes = node_pages(pages, merges)
    pairs, size = np.maximum(_pairs(sizes), 1.0).tolist(), sizes.tolist()
    inside, smaller, within = [0.0] * len(pages), [], []
    for left, right, distance in merges:
        smaller.append(min(size[left], size[right]))
        within.append(max(inside[left] / pairs[left], inside[right] / pairs[right]))
        inside.append(inside[left] + inside[right] + size[left] * size[right] * distance)
    return np.array(smaller), np.array(within)


def best_branches(pages: Array, merges: Sequence[Merge], odds: Array) -> list[int]:
    """Return the nodes whose branches have the highest expected adjusted Rand index.

    The index is that of Hubert & Arabie (1985).  With C all pairs of pages, A those expected to be of one
    template (sum of |left| |right| p over the merges), and for a node S those expected inside of it and B all
    pairs in it, branches have ::

        ARI = (sum S - A sum B / C) / ((A + sum B) / 2 - A sum B / C)

    a ratio of sums over branches, so Dinkelbach's iteration (1967) finds its maximum: for a given ratio the
    best branches follow from the leaves up.  A threshold loses .11 to .18 on sites that it was not chosen on.

    odds  merge -> z, the logarithm of the odds that its sides are one template

    >>> merges = [(0, 1, 0.1), (2, 3, 0.1), (4, 5, 0.9)]
    >>> best_branches(np.full(4, 5), merges, np.array([4.0, 3.0, -4.0]))
    [4, 5]
    """
    size, count = node_pages(pages, merges), len(pages)
    everything = _pairs(size)
    chances = (1 / (1 + np.exp(-np.minimum(np.maximum(odds, -500), 500)))).tolist()
    pages_of, likely = size.tolist(), everything[:count].tolist()
    for (left, right, _), chance in zip(merges, chances):
        likely.append(likely[left] + likely[right] + pages_of[left] * pages_of[right] * chance)
    expected = np.array(likely)
    one_template, pairs = float(expected[-1]), max(float(everything[-1]), 1.0)
    by_chance = one_template * everything / pairs
    ratio, chosen = 0.0, [len(size) - 1]
    above, below = expected - by_chance, everything / 2 - by_chance
    for _ in range(_MAX_ROUNDS):
        values = expected - by_chance * (1 - ratio) - ratio * everything / 2
        nodes = _best_nodes(values.tolist(), merges)
        numerator = float(above[nodes].sum())
        denominator = one_template / 2 + float(below[nodes].sum())
        better = numerator / denominator if denominator > 0 else 0.0
        if better < ratio + _MIN_GAIN:
            break
        ratio, chosen = better, nodes
    return chosen


def _best_nodes(values: list[float], merges: Sequence[Merge]) -> list[int]:
    count = len(merges) + 1
    best = values[:count]
    is_whole = [True] * len(values)
    for step, (left, right, _) in enumerate(merges, count):
        parts = best[left] + best[right]
        is_whole[step] = values[step] >= parts
        best.append(max(values[step], parts))
    chosen, waiting = [], [len(values) - 1]
    while waiting:
        node = waiting.pop()
        if is_whole[node]:
            chosen.append(node)
        else:
            waiting.extend(merges[node - count][:2])
    return sorted(chosen)


def _pairs(size: Array) -> Array:
    return size * (size - 1) / 2
