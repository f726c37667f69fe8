"""The random sample of pages."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.memory.leaf_sample import LeafSample
from templcrawl.page.arrays import Keys
from templcrawl.tools.whole_site.site_detector import draw

numbers = st.lists(st.integers(0, 2**64 - 1), max_size=30)


def drawn(pages: list[int], most: int) -> list[int]:
    sample = LeafSample[Keys](most)
    for page in pages:
        is_new = page not in [key for (key,) in map(np.ndarray.tolist, sample)]
        found: Any = SimpleNamespace(key=page)
        is_drawn = draw(sample, found, lambda page: np.array([page.key, page.key], dtype=np.uint64))
        stored = [key for (key,) in map(np.ndarray.tolist, sample)]
        assert is_drawn == (is_new and page in stored)
    return [key for (key,) in map(np.ndarray.tolist, sample)]


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


def test_all_pages_are_drawn_equally_often() -> None:
    found = drawn(list(range(1_000)), 300)
    assert 120 < sum(page < 500 for page in found) < 180
