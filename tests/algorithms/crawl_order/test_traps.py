"""Which classes of links look endless.

Which classes of links look generated.
"""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.crawl_order.traps import (
    MIN_LEADING,
    MIN_PAGES,
    ClassRecord,
    EndlessClasses,
    looks_generated,
)
from templcrawl.memory.link_tables import PayTable


def reported(waiting: list[int], *, pay: int = 0, mean: float = 80.0) -> list[int]:
    """Return after how many pages a class is reported whose pages pay so much, while so many links wait."""
    classes = EndlessClasses()
    return [
        pages
        for pages, links in enumerate(waiting, 1)
        if classes.update([ClassRecord(7, pages, pay * pages)], mean=mean, waiting=links) is not None
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
        found.append(classes.update(records, mean=80.0, waiting=50))
    assert [record for record in found if record] == [ClassRecord(7, 60, 0)]


def states(pages: list[bool]) -> list[bool]:
    """Return after each page of one class whether it looks generated, where these pages lead on or not."""
    table, found = PayTable(limit=10), []
    for leads_on in pages:
        table.count_leading([7], 8, leads_on=leads_on)
        found.append(table.is_generated(7))
    return found


def test_of_pages_by_hand() -> None:
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
