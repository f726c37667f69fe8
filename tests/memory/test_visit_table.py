"""The visits to the pages of a site: by hand, against sums too simple to be wrong, merged, damaged."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.errors import InvalidSnapshot
from templcrawl.memory.change_table import CHANGED, NEW, SAME
from templcrawl.memory.snapshots import pack, unpack
from templcrawl.memory.visit_table import PageVisits, VisitTable
from tests.memory.damage import damaged

DAY = 86_400_000  # milliseconds
POSTS, DOCS = 1, 2  # classes


def table(began: int, earlier: VisitTable | None = None) -> VisitTable:
    """Return the table of a crawl, with what an earlier one has saved."""
    new = VisitTable(limit=100, began=began)
    if earlier is not None:
        new.restore(unpack("visits", pack(earlier.snapshot())))
    return new


def crawls(days: Iterable[Iterable[int]]) -> VisitTable:
    """Return what crawls on consecutive days know of ten addresses; each names those that had changed."""
    known = None
    for day, changed in enumerate(days):
        known = table(day * DAY, known)
        for address in range(10):
            known.count(address, POSTS if address < 5 else DOCS, 0, day * DAY, changed=address in changed)
    assert known is not None
    return known


def test_by_hand() -> None:
    known = crawls([[], [1], [1, 2], [1]])
    pages = {address: known.get(address) for address in (1, 2, 7)}
    assert [(page.visits, page.changes) for page in pages.values() if page] == [(3, 3), (3, 1), (3, 0)]
    now = 4 * DAY
    of_site = (4 + 0.1) / 31
    of_posts, of_docs = (4 + of_site) / 16, of_site / 16
    chances = [known.chance_of_change(page, now) for page in pages.values() if page]
    assert chances == pytest.approx([(3 + 2 * of_posts) / 5, (1 + 2 * of_posts) / 5, 2 * of_docs / 5])


def test_a_page_is_new_then_the_same_or_changed_and_counts_once_a_crawl() -> None:
    known = table(0)
    assert [known.count(7, POSTS, 1, 0), known.count(7, POSTS, 2, 1)] == [NEW, SAME]
    known = table(DAY, known)
    assert [known.count(7, POSTS, 1, DAY), known.count(7, POSTS, 2, DAY)] == [SAME, SAME]
    known = table(2 * DAY, known)
    assert known.count(7, POSTS, 2, 2 * DAY) == CHANGED
    assert known.get(7) == PageVisits(2, POSTS, 0, 2 * DAY, visits=2, changes=1)


def test_an_hour_later_nothing_is_expected_and_after_a_long_time_much() -> None:
    known = table(3 * DAY + 1, crawls([[], [1], [1, 2], [1]]))
    hour, week = known.expected(3 * DAY + 3_600_000), table(3 * DAY + 1, known).expected(10 * DAY)
    assert 0 < hour < 0.3 < 2 < week < 10


@given(st.lists(st.sets(st.integers(0, 9)), min_size=1, max_size=5), st.sets(st.integers(0, 9)))
def test_what_is_expected_is_the_sum_over_pages_that_were_not_read(
    days: list[set[int]], read: set[int]
) -> None:
    at = len(days) * DAY
    known = table(at, crawls([[], *days]))
    for address in sorted(read):
        known.count(address, POSTS if address < 5 else DOCS, 0, at, changed=address == 3)
    pages = [page for page in map(known.get, range(10)) if page is not None and page.last < at]
    known._expected = None
    known._recent.clear()
    assert known.expected(at + DAY) == pytest.approx(
        sum(known.chance_of_change(page, at + DAY) for page in pages)
    )
    assert known.unread() == len(pages)


def test_of_the_banner_that_all_pages_show_only_the_first_have_changed() -> None:
    known = table(DAY, crawls([[]]))
    banner, own = 99, 1_000
    kinds = [
        known.count(a, POSTS, 1, DAY, changed=True, altered={banner, *([own] if a == 9 else [])})
        for a in range(10)
    ]
    assert kinds == [CHANGED] * 5 + [SAME] * 4 + [CHANGED]


def test_a_listing_that_leads_to_new_pages_is_worth_more_than_one_that_does_not() -> None:
    known = None
    for day in range(4):
        known = table(day * DAY, known)
        for listing in (1, 2):
            known.count(listing, DOCS, 0, day * DAY)
        known.count(100 + day, POSTS, 0, day * DAY)
        known.count_lead(1, found=True)
        known.count_lead(1, found=True)
        known.count_lead(2, found=False)
    assert known is not None
    one, other = known.get(1), known.get(2)
    assert one
    assert other
    assert (one.leads, other.leads, one.is_parent, other.is_parent) == (3, 0, 1, 1)
    assert known.value(one, 4 * DAY) > known.value(other, 4 * DAY) + 0.5


def test_a_whole_crawl_forgets_what_it_has_not_met_and_one_that_was_ended_early_does_not() -> None:
    known = table(DAY, crawls([[]]))
    known.count(3, POSTS, 0, DAY)
    known.note_gap()
    known.note_gap()
    assert (known.crawls, len(known)) == (1, 10)
    known = table(2 * DAY, known)
    assert (known.crawls, known.knew) == (1, 10)
    known.count(3, POSTS, 0, 2 * DAY)
    known.end_whole()
    assert (known.crawls, len(known)) == (0, 1)


def test_what_is_damaged_is_refused_or_can_be_used() -> None:
    refused = 0
    for what, snapshot in damaged(crawls([[], [1], [2]]).snapshot()):
        other = VisitTable(limit=100, began=3 * DAY)
        try:
            other.restore(snapshot)
        except InvalidSnapshot:
            refused += 1
            continue
        assert other.expected(4 * DAY) >= 0, what
        for address in [*other._records]:
            page = other.get(address)
            assert page is not None
            assert 0 <= other.value(page, 4 * DAY) <= 2, what
            other.count(address, POSTS, 5, 4 * DAY)
        pack(other.snapshot())
    assert refused > 50
