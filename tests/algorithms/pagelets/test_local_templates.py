"""Local template detection against Figure 4 of Bar-Yossef & Rajagopalan: sort, then group."""

from __future__ import annotations

from itertools import groupby

from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.pagelets.local_templates import detect_local_templates

collections = st.dictionaries(st.sampled_from("abcdef"), st.lists(st.integers(0, 6), max_size=5))


def figure_4(pagelets: dict[str, list[int]], duplicates: set[str], min_pages: int) -> dict[int, list[str]]:
    """Drop duplicate pages, sort the pagelets by shingle, give out each run of equal shingles."""
    table = sorted({(s, page) for page, found in pagelets.items() if page not in duplicates for s in found})
    groups = {
        shingle: [page for _, page in group] for shingle, group in groupby(table, key=lambda row: row[0])
    }
    return {shingle: pages for shingle, pages in groups.items() if len(pages) >= min_pages}


def test_a_menu_on_three_pages_and_a_list_on_two() -> None:
    menu, listed, footer = 1, 2, 3
    pagelets = {"home": [menu, 10, footer], "news": [menu, listed], "shop": [menu, listed, 11], "alone": [12]}
    assert detect_local_templates(pagelets) == {menu: ["home", "news", "shop"], listed: ["news", "shop"]}
    assert detect_local_templates(pagelets, min_pages=3) == {menu: ["home", "news", "shop"]}
    assert detect_local_templates(pagelets, duplicates=["shop"]) == {menu: ["home", "news"]}
    assert detect_local_templates({}) == {}


def test_a_pagelet_that_one_page_repeats_is_no_template() -> None:
    assert detect_local_templates({"home": [1, 1, 1]}) == {}


def test_pages_stand_in_the_order_they_came_in() -> None:
    assert detect_local_templates({"c": [1], "a": [1], "b": [1]}) == {1: ["c", "a", "b"]}


@given(collections, st.sets(st.sampled_from("abcxyz")), st.integers(1, 4))
def test_templates_are_those_of_the_published_algorithm(
    pagelets: dict[str, list[int]], duplicates: set[str], min_pages: int
) -> None:
    found = detect_local_templates(pagelets, duplicates, min_pages=min_pages)
    assert {shingle: sorted(pages) for shingle, pages in found.items()} == figure_4(
        pagelets, duplicates, min_pages
    )
