"""The value of a link from the pay of its classes; when a site is spent; what makes a link wait."""

from __future__ import annotations

from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.crawl_order.link_value import (
    LAST_PAGES,
    LOWEST_STEP,
    MAX_PAY,
    RecentPay,
    class_yield,
    directory_class,
    link_value,
    pay_of,
    value_step,
)

yields = st.floats(0, 9)


def test_twenty_words_of_a_page_are_free_and_500_the_most() -> None:
    assert [pay_of(words) for words in (0, 20, 21, 519, 520, 521, 10**9)] == [0, 0, 1, 499, 500, 500, 500]


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


PAYS = st.lists(st.sampled_from([0, 0, 1, 3, 20, 80, 500]), max_size=150)


def spent_after(pays: list[int]) -> list[bool]:
    """Return page -> whether the site is spent after it, where these are all pages of the site."""
    recent = RecentPay()
    found = []
    for number, pay in enumerate(pays, 1):
        recent.update(pay, fmean(pays[:number]))
        found.append(recent.is_spent)
    return found


def test_a_site_by_hand() -> None:
    """After 60 pages of 100 words and n of none a page pays 6000 / (60 + n), the last 30 (3000 - 100 n) / 30.

    For n = 28 that is 6.67 against 6.82, a tenth of 68.2; for n = 27 it is 10 against 6.9.
    Then n pages of 40 words bring 40 n / 30 against (6000 + 40 n) / (100 + n): 10.67 / 58.5 = .18 for n = 8,
    12 / 58.3 = .21 for n = 9.
    """
    found = spent_after([100] * 60 + [0] * 40 + [40] * 12)
    assert found.index(True) == 60 + 28 - 1
    recovered = found.index(False, 88)
    assert recovered == 100 + 9 - 1
    assert not any(found[recovered:])


@given(PAYS)
def test_it_is_what_the_definition_says(pays: list[int]) -> None:
    """Oracle: all means computed anew from the list of all pages."""
    is_spent, expected = False, []
    for number in range(1, len(pays) + 1):
        mean, last = fmean(pays[:number]), pays[max(0, number - LAST_PAGES) : number]
        share = fmean(last) / mean if mean else 1.0
        if number >= LAST_PAGES:
            is_spent = share < (0.2 if is_spent else 0.1)
        expected.append(is_spent)
    assert spent_after(pays) == expected


@given(st.floats(0, 9), st.floats(0, 9))
def test_of_two_links_the_one_of_the_higher_value_never_waits_longer(one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert LOWEST_STEP <= value_step(low) <= value_step(high) <= 1
