"""Weights, distances and the cut of page profiles, by hand and against plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.page_types.page_profiles import (
    average_linkage,
    fold,
    join,
    profile_distances,
    switched_shares,
    template_groups,
)


def test_a_feature_of_half_of_the_pages_says_most_and_one_of_all_pages_nothing() -> None:
    counts = np.array([[4, 4, 0, 1], [4, 0, 2, 0]], dtype=np.float32)
    weights, _, _ = fold(counts, np.array([4.0, 4.0]))
    assert weights[0] == 0
    assert weights[3] == 0
    assert weights[1] == pytest.approx(1.0)
    assert weights[2] == pytest.approx(-(0.25 * np.log2(0.25) + 0.75 * np.log2(0.75)))


def test_features_that_always_come_together_count_little_more_than_one() -> None:
    counts = np.array([[4] * 16, [0] * 16], dtype=np.float32)
    weights, profiles, folded = fold(counts, np.array([4.0, 4.0]))
    assert weights.tolist() == pytest.approx([16**-0.75] * 16)
    assert profiles.tolist() == [[1.0], [0.0]]
    assert folded.tolist() == pytest.approx([2.0])


PROFILES = st.lists(
    st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=3, max_size=3), min_size=1, max_size=7
)


@given(PROFILES)
def test_distances_are_weighted_jaccard(rows: list[list[float]]) -> None:
    weights = np.array([1.0, 0.5, 0.25])
    found = profile_distances(np.array(rows), weights)
    for i, one in enumerate(rows):
        for j, other in enumerate(rows):
            least = sum(w * min(p, q) for w, p, q in zip(weights, one, other))
            most = sum(w * max(p, q) for w, p, q in zip(weights, one, other))
            expected = 0.0 if i == j else 1 - least / most if most else 1.0
            assert found[i, j] == pytest.approx(expected, abs=1e-5)


@given(PROFILES)
def test_linkage_joins_the_nearest_by_the_mean_distance_of_pages(rows: list[list[float]]) -> None:
    pages = np.arange(1.0, len(rows) + 1)
    distances = profile_distances(np.array(rows), np.array([1.0, 0.5, 0.25]))
    members = {row: [row] for row in range(len(rows))}

    def mean(one: list[int], other: list[int]) -> float:
        pairs = [(pages[a] * pages[b], distances[a, b]) for a in one for b in other]
        return float(sum(w * d for w, d in pairs) / sum(w for w, _ in pairs))

    for step, (a, b, distance) in enumerate(average_linkage(distances, pages)):
        names = list(members)
        nearest = min(mean(members[x], members[y]) for x in names for y in names if x < y)
        assert distance == pytest.approx(nearest, abs=1e-5)
        assert distance == pytest.approx(mean(members[a], members[b]), abs=1e-5)
        members[len(rows) + step] = members.pop(a) + members.pop(b)
    assert len(members) == 1


def test_what_stands_above_a_refused_merge_is_refused() -> None:
    merges = [(0, 1, 0.1), (2, 3, 0.2), (4, 5, 0.3)]
    assert join(4, merges, [True, True, True]) == [[0, 1, 2, 3]]
    assert join(4, merges, [True, False, True]) == [[0, 1], [2], [3]]


def test_a_switch_parts_two_sides_that_content_would_not() -> None:
    profiles, weights = np.array([[1.0, 0.0, 0.6], [0.0, 1.0, 0.2]]), np.ones(3)
    merges = [(0, 1, 0.7)]
    switched = switched_shares(profiles, weights, np.array([5.0, 5.0]), merges)
    assert switched == pytest.approx([(1 + 1 + 0.4**4) / (1 + 1 + 0.6)])


def test_two_page_types_are_told_apart() -> None:
    article, listing = [10, 10, 0, 0, 6, 0], [0, 0, 10, 10, 0, 5]
    counts = np.array([article, article, listing, listing], dtype=np.float32)
    counts[1, 4], counts[3, 5] = 4, 6
    assert template_groups(counts, np.full(4, 10.0)) == [[0, 1], [2, 3]]
