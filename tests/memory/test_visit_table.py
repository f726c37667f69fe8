"""The visits to the pages of a site: by hand, against sums too simple to be wrong, saved, damaged."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.crawl_order.revisits import HUB, JUST, NEVER, ONCE, ClassOfPages
from templcrawl.errors import InvalidSnapshot
from templcrawl.memory.change_kinds import CHANGED, NEW, SAME
from templcrawl.memory.memory_options import MemoryOptions
from templcrawl.memory.sections import UnreadPage
from templcrawl.memory.states import pack, unpack
from templcrawl.memory.visit_records import IS_GONE, REDIRECTS, UNMODIFIED, PageVisits, is_audited
from templcrawl.memory.visit_table import VisitTable
from tests.memory.damage import damaged

DAY = 86_400_000  # milliseconds
POSTS, DOCS = 1 << 7, 2 << 7  # directories
LIST = 77  # a page that links to all others


def table(began: int, earlier: VisitTable | None = None) -> VisitTable:
    """Return the table of a crawl, with what an earlier one has saved."""
    new = VisitTable(MemoryOptions(max_pages=100), began=began)
    if earlier is not None:
        new.restore(unpack("visits", pack(earlier.snapshot())))
    return new


def directory(address: int) -> int:
    return POSTS if address < 5 else DOCS


def crawls(days: Iterable[Iterable[int]], pages: int = 10) -> VisitTable:
    """Return what crawls on consecutive days know of some addresses; each names those that had changed."""
    known = None
    for day, changed in enumerate(days, 1):
        known = table(day * DAY, known)
        known.count(LIST, DOCS, 0, day * DAY, changed=LIST in changed)
        for address in range(1, pages):
            known.meet(address, LIST, pages)
            known.count(address, directory(address), 0, day * DAY, changed=address in changed)
        known.end(is_whole=True)
    assert known is not None
    return known


def test_by_hand() -> None:
    known = crawls([[], [1], [1, 2], [1]])
    pages = [page for page in map(known.get, (1, 2, 7)) if page is not None]
    assert [(page.visits, page.changes, page.has_just_changed) for page in pages] == [
        (3, 3, True),
        (3, 1, False),
        (3, 0, False),
    ]
    assert [page.parent for page in pages] == [LIST] * 3
    later = table(5 * DAY, known)
    classes = {
        address: ClassOfPages.from_key(later.class_of(address, page)) for address, page in later.pages()
    }
    assert classes[1] == (POSTS, JUST, 0)
    assert classes[7] == (DOCS, NEVER, 0)
    assert classes[LIST] == (DOCS | HUB, NEVER, 0)
    history = later.remainder.history
    assert history.site == (30, 4, 30 * DAY // 1_000)
    assert history.share_of(POSTS)[0] > history.share_of(DOCS)[0]
    assert (later.crawls, later.knew, later.remainder.unread) == (4, 10, 10)


def test_pages_that_a_crawl_has_not_read_are_told_once_it_has_read_any() -> None:
    known, urls = table(DAY), {number: f"http://a.example/{number}" for number in range(1, 5)}
    for number, url in urls.items():
        known.count(number, POSTS, 1, DAY, url=url, brought=IS_GONE if number == 4 else 0)
    later = table(2 * DAY, known)
    assert [*later.unread_pages()] == []
    later.count(1, POSTS, 2, 2 * DAY, url=urls[1])
    later.count(2, POSTS, 1, 2 * DAY, url=urls[2], brought=UNMODIFIED)
    assert {*later.unread_pages()} == {
        UnreadPage(urls[2], is_unmodified=True, last_read=2 * DAY // 1_000),
        UnreadPage(urls[3], is_unmodified=False, last_read=DAY // 1_000),
    }


def test_a_page_is_new_then_the_same_or_changed_and_counts_once_a_crawl() -> None:
    known = table(DAY)
    assert [known.count(7, POSTS, 1, DAY), known.count(7, POSTS, 2, DAY + 1)] == [NEW, SAME]
    known = table(2 * DAY, known)
    assert [known.count(7, POSTS, 1, 2 * DAY), known.count(7, POSTS, 2, 2 * DAY)] == [SAME, SAME]
    known = table(3 * DAY, known)
    assert known.count(7, POSTS, 2, 3 * DAY, url="http://x.org/a", validators=b'"1"\n') == CHANGED
    page = known.get(7)
    assert page == PageVisits(2, POSTS, 3 * DAY, 0, 2, 1, 2, b'"1"\n\nhttp://x.org/a')
    assert page.state == JUST


def test_an_hour_later_little_is_expected_and_after_a_long_time_much() -> None:
    known = crawls([[], [1], [1, 2], [1]])
    hour, days = (table(at, known).remainder.mean for at in (4 * DAY + DAY // 24, 14 * DAY))
    assert 0 < hour < days < 10
    assert hour == pytest.approx(table(5 * DAY, known).remainder.mean)  # no whole crawl has come so soon


@given(st.lists(st.sets(st.integers(1, 9)), min_size=1, max_size=5), st.sets(st.integers(1, 9)))
def test_what_is_expected_is_what_classes_expect_of_pages_that_were_not_read(
    days: list[set[int]], read: set[int]
) -> None:
    at = (len(days) + 2) * DAY
    known = table(at, crawls([[], *days]))
    known.count(LIST, DOCS, 0, at, changed=bool(days[0]))
    for address in range(1, 10):
        known.meet(address, LIST, 9)
    for address in sorted(read):
        known.count(address, directory(address), 0, at, changed=address == 3)
    left = [(address, page) for address, page in known.pages() if page.last < at]
    rates = [known.remainder[known.class_of(address, page)].rate() for address, page in left]
    assert known.remainder.unread == len(left)
    assert known.remainder.mean == pytest.approx(sum(rates))


def test_a_hub_that_has_changed_says_that_its_pages_may_have() -> None:
    days = [[], [1, 2, LIST], [], [3, LIST], [], [1, 2, 3, LIST], []]
    means = []
    for changed in (False, True):
        known = table(8 * DAY, crawls(days))
        known.count(LIST, DOCS, 0, 8 * DAY, changed=changed)
        for address in range(1, 10):
            known.meet(address, LIST, 9)
        means.append(known.remainder.mean)
    assert means[1] > 1.2 * means[0]


def test_a_page_that_its_parent_no_longer_links_to_is_not_expected_unless_another_one_does() -> None:
    known = table(3 * DAY, crawls([[], [1, 2]]))
    known.count(LIST, DOCS, 0, 3 * DAY)
    for address in range(3, 10):
        known.meet(address, LIST, 7)
    known.end_links(LIST)
    assert known.remainder.unread == 7
    known.meet(1, 5, 2)
    assert known.remainder.unread == 8
    known.count(2, POSTS, 0, 3 * DAY)  # a start request
    assert known.remainder.unread == 8
    assert known.remainder.mean >= 0


def test_the_parent_of_a_page_is_the_one_with_most_links() -> None:
    known = table(DAY)
    for address in (1, 2, LIST):
        known.count(address, POSTS, 0, DAY)
    known.meet(2, 1, 3)
    known.meet(2, LIST, 20)
    known.meet(2, 1, 3)
    known.meet(2, 2, 99)
    known.end(is_whole=True)
    page = known.get(2)
    assert page is not None
    assert page.parent == LIST


def test_what_all_pages_show_alike_has_changed_on_each_and_is_expected_of_none() -> None:
    known = table(2 * DAY, crawls([[]]))
    banner, own = 99, 1_000
    kinds = [
        known.count(a, POSTS, 1, 2 * DAY, changed=True, altered={banner, *([own] if a == 9 else [])})
        for a in range(1, 10)
    ]
    assert kinds == [CHANGED] * 9
    pages = [known.get(a) for a in range(1, 10)]
    assert [page is not None and page.has_just_changed for page in pages] == [True] * 5 + [False] * 3 + [True]


def test_a_page_that_redirects_for_the_first_time_is_asked_for_once_more() -> None:
    known = table(2 * DAY, crawls([[]]))
    known.count(4, POSTS, 3, 2 * DAY, brought=REDIRECTS)
    for day, is_passed_by in ((3, False), (4, True)):
        known = table(day * DAY, known)
        known.meet(3, LIST, 1)
        page = known.get(4)
        assert page is not None
        assert known.is_way_around(page) is is_passed_by
        known.count(4, POSTS, 3, day * DAY, brought=REDIRECTS)


def test_an_address_that_redirects_is_known_by_where_it_leads_and_expects_nothing() -> None:
    known = table(2 * DAY, crawls([[]]))
    assert known.count(50, POSTS, 3, 2 * DAY, brought=REDIRECTS) == NEW
    assert known.found == 0
    known = table(3 * DAY, known)
    assert known.remainder.unread == 10
    page = known.get(50)
    assert page is not None
    assert not known.is_way_around(page)
    known.meet(3, LIST, 1)
    assert known.is_way_around(page)
    assert known.count(50, POSTS, 3, 3 * DAY, brought=REDIRECTS) == SAME
    assert known.count(4, POSTS, 3, 3 * DAY, brought=REDIRECTS) == CHANGED  # a page that is gone
    assert known.count(5, POSTS, 0, 3 * DAY, brought=IS_GONE) == CHANGED
    known = table(4 * DAY, known)
    assert known.count(4, POSTS, 0, 4 * DAY) == CHANGED
    assert known.remainder.unread == 9


def test_each_page_is_audited_once_in_some_crawls() -> None:
    audits = [[is_audited(address << 13, crawl, 99) for crawl in range(20, 28)] for address in range(99)]
    assert {sum(crawls) for crawls in audits} == {1}
    assert all(map(any, zip(*audits)))
    assert not any(is_audited(address, 0, 15) for address in range(99))


def test_validators_that_lie_are_not_asked_by_again() -> None:
    def crawl(day: int, known: VisitTable | None, changed: Iterable[int]) -> VisitTable:
        new = table(day * DAY, known)
        for address in range(1, 6):
            new.count(address, POSTS, 0, day * DAY, changed=address in changed, validators=b'"1"\n')
        return new

    known = crawl(2, crawl(1, None, []), [1])
    known = table(3 * DAY, known)
    pages = dict(known.pages())
    assert [known.may_ask(address, page) for address, page in pages.items()] == [
        False,
        True,
        True,
        True,
        True,
    ]
    known = table(4 * DAY, crawl(3, known, [1, 2, 3]))
    assert known.lies
    assert not [address for address, page in known.pages() if known.may_ask(address, page)]


def test_a_page_that_leads_on_is_asked_for_as_a_whole() -> None:
    known = table(2 * DAY, crawls([[]]))
    known.note_led(3)
    for address in (3, 4, LIST):
        known.count(address, POSTS, 0, 2 * DAY, validators=b"\nMon")
    known = table(3 * DAY, known)
    asked = {
        address: known.may_ask(address, page) for address, page in known.pages() if page.validators != b"\n"
    }
    assert asked == {3: False, 4: True, LIST: False}


def test_a_whole_crawl_forgets_what_it_has_not_met_and_one_that_was_ended_early_does_not() -> None:
    known = table(2 * DAY, crawls([[]]))
    known.count(3, POSTS, 0, 2 * DAY)
    known.note_gap()
    known.note_gap()
    assert known.end(is_whole=False) == []
    assert (known.crawls, known.since, len(known)) == (2, 1, 10)
    known = table(3 * DAY, known)
    assert (known.crawls, known.since, known.knew) == (2, 1, 10)
    known.count(3, POSTS, 0, 3 * DAY)
    known.meet(4, 3, 1)  # and its server had failed
    assert known.end(is_whole=True) == []  # nearly all at once: the site may have failed
    assert (known.vanished, len(known)) == (8, 10)
    known = table(4 * DAY, known)
    for address in (3, 4):
        known.count(address, POSTS, 0, 4 * DAY)
    assert len(known.end(is_whole=True)) == 8
    assert (known.crawls, known.since, known.vanished, len(known)) == (4, 0, 0, 2)


def test_a_crawl_that_goes_on_does_not_forget_what_it_may_have_met() -> None:
    known = table(2 * DAY, crawls([[]]))
    known.count(LIST, DOCS, 0, 2 * DAY)
    again = table(2 * DAY, known)
    assert again.end(is_whole=True) == []
    assert len(again) == 10


def test_an_interval_without_changes_does_not_make_the_shortest_one() -> None:
    known = crawls([[], [1], [2]])
    for minute in range(1, 4):
        known = table(3 * DAY + minute * 60_000, known)
        known.count(LIST, DOCS, 0, 3 * DAY + minute * 60_000)
        for address in range(1, 10):
            known.meet(address, LIST, 9)
            known.count(address, directory(address), 0, 3 * DAY + minute * 60_000)
        known.end(is_whole=True)
    assert table(4 * DAY, known).remainder.history.shortest == DAY // 1_000


def test_pages_read_once_are_a_state_of_their_own() -> None:
    known = table(2 * DAY, crawls([[]]))
    assert {ClassOfPages.from_key(key).state for key in known.remainder.classes} == {ONCE}


def test_what_is_damaged_is_refused_or_can_be_used() -> None:
    refused = 0
    for what, snapshot in damaged(crawls([[], [1], [2]]).snapshot()):
        other = VisitTable(MemoryOptions(max_pages=100), began=4 * DAY)
        try:
            other.restore(snapshot)
        except InvalidSnapshot:
            refused += 1
            continue
        assert other.remainder.mean >= 0, what
        assert 0 <= other.remainder.bound() <= other.remainder.unread, what
        for address, page in [*other.pages()]:
            if other.is_unread(page):
                assert 0 <= other.remainder.value(other.class_of(address, page)) <= 2, what
            other.meet(address, LIST, 9)
            other.count(address, POSTS, 5, 4 * DAY)
        other.end_links(LIST)
        other.end(is_whole=True)
        pack(other.snapshot())
    assert refused > 50
