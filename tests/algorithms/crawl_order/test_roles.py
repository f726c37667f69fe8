"""The roles of links."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.crawl_order.roles import pagelet_paths, role_of
from templcrawl.algorithms.pagelets.partition import partition_pagelets
from templcrawl.page.page import Page

pytestmark = pytest.mark.usefixtures("reader")

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
