"""What is known of a link target, and when it counts as template."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.crawl_order.places import LinkEvidence
from templcrawl.memory.link_table import LinkTable


def test_evidence_says_in_how_many_pagelets_of_each_kind_a_target_was_found() -> None:
    links = LinkTable(limit=10)
    for shingle in (1, 2, 3, 2):
        links.add(7, shingle, 0)
    assert links.evidence(7, lambda shingle: shingle > 1) == LinkEvidence(2, 1)
    assert links.evidence(8, bool) == LinkEvidence()


def test_a_pagelet_that_becomes_template_later_changes_the_evidence() -> None:
    links = LinkTable(limit=10)
    links.add(7, 1, 0)
    assert links.evidence(7, lambda shingle: 0).content_pagelets == 1
    assert links.evidence(7, lambda shingle: 1).template_pagelets == 1


@given(st.lists(st.integers(1, 30), min_size=1, max_size=40))
def test_of_a_target_in_many_pagelets_the_latest_is_always_known(shingles: list[int]) -> None:
    links = LinkTable(limit=10)
    for shingle in shingles:
        links.add(7, shingle, 0)
        links.check()
        assert sum(links.evidence(7, lambda found, latest=shingle: found == latest)[:2]) <= 4
        assert links.evidence(7, lambda found, latest=shingle: found == latest).template_pagelets == 1


def test_it_is_bounded_and_survives_a_snapshot() -> None:
    links = LinkTable(limit=3)
    for target in range(5):
        links.add(target, target + 10, target)
        links.add(target, target + 20, target + 1)
    links.add_pagination(4)
    links.add_named(4)
    assert len(links) == 3
    again = LinkTable(limit=3)
    again.restore(links.snapshot())
    assert again.snapshot() == links.snapshot()
    assert again.evidence(4, bool) == LinkEvidence(2, 0, is_pagination=True)
    assert (again.is_named(4), again.is_named(3)) == (True, False)
    assert again.roles(4) == (4, 5)
    assert again.roles(0) == ()
