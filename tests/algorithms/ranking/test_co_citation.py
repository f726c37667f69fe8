"""Co-citation: by hand, by the definition over all pairs, and how templates and long lists count."""

from __future__ import annotations

from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.ranking.co_citation import CitingPagelet, CoCited, co_citation
from templcrawl.errors import InvalidOption

PAGE = 0
_pages = st.integers(0, 6)
_pagelets = st.lists(
    st.builds(CitingPagelet, _pages, st.lists(_pages, max_size=5), st.booleans()), max_size=12
).map(lambda pagelets: sorted(pagelets, key=lambda pagelet: pagelet.page))


def defined(pagelets: list[CitingPagelet], other: int, page_weight: float) -> float:
    """Return the score of a pair, straight from the definition."""
    score = 0.0
    for owner, group in groupby(pagelets, key=lambda pagelet: pagelet.page):
        cited = [set(pagelet.targets) - {owner} for pagelet in group if not pagelet.is_template]
        if any({PAGE, other} <= targets for targets in cited):
            score += 1
        elif {PAGE, other} <= set().union(*cited):
            score += page_weight
    return score


@given(_pagelets, st.sampled_from([0.0, 0.25, 1.0]))
def test_the_score_of_every_pair_is_as_it_is_defined(pagelets: list[CitingPagelet], weight: float) -> None:
    found = {one.page: one.score for one in co_citation(PAGE, pagelets, page_weight=weight)}
    for other in range(1, 7):
        assert found.get(other, 0.0) == pytest.approx(defined(pagelets, other, weight))
    assert PAGE not in found


@given(_pagelets)
def test_the_most_alike_come_first(pagelets: list[CitingPagelet]) -> None:
    scores = [one.score for one in co_citation(PAGE, pagelets, page_weight=0.5)]
    assert scores == sorted(scores, reverse=True)
    assert all(scores)


def test_a_page_counts_once_however_many_of_its_pagelets_cite_both() -> None:
    pagelets = [
        CitingPagelet(1, [PAGE, 5]),
        CitingPagelet(1, [5, PAGE, 6]),
        CitingPagelet(1, [PAGE, 7], True),
    ]
    assert co_citation(PAGE, pagelets) == [CoCited(5, 1.0, 1), CoCited(6, 1.0, 1)]


def test_citations_in_other_pagelets_of_the_page_count_what_they_are_said_to() -> None:
    pagelets = [
        CitingPagelet(1, [PAGE, 5]),
        CitingPagelet(1, [5, 6]),
        CitingPagelet(1, [7], is_template=True),
        CitingPagelet(2, [6, 8]),
    ]
    assert co_citation(PAGE, pagelets) == [CoCited(5, 1.0, 1)]
    assert co_citation(PAGE, pagelets, page_weight=0.25) == [CoCited(5, 1.0, 1), CoCited(6, 0.25, 0)]


def test_of_a_long_pagelet_only_the_nearest_links_count() -> None:
    targets = [*range(1, 10_001), PAGE, *range(10_001, 20_001)]
    found = co_citation(PAGE, [CitingPagelet(30_000, targets)], max_links=5)
    assert {one.page for one in found} == {9_999, 10_000, 10_001, 10_002}
    first = co_citation(1, [CitingPagelet(30_000, targets)], max_links=3)
    assert {one.page for one in first} == {2, 3}
    last = co_citation(20_000, [CitingPagelet(30_000, targets)], max_links=3)
    assert {one.page for one in last} == {19_999, 19_998}


@pytest.mark.parametrize("arguments", [{"page_weight": -0.1}, {"page_weight": 1.1}, {"max_links": 0}])
def test_what_makes_no_sense_is_refused(arguments: dict[str, float]) -> None:
    with pytest.raises(InvalidOption, match=next(iter(arguments))):
        co_citation(PAGE, [], **arguments)  # type: ignore[arg-type]
