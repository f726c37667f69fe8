"""Profiles of groups of pages: feature weights, distances, and the share switched between two sides.

A group of pages has a *profile*: feature -> share of its pages that have it.

Weight of a feature = entropy of its share of all pages (a switch with two states says most when both are
common), divided by (number of features with the same profile)^.75, so that the sixty paths of one table are
nearly one piece of evidence.  Distance = weighted Jaccard between profiles::

    switched = sum w |p - q|^4 / sum w max(p, q)          p, q: profiles of the two sides of a merge

A feature on nearly all pages of one side and on none of the other (a switch) is structure; one that is only
more frequent on one side (|p - q| = 0.5 counts 0.06) is free content.

Source: our own.  L groups, C features.  Cost: O(L^2 C), in numpy; products by ``dot``, since ``@`` asks the
processor's flags afterwards, which a library that reads past the end of an array may have set, and warns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from templcrawl.algorithms.page_types.merge_tree import Array, Merge, node_pages, node_sums, sides_of
from templcrawl.page.arrays import MIX, Indices, dot

MAX_COLUMNS = 1_024  # of a view; the heaviest stay
MIN_PAGES = 3  # of fewer pages no feature weighs anything
_GROUP_EXPONENT = 0.25  # of the number of features with the same profile: what they weigh together
_CELLS_AT_ONCE = 16_384  # 128 KB of numbers: what a processor's near memory holds


@dataclass(frozen=True, eq=False)
class WeightedCounts:
    """The distances of a view between the groups.

    profiles  group, column -> share of its pages; features of equal profile in one column
    weights   column -> its weight
    """

    profiles: Array
    weights: Array

    @cached_property
    def distances(self) -> Array:
        """Group, group -> distance; computed on demand."""
        if not len(self.weights):
            return np.zeros((len(self.profiles),) * 2)
        return profile_distances(self.profiles, self.weights)


def binary_entropy(shares: Array) -> Array:
    """Return the entropy, in bits, of switches that are on with these probabilities.

    >>> binary_entropy(np.array([0.5, 0.25])).round(3).tolist()
    [1.0, 0.811]
    """
    inner = np.minimum(np.maximum(shares.astype(np.float64), 1e-12), 1 - 1e-12)  # no logarithm of 0
    outer = 1 - inner
    return -(inner * np.log2(inner) + outer * np.log2(outer))


def fold(counts: Array, pages: Array) -> tuple[Array, Array, Array]:
    """Return (feature -> its weight, profiles with features of equal profile in one column, column weights).

    counts  group of pages, feature -> how many of its pages have it
    pages   group -> how many pages it has

    A feature that fewer than two pages have, or all pages, weighs 0 and has no column.  Of more than
    ``MAX_COLUMNS`` columns the heaviest stay.
    """
    weights, columns, column_weights = _weighed(counts, pages)
    return weights, counts[:, columns] / pages[:, None], column_weights


def feature_weights(counts: Array, pages: Array) -> Array:
    """Return feature -> its weight, as ``fold`` does, which takes twice as long."""
    return _weighed(counts, pages)[0]


def _weighed(counts: Array, pages: Array) -> tuple[Array, Indices, Array]:
    """Return (feature -> its weight, column -> the first feature in it, column -> its weight)."""
    weights, total = np.zeros(counts.shape[1]), pages.sum()
    frequency = counts.sum(axis=0) if total >= MIN_PAGES else weights
    informative = ((frequency >= 2) & (frequency <= total - 1)).nonzero()[0]
    if not len(informative):
        return weights, informative, np.zeros(0)
    first, group = _groups_of_equal(_profile_keys(counts, pages, informative))
    entropies = binary_entropy(frequency[informative] / total)
    entropies /= (np.bincount(group) ** (1 - _GROUP_EXPONENT))[group]
    weights[informative] = entropies
    column_weights = np.bincount(group, entropies)
    if len(first) > MAX_COLUMNS:
        heaviest = np.sort(np.argsort(-column_weights, kind="stable")[:MAX_COLUMNS])
        first, column_weights = first[heaviest], column_weights[heaviest]
    return weights, informative[first], column_weights


def _groups_of_equal(keys: Array) -> tuple[Array, Array]:
    """Return (group of equal keys, ascending -> where its first key stands, key -> its group).

    What ``np.unique`` answers: it costs more than all else on the few columns of a young site.
    """
    order = keys.argsort(kind="stable")
    ascending = keys[order]
    is_first = np.empty(len(keys), dtype=bool)
    is_first[:1] = True
    np.not_equal(ascending[1:], ascending[:-1], out=is_first[1:])
    group = np.empty(len(keys), dtype=np.intp)
    group[order] = is_first.cumsum() - 1
    return order[is_first], group


def _profile_keys(counts: Array, pages: Array, columns: Array) -> Array:
    """Return a key of each column's profile, equal where the profiles are equal to two digits.

    For some rows at a time: memory that is new costs more than the sums.
    """
    factors = np.arange(1, len(pages) + 1, dtype=np.uint64) * np.uint64(MIX)
    factors = (factors ^ factors >> np.uint64(29)) * np.uint64(MIX)
    factors ^= factors >> np.uint64(32)
    keys = np.zeros(len(columns), dtype=np.uint64)
    for rows in _parts(len(pages), len(columns)):
        percent = counts[rows].take(columns, axis=1) * (100 / pages[rows, None])
        keys += (np.rint(percent, out=percent).astype(np.uint64) * factors[rows, None]).sum(axis=0)
    return keys


def _parts(count: int, width: int) -> Iterator[slice]:
    step = max(1, _CELLS_AT_ONCE // max(1, width))
    for first in range(0, count, step):
        yield slice(first, first + step)


def profile_distances(profiles: Array, weights: Array) -> Array:
    """Return the weighted Jaccard distance of each two profiles.

    Where one of the two has all or nothing of each feature, as single pages have, min(p, q) = p q.
    """
    profiles, weights = profiles.astype(np.float32), weights.astype(np.float32)
    total = dot(profiles, weights)
    is_mixed = ((profiles > 0) & (profiles < 1)).any(axis=1)
    mixed, plain = is_mixed.nonzero()[0], (~is_mixed).nonzero()[0]
    shared = np.zeros((len(profiles), len(profiles)), dtype=np.float32)
    shared[:, plain] = dot(profiles, (profiles[plain] * weights).T)
    shared[plain] = shared[:, plain].T
    mixed_profiles = profiles[mixed]
    for number, row in enumerate(mixed[:-1].tolist()):
        rest = mixed[number + 1 :]
        minima = np.minimum(mixed_profiles[number], mixed_profiles[number + 1 :])
        shared[row, rest] = shared[rest, row] = dot(minima, weights)
    shared = np.minimum(shared, shared.T)
    either = np.maximum(total[:, None] + total - shared, 1e-9)  # two profiles without a weight: apart by 1
    distances: Array = (1 - shared / either).astype(np.float64)
    distances.ravel()[:: len(distances) + 1] = 0
    return distances


def switched_shares(profiles: Array, weights: Array, pages: Array, merges: Sequence[Merge]) -> Array:
    """Return merge -> how much of its features is switched between its sides l and r, 0 to 1.

    That is sum(weight * (l - r)^4) / sum(weight * max(l, r)), over the shares of a feature on both sides.
    """
    sums, size = node_sums(profiles, pages, merges), node_pages(pages, merges)[:, None]
    shares = np.zeros(len(merges))
    for part in _parts(len(merges), len(weights)):
        left, right = sides_of(merges[part])
        left_shares, right_shares = sums[left] / size[left], sums[right] / size[right]
        held = dot(np.maximum(left_shares, right_shares), weights)
        apart = np.subtract(left_shares, right_shares, out=left_shares)
        np.square(apart, out=apart)
        switched = dot(np.square(apart, out=apart), weights)
        np.divide(switched, held, out=shares[part], where=held > 0)
    return shares


def view_of(counts: Array, pages: Array) -> WeightedCounts:
    """Return the distances of a view, from group, feature -> its pages, and group -> pages."""
    _, profiles, weights = fold(counts, pages)
    return WeightedCounts(profiles, weights)
