"""What pages say of links by key: pagelets, targets, roles and anchors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl import Page
from templcrawl.algorithms.pagelets.partition import LinkPlaces
from templcrawl.memory.key_tables import MAX_LISTED
from templcrawl.memory.link_tables import LinkTable, PageletTable, PayTable
from templcrawl.page.arrays import Keys
from tests.memory.invariants import check
from tests.oracles import detect_local_templates


def insert(links: LinkTable, target: int, shingle: int, role: int) -> bool:
    """Insert a link in a pagelet; return whether the pagelet is new."""
    return links.insert_links([target], [0], LinkPlaces([shingle], [0], [role])) == [0]


def test_a_link_outside_of_pagelets_has_no_role() -> None:
    links = LinkTable(limit=10)
    assert links.insert_links([7, 8, 7], [1, 1, 1], LinkPlaces([5], [-1, 0, -1], [0, 9, 0])) == [0, 1, 2]
    assert (links.roles(7), links.roles(8)) == ((), (9,))


def test_a_target_is_known_by_the_pagelets_in_which_it_was_found() -> None:
    links = LinkTable(limit=10)
    assert [insert(links, 7, shingle, 0) for shingle in (1, 2, 3, 2)] == [True, True, True, False]
    assert (links.pagelets(7), links.roles(7)) == ((1, 2, 3), (0,))
    assert (links.pagelets(8), links.roles(8)) == ((), ())


collections = st.lists(st.lists(st.integers(1, 9), max_size=5), max_size=8)


@given(collections, st.integers(2, 4))
def test_counting_page_by_page_equals_the_batch_algorithm(pages: list[list[int]], least: int) -> None:
    table = PageletTable(template_pages=least, limit=100)
    for shingles in pages:
        table.count(shingles)
    batch = detect_local_templates(dict(enumerate(pages)), min_pages=least)
    online = {s: pages for s, pages in zip(range(1, 10), table.template_pages(range(1, 10))) if pages}
    assert online == {found: len(owners) for found, owners in batch.items()}
    check(table)


def test_the_value_of_a_link_goes_by_its_best_role_and_by_its_directory() -> None:
    table = PayTable(limit=10)
    assert (table.mean, table.value([1], 7)) == (0.0, 1.0)
    table.credit([1], 7, 0)
    table.credit([2], 8, 400)
    assert table.mean == 200
    assert table.value([1], 9) == pytest.approx((4 / 5) ** 0.5)
    assert table.value([2], 9) == pytest.approx((6 / 5) ** 0.5)
    assert table.value([1, 2], 9) == table.value([2], 9)
    assert table.value([2], 8) == pytest.approx(6 / 5)
    assert table.value([], 9) == table.value([3], 9) == 1.0


def test_the_latest_anchors_of_a_target_are_stored_in_a_pagelet_or_outside() -> None:
    links = LinkTable(limit=3)
    for path in range(MAX_LISTED + 2):
        links.insert_links([1, 2], [path, 0], LinkPlaces([5], [0, -1], [9, 0]))
    assert links.anchors(1).tolist() == list(range(2, MAX_LISTED + 2))
    assert (links.anchors(2).tolist(), links.pagelets(2), links.roles(2)) == ([0], (), ())
    assert not len(links.anchors(3))
    links.insert_links(range(3, 6), [0] * 3, LinkPlaces([], [-1] * 3, [0] * 3))
    check(links)
    assert [len(links.anchors(target)) for target in range(1, 6)] == [0, 0, 1, 1, 1]


def keys_of(*numbers: int) -> Keys:
    return np.array(numbers, dtype=np.uint64)


linked_pages = st.lists(st.lists(st.tuples(st.integers(1, 30), st.integers(1, 4)), max_size=9), max_size=30)


@given(linked_pages)
def test_links_that_were_filed_before_change_nothing(pages: list[list[tuple[int, int]]]) -> None:
    links, latest = LinkTable(limit=100), dict[int, list[int]]()
    for page in pages:
        targets, paths = zip(*page) if page else ((), ())
        links.update_anchors(keys_of(*targets), keys_of(*paths))
        for target, path in page:
            known = latest.setdefault(target, [])
            known += [path] * (path not in known)
        check(links)
    assert {target: links.anchors(target).tolist() for target in latest} == latest


@given(st.integers(8, 40), st.lists(st.integers(1, 3), min_size=30, max_size=60))
def test_a_target_that_each_page_links_to_is_never_evicted(limit: int, pages: list[int]) -> None:
    links, other = LinkTable(limit=limit), 2
    for others in pages:
        new = range(other, other := other + others)
        links.update_anchors(keys_of(1, *new), keys_of(7, *new))
        assert links.anchors(1).tolist() == [7]
        assert [links.anchors(target).tolist() for target in new] == [[target] for target in new]
    check(links)


def test_anchors_have_a_path_for_the_tags_that_they_stand_in() -> None:
    page = Page(
        "<ul class=menu><li><a href=/a>a</a><li><a href=/b>b</a></ul><div id=post-1><a href=/c>c</a></div>"
        "<div id=post-2><a href=/d>d</a></div><ul><li><a href=/e>e</a></ul>",
        "http://e.org/",
    )
    menu, again, post, other, plain = page.links.anchor_paths.tolist()
    assert menu == again
    assert post == other
    assert len({menu, post, plain}) == 3
    assert not len(Page("<p>no links", "http://e.org/").links.anchor_paths)
