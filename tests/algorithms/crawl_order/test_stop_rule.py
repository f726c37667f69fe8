"""When a site is spent."""

from __future__ import annotations

from statistics import fmean

from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.crawl_order.stop_rule import LAST_PAGES, RecentPay

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


@given(PAYS)
def test_a_site_that_has_paid_nothing_and_one_that_pays_alike_are_never_spent(pays: list[int]) -> None:
    assert not any(spent_after([0] * len(pays)))
    assert not any(spent_after([7] * len(pays)))


@given(PAYS, st.integers(1, 40))
def test_it_goes_by_the_last_pages_alone(pays: list[int], mean: int) -> None:
    long, short = RecentPay(), RecentPay()
    last = [*pays, *range(LAST_PAGES)]
    for pay in last:
        long.update(pay, mean)
    for pay in last[-LAST_PAGES:]:
        short.update(pay, mean)
    assert long.share(mean) == short.share(mean)
