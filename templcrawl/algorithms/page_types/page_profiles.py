"""Which groups of pages are one template: weights of features, distances of profiles, and where to cut.

A group of pages has a *profile*: feature -> share of its pages that have it.

Weight of a feature = entropy of its share of all pages (a switch with two states says most when both are
common), divided by (number of features with the same profile)^.75, so that the sixty paths of one table
are nearly one piece of evidence.  Distance = weighted Jaccard between profiles.

Groups are joined by average linkage (Sokal & Michener 1958; the Lance-Williams update), weighted by
pages.  Where a branch is cut depends on what separates its two sides::

    two sides are one template  iff  distance + 0.4 * switched <= 0.8, and so it is within each of them
    switched = sum w |p - q|^4 / sum w max(p, q)          p, q: the sides' profiles

A feature on nearly all pages of one side and on none of the other (a switch) is structure; one that is
only more frequent on one side (|p - q| = 0.5 counts 0.06) is free content.

The rule is our own; on 25 sites, each left out in turn, the constants are the same every time.
L groups, C features.  Cost: O(L^2 C + L^3), in numpy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Merge = tuple[int, int, float]

_TEMPLATE_DISTANCE = 0.8
_SWITCH_WEIGHT = 0.4
_SWITCH_POWER = 4
_GROUP_EXPONENT = 0.25


def template_groups(counts: Array, pages: Array) -> list[list[int]]:
    """Return the groups of rows that are one template each, in ascending order.

    counts  group of pages, feature -> how many of its pages have it
    pages   group -> how many pages it has
    """
    _, profiles, weights = fold(counts, pages)
    merges = average_linkage(profile_distances(profiles, weights), pages)
    switched = switched_shares(profiles, weights, pages, merges)
    allowed = [
        distance + _SWITCH_WEIGHT * share <= _TEMPLATE_DISTANCE
        for (_, _, distance), share in zip(merges, switched)
    ]
    return join(len(pages), merges, allowed)


def binary_entropy(shares: Array) -> Array:
    """Return the entropy, in bits, of switches that are on with these probabilities.

    >>> binary_entropy(np.array([0.5, 0.25])).round(3).tolist()
    [1.0, 0.811]
    """
    inner = np.clip(shares.astype(np.float64), 1e-12, 1 - 1e-12)
    return -(inner * np.log2(inner) + (1 - inner) * np.log2(1 - inner))


def _column_weights(counts: Array, pages: Array) -> Array:
    """Return column -> its weight; columns of equal profile share theirs.

    Nothing for what fewer than two pages have, or all of them.
    """
    frequency, total = counts.sum(axis=0), pages.sum()
    weights = binary_entropy(frequency / total)
    weights[(frequency < 2) | (frequency > total - 1)] = 0
    told = np.flatnonzero(weights)
    if len(told):
        _, group, size = _groups(counts[:, told] / pages[:, None])
        weights[told] /= size[group] ** (1 - _GROUP_EXPONENT)
    return weights


def _groups(profiles: Array) -> tuple[Array, Array, Array]:
    """Group the columns whose profile is equal to two digits: (first of each, group of each, sizes)."""
    rounded = np.ascontiguousarray(np.rint(profiles * 100).astype(np.uint8).T)
    rows = rounded.view(np.dtype((np.void, rounded.shape[1]))).ravel()
    _, first, group, size = np.unique(rows, return_index=True, return_inverse=True, return_counts=True)
    return first, group.ravel(), size


def fold(counts: Array, pages: Array) -> tuple[Array, Array, Array]:
    """Return (column weights, profiles with one column a group, weights of those)."""
    weights = _column_weights(counts, pages)
    told = np.flatnonzero(weights)
    if not len(told):
        return weights, np.zeros((len(pages), 0)), np.zeros(0)
    profiles = counts[:, told] / pages[:, None]
    first, group, _ = _groups(profiles)
    return weights, profiles[:, first], np.bincount(group, weights[told])


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


def average_linkage(distances: Array, pages: Array) -> list[Merge]:
    """Average linkage weighted by pages: merges (a, b, distance), nearest first; merge k makes L + k.

    Two sides of equal distance merge in the order of their rows: the answer is always the same.
    """
    count = len(distances)
    between, size, names = distances.copy(), pages.astype(np.float64), list(range(count))
    np.fill_diagonal(between, np.inf)
    merges = []
    for step in range(count - 1):
        first, second = sorted(divmod(int(between.argmin()), count))
        merges.append((names[first], names[second], float(between[first, second])))
        joined = (size[first] * between[first] + size[second] * between[second]) / (
            size[first] + size[second]
        )
        joined[[first, second]] = np.inf
        between[first] = between[:, first] = joined
        between[second] = between[:, second] = np.inf
        size[first] += size[second]
        names[first] = count + step
    return merges


def join(count: int, merges: list[Merge], allowed: list[bool]) -> list[list[int]]:
    """Return the groups of rows that the allowed merges make; what stands above a refused one is refused."""
    groups = {row: [row] for row in range(count)}
    for step, ((first, second, _), is_allowed) in enumerate(zip(merges, allowed)):
        if is_allowed and first in groups and second in groups:
            groups[count + step] = groups.pop(first) + groups.pop(second)
    return sorted(map(sorted, groups.values()))


def switched_shares(profiles: Array, weights: Array, pages: Array, merges: list[Merge]) -> list[float]:
    """Return for each merge how much of what its two sides have is switched between them, 0 to 1."""
    sums, sizes = list(profiles * pages[:, None]), list(pages.astype(np.float64))
    shares = []
    for first, second, _ in merges:
        left, right = sums[first] / sizes[first], sums[second] / sizes[second]
        held = float(weights @ np.maximum(left, right))
        switched = float(weights @ np.abs(left - right) ** _SWITCH_POWER)
        shares.append(switched / held if held else 0.0)
        sums.append(sums[first] + sums[second])
        sizes.append(sizes[first] + sizes[second])
    return shares
