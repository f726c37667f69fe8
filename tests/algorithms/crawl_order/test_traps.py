"""Which classes of links look endless; when a site is spent."""

from __future__ import annotations

from itertools import pairwise
from statistics import fmean

from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.crawl_order.link_value import ClassRecord
from templcrawl.algorithms.crawl_order.traps import LAST_PAGES, MIN_PAGES, EndlessClasses, RecentPay


def reported(waiting: list[int], *, pay: int = 0, mean: float = 80.0) -> list[int]:
    """Return after how many pages a class is reported whose pages pay so much, while so many links wait."""
    classes = EndlessClasses()
    return [
        pages
        for pages, links in enumerate(waiting, 1)
        if classes.count_page([ClassRecord(7, pages, pay * pages)], mean=mean, waiting=links) is not None
    ]


def test_a_class_whose_links_do_not_run_out_is_reported_once_at_twice_the_least_pages() -> None:
    assert reported([200] * 300) == [2 * MIN_PAGES]
    assert reported([200 + number for number in range(300)]) == [2 * MIN_PAGES]


def test_a_class_that_pays_is_not_reported() -> None:
    assert reported([200] * 300, pay=7) == [2 * MIN_PAGES]
    assert reported([200] * 300, pay=8) == []
    assert reported([200] * 300, mean=0.0) == []


def test_a_class_whose_links_run_out_at_first_is_watched_anew_at_twice_the_pages() -> None:
    waiting = [1_000 - pages for pages in range(50)] + [951] * 200
    assert reported(waiting) == [4 * MIN_PAGES]


@given(st.lists(st.integers(0, 400), max_size=500))
def test_endless_is_what_the_definition_says(waiting: list[int]) -> None:
    """Oracle: of 30, 60, 120 ... pages the first with no fewer links waiting than at the one before."""
    looks = [MIN_PAGES * 2**power for power in range(8) if MIN_PAGES * 2**power <= len(waiting)]
    first = next((b for a, b in pairwise(looks) if waiting[b - 1] >= waiting[a - 1]), None)
    assert reported(waiting)[:1] == ([first] if first else [])


def test_of_the_classes_of_a_page_one_is_reported_and_the_others_never() -> None:
    classes = EndlessClasses()
    found = []
    for pages in range(1, 100):
        records = [
            ClassRecord(7, pages, 0),
            ClassRecord(8, max(0, pages - 20), 0),
            ClassRecord(9, pages, 10**6),
        ]
        found.append(classes.count_page(records, mean=80.0, waiting=50))
    assert [record for record in found if record] == [ClassRecord(7, 60, 0)]


PAYS = st.lists(st.sampled_from([0, 0, 1, 3, 20, 80, 500]), max_size=150)


def spent_after(pays: list[int]) -> list[bool]:
    """Return page -> whether the site is spent after it, where these are all pages of the site."""
    recent = RecentPay()
    found = []
    for number, pay in enumerate(pays, 1):
        recent.count_page(pay, fmean(pays[:number]))
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
