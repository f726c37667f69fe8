"""Near-duplicates: alike, and apart by less than a short paragraph."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms import near_duplicates
from templcrawl.algorithms.near_duplicates import are_near_duplicates, difference
from templcrawl.algorithms.shingles import Sketch, shingles, sketch

hashes = st.sets(st.integers(0, 40), min_size=1)


def of_words(*words: str) -> Sketch:
    return sketch(shingles(words))


def words(start: int, count: int) -> list[str]:
    return [f"word{number}" for number in range(start, start + count)]


@given(hashes, hashes)
def test_the_difference_is_the_symmetric_difference_of_the_sets(a: set[int], b: set[int]) -> None:
    resemblance = len(a & b) / len(a | b)
    assert difference(resemblance, len(a), len(b)) == pytest.approx(len(a ^ b))


def test_a_page_is_a_near_duplicate_of_itself_and_of_a_copy_with_few_changes() -> None:
    page = words(0, 600)
    assert are_near_duplicates(of_words(*page), of_words(*page))
    assert are_near_duplicates(of_words(*page), of_words(*page[:300], "another", *page[301:]))
    assert are_near_duplicates(of_words(*page), of_words(*page[:-20]))


def test_two_pages_that_share_a_long_template_and_differ_by_a_paragraph_are_no_near_duplicates() -> None:
    template = words(0, 2000)
    one, two = of_words(*template, *words(5000, 100)), of_words(*template, *words(6000, 100))
    assert np.mean(one.minima == two.minima) > 0.85
    assert not are_near_duplicates(one, two)


def test_two_short_pages_that_differ_in_most_words_are_no_near_duplicates() -> None:
    assert not are_near_duplicates(of_words(*words(0, 20)), of_words(*words(15, 20)))


def test_empty_pages_are_near_duplicates_of_each_other_alone() -> None:
    assert are_near_duplicates(of_words(), of_words())
    assert not are_near_duplicates(of_words(), of_words("tea"))


@pytest.mark.parametrize(
    ("equal", "size", "answer"),
    [
        (215, 20, True),  # 215 / 252 = .853
        (214, 20, False),  # 214 / 252 = .849
        (245, 2000, True),  # 4000 * 7 / 497 = 56.3 shingles apart
        (244, 2000, False),  # 4000 * 8 / 496 = 64.5 shingles apart
        (252, 10**9, True),
    ],
)
def test_both_bounds_hold(monkeypatch: pytest.MonkeyPatch, equal: int, size: int, answer: bool) -> None:
    monkeypatch.setattr(near_duplicates, "MIN_RESEMBLANCE", 0.85)
    monkeypatch.setattr(near_duplicates, "MAX_DIFFERENCE", 60)
    one = np.arange(252, dtype=np.uint64)
    two = one + np.uint64(1000) * (one >= equal)
    assert are_near_duplicates(Sketch(one, size), Sketch(two, size)) is answer


@given(st.randoms(use_true_random=False), st.integers(0, 60), st.integers(0, 60))
def test_it_does_not_matter_which_page_came_first(chance: random.Random, a: int, b: int) -> None:
    text = [chance.choice("tea milk sugar cup".split()) for _ in range(60)]
    one, two = of_words(*text[:a]), of_words(*text[:b])
    assert are_near_duplicates(one, two) == are_near_duplicates(two, one)
