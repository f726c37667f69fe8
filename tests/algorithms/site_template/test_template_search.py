"""The template of a page on demand, on a generated site and on small ones.

Pages whose addresses are most like that of a key page come first.

Links of the menu come first.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.sites.generated import generate_demo_site
from lab.sites.menu_site import TEMPLATE, guide_site, pages
from templcrawl.algorithms.site_template.nodes import Nodes
from templcrawl.algorithms.site_template.template_search import (
    TemplateSearch,
    alike_first,
    menu_order,
    site_links,
)
from templcrawl.errors import InvalidOption
from templcrawl.page.page import Page
from tests.strategies import soups

ROOT = "http://tea.example"


def search_of(site: Mapping[str, str], path: str, **options: object) -> TemplateSearch:
    """Run a search to its end."""
    search = TemplateSearch(Page(site[path], ROOT + path), **options)  # type: ignore[arg-type]
    while (url := search.next_url()) is not None:
        html = site.get(url.removeprefix(ROOT))
        search.add_page(url, None if html is None else Page(html, url))
    return search


@pytest.mark.parametrize(("menu_first", "loaded"), [(True, 4), (False, 5)])
def test_an_article_of_a_site(menu_first: bool, loaded: int) -> None:
    search = search_of(pages(), "/article.html", menu_first=menu_first, most_pages=5)
    assert [url.removeprefix(ROOT) for url in search.subdigraph][:1] == ["/home.html"]
    assert (len(search.subdigraph), len(search.loaded)) == (4, 4) if menu_first else (3, 5)
    separation = search.separation()
    assert tuple(separation.template_text.split("\n")) == TEMPLATE
    assert separation.content_text.startswith("lost note\nAbout article\n")
    assert len(search.loaded) == loaded


def test_a_page_of_the_menu_keeps_its_active_entry() -> None:
    search = search_of(pages(), "/team.html")
    assert tuple(search.separation().template_text.split("\n")) == TEMPLATE


def test_no_word_of_a_generated_articles_content_is_template() -> None:
    site = generate_demo_site()
    path = next(page.path for page in site.pages.values() if page.kind == "article")
    search = search_of({one.path: one.html for one in site.pages.values()}, path)
    assert len(search.subdigraph) == len(search.loaded) == 4
    text = search.separation().content_text
    assert all(word in text for word in site.pages[path].content_words)


def test_the_search_goes_on_with_the_pages_most_like_the_key_page() -> None:
    search = search_of(guide_site(), "/guide/0.html", pages=7)
    loaded = [url.removeprefix(ROOT) for url in search.loaded]
    assert loaded[4:] == ["/guide/1.html", "/guide/2.html", "/guide/3.html"]
    assert [page.url for page in search.pages] == search.loaded
    assert search.subdigraph == search.loaded[:4]
    assert len(search_of(guide_site(), "/guide/0.html", pages=99, most_pages=6).loaded) == 6
    assert len(search_of(guide_site(), "/guide/0.html", pages=99, most_pages=50).loaded) == 13


def test_a_like_page_that_could_not_be_loaded_is_none_of_the_pages() -> None:
    site = guide_site()
    del site["/guide/1.html"]
    search = search_of(site, "/guide/0.html", pages=5)
    assert f"{ROOT}/guide/1.html" in search.loaded
    assert len(search.pages) == 4


def test_what_may_be_no_page_is_not_asked_for() -> None:
    key = Page("<a href=/x.pdf>x</a><a href=/y>y</a>", f"{ROOT}/")
    assert TemplateSearch(key, is_page=lambda url: not url.endswith(".pdf")).next_url() == f"{ROOT}/y"


@pytest.mark.parametrize("url", ["http://elsewhere.example/y", f"{ROOT}/"])
def test_a_redirect_to_another_site_or_to_the_key_page_says_nothing(url: str) -> None:
    key = Page("<a href=/y>y</a><p>tea", f"{ROOT}/")
    search = TemplateSearch(key)
    search.add_page(f"{ROOT}/y", Page("<p>tea", url))
    assert (search.loaded, search.subdigraph) == ([f"{ROOT}/y"], [])


def test_with_nothing_to_compare_it_with_all_is_content() -> None:
    search = TemplateSearch(Page("<nav>Menu</nav><p>tea", f"{ROOT}/"))
    assert search.next_url() is None
    assert search.separation().content_text == "Menu\ntea"
    assert TemplateSearch(Page("", f"{ROOT}/")).separation().content_text == ""


def test_numbers_that_are_not_accepted() -> None:
    with pytest.raises(InvalidOption, match="size"):
        TemplateSearch(Page("", f"{ROOT}/"), size=0)


KEY = "http://tea.example/docs/brew/green.html"


def test_pages_of_the_directory_come_first_then_those_as_deep() -> None:
    urls = [
        "http://tea.example/",
        "http://tea.example/docs/index.html",
        "http://tea.example/shop/brew/large.html",
        "http://tea.example/docs/brew/old/black.html",
        "http://tea.example/docs/brew/black.html?page=2",
        "http://tea.example/docs/brew/black.html",
    ]
    assert alike_first(KEY, urls) == [urls[number] for number in (5, 4, 3, 1, 2, 0)]


@pytest.mark.parametrize("key", ["http://tea.example/", "http://tea.example/?p=1", "http://[tea/"])
@given(urls=st.lists(st.text("ab/?=[:.")))
def test_nothing_is_lost_whatever_the_addresses(key: str, urls: list[str]) -> None:
    assert sorted(alike_first(key, urls)) == sorted(urls)


URL = "http://example.org/a/b"


def ordered(html: str) -> list[str]:
    page = Page(html, URL)
    return [page.links.urls[number][19:] for number in menu_order(Nodes(page), site_links(page))]


def test_links_lead_to_other_pages_of_the_site_once() -> None:
    page = Page(
        "<a href=c>1</a><a href=/a/c#x>2</a><a href=b>self</a><a href=#y>self</a>"
        "<a href=mailto:x@y>mail</a><a href=http://other.org/>away</a><a href=?q>q</a>",
        URL,
    )
    assert [page.links.urls[number] for number in site_links(page)] == [
        "http://example.org/a/c",
        "http://example.org/a/b?q",
    ]


def test_the_menu_stands_before_links_in_text() -> None:
    text = "".join(f"<p>See <i>the</i> <b>old</b> <a href=/t{n}>t{n}</a> there<br></p>" for n in range(5))
    menu = "".join(f"<li><a href=/m{n}>m{n}</a>" for n in range(4))
    assert ordered(f"{text}<ul>{menu}</ul>")[:5] == ["m0", "m1", "m2", "m3", "t0"]


def test_few_links_are_no_menu() -> None:
    assert ordered("<p>x<i>y</i><b>z</b><a href=/t>t</a></p><p><a href=/m>m</a></p>") == ["t", "m"]


@given(soups)
def test_it_is_the_same_links(html: str) -> None:
    page = Page(html, URL)
    links = site_links(page)
    assert sorted(menu_order(Nodes(page), links)) == sorted(links)
