"""The stored pages of a site: which of them vote, which one is evicted, their sample, and their snapshot."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.memory.detectors import stored_pages
from templcrawl.memory.detectors.page_sample import PageSample, SampledPage
from templcrawl.memory.detectors.stored_pages import (
    ENOUGH,
    FAR,
    MAX_VOTERS,
    NEAR,
    PLENTY,
    StoredPages,
)
from templcrawl.memory.leaves import LeafDistances
from templcrawl.page.arrays import Keys
from tests.memory.invariants import check

READER = PageSample(size=16)


def read(*runs: int) -> SampledPage:
    return READER.read(np.array(runs, dtype=np.uint64))


def stored(*pages: tuple[int, SampledPage], size: int = 4, outsiders: bool = False) -> StoredPages:
    known = StoredPages(size=size)
    for leaf, page in pages:
        known.insert(page, leaf, page.hash, is_outsider=outsiders)
        check(known)
    return known


def place(**distances: float) -> LeafDistances:
    """Return a place by the distances of leaves, as in ``place(l3=0.2)``; the first is its own."""
    by_leaf = {int(name[1:]): distance for name, distance in distances.items()}
    return LeafDistances(next(iter(by_leaf)), "", by_leaf, {})


HERE = place(l1=0.0, l2=NEAR, l3=0.9)


def near(known: StoredPages, page: SampledPage, at: LeafDistances = HERE) -> tuple[list[float], int]:
    """Return for each distinct key of a page the share of those near that have it; how many these are."""
    return shares_of(known.near(at, page.hash, outsiders=False), page)


def shares_of(voters: list[Keys], page: SampledPage) -> tuple[list[float], int]:
    having = [sum(key in voter for voter in voters) for key in page.keys]
    return [count / max(1, len(voters)) for count in having], len(voters)


def test_pages_of_near_leaves_vote_and_not_the_page_itself() -> None:
    known = stored((1, read(1, 2, 3)), (2, read(1, 2, 4)), (3, read(5, 6)))
    assert near(known, read(2, 1, 9, 1)) == ([1.0, 1.0, 0.0], 2)
    assert near(known, read(1, 2, 3)) == ([1.0, 1.0, 0.0], 1)
    assert near(known, read(5), place(l4=0.0, l1=0.9)) == ([0.0], 0)


def test_a_leaf_that_was_merged_votes_as_the_one_that_it_is_in() -> None:
    known = stored((7, read(1, 2)))
    assert near(known, read(1), HERE._replace(into={7: 1})) == ([1.0], 1)
    assert near(known, read(1)) == ([0.0], 0)


def test_the_radius_grows_until_enough_pages_vote_and_ends() -> None:
    far = [(5, read(100 + number)) for number in range(3)]
    for close in (ENOUGH - 1, ENOUGH):
        known = stored(*((1, read(number)) for number in range(close)), *far, size=1)
        assert near(known, read(99), place(l1=0.0, l5=FAR))[1] == close + 3 * (close < ENOUGH)
        assert near(known, read(99), place(l1=0.0, l5=FAR + 0.01))[1] == close


@pytest.mark.parametrize(("own", "others"), [(PLENTY - 1, 3), (PLENTY, 0)])
def test_where_many_pages_are_of_a_leaf_no_other_leaf_is_asked(own: int, others: int) -> None:
    of_own = [(1, read(number)) for number in range(own)]
    known = stored(*of_own, *((2, read(100 + number)) for number in range(3)))
    assert near(known, read(99))[1] == own + others


def test_outsiders_ask_outsiders_alone_however_far_they_are() -> None:
    known = stored(*((1, read(number)) for number in range(6)))
    for number in range(ENOUGH + 2):
        known.insert(read(50, 100 + number), 10 + number, 100 + number, is_outsider=True)
    distances = {10 + number: 0.5 + number / 100 for number in range(ENOUGH + 2)}
    at = LeafDistances(1, "", {1: 0.0, **distances}, {})
    assert shares_of(known.near(at, read(50).hash, outsiders=True), read(50)) == ([1.0], ENOUGH)


def test_of_many_pages_the_largest_leaf_loses_the_largest_hash_and_the_sample_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stored_pages, "MAX_STORED", 5)
    first, second, *pages = sorted((read(n, 100 + n) for n in range(6)), key=lambda page: page.hash)
    known = stored(
        (1, first), (1, second), (2, pages[3]), (3, pages[0]), (2, pages[1]), (2, pages[2]), size=1
    )
    assert len(known) == 5
    assert len(known.sample) == 2
    assert near(known, read(7), place(l2=0.0))[1] == 2
    assert near(known, pages[1], place(l2=0.0))[1] == 1
    assert near(known, read(7), place(l1=0.0))[1] == 2
    assert sorted(page.leaf for page in known._pages.values()) == [1, 1, 2, 2, 3]


RUNS = st.lists(st.integers(0, 30), min_size=1, max_size=8)
PAGES = st.lists(st.tuples(st.integers(1, 3), RUNS), max_size=20)


@given(PAGES, RUNS)
def test_shares_are_those_of_the_near_pages_with_the_smallest_hashes(
    pages: list[tuple[int, list[int]]], asked: list[int]
) -> None:
    pages_of = {read(*runs).hash: (leaf, set(runs)) for leaf, runs in pages}
    page = read(*asked)
    own, next_to_it = ([one for one, (leaf, _) in pages_of.items() if leaf == at] for at in (1, 2))
    own, next_to_it = ([one for one in some if one != page.hash] for some in (own, next_to_it))
    alike = sorted(own if len(own) >= PLENTY else own + next_to_it)[:MAX_VOTERS]
    shares, count = near(stored(*((leaf, read(*runs)) for leaf, runs in pages)), page)
    assert count == len(alike)
    expected = [
        sum(run in pages_of[one][1] for one in alike) / max(len(alike), 1) for run in sorted({*asked})
    ]
    assert shares == pytest.approx(expected)


def test_a_snapshot_gives_the_same_answers_by_its_own_salt_alone() -> None:
    known = stored((1, read(1, 2, 3)), (2, read(1, 2, 4)), (3, read(5, 6)))
    known.insert(read(8), 9, 99, is_outsider=True, at=-5)  # a clock before 1970
    again = StoredPages(size=4)
    again.restore(known.snapshot())
    check(again)
    assert again.snapshot() == known.snapshot()
    assert near(again, read(1, 4)) == near(known, read(1, 4))
    other = StoredPages(size=4, salt=1)
    other.restore(known.snapshot())
    assert len(other) == 0


def test_what_a_later_crawl_reads_of_a_page_takes_its_place_in_the_draw() -> None:
    known = stored(*((1, read(1, 10 + number)) for number in range(8)), size=4)
    drawn, again = {*known.sample._slots}, StoredPages(size=4)
    again.restore(known.snapshot())
    for number in range(8):
        before, after = read(1, 10 + number), read(1, 2, 20 + number)
        assert again.is_stale(before.hash)
        again.insert(after, 1, before.hash, is_outsider=False, at=5)
        check(again)
        assert not again.is_stale(before.hash)
        assert (again.version(before.hash) in again.sample) == (before.hash in drawn)
        _, pages = near(again, after)
        assert pages == (number if number >= ENOUGH else 7), "those that were read in this crawl vote alone"
    assert len(again) == 8
    resumed = StoredPages(size=4, began=5)
    resumed.restore(again.snapshot())
    assert not any(resumed.is_stale(read(1, 10 + number).hash) for number in range(8))
    assert resumed.snapshot() == again.snapshot()


def test_a_version_of_a_page_that_has_become_another_page_leaves_its_place_to_the_next() -> None:
    pages = [read(1, 10 + number) for number in range(8)]
    known = stored(*((1, page) for page in pages), size=4)
    drawn = [page for page in pages if page.hash in known.sample]
    known.insert(drawn[1], 1, drawn[0].hash, is_outsider=False)
    check(known)
    assert len(known) == 7
    assert len(known.sample) == 5
