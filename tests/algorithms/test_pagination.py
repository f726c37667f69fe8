"""Links that page through a list are told from numbers, names and dates that do not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.pagination import is_pagination
from templcrawl.page.links import Link
from templcrawl.page.page import Page

NEWS = "https://example.org/news/"


def leads(text: str, url: str, page_url: str = NEWS, rel: str = "") -> bool:
    return is_pagination(Link(url, text, 1, rel), page_url)


@pytest.mark.parametrize(
    ("text", "page_url", "url"),
    [
        ("2", "/news/", "/news/page/2/"),
        ("3", "/news/page/2/", "/news/page/3/"),
        ("1", "/news/page/2/", "/news/"),
        ("2", "/news/", "/news/2"),
        ("2", "/news", "/news/2/"),
        ("2", "/news?sort=new", "/news?page=2&sort=new"),
        ("2", "/news?sort=new&page=1", "/news?page=2&sort=new"),
        ("4", "/list.php?p=3", "/list.php?p=4"),
        ("2", "/list.html", "/list-2.html"),
        ("3", "/list-2.html", "/list-3.html"),
        ("2", "/list.html", "/list_page2.html"),
        ("2", "/news/index.html", "/news/index2.html"),
        ("1", "/news/index2.html", "/news/"),
        ("2", "/threads/tea.4/", "/threads/tea.4/page-2"),
        ("26", "/forum?offset=0", "/forum?offset=25"),
        ("2", "/", "/page/2"),
        ("2", "/?paged=1", "/?paged=2"),
    ],
)
def test_a_number_that_leads_to_the_same_list_pages(text: str, page_url: str, url: str) -> None:
    assert leads(text, f"https://example.org{url}", f"https://example.org{page_url}")


@pytest.mark.parametrize(
    "text",
    """Next|next|Next »|Next page|« Previous|Prev|Older posts|← Older Entries|Newer posts →|›|»|«|>|More
    |Page 2|2|1024|Weiter|Zurück|Nächste Seite|Suivant|Précédente|Siguiente|Anterior|Próxima|Volgende|Nästa
    |Dalej|Další|Следующая|下一页|上一頁|次へ|次のページ|다음|Επόμενη""".split("|"),
)
def test_words_for_next_and_previous_page(text: str) -> None:
    assert leads(text.strip(), f"{NEWS}page/2/")
    assert not leads(text.strip(), "https://example.org/tea/")


@pytest.mark.parametrize(
    "text", ["", "About", "Page", "Next steps", "Read more", "2 comments", "12345", "1.2", "v2", "Next year"]
)
def test_other_words_do_not_page(text: str) -> None:
    assert not leads(text, f"{NEWS}page/2/")


@pytest.mark.parametrize(
    ("page_url", "url"),
    [
        ("https://example.org/news/", "https://example.org/tea/page/2/"),
        ("https://example.org/news/", "https://other.org/news/page/2/"),
        ("https://example.org/news/", "https://example.org/news/?sort=2"),
        ("https://example.org/news/", "https://example.org/news/second/"),
        ("https://example.org/news/tea/", "https://example.org/news/2"),
    ],
)
def test_a_number_that_leads_elsewhere_does_not_page(page_url: str, url: str) -> None:
    assert not leads("2", url, page_url)


@pytest.mark.parametrize(
    "path",
    [
        "calendar/2",
        "2026/05/",
        "2026-5",
        "2026.12.html",
        "events?from=2026-05-01",
        "events/202605",
        "archive?m=202605",
        "1999/1/page/2",
    ],
)
def test_a_calendar_is_no_list_even_where_it_says_next(path: str) -> None:
    assert not leads("2", NEWS + path, NEWS + path)
    assert not leads("Next", NEWS + path, NEWS + path, rel="next")


@pytest.mark.parametrize("path", ["2026", "2026/13", "1805/05", "20/26/05", "events?y=2026&p=2"])
def test_a_number_that_is_no_year_and_month_is_no_calendar(path: str) -> None:
    assert leads("More", NEWS + path, NEWS + path)


@pytest.mark.parametrize("rel", ["next", "prev", "previous", "nofollow next", "next nofollow"])
def test_a_link_that_says_next_or_prev_pages_whatever_it_looks_like(rel: str) -> None:
    assert leads("Green tea", "https://example.org/tea/green", rel=rel)


@pytest.mark.parametrize("rel", ["", "nofollow", "nextpage", "prefetch"])
def test_another_rel_says_nothing(rel: str) -> None:
    assert not leads("Green tea", "https://example.org/tea/green", rel=rel)


def test_the_pager_of_a_page() -> None:
    page = Page(
        "<ul><li>1<li><a href='?page=2'>2</a><li><a href='?page=3'>3</a><li><a href='?page=2'>Next »</a>"
        "</ul><a href=/news/green-tea>2 comments</a><a href=/>Home</a><a rel='NEXT' href=/tea>tea</a>",
        f"{NEWS}?page=1",
    )
    assert [is_pagination(link, page.url) for link in page.links] == [True, True, True, False, False, True]


@given(st.integers(1, 9999), st.integers(1, 9999))
def test_every_page_of_a_list_leads_to_every_other_and_the_first(one: int, other: int) -> None:
    for first, later in [("tea", "tea/page/{}"), ("tea", "tea/{}"), ("tea?sort=a", "tea?page={}&sort=a")]:
        page_url, url = (f"https://example.org/{later.format(number)}" for number in (one, other))
        assert leads(str(other), url, page_url)
        assert leads("«", f"https://example.org/{first}", page_url)
        assert not leads(str(other), url.replace("tea", "milk"), page_url)


@given(st.text(max_size=20), st.text(max_size=20), st.text(max_size=20), st.text(max_size=8))
def test_any_text_and_any_address_have_an_answer(text: str, url: str, page_url: str, rel: str) -> None:
    assert leads(text, f"https://example.org/{url}", page_url, rel) in (True, False)
    assert leads("2", f"//[{url}", f"//[{url}") in (True, False)


@pytest.mark.parametrize(
    "part", ["1", "/1", "/page", "-", "«", " ", "20", ".a", "1.a", "&p=1", "page2", "%31"]
)
def test_a_hostile_link_of_a_hundred_thousand_characters_has_an_answer(part: str) -> None:
    noise = part * (100_000 // len(part))
    assert leads("2", NEWS + noise, NEWS + noise) in (True, False)
    assert leads(noise, NEWS, NEWS) in (True, False)
    assert leads("2", f"{NEWS}?{noise}") in (True, False)
