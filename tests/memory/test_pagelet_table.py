"""Local template detection as the crawl goes gives what Figure 4 gives at the end."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.pagelets.partition import partition_pagelets
from templcrawl.algorithms.similarity.shingles import combine, shingle
from templcrawl.memory.pagelet_table import PageletTable, pagelet_shingles
from templcrawl.page.page import Page
from tests.oracles import detect_local_templates

collections = st.lists(st.lists(st.integers(1, 9), max_size=5), max_size=8)


@given(collections, st.integers(2, 4))
def test_counting_page_by_page_equals_the_batch_algorithm(pages: list[list[int]], least: int) -> None:
    table = PageletTable(template_pages=least, limit=100)
    for shingles in pages:
        table.count(shingles)
    batch = detect_local_templates(dict(enumerate(pages)), min_pages=least)
    online = {s: table.template_pages_of(s) for s in range(1, 10) if table.template_pages_of(s)}
    assert online == {found: len(owners) for found, owners in batch.items()}
    assert table.templates() == len(batch)
    table.check()


def test_the_content_of_a_pagelet_is_its_words_and_link_addresses() -> None:
    menu = "<ul><li><a href=/a>One</a><li><a href=/b>Two</a><li><a href=/c>Three</a></ul>"
    html = f"<body>{menu}<p>x <a href=/d>y</a>"
    page = Page.from_html(html, "https://example.org/")
    pagelets = partition_pagelets(page)
    found = pagelet_shingles(page, pagelets, combine(page.terms.hashes))
    expected = shingle(
        "https://example.org/a One https://example.org/b Two https://example.org/c Three".split()
    )
    assert found[0] == expected
    assert found[1] == shingle(["x", "https://example.org/d", "y"])


def test_a_menu_is_the_same_pagelet_whatever_its_mark_up_and_the_form_of_its_addresses() -> None:
    one = "<ul><li><a href=/a>One</a><li class=active><a href=/b>Two</a><li><a href=/c>Three</a></ul><p>first"
    two = "<ul><li class=active><a href=a>One</a><li><a href=./b>Two</a><li><a href=/c>Three</a></ul><p>other"
    shingles = []
    for html in (one, two):
        page = Page.from_html(html, "https://example.org/x")
        shingles.append(pagelet_shingles(page, partition_pagelets(page), combine(page.terms.hashes))[0])
    assert shingles[0] == shingles[1] != 0


def test_the_least_recently_seen_pagelets_leave() -> None:
    table = PageletTable(template_pages=2, limit=2)
    for shingles in ([1, 2], [1], [3]):
        table.count(shingles)
    assert (table.template_pages_of(1), table.template_pages_of(2), len(table)) == (2, 0, 2)
    table.check()
