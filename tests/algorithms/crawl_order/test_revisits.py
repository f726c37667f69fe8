"""What a known page is worth another visit, and when a crawl of known pages no longer pays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.crawl_order.revisits import (
    ASSUMED_OF_CLAIM,
    CALLED_CHANGED,
    CALLED_UNCHANGED,
    chance,
    chance_by_now,
    class_rate,
    is_over,
)

visits = st.integers(0, 1_000)
shares = st.floats(0, 1)


def test_by_hand() -> None:
    """A page has changed on 3 of 4 visits, in a class that has on 9 of 19: (3 + 2 * .455) / 6."""
    share = chance(4, 3, class_rate(19, 9))
    assert share == pytest.approx((3 + 2 * 9.1 / 20) / 6)
    assert chance_by_now(share, 1) == pytest.approx(share)
    assert chance_by_now(share, 2) == pytest.approx(1 - (1 - share) ** 2)


@given(visits, visits, shares)
def test_a_chance_lies_between_that_of_the_page_and_that_of_its_class(
    all_: int, some: int, rate: float
) -> None:
    seen, times = max(all_, some), min(all_, some)
    low, high = sorted((times / seen if seen else rate, rate))
    assert low - 1e-9 <= chance(seen, times, rate) <= high + 1e-9


@given(shares, st.floats(0, 1_000), st.floats(0, 1_000))
def test_the_longer_ago_a_page_was_read_the_more_probably_it_has_changed(
    share: float, one: float, other: float
) -> None:
    sooner, later = sorted((one, other))
    assert 0 <= chance_by_now(share, sooner) <= chance_by_now(share, later) <= 1


def test_a_sitemap_that_lies_is_found_out() -> None:
    assert class_rate(0, 0, ASSUMED_OF_CLAIM[CALLED_CHANGED]) > 0.5
    assert class_rate(0, 0, ASSUMED_OF_CLAIM[CALLED_UNCHANGED]) < 0.5
    assert class_rate(99, 1, ASSUMED_OF_CLAIM[CALLED_CHANGED]) < 0.02
    assert class_rate(99, 99, ASSUMED_OF_CLAIM[CALLED_UNCHANGED]) > 0.99


@pytest.mark.parametrize(
    ("expected", "found", "limit", "over"),
    [
        (4.9, 95, 0.05, True),
        (5.1, 95, 0.05, False),
        (0.4, 0, 0.05, True),
        (0.6, 0, 0.05, False),
        (0.4, 0, 0, False),
        (2.9, 0, 3, True),
        (3.0, 0, 3, False),
        (0.0, 99, 0, False),
    ],
)
def test_a_crawl_is_over_when_little_is_left(expected: float, found: int, limit: float, over: bool) -> None:
    assert is_over(expected, found, limit) is over
