"""The value of a link from the pay of its classes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.crawl_order.link_value import (
    MOST_PAY,
    class_yield,
    directory_class,
    link_value,
    pay_of,
)

yields = st.floats(0, 9)


def test_twenty_words_of_a_page_are_free_and_500_the_most() -> None:
    assert [pay_of(words) for words in (0, 20, 21, 519, 520, 521, 10**9)] == [0, 0, 1, 499, 500, 500, 500]


@given(st.integers(0, 50), st.integers(0, MOST_PAY), st.floats(1, MOST_PAY))
def test_a_yield_lies_between_the_average_and_the_record(pages: int, each: int, mean: float) -> None:
    found = class_yield(pages, pages * each, mean)
    low, high = sorted((1.0, each / mean))
    assert low - 1e-9 <= found <= high + 1e-9 if pages else found == 1


def test_on_a_site_that_pays_nothing_every_class_is_average() -> None:
    assert class_yield(9, 0, 0.0) == 1


def test_a_record_by_hand() -> None:
    """Two pages paid 300 words where a page pays 100: (3 + 4) / (2 + 4)."""
    assert class_yield(2, 300, 100.0) == pytest.approx(7 / 6)


@given(st.lists(yields, max_size=4), yields, yields)
def test_a_link_of_better_classes_is_worth_no_less(roles: list[float], one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert link_value(roles, low) <= link_value(roles, high)
    assert link_value([*roles, low], 1.0) <= link_value([*roles, high], 1.0)


@pytest.mark.parametrize(
    ("other", "is_same"),
    [
        ("http://x.org/2026/11/cups", True),
        ("http://x.org/1/2/?page=3", True),
        ("http://x.org/2026/11/more/tea", False),
        ("http://y.org/2026/11/tea", False),
        ("http://[x", False),
    ],
)
def test_a_directory_is_known_with_its_numbers_read_as_0(other: str, is_same: bool) -> None:
    assert (directory_class("http://x.org/1999/01/tea") == directory_class(other)) == is_same
