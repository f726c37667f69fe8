"""The sample of a site's pages: drawn by hash, whatever the order."""

from __future__ import annotations

from statistics import median

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.memory.detectors import page_sample
from templcrawl.memory.detectors.page_sample import PageSample
from tests.memory.invariants import check


def page(*runs: int) -> np.ndarray:
    return np.array(runs, dtype=np.uint64)


def sample_of(pages: list[np.ndarray], size: int = 4, salt: int = 0) -> PageSample:
    sample = PageSample(size=size, salt=salt)
    for runs in pages:
        read = sample.read(runs)
        sample.offer(read.hash, read.keys)
        check(sample)
    return sample


def shares(sample: PageSample, runs: np.ndarray) -> tuple[list[float], int]:
    found = sample.shares(sample.read(runs), runs)
    return found.shares.tolist(), found.pages


PAGES = st.lists(st.lists(st.integers(0, 12), max_size=6).map(lambda runs: page(*runs)), max_size=14)


def test_the_share_of_a_run_is_that_of_the_sampled_pages_that_have_it() -> None:
    sample = sample_of([page(1, 2, 3), page(1, 2), page(1, 9, 9)])
    assert shares(sample, page(9, 1, 2, 7, 1)) == ([1 / 3, 1.0, 2 / 3, 0.0, 1.0], 3)


def test_strangers_among_many_do_not_vote() -> None:
    menu = range(30)
    sample = sample_of([page(*menu, 100 + other) for other in range(4)] + [page(200, 0), page(0)], size=8)
    assert shares(sample, page(*menu, 200)) == ([1.0] * 30 + [0.0], 4)
    assert shares(sample, page(200, 201)) == ([1 / 6, 0.0], 6)


def reference(pages: list[np.ndarray], asked: np.ndarray, size: int) -> tuple[list[float], int]:
    """Sort all distinct pages by hash; ask the first ones that are not the page itself."""
    reader = PageSample(size=size)
    by_hash = {reader.read(runs).hash: set(runs.tolist()) for runs in pages if runs.size}
    by_hash.pop(reader.read(asked).hash, None)
    drawn = [by_hash[found] for found in sorted(by_hash)][:size]
    if not drawn:
        return [0.0] * len(asked), 0
    common = [len(one & set(asked.tolist())) for one in drawn]
    voters = [one for one, runs in zip(drawn, common) if runs >= median(common) / 10]
    asked_pages = voters if len(voters) >= 4 else drawn
    return [sum(run in one for one in asked_pages) / len(asked_pages) for run in asked.tolist()], len(
        asked_pages
    )


@given(PAGES, st.integers(1, 5))
def test_shares_are_those_of_the_smallest_hashes(pages: list[np.ndarray], size: int) -> None:
    sample = sample_of(pages, size)
    for asked in [*pages, page(0, 5, 12)]:
        assert shares(sample, asked) == reference(pages, asked, size)


@given(PAGES, st.data())
def test_a_page_that_leaves_takes_nothing_of_others_with_it(
    pages: list[np.ndarray], data: st.DataObject
) -> None:
    sample = sample_of(pages, 20)
    gone = data.draw(st.sets(st.sampled_from([*sample._slots])) if len(sample) else st.just(set()))
    for page_of_hash in gone:
        sample.drop(page_of_hash)
        check(sample)
    left = [runs for runs in pages if sample.read(runs).hash not in gone]
    for asked in pages:
        assert shares(sample, asked) == reference(left, asked, 20)


def test_three_quarters_of_a_sample_that_this_crawl_has_read_outvote_the_rest() -> None:
    old, new = [page(1, 100 + number) for number in range(3)], [page(2, 200 + number) for number in range(6)]
    sample = PageSample(size=8)
    for runs in old:
        sample.offer(sample.read(runs).hash, runs, is_stale=True)
    for number, runs in enumerate(new, 1):
        sample.offer(sample.read(runs).hash, runs)
        check(sample)
        both = min(3 + number, 8)
        if number < 6:
            assert shares(sample, page(1, 2)) == ([3 / both, number / both], both)
    assert shares(sample, page(1, 2)) == ([0.0, 1.0], 6)
    assert shares(sample, new[0]) == ([1.0, 0.0], 5)


def test_another_salt_draws_other_pages() -> None:
    pages = [page(number, 100) for number in range(50)]
    one, other = sample_of(pages), sample_of(pages, salt=1)
    assert set(one._keys.tolist()) != set(other._keys.tolist())
    assert len(one) == len(other) == 5


def test_of_a_huge_page_so_many_runs_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_sample, "MAX_RUNS", 10)
    sample = sample_of([page(*range(100)), page(*range(50, 150))])
    assert len(sample._keys) == 20
    assert shares(sample, page(5, 55, 99)) == ([0.5, 0.5, 0.0], 2)


def test_pages_that_have_a_hidden_run_in_sight_have_it_too() -> None:
    sample = sample_of([page(1, 2), page(1, 3), page(2, 3), page(4, 5)])
    whole = page(3, 9)
    read = sample.read(whole)
    found = sample.shares(read, whole, np.array([0]), page(2))
    assert (found.shares.tolist(), found.pages) == ([3 / 4, 0.0], 4)
    assert sample.shares(read, whole, np.array([1]), page(2)).shares.tolist() == [2 / 4, 2 / 4]


@given(PAGES, st.integers(1, 5))
def test_the_frame_of_a_site_is_what_half_of_the_pages_have_that_vote(
    pages: list[np.ndarray], size: int
) -> None:
    sample = sample_of(pages, size)
    asked = sample.read(page(0, 5, 12))
    slots = sample.shares(asked, page(0, 5, 12)).slots
    if not slots:
        return
    runs = [
        {run for run, mask in zip(sample._keys.tolist(), sample._masks.tolist()) if mask >> slot & 1}
        for slot in slots
    ]
    of_frame = {run for run in set().union(*runs) if sum(run in one for one in runs) >= len(runs) / 2}
    frame = sample.frame(asked, slots)
    assert frame == (len(of_frame), len(of_frame & {0, 5, 12}), median(map(len, runs)))
