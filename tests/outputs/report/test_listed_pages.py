"""Which pages are listed: all while there is room, then those with the smallest keys."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from templcrawl.outputs.report.kept_pages import ListedPage, ListedPages
from tests.outputs.report.sites import separated


def test_a_page_by_hand() -> None:
    pages = ListedPages()
    pages.update(separated("<nav>Menu12</nav>[<p>four</p>]", "http://a.org/1", leaf_id="a.org#l"))
    assert list(pages) == [ListedPage("http://a.org/1", "a.org", "a.org#l", 4, 10)]


def test_a_page_that_was_read_twice_is_listed_once_as_it_was_judged_last() -> None:
    pages = ListedPages()
    for html in ("[<p>four</p>]", "<p>four</p>"):
        pages.update(separated(html, "http://a.org/1"))
    assert [page.content for page in pages] == [0]


@given(st.lists(st.integers(0, 60), max_size=80), st.integers(1, 9))
def test_those_with_the_smallest_keys_are_listed(numbers: list[int], most: int) -> None:
    pages, urls = ListedPages(most=most), {}
    for number in numbers:
        page = separated("x", f"http://a/{number}")
        pages.update(page)
        urls[page.page.key] = page.page.url
        assert len(pages._rows) <= 2 * most
    expected = [urls[key] for key in sorted(urls)[:most]]
    assert [page.url for page in pages] == sorted(expected)
