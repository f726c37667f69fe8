"""Profiles of groups of pages: weights of features, distances, and how much is switched between two sides.

A group of pages has a *profile*: feature -> share of its pages that have it.

Weight of a feature = entropy of its share of all pages (a switch with two states says most when both are
common), divided by (number of features with the same profile)^.75, so that the sixty paths of one table
are nearly one piece of evidence.  Distance = weighted Jaccard between profiles::

    switched = sum w |p - q|^4 / sum w max(p, q)          p, q: profiles of the two sides of a merge

A feature on nearly all pages of one side and on none of the other (a switch) is structure; one that is
only more frequent on one side (|p - q| = 0.5 counts 0.06) is free content.

L groups, C features.  Cost: O(L^2 C), in numpy.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from templcrawl.algorithms.page_types.merge_tree import Array, Merge
from templcrawl.page.ancestors import MIX

_GROUP_EXPONENT = 0.25


def binary_entropy(shares: Array) -> Array:
    """Return the entropy, in bits, of switches that are on with these probabilities.

    >>> binary_entropy(np.array([0.5, 0.25])).round(3).tolist()
    [1.0, 0.811]
    """
    inner = np.clip(shares.astype(np.float64), 1e-12, 1 - 1e-12)
    return -(inner * np.log2(inner) + (1 - inner) * np.log2(1 - inner))


def fold(counts: Array, pages: Array) -> tuple[Array, Array, Array]:
    """Return (feature -> its weight, profiles with features of equal profile in one column, column weights).

    counts  group of pages, feature -> how many of its pages have it
    pages   group -> how many pages it has

    Nothing is said by what fewer than two pages have, or all of them.
    """
    frequency, total = counts.sum(axis=0), pages.sum()
    weights = binary_entropy(frequency / total)
    weights[(frequency < 2) | (frequency > total - 1)] = 0
    told = np.flatnonzero(weights)
    if not len(told):
        return weights, np.zeros((len(pages), 0)), np.zeros(0)
    profiles = counts[:, told] / pages[:, None]
    first, group, size = _alike(profiles)
    weights[told] /= size[group] ** (1 - _GROUP_EXPONENT)
    return weights, profiles[:, first], np.bincount(group, weights[told])


def _alike(profiles: Array) -> tuple[Array, Array, Array]:
    """Group the columns whose profile is equal to two digits: (first of each, group of each, sizes)."""
    rounded = np.rint(profiles * 100).astype(np.uint64)
    keys = np.full(profiles.shape[1], MIX, dtype=np.uint64)
    for row in rounded:
        keys = (keys ^ row) * np.uint64(MIX)
        keys ^= keys >> np.uint64(29)
    _, first, group, size = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    return first, group.ravel(), size


def profile_distances(profiles: Array, weights: Array) -> Array:
    """Return the weighted Jaccard distance of each two profiles; half of the pairs are worked out."""
    profiles, weights = profiles.astype(np.float32), weights.astype(np.float32)
    total = profiles @ weights
    distances = np.zeros((len(profiles), len(profiles)))
    for row in range(len(profiles) - 1):
        rest = slice(row + 1, None)
        shared = np.minimum(profiles[row], profiles[rest]) @ weights
        either = np.maximum(total[row] + total[rest] - shared, 1e-9)
        distances[row, rest] = distances[rest, row] = 1 - shared / either
    return distances


def switched_shares(profiles: Array, weights: Array, pages: Array, merges: Sequence[Merge]) -> list[float]:
    """Return for each merge how much of what its two sides have is switched between them, 0 to 1."""
    sums, sizes = list(profiles * pages[:, None]), list(pages.astype(np.float64))
    shares = []
    for first, second, _ in merges:
        left, right = sums[first] / sizes[first], sums[second] / sizes[second]
        held = float(weights @ np.maximum(left, right))
        apart = np.square(left - right)
        switched = float(weights @ np.square(apart, out=apart))
        shares.append(switched / held if held else 0.0)
        sums.append(sums[first] + sums[second])
        sizes.append(sizes[first] + sizes[second])
    return shares
