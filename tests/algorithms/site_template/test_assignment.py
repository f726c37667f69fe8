"""The assignment of greatest total weight, against all permutations."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.site_template.assignment import best_pairs

matrices = st.integers(1, 5).flatmap(
    lambda columns: st.lists(
        st.lists(st.sampled_from([0, 0.25, 0.5, 0.75, 0.9, 1]), min_size=columns, max_size=columns),
        min_size=1,
        max_size=5,
    )
)


def greatest_total(weights: np.ndarray) -> float:
    """Try every way."""
    if weights.shape[0] > weights.shape[1]:
        weights = weights.T
    rows = range(weights.shape[0])
    return max(
        sum(weights[row, column] for row, column in zip(rows, columns))
        for columns in permutations(range(weights.shape[1]), len(rows))
    )


def test_no_rows_or_no_columns_make_no_pairs() -> None:
    assert best_pairs(np.zeros((0, 3))) == best_pairs(np.zeros((3, 0))) == []


def test_what_must_not_be_paired_is_not() -> None:
    assert best_pairs(np.array([[0.0, 1.0], [0.0, 0.5]])) == [(0, 1)]


def test_equal_weights_are_paired_in_order() -> None:
    assert best_pairs(np.eye(3)) == [(0, 0), (1, 1), (2, 2)]


@given(matrices)
def test_it_is_one_to_one_and_nothing_weighs_more(rows: list[list[float]]) -> None:
    weights = np.array(rows, dtype=float)
    pairs = best_pairs(weights)
    assert pairs == sorted(pairs)
    assert len({row for row, _ in pairs}) == len({column for _, column in pairs}) == len(pairs)
    assert all(weights[pair] > 0 for pair in pairs)
    assert sum(weights[pair] for pair in pairs) == pytest.approx(greatest_total(weights))


@pytest.mark.parametrize("seed", range(20))
def test_it_is_scipys_answer(seed: int) -> None:
    optimize = pytest.importorskip("scipy.optimize")
    chance = np.random.default_rng(seed)
    weights = chance.random(chance.integers(1, 20, 2)).round(1)
    total = weights[optimize.linear_sum_assignment(weights, maximize=True)].sum()
    assert sum(weights[pair] for pair in best_pairs(weights)) == pytest.approx(total)
