"""Links that page through a list are told from numbers, names and days that do not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.pagination.pager_links import pagination_evidence, pagination_links
from templcrawl.algorithms.pagination.pager_signs import (
    LONGEST_ADDRESS,
)
from templcrawl.page.page import Page

pytestmark = pytest.mark.usefixtures("reader")

SITE = "https://example.org"
NEWS = f"{SITE}/news/"


def found(html: str, url: str = NEWS) -> list[int]:
    return sorted(pagination_links(Page(html, url)))


def leads(text: str, url: str, page_url: str = NEWS) -> bool:
    """Say whether a link that stands alone is pagination."""
    return bool(found(f'<p><a href="{url}">{text}</a></p>', page_url))


FORUM_PAGER = """
<a href="/board">Board</a> <a href="/rules?id=3">Rules</a>
<div class="pagenav"><a href="/tea-4/">1</a> <b>2</b> <a href="/tea-4/index3.html">3</a>
<a href="/tea-4/index4.html">4</a> ... <a href="/tea-4/index90.html">90</a>
<a href="/tea-4/index3.html"><img src="next.png"></a></div>
<ol><li><a href="/user/17">17 posts</a><li><a href="/post/18">#18</a><li><a href="/user/9">Ann</a></ol>
"""


def test_a_forum_pager_is_found_and_what_stands_around_it_is_not() -> None:
    assert found(FORUM_PAGER, f"{SITE}/tea-4/index2.html") == [2, 3, 4, 5, 6]


def test_the_pager_of_another_list_is_found_by_its_run() -> None:
    html = "<a href=/milk-7.html>Milk</a> (<a href=/milk-7.html>1</a> <a href=/milk-7b.html>2</a>)"
    assert found(html, f"{SITE}/forum") == [1, 2]


@pytest.mark.parametrize("gap", ["", "<b>3</b>"])
def test_the_page_itself_may_be_missing_in_a_run(gap: str) -> None:
    assert found(f"<ul><li><a href=/a>2</a><li>{gap}<li><a href=/b>4</a></ul>") == [0, 1]


@pytest.mark.parametrize(
    "html",
    [
        "<a href=/a>2</a>",
        "<a href=/a>2</a> <a href=/b>9</a>",
        "<a href=/a>3</a> <a href=/b>2</a>",
        "<div><div><div><a href=/a>2</a></div></div></div><div><div><div><a href=/b>3</a></div></div></div>",
        "<a href=/a>2019</a> <a href=/b>2020</a> <a href=/c>2021</a>",
        "<a href=/a>(2)</a> <a href=/b>(3)</a>",
        "<a href=/a>2 teas</a> <a href=/b>3 teas</a>",
    ],
)
def test_other_numbers_are_no_run(html: str) -> None:
    assert found(html) == []


def test_an_index_of_letters_is_no_pager() -> None:
    letters = "".join(
        f"<li><a href='/news/?letter={letter}'>{letter}</a>" for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    )
    assert found(f"<ul class=pagination>{letters}</ul>") == []


def test_offsets_page() -> None:
    html = "<a href='?start=0'>1</a> <a href='?start=20'>2</a> <a href='?start=20'>Next</a>"
    html += "<a href='?sort=2'>2</a>"
    assert found(html) == [0, 1, 2]


@pytest.mark.parametrize("rel", ["next", "prev", "previous", "nofollow NEXT", "next nofollow"])
def test_a_link_that_says_next_or_prev_pages_whatever_it_looks_like(rel: str) -> None:
    assert found(f'<a rel="{rel}" href="/tea/green">Green tea</a> <a href="/tea/black">Black tea</a>') == [0]


@pytest.mark.parametrize("rel", ["", "nofollow", "nextpage", "prefetch"])
def test_another_rel_says_nothing(rel: str) -> None:
    assert found(f'<a rel="{rel}" href="/tea/green">Green tea</a>') == []


@pytest.mark.parametrize(
    "html",
    [
        '<a class="btn Pager" href="?page=2">vidare</a>',
        '<li class="next"><a href="?page=2"><i></i></a></li>',
        '<ul id="pagination"><li><a href="?page=2"><img src="a.png"></a></ul>',
    ],
)
def test_a_class_says_so_where_the_address_does(html: str) -> None:
    assert found(html) == [0]
    assert found(html.replace("?page=2", "/tea?page=2")) == []
    assert found(html.replace("?page=2", "/news/")) == []


@pytest.mark.parametrize("name", ["homepage", "image", "context", "page-header"])
def test_other_classes_say_nothing(name: str) -> None:
    assert found(f'<a class="{name}" href="?page=2">vidare</a>') == []


@pytest.mark.parametrize(
    ("text", "page_url", "url"),
    [
        ("2", "/news/", "/news/page/2/"),
        ("3", "/news/page/2/", "/news/page/3/"),
        ("1", "/news/page/2/", "/news/"),
        ("2", "/news/", "/news/2"),
        ("2", "/news", "/news/2/"),
        ("2", "/news?sort=new", "/news?page=2&amp;sort=new"),
        ("2", "/news?sort=new&page=1", "/news?page=2&amp;sort=new"),
        ("4", "/list.php?p=3", "/list.php?p=4"),
        ("2", "/list.html", "/list-2.html"),
        ("3", "/list-2.html", "/list-3.html"),
        ("2", "/list.html", "/list_page2.html"),
        ("2", "/news/index.html", "/news/index2.html"),
        ("1", "/news/index2.html", "/news/"),
        ("2", "/threads/tea.4/", "/threads/tea.4/page-2"),
        ("2", "/forum4/", "/forum4/index2.html"),
        ("2", "/forum4?s=0123456789abcdef0123456789abcdef", "/forum4/index2.html"),
        ("26", "/forum?offset=0", "/forum?offset=25"),
        ("2", "/", "/page/2"),
        ("2", "/?paged=1", "/?paged=2"),
        ("2", "/2014/11/", "/2014/11/page/2/"),
        ("1", "/2014/11/page/2/", "/2014/11/"),
        ("Older posts", "/", "/search?updated-max=2014-11-05T10:00:00&amp;max-results=7"),
    ],
)
def test_a_step_to_the_same_list_pages(text: str, page_url: str, url: str) -> None:
    assert leads(text, f"{SITE}{url}", f"{SITE}{page_url}")
    assert not leads("Tea", f"{SITE}{url}", f"{SITE}{page_url}")


@pytest.mark.parametrize(
    ("page_url", "url"),
    [
        (NEWS, "https://other.org/news/page/2/"),
        (NEWS, f"{SITE}/news/?sort=2"),
        (NEWS, f"{SITE}/news/second/"),
        (f"{SITE}/news/tea/", f"{SITE}/news/2"),
        (NEWS, NEWS + "page/2/" + "x" * LONGEST_ADDRESS),
    ],
)
def test_a_number_that_leads_elsewhere_does_not_page(page_url: str, url: str) -> None:
    assert not leads("2", url, page_url)


@pytest.mark.parametrize(
    "text",
    """Next|next|Next »|Next page|« Previous|Prev|Older posts|← Older Entries|Newer posts →|›|»|«
    |&gt;|&lt;&lt;|More|Weiter|Zurück|Nächste Seite|Suivant|Précédente|Siguiente|Anterior|Próxima página
    |Volgende|Nästa|Dalej|Další|Следующая|下一页|上一頁|次へ|次のページ|다음|Επόμενη|הבא|التالي|अगला|ถัดไป
    |<b>»</b>&nbsp;<i>Next</i>""".split("|"),
)
def test_words_for_next_and_previous_page(text: str) -> None:
    assert leads(text, f"{NEWS}page/2/")
    assert not leads(text, f"{SITE}/tea/")


def month(address: str, page_url: str, days: int = 31) -> list[int]:
    """Return the pagination among the days of a month, laid out as a calendar."""
    cells = "".join(
        f"{'<tr>' * (day % 7 == 1)}<td><a href='{SITE}/{address.format(day)}'>{day}</a>"
        for day in range(1, days + 1)
    )
    pager = f"<a rel=prev href={SITE}/2026/04>«</a> <a rel=next href={SITE}/2026/06>»</a>"
    return found(f"<table>{cells}</table>{pager}", page_url)


@pytest.mark.parametrize("page_url", [NEWS, f"{SITE}/2026/05", f"{SITE}/2026/05/07", f"{SITE}/events?day=3"])
@pytest.mark.parametrize(
    "address",
    [
        "2026/05/{:02}",
        "2026/5/{}",
        "events?day={}",
        "?m=202605{:02}",
        "calendar/{}",
        "day-{}",
        "e{}",
        "events/{}",
    ],
)
def test_a_calendar_is_no_pager(address: str, page_url: str) -> None:
    assert month(address, page_url) == []


def test_a_month_without_a_table_is_no_pager() -> None:
    days = "".join(f"<li><a href=/e{day}>{day}</a>" for day in range(1, 31))
    assert found(f"<ol>{days}</ol>") == []
    assert found(f"<ol>{days.replace('/e', '?page=')}</ol>") == list(range(30))


def test_a_pager_may_stand_in_a_table() -> None:
    html = "<table><tr><td>Page 1 of 3<td><a href=/a>2</a><td><a href=/b>3</a></table>"
    assert found(html) == [0, 1]
    one_cell = "<table><tr><td>Tea<tr><td>Milk<tr><td><a href=/a>2</a> <a href=/b>3</a></table>"
    assert found(one_cell) == [0, 1]


@given(
    st.integers(1990, 2040),
    st.integers(1, 12),
    st.sampled_from(["/{}/{:02}/{:02}", "/{}-{:02}-{:02}.html", "/?m={}{:02}{:02}", "/log/{}.{:02}.{:02}/"]),
    st.data(),
)
def test_the_dates_of_a_page_are_never_pagination(
    year: int, number: int, form: str, data: st.DataObject
) -> None:
    days = data.draw(st.lists(st.integers(1, 31), min_size=1, unique=True).map(sorted))
    cell, rel = data.draw(st.sampled_from(["td", "li", "span"])), data.draw(st.sampled_from(["", "next"]))
    urls = [SITE + form.format(year, number, day) for day in days]
    html = "".join(
        f"<{cell}><a rel='{rel}' class=next href='{url}'>{day}</a>" for day, url in zip(days, urls)
    )
    assert found(html, data.draw(st.sampled_from(urls))) == []


@given(st.integers(1, 9999), st.integers(1, 9999))
def test_every_page_of_a_list_leads_to_every_other_and_the_first(one: int, other: int) -> None:
    for first, later in [("tea", "tea/page/{}"), ("tea", "tea/{}"), ("tea?sort=a", "tea?page={}&sort=a")]:
        page_url, url = (f"{SITE}/{later.format(number)}" for number in (one, other))
        assert leads("»", url, page_url)
        assert leads("«", f"{SITE}/{first}", page_url)
        assert not leads("»", url.replace("tea", "milk").replace("page", "x"), page_url)


_PARTS = st.sampled_from(
    "<a href=?page=2>|<a href='/x/3'>|</a>|<td>|<tr>|<table>|<ul class=pager>|<li>|<b>|</b>|1|2|3|31|next|«|"
    "<a rel=next href=/q>|<a href=//other.org/page/2>|"
    "<area href=4>|<a href='//['>|<a class=next href=|&#|\ud800".split("|")
)


@given(
    st.lists(_PARTS, max_size=40).map("".join),
    st.sampled_from(["", NEWS, "//[", "x", f"{SITE}/x/2", "\ud800"]),
)
def test_any_page_has_an_answer_among_its_links(html: str, url: str) -> None:
    page = Page(html, url)
    links = pagination_links(page)
    assert links <= set(range(len(page.links)))
    evidence = dict(pagination_evidence(page))
    assert links == {number for number in evidence if evidence[number].is_pagination}


def simple_runs(numbers: list[int]) -> list[int]:
    """Return which numbers of one list stand in a run: too simple to be wrong."""
    chosen = []
    for position in range(len(numbers)):
        first = last = position
        while first > 0 and numbers[first - 1] < numbers[first]:
            first -= 1
        while last + 1 < len(numbers) and numbers[last] < numbers[last + 1]:
            last += 1
        run = numbers[first : last + 1]
        if any(number + 1 in run or number + 2 in run for number in run):
            chosen.append(position)
    return chosen


@given(st.lists(st.integers(0, 15), max_size=15))
def test_runs_are_those_of_the_oracle(numbers: list[int]) -> None:
    html = "".join(f"<li><a href=/x{position}y>{number}</a>" for position, number in enumerate(numbers))
    assert found(f"<ul>{html}</ul>") == simple_runs(numbers)
