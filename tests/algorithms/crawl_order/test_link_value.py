"""The value of a link from the pay of its classes; what makes a link wait; which classes look generated."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.crawl_order.link_value import (
    LOWEST_STEP,
    MAX_PAY,
    MIN_LEADING,
    class_yield,
    directory_class,
    link_value,
    looks_generated,
    pay_of,
    value_step,
)
from templcrawl.memory.link_tables import PayTable

yields = st.floats(0, 9)


def test_twenty_words_of_a_page_are_free_and_500_the_most() -> None:
    assert [pay_of(words) for words in (0, 20, 21, 519, 520, 521, 10**9)] == [0, 0, 1, 499, 500, 500, 500]


def test_a_yield_and_a_value_by_hand() -> None:
    """Four pages of average pay are assumed of each class."""
    found = [
        class_yield(4, 400, 50.0),
        class_yield(12, 0, 50.0),
        class_yield(0, 0, 50.0),
        class_yield(4, 0, 0.0),
    ]
    assert found == [(400 / 50 + 4) / (4 + 4), 4 / (12 + 4), 1.0, 1.0]
    assert link_value([0.25, 1.5], 6.0) == 3.0


@given(st.integers(0, 50), st.integers(0, MAX_PAY), st.floats(1, MAX_PAY))
def test_a_yield_lies_between_the_average_and_the_record(pages: int, each: int, mean: float) -> None:
    found = class_yield(pages, pages * each, mean)
    low, high = sorted((1.0, each / mean))
    assert low - 1e-9 <= found <= high + 1e-9 if pages else found == 1


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


@given(st.floats(0, 9), st.floats(0, 9))
def test_of_two_links_the_one_of_the_higher_value_never_waits_longer(one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert LOWEST_STEP <= value_step(low) <= value_step(high) <= 1


def states(pages: list[bool]) -> list[bool]:
    """Return after each page of one class whether it looks generated, where these pages lead on or not."""
    table, found = PayTable(limit=10), []
    for leads_on in pages:
        table.count_leading([7], 8, leads_on=leads_on)
        found.append(table.is_generated(7))
    return found


def test_a_class_that_looks_generated_by_hand() -> None:
    """One of the first ten has a link of an earlier page; with two, nine tenths lead on once there are 20."""
    assert states([True] * 4 + [False] + [True] * 9).index(True) == 9
    assert states([True] * 4 + [False] * 2 + [True] * 90).index(True) == 19
    assert True not in states([True] + [False] * 100)


@given(st.lists(st.booleans(), max_size=120))
def test_generated_is_what_the_definition_says(pages: list[bool]) -> None:
    """Oracle: from the first page that leads on, count anew for each length."""
    start = pages.index(True) if True in pages else len(pages)
    counted = [pages[start : length + 1] for length in range(len(pages))]
    expected = [len(some) >= MIN_LEADING and 10 * sum(some) >= 9 * len(some) for some in counted]
    assert states(pages) == expected


def test_the_classes_of_a_page_are_counted_each() -> None:
    table = PayTable(limit=100)
    for number in range(100, 130):
        table.count_leading([7, number], number % 2, leads_on=True)
    assert [key for key in (7, 0, 1, *range(100, 130)) if table.is_generated(key)] == [7, 0, 1]
    assert looks_generated(30, 27)
    assert not looks_generated(30, 26)
