"""The table of hashes: exact below its limit, and never wrong by more than it says above."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from templcrawl.errors import InvalidOption
from templcrawl.memory.whole_site.hash_counts import HashCounts

pages = st.lists(st.lists(st.integers(0, 30), max_size=12), max_size=12)
EVERY = np.arange(32, dtype=np.uint64)


def counted(found: list[list[int]], limit: int = 1_000, merge_every: int = 0) -> HashCounts:
    counts = HashCounts(limit=limit)
    for number, page in enumerate(found, start=1):
        counts.add(np.array(page, dtype=np.uint64))
        if merge_every and number % merge_every == 0:
            len(counts)
    return counts


@settings(deadline=None)
@given(pages, st.integers(0, 3), st.randoms())
def test_counts_are_those_of_two_counters_in_any_order(found, merge_every, chance) -> None:
    by_page = Counter(key for page in found for key in set(page))
    occurrences = Counter(key for page in found for key in page)
    chance.shuffle(found)
    counts = counted(found, merge_every=merge_every)
    on_pages, times = counts.of(EVERY)
    assert on_pages.tolist() == [by_page[key] for key in range(32)]
    assert times.tolist() == [occurrences[key] for key in range(32)]
    assert (counts.pages, counts.missed, len(counts)) == (len(found), 0, len(by_page))


@settings(deadline=None)
@given(pages, st.integers(1, 8), st.integers(1, 3))
def test_above_the_limit_no_count_is_too_large_or_lacks_more_than_is_said(found, limit, merge_every) -> None:
    truth = Counter(key for page in found for key in set(page))
    counts = counted(found, limit, merge_every)
    on_pages, _ = counts.of(EVERY)
    assert len(counts) <= limit
    for key, pages_found in enumerate(on_pages.tolist()):
        assert pages_found <= truth[key] <= pages_found + counts.missed


def test_a_frequent_hash_survives_many_rare_ones() -> None:
    counts = HashCounts(limit=100)
    for page in range(400):
        counts.add(np.array([1, 2, *range(1_000 + 90 * page, 1_090 + 90 * page)], dtype=np.uint64))
        len(counts)
    assert counts.missed > 0
    assert counts.of(np.array([1, 2], dtype=np.uint64))[0].tolist() == [400, 400]


def test_a_table_of_nothing_knows_nothing() -> None:
    counts = HashCounts()
    counts.add(np.empty(0, dtype=np.uint64))
    assert (counts.of(EVERY)[0].sum(), len(counts), counts.pages, counts.size) == (0, 0, 1, 0)
    with pytest.raises(InvalidOption, match="limit"):
        HashCounts(limit=0)
