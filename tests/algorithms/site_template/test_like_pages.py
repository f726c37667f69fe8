"""Pages whose addresses are most like that of a key page come first."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.site_template.like_pages import alike_first

KEY = "http://tea.example/docs/brew/green.html"


def test_pages_of_the_directory_come_first_then_those_as_deep() -> None:
    urls = [
        "http://tea.example/",
        "http://tea.example/docs/index.html",
        "http://tea.example/shop/cups/large.html",
        "http://tea.example/docs/brew/old/black.html",
        "http://tea.example/docs/brew/black.html?page=2",
        "http://tea.example/docs/brew/black.html",
    ]
    assert alike_first(KEY, urls) == [urls[number] for number in (5, 4, 3, 1, 2, 0)]


def test_equals_stay_in_their_order() -> None:
    urls = [f"http://tea.example/docs/brew/{name}.html" for name in "cab"]
    assert alike_first(KEY, urls) == urls


@pytest.mark.parametrize("key", ["http://tea.example/", "http://tea.example/?p=1", "http://[tea/"])
@given(urls=st.lists(st.text("ab/?=[:.")))
def test_nothing_is_lost_whatever_the_addresses(key: str, urls: list[str]) -> None:
    assert sorted(alike_first(key, urls)) == sorted(urls)
