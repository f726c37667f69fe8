"""Which classes of links look generated."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.crawl_order.generated import LEAST_PAGES, GeneratedClasses


def found_at(pages: list[bool]) -> list[int]:
    """Return after how many pages of one class it is found, where these pages lead on or not."""
    classes = GeneratedClasses()
    return [number for number, on in enumerate(pages, 1) if classes.update([7], leads_on=on)]


def test_twenty_pages_that_lead_on_are_enough_and_are_found_once() -> None:
    assert found_at([True] * 100) == [LEAST_PAGES]
    assert found_at([False] * 50 + [True] * 100) == [50 + LEAST_PAGES]


def test_of_pages_by_hand() -> None:
    """Two of the first ten lead nowhere on, so nine tenths do once there are 20: 18 of 20."""
    assert found_at([True] * 4 + [False] * 2 + [True] * 90) == [20]
    assert found_at([True] * 4 + [False] * 3 + [True] * 90) == [30]
    assert found_at([True] + [False] * 100) == []


@given(st.lists(st.booleans(), max_size=120))
def test_it_is_what_the_definition_says(pages: list[bool]) -> None:
    """Oracle: from the first page that leads on, count anew for each length."""
    start = pages.index(True) if True in pages else len(pages)
    lengths = range(LEAST_PAGES, len(pages) - start + 1)
    is_found = (length for length in lengths if 10 * sum(pages[start : start + length]) >= 9 * length)
    assert found_at(pages) == [start + length for length in is_found][:1]


def test_the_classes_of_a_page_are_found_together() -> None:
    classes = GeneratedClasses()
    found = [classes.update([7, number], leads_on=True) for number in range(100, 130)]
    assert found.index(True) == LEAST_PAGES - 1
    assert sum(found) == 1
    assert classes.has_reported([7])
    assert classes.has_reported([100 + LEAST_PAGES - 1, 3])
    assert not classes.has_reported([100])
