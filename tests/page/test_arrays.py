"""Products of arrays."""

from __future__ import annotations

import warnings

import numpy as np

from templcrawl.page.arrays import dot


def test_a_product_is_that_of_numpy() -> None:
    left, right = np.array([[1.0, 2.0], [0.5, 0.25]], np.float32), np.array([3.0, 4.0], np.float32)
    assert dot(left, right).tolist() == [11.0, 2.5]


def test_what_blas_says_of_invalid_numbers_is_not_passed_on() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan(dot(np.array([np.inf]), np.array([0.0])))
