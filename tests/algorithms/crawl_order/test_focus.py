"""How promising a link is: the formula by hand, and what must hold of it for any records."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.crawl_order.focus import RelevanceRecord, link_score

shares = st.floats(0, 1)
records = st.builds(lambda pages, share: RelevanceRecord(pages, pages * share), st.integers(0, 50), shares)
pools = st.lists(records, max_size=4)


def test_the_score_by_hand() -> None:
    menu, section = RelevanceRecord(3, 2.0), RelevanceRecord(1, 1.0)
    # beliefs: (2 + 2 * .5) / (3 + 2) = .6 and (1 + 2 * .5) / (1 + 2) = 2/3
    assert link_score(0.5, [menu], section) == pytest.approx(0.7 * (0.5 * 0.6 + 0.5 * 2 / 3))
    assert link_score(0.5, [menu, section], section) == pytest.approx(0.7 * 2 / 3)
    assert link_score(0.5, [menu, section], section, is_named=True) == pytest.approx(0.7 * 2 / 3 + 0.3)


def test_of_a_link_about_which_nothing_is_known_the_average_is_expected() -> None:
    assert link_score(0.3, [], RelevanceRecord()) == pytest.approx(0.7 * 0.3)


@given(shares, pools, records, st.booleans())
def test_a_score_is_a_share(
    mean: float, pool: list[RelevanceRecord], directory: RelevanceRecord, named: bool
) -> None:
    assert -1e-9 <= link_score(mean, pool, directory, is_named=named) <= 1 + 1e-9


@given(shares, pools, records, records)
def test_one_more_pagelet_or_a_name_never_harms(
    mean: float, pool: list[RelevanceRecord], more: RelevanceRecord, directory: RelevanceRecord
) -> None:
    score = link_score(mean, pool, directory)
    assert link_score(mean, pool, directory, is_named=True) >= score
    if pool:
        assert link_score(mean, [*pool, more], directory) >= score


@given(shares, records, records)
def test_a_relevant_page_raises_what_is_expected_and_another_lowers_it(
    mean: float, pagelet: RelevanceRecord, directory: RelevanceRecord
) -> None:
    pages, relevance = pagelet
    better = link_score(mean, [RelevanceRecord(pages + 1, relevance + 1)], directory)
    worse = link_score(mean, [RelevanceRecord(pages + 1, relevance)], directory)
    assert worse - 1e-9 <= link_score(mean, [pagelet], directory) <= better + 1e-9
