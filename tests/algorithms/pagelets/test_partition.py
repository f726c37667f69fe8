"""Pagelets: Figure 3 of Bar-Yossef & Rajagopalan as it is printed, against one pass over the elements."""

from __future__ import annotations

from collections import deque

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.pagelets.partition import (
    Pagelet,
    pagelet_paths,
    pagelet_shingles,
    pagelets_of_links,
    partition_pagelets,
    role_of,
)
from templcrawl.algorithms.similarity.shingles import combine, shingle_of
from templcrawl.errors import InvalidOption
from templcrawl.page.page import Page
from templcrawl.page.text import hashes_of
from tests.strategies import NAMES, soups

pytestmark = pytest.mark.usefixtures("reader")

_names = st.sampled_from(NAMES)
linked_soups = st.lists(
    st.builds("<{}>".format, _names)
    | st.builds("</{}>".format, _names)
    | st.sampled_from(["<a href=x>tea</a>", "<a href=y>", "<div>", "</div>", "<a href=#z>", "milk"]),
    max_size=60,
).map("".join)


def page_of(html: str) -> Page:
    return Page(html, "https://example.org/")


def figure_3(page: Page, k: int) -> list[Pagelet]:
    """Partition a page by a queue of elements, from the root down, as in the paper's figure."""
    elements = page.elements

    def children(element: int) -> list[int]:
        return [child for child, parent in enumerate(elements.parents) if parent == element]

    def links(element: int) -> int:
        return (element in page.links.elements) + sum(map(links, children(element)))

    found = []
    queue = deque([0])
    while queue:
        element = queue.popleft()
        if any(links(child) >= k for child in children(element)):
            queue.extend(children(element))
        else:
            found.append(Pagelet(element, elements.opens[element], elements.closes[element], links(element)))
    return sorted(found)


def test_a_page_with_a_menu_a_text_and_a_footer() -> None:
    """The table of links is split off; the text with two links stays whole; the root is no pagelet."""
    page = page_of(
        "<html><head><title>Tea</title></head><body>"
        "<div><ul><li><a href=/1>1</a></li><li><a href=/2>2</a></li><li><a href=/3>3</a></li></ul></div>"
        "<div><h1>Green tea</h1><p>From <a href=/china>China</a> and <a href=/japan>Japan</a></p></div>"
        "<div><p><a href=/a>a</a><a href=/b>b</a></p><p><a href=/c>c</a></p></div>"
        "</body></html>"
    )
    names = page.elements.names
    pagelets = partition_pagelets(page)
    assert [(names[pagelet.element], pagelet.links) for pagelet in pagelets] == [
        ("head", 0),
        ("ul", 3),
        ("div", 2),
        ("div", 3),
    ]
    assert pagelets_of_links(page, pagelets) == [1, 1, 1, 2, 2, 3, 3, 3]
    text = [page.text[page.tokens.starts[each.start] : page.tokens.starts[each.stop]] for each in pagelets]
    assert text[0] == "<head><title>Tea</title></head>"
    assert text[1].startswith("<ul><li><a href=/1>")
    assert text[1].endswith("</li></ul>")


@given(linked_soups | soups, st.integers(1, 5))
def test_pagelets_are_those_of_the_published_algorithm(html: str, min_links: int) -> None:
    page = page_of(html)
    assert partition_pagelets(page, min_links=min_links) == figure_3(page, min_links)


@given(linked_soups, st.integers(1, 5))
def test_pagelets_do_not_overlap_and_hold_every_link_but_those_of_split_anchors(
    html: str, min_links: int
) -> None:
    page = page_of(html)
    pagelets = partition_pagelets(page, min_links=min_links)
    covered = [position for pagelet in pagelets for position in range(pagelet.start, pagelet.stop)]
    assert covered == sorted(set(covered))
    numbers = pagelets_of_links(page, pagelets)
    positions = [page.elements.opens[element] for element in page.links.elements]
    holding = [
        [n for n, each in enumerate(pagelets) if each.start <= position < each.stop] for position in positions
    ]
    assert numbers == [within[0] if within else -1 for within in holding]
    assert [numbers.count(number) for number in range(len(pagelets))] == [each.links for each in pagelets]


