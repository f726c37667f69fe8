"""Products of arrays, elements that are meant, equal rows."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from templcrawl.page import arrays
from templcrawl.page.arrays import dot, equal_rows, nearest


def test_a_product_is_that_of_numpy() -> None:
    left, right = np.array([[1.0, 2.0], [0.5, 0.25]], np.float32), np.array([3.0, 4.0], np.float32)
    assert dot(left, right).tolist() == [11.0, 2.5]


class Watched(np.ndarray):  # type: ignore[type-arg]
    """An array that is told of each product."""

    def dot(self, other: Any) -> Any:  # type: ignore[override]
        assert self.size * other.size // len(other) <= 60, "BLAS may start threads for a larger product"
        return super().dot(other)


@pytest.mark.parametrize(
    "shapes", [((7, 10), (10, 4)), ((3, 10), (10, 9)), ((9, 10), (10,)), ((10,), (10, 9))]
)
def test_a_large_product_is_made_by_parts(shapes: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays, "_ALONE", 60)
    left, right = (np.arange(float(np.prod(shape))).reshape(shape) for shape in shapes)
    assert np.array_equal(dot(left.view(Watched), right), left.dot(right))


def test_what_blas_says_of_invalid_numbers_is_not_passed_on() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan(dot(np.array([np.inf]), np.array([0.0])))


def test_the_nearest_element_that_is_meant_may_be_far_above() -> None:
    parents = np.array([-1, 0, 1, 2, 3, 0])
    is_meant = np.array([False, True, False, False, False, False])
    assert nearest(is_meant, parents).tolist() == [0, 1, 1, 1, 1, 0]


def test_rows_are_equal_in_all_of_their_columns() -> None:
    flags = np.zeros((4, 20), dtype=bool)
    flags[1, 19] = flags[3, 0] = True
    firsts, numbers, sizes = equal_rows(flags)
    assert sorted(firsts.tolist()) == [0, 1, 3]
    assert firsts[numbers].tolist() == [0, 1, 0, 3]
    assert sizes[numbers].tolist() == [2, 1, 2, 1]
