"""The template of a page on demand, on a generated site and on small ones."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from templcrawl.algorithms.site_template.template_search import TemplateSearch
from templcrawl.errors import InvalidOption
from templcrawl.page.page import Page
from tests.websites.generated import generate_demo_site
from tests.websites.menu_site import TEMPLATE, guide_site, pages

ROOT = "http://tea.example"


def search_of(site: Mapping[str, str], path: str, **options: object) -> TemplateSearch:
    """Run a search to its end."""
    search = TemplateSearch(Page(site[path], ROOT + path), **options)  # type: ignore[arg-type]
    while (url := search.next_url()) is not None:
        html = site.get(url.removeprefix(ROOT))
        search.tell(url, None if html is None else Page(html, url))
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
    search.tell(f"{ROOT}/y", Page("<p>tea", url))
    assert (search.loaded, search.subdigraph) == ([f"{ROOT}/y"], [])


def test_with_nothing_to_compare_it_with_all_is_content() -> None:
    search = TemplateSearch(Page("<nav>Menu</nav><p>tea", f"{ROOT}/"))
    assert search.next_url() is None
    assert search.separation().content_text == "Menu\ntea"
    assert TemplateSearch(Page("", f"{ROOT}/")).separation().content_text == ""


def test_numbers_that_are_not_accepted() -> None:
    with pytest.raises(InvalidOption, match="size"):
        TemplateSearch(Page("", f"{ROOT}/"), size=0)
