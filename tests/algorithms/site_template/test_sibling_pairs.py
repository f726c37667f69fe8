"""The children of two nodes, paired.

The assignment of greatest total weight, against all permutations.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.site_template import sibling_pairs
from templcrawl.algorithms.site_template.nodes import Nodes, weighted
from templcrawl.algorithms.site_template.sibling_pairs import Pair, SiblingPairing, best_pairs
from templcrawl.page.page import Page


def pair(a: str, b: str) -> tuple[list[Pair], list[Pair]]:
    """Pair the children of two documents; children are numbered from 0."""
    left, right = Nodes(Page(a, "")), Nodes(Page(b, ""))
    mine, theirs = left.children_of(0), right.children_of(0)
    found = SiblingPairing(left, right, weighted).pair(mine, theirs)
    return tuple([(mine.index(c), theirs.index(d)) for c, d in pairs] for pairs in found)  # type: ignore[return-value]


def test_equal_subtrees_are_paired_in_order() -> None:
    assert pair("<p>a</p><p>b</p><p>a</p>", "<p>b</p><p>a</p>") == ([(0, 1), (1, 0)], [])


def test_the_same_below_another_tag_comes_next() -> None:
    same, equal = pair("<p class=on>a</p><p>b</p>", "<p>a</p><p class=on>b</p>")
    assert same == []
    assert sorted(equal) == [(0, 0), (1, 1)]


def test_the_same_below_a_tag_that_is_not_equal_is_no_reason() -> None:
    assert pair("<p class=x id=y>a<i></i></p><b></b>", "<b></b><p class=z id=q>a<i></i></p>") == (
        [(1, 0)],
        [],
    )


def test_what_is_left_is_paired_by_weight() -> None:
    same, equal = pair(
        "<p class=a id=a>1</p><p class=b id=b>2</p>", "<p class=b id=b>3</p><p class=a id=a>4</p>"
    )
    assert same == []
    assert sorted(equal) == [(0, 1), (1, 0)]


@pytest.mark.parametrize(("pairs", "weighed"), [(1_024, 3), (3, 100), (1_024, 100)])
def test_what_is_too_much_to_weigh_is_paired_in_order(
    pairs: int, weighed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sibling_pairs, "MAX_PAIRS", pairs)
    monkeypatch.setattr(sibling_pairs, "MAX_WEIGHED", weighed)
    same, equal = pair(
        "<p class=a id=a>1</p><p class=b id=b>2</p>", "<p class=b id=b>3</p><p class=a id=a>4</p>"
    )
    assert same == []
    assert sorted(equal) == [(0, 1), (1, 0)]


def test_the_weighing_stops_for_the_whole_mapping(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sibling_pairs, "MAX_WEIGHED", 4)
    left, right = Nodes(Page("<p>1</p><p>2</p>", "")), Nodes(Page("<p>3</p><p>4</p>", ""))
    asked: list[int] = []

    def equality(a: object, b: object) -> float:
        asked.append(1)
        return 1.0

    siblings = SiblingPairing(left, right, equality)
    for expected in (4, 2):
        asked.clear()
        assert siblings.pair(left.children_of(0), right.children_of(0))[1] == [(1, 1), (3, 3)]
        assert len(asked) == expected


def test_without_children_there_are_no_pairs() -> None:
    assert pair("", "<p>") == ([], [])


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
