"""Weights, distances and the cut of page profiles, by hand and against plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.page_types import page_profiles
from templcrawl.algorithms.page_types.page_profiles import fold, profile_distances, switched_shares


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


def test_a_switch_parts_two_sides_that_content_would_not() -> None:
    profiles, weights = np.array([[1.0, 0.0, 0.6], [0.0, 1.0, 0.2]]), np.ones(3)
    merges = [(0, 1, 0.7)]
    switched = switched_shares(profiles, weights, np.array([5.0, 5.0]), merges)
    assert switched == pytest.approx([(1 + 1 + 0.4**4) / (1 + 1 + 0.6)])


def test_of_more_columns_than_are_compared_the_heaviest_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_profiles, "MAX_COLUMNS", 2)
    counts = np.array([[4, 1, 2, 0], [0, 1, 0, 3]], dtype=np.float32)
    weights, profiles, folded = fold(counts, np.array([4.0, 4.0]))
    assert np.count_nonzero(weights) == 4
    assert folded.tolist() == pytest.approx([weights[0], weights[3]])
    assert profiles.tolist() == [[1.0, 0.0], [0.0, 0.75]]