@pytest.mark.parametrize("min_links", [0, -1])
def test_fewer_than_one_link_is_refused(min_links: int) -> None:
    with pytest.raises(InvalidOption, match="min_links"):
        partition_pagelets(page_of("tea"), min_links=min_links)


def test_the_content_of_a_pagelet_is_its_words_and_link_addresses() -> None:
    menu = "<ul><li><a href=/a>One</a><li><a href=/b>Two</a><li><a href=/c>Three</a></ul>"
    html = f"<body>{menu}<p>x <a href=/d>y</a>"
    page = Page.from_html(html, "https://example.org/")
    pagelets = partition_pagelets(page)
    shingles = pagelet_shingles(page, pagelets)
    terms = (
        "https://example.org/a One https://example.org/b Two https://example.org/c Three",
        "x https://example.org/d y",
    )
    assert shingles == [shingle_of(combine(hashes_of(text.split()))) for text in terms]


def test_a_menu_is_the_same_pagelet_whatever_its_mark_up_and_the_form_of_its_addresses() -> None:
    second = (
        "<ul><li><a href=/a>One</a><li class=active><a href=/b>Two</a><li><a href=/c>Three</a></ul><p>first"
    )
    first = (
        "<ul><li class=active><a href=a>One</a><li><a href=./b>Two</a><li><a href=/c>Three</a></ul><p>other"
    )
    shingles = []
    for html in (second, first):
        page = Page.from_html(html, "https://example.org/x")
        shingles.append(pagelet_shingles(page, partition_pagelets(page))[0])
    assert shingles[0] == shingles[1] != 0


@given(linked_soups | soups)
def test_the_shingle_of_a_pagelet_is_that_of_its_terms(html: str) -> None:
    page = page_of(html)
    pagelets, starts = partition_pagelets(page), page.terms.starts
    terms = [page.terms.hashes[starts[pagelet.start] : starts[pagelet.stop]] for pagelet in pagelets]
    expected = [shingle_of(combine(hashes)) * bool(pagelet.links) for hashes, pagelet in zip(terms, pagelets)]
    assert pagelet_shingles(page, pagelets) == expected


LINKS = "".join(f"<a href=/{number}>{number}</a>" for number in range(4))


def paths(html: str) -> list[int]:
    page = Page(html, "https://example.org/")
    return pagelet_paths(page, partition_pagelets(page))


def test_the_same_place_has_the_same_path_whatever_the_row_and_the_number() -> None:
    rows = f"<table><tr class=odd><td>{LINKS}<tr class=even><td>{LINKS}</table>"
    blocks = f"<div class='post-1 new'>{LINKS}</div><div class='post-27'>{LINKS}</div>"
    for html in (rows, blocks):
        found = paths(html)
        assert len(found) == 2
        assert found[0] == found[1]


@pytest.mark.parametrize("name", ["li", "td", "th", "p", "dt", "dd"])
def test_the_class_of_an_item_a_cell_or_a_paragraph_says_nothing_of_the_place(name: str) -> None:
    first, second = paths("".join(f"<{name} class={word}>{LINKS}</{name}>" for word in ("a", "b")))
    assert first == second


def test_another_place_has_another_path() -> None:
    found = paths(f"<div class=menu>{LINKS}</div><div class=text>{LINKS}</div><p>{LINKS}</p>")
    assert len(set(found)) == len(found) == 3


def test_the_whole_page_as_one_pagelet_has_the_empty_path() -> None:
    assert paths("<p>no links") == [0]
    assert paths("") == [0]


def test_a_role_knows_the_names_of_a_query_but_not_their_values_nor_their_order() -> None:
    url = "https://example.org/list"
    assert role_of(5, url) == 5
    assert role_of(5, f"{url}?sid=1&page=2") == role_of(5, f"{url}?page=77&sid=ab&page=1") != 5
    assert role_of(5, f"{url}?sid=1") != role_of(6, f"{url}?sid=1")
    assert role_of(5, f"{url}?sid=1") != role_of(5, f"{url}?color=1")


@given(st.integers(0, 2**64 - 1), st.text())
def test_every_address_has_a_role(path: int, url: str) -> None:
    assert 0 <= role_of(path, url) < 2**64
