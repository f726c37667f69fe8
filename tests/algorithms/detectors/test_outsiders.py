"""Outsiders: which pages are some, and what their own kind says."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.detectors.outsiders import LEAST_PAGES, is_outsider, with_own_kind

SHARES = st.lists(st.floats(0, 1), max_size=30).map(np.array)


def test_a_page_is_an_outsider_if_fewer_than_a_tenth_of_its_runs_are_common() -> None:
    assert not is_outsider(np.array([1.0] + 9 * [0.0]), 8)
    assert is_outsider(np.array([1.0] + 10 * [0.0]), 8)
    assert is_outsider(np.array(20 * [0.49]), 8)


def test_too_few_pages_say_nothing_and_a_page_without_runs_is_none() -> None:
    assert not is_outsider(np.zeros(20), LEAST_PAGES - 1)
    assert is_outsider(np.zeros(20), LEAST_PAGES)
    assert not is_outsider(np.zeros(0), 8)


def test_its_own_kind_is_believed_the_more_the_more_pages_there_are() -> None:
    shares, own = np.array([0.25, 0.25]), np.array([1.0, 0.0])
    assert with_own_kind(shares, own, 3).tolist() == [0.25, 0.25]
    assert with_own_kind(shares, own, 4).tolist() == [0.8, 0.25]
    assert with_own_kind(shares, own, 9).tolist() == [0.9, 0.25]


@given(SHARES, st.integers(0, 20))
def test_its_own_kind_never_makes_a_run_rarer(shares: np.ndarray, pages: int) -> None:
    found = with_own_kind(shares, 1 - shares, pages)
    assert (found >= shares).all()
    assert (found <= 1).all()
