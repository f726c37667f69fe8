"""The random sample of pages."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.errors import InvalidOption
from templcrawl.tools.whole_site.site_detector import DrawnPages

numbers = st.lists(st.integers(0, 2**64 - 1), max_size=30)


def drawn(pages: list[int], most: int, salt: int = 0) -> list[int]:
    sample = DrawnPages(most, salt=salt)
    for page in pages:
        sample.insert(page, np.array([page], dtype=np.uint64))
    assert [one.rank for one in sample.pages] == sorted({one.rank for one in sample.pages})
    assert all(one.keys.tolist() == [one.page] for one in sample.pages)
    return [one.page for one in sample.pages]


@given(numbers, st.integers(1, 8), st.randoms())
def test_neither_order_nor_repetition_makes_a_difference(pages, most, chance) -> None:
    first = drawn(pages, most)
    again = pages + pages[: len(pages) // 2]
    chance.shuffle(again)
    assert drawn(again, most) == first
    assert len(first) == min(most, len(set(pages)))


@given(numbers)
def test_a_smaller_sample_is_the_beginning_of_a_larger_one(pages) -> None:
    assert drawn(pages, 6)[:3] == drawn(pages, 3)


def test_another_salt_draws_other_pages_and_all_are_drawn_equally_often() -> None:
    often = np.zeros(10)
    for salt in range(500):
        for page in drawn(list(range(10)), 3, salt):
            often[page] += 1
    assert often.sum() == 1_500
    assert often.min() > 100
    assert often.max() < 200


def test_a_sample_of_nothing_is_refused() -> None:
    with pytest.raises(InvalidOption, match="sample"):
        DrawnPages(0)
