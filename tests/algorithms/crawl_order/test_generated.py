"""Which classes of links look generated."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.crawl_order.generated import LEAST_PAGES, looks_generated
from templcrawl.memory.link_tables import PayTable


def states(pages: list[bool]) -> list[bool]:
    """Return after each page of one class whether it looks generated, where these pages lead on or not."""
    table, found = PayTable(limit=10), []
    for leads_on in pages:
        table.count_leading([7], 8, leads_on=leads_on)
        found.append(table.is_generated(7))
    return found


def test_ten_pages_that_lead_on_are_enough() -> None:
    assert states([True] * 40) == [False] * 9 + [True] * 31
    assert states([False] * 50 + [True] * 40) == [False] * 59 + [True] * 31


def test_of_pages_by_hand() -> None:
    """One of the first ten has a link of an earlier page; with two, nine tenths lead on once there are 20."""
    assert states([True] * 4 + [False] + [True] * 9).index(True) == 9
    assert states([True] * 4 + [False] * 2 + [True] * 90).index(True) == 19
    assert True not in states([True] + [False] * 100)


def test_a_false_alarm_ends() -> None:
    """Ten pages that lead on, and the second page that does not: 10 of 12."""
    assert states([True] * 10 + [False] * 20) == [False] * 9 + [True] * 2 + [False] * 19


@given(st.lists(st.booleans(), max_size=120))
def test_it_is_what_the_definition_says(pages: list[bool]) -> None:
    """Oracle: from the first page that leads on, count anew for each length."""
    start = pages.index(True) if True in pages else len(pages)
    counted = [pages[start : length + 1] for length in range(len(pages))]
    expected = [len(some) >= LEAST_PAGES and 10 * sum(some) >= 9 * len(some) for some in counted]
    assert states(pages) == expected


def test_the_classes_of_a_page_are_counted_each() -> None:
    table = PayTable(limit=100)
    for number in range(100, 130):
        table.count_leading([7, number], number % 2, leads_on=True)
    assert [key for key in (7, 0, 1, *range(100, 130)) if table.is_generated(key)] == [7, 0, 1]
    assert looks_generated(30, 27)
    assert not looks_generated(30, 26)
