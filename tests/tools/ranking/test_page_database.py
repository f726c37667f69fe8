"""The database: what is stored of pages, what matches, and which pages come into a base set."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from templcrawl import Page
from templcrawl.algorithms.pagelets.partition import pagelet_shingles, partition_pagelets
from templcrawl.errors import InvalidOption, TemplcrawlError
from templcrawl.tools.ranking import page_database
from templcrawl.tools.ranking.page_database import (
    PageDatabase,
    address_of,
    match_expression,
)
from tests.oracles import detect_local_templates
from tests.strategies import closed_soups

HOST = "http://tea.example"


def listed(*names: str) -> str:
    items = "".join(f'<li><a href="/{name}.html">the page {name}</a></li>' for name in names)
    return f"<ul>{items}</ul>"


def page(name: str, body: str = "", *, title: str = "", host: str = HOST) -> Page:
    return Page(f"<title>{title}</title><h1>{name}</h1><div>{body}</div>", f"{host}/{name}.html")


def stored(pages: Iterable[Page], **options: Any) -> PageDatabase:
    """Return a database of pages."""
    database = PageDatabase(**options)
    for one in pages:
        database.add(one)
    database.finish()
    return database


def urls(database: PageDatabase, numbers: Iterable[int]) -> list[str]:
    return [database.page(number).url.rpartition("/")[2].removesuffix(".html") for number in numbers]


def test_pages_links_and_pagelets_are_stored() -> None:
    menu = listed("a", "b", "c")
    pages = [
        page("a", f"{menu}<p>green tea</p>{listed('c', 'd', 'b')}", title="Green &amp; black"),
        page("b", menu),
        page("c"),
    ]
    with stored(pages) as database:
        assert (database.pages, database.duplicates, database.hosts) == (3, 0, 1)
        assert database.page(1) == (f"{HOST}/a.html", "tea.example", "Green & black")
        base = database.base_set("green")
        assert urls(database, base.pages) == ["a", "b", "c"]
        assert base.root == 1
        assert base.links.matches == [True, False, False]
        assert base.links.hosts == ["tea.example"] * 3
        assert [(one.page, one.targets, one.is_template) for one in base.links.pagelets] == [
            (0, (1, 2), True),
            (0, (2, 1), False),
            (1, (0, 2), True),
        ]
        assert base.templated == 2
        assert database.anchors(base.pagelets[0], 3, by_pagelet=True) == ["the page c"]
        assert database.anchors(1, 2, by_pagelet=False) == ["the page b"]
        assert database.pagelet_page(base.pagelets[2]) == 2


def test_pagelets_match_by_their_own_text_and_anchors() -> None:
    green = listed("x", "y", "z").replace("</ul>", "<li>green</ul>")
    body = f"<div>tea {green}</div><div>green tea {listed('x', 'z', 'y')}</div>"
    with stored([page("a", body), page("x"), page("y"), page("z")]) as database:
        matches = {
            query: [one.matches for one in database.base_set(query).links.pagelets]
            for query in ("green", "tea", "page z")
        }
    assert matches == {"green": [True, False], "tea": [False, False], "page z": [True, True]}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("green", ["a", "b"]),
        ("GREEN tea", ["a", "b"]),
        ('"green tea"', ["a"]),
        ('green "tea leaves', ["a"]),
        ("creme", ["c"]),
        ("茶", ["c"]),
        ("茶碗", ["c"]),
        ("碗茶", []),
        ("green AND NOT tea", []),
        ("tea*", ["a", "b"]),
        ("hidden", []),
    ],
)
def test_a_text_matches_if_it_holds_all_words(query: str, found: list[str]) -> None:
    pages = [
        page("a", "green tea leaves"),
        page("b", "tea is green <script>hidden</script>"),
        page("c", "crème und 茶碗"),
    ]
    with stored(pages) as database:
        assert sorted(urls(database, database.root_set(query))) == found


@pytest.mark.parametrize("query", ["", "  ", '""', "!?", "_"])
def test_a_query_without_words_is_refused(query: str) -> None:
    with pytest.raises(InvalidOption, match="one word or more"):
        match_expression(query)


@given(st.text(max_size=20))
def test_no_query_is_bad_syntax(query: str) -> None:
    with stored([page("a", "tea")]) as database, contextlib.suppress(InvalidOption):
        assert database.root_set(query) in ([], [1])


def test_the_root_set_is_ranked_by_bm25_and_bounded() -> None:
    pages = [page(f"p{n}", "tea " * n + f"word{n} " * (10 - n)) for n in range(1, 6)]
    with stored(pages) as database:
        assert urls(database, database.root_set("tea", size=2)) == ["p5", "p4"]


def test_the_base_set_takes_links_both_ways_within_its_bounds() -> None:
    citing = [page(f"in{n}", listed("root", f"x{n}", f"y{n}")) for n in range(9)]
    pages = [*citing, page("root", f"the topic {listed('out1', 'out2', 'out3')}")]
    pages += [page("out1", listed("far")), page("out2"), page("out3"), page("far")]
    with stored(pages) as database:
        found = database.base_set("topic", in_links=2)
        assert urls(database, found.pages) == ["root", "out1", "out2", "out3", "in0", "in1"]
        assert len(database.base_set("topic").pages) == 13
        assert urls(database, database.base_set("topic", max_pages=2).pages) == ["root", "out1"]
        assert database.base_set("nothing").pages == []
        assert urls(database, database.base_set("topic", in_links=2).pages) == urls(database, found.pages)


def test_a_repeat_is_left_out_and_its_links_in_lead_to_the_original() -> None:
    text = " ".join(f"word{n}" for n in range(300))
    pages = [
        page("a", listed("copy", "b", "c")),
        Page(f"<p>{text}</p>", f"{HOST}/original.html"),
        Page(f"<div>{text}</div>{'<br>' * 3}", f"{HOST}/copy.html"),
        page("a", "the same address again"),
        page("b"),
    ]
    with stored(pages) as database:
        assert (database.pages, database.duplicates) == (3, 2)
        assert database.find(f"{HOST}/copy.html") == database.find(f"{HOST}/original.html") == 2
        (pagelet,) = database.base_set("copy").links.pagelets
        assert urls(database, database.base_set("copy").pages) == ["a", "original", "b"]
        assert pagelet.targets == (1, 2)


def test_pages_are_found_however_their_url_is_written() -> None:
    with stored([page("index", host=f"{HOST}/a%20b")]) as database:
        for url in (f"{HOST}/a%20b/", f"{HOST}/a b/index.html#top", "https://tea.example/a%20b/index.htm"):
            assert database.find(url) == 1
        assert database.find(f"{HOST}/a") is None
    assert address_of(Page("", ""), "http://tea.example") == "tea.example/"


def test_an_address_of_ones_own_decides_which_pages_are_the_same() -> None:
    pages = [page("a", listed("b", "c", "d")), page("b"), page("B")]
    with stored(pages, address=lambda page, url: url.lower()) as database:
        assert (database.pages, database.duplicates) == (2, 1)


def test_citing_pagelets_come_page_by_page_with_all_their_pagelets() -> None:
    menu = listed("target", "a", "b")
    pages = [
        page("a", menu + "<hr>" + listed("b", "c", "target")),
        page("b", menu),
        page("c", listed("a", "b", "d")),
        page("target"),
        page(
            "e", f"<ul>{'<li><a href=http://tea.example/target.html>t</a>' * 3}</ul>", host="http://b.example"
        ),
    ]
    with stored(pages) as database:
        found = list(database.citing_pagelets(4))
        assert [(one.page, list(one.targets), one.is_template) for one in found] == [
            (1, [4, 2], True),
            (1, [2, 3, 4], False),
            (2, [4, 1], True),
            (5, [4, 4, 4], False),
        ]
        assert [one.page for one in database.citing_pagelets(4, between_hosts=True)] == [5]
        assert {one.page for one in database.citing_pagelets(4, max_pages=1)} == {1}


@settings(max_examples=30, deadline=None)
@given(st.lists(closed_soups, max_size=6), st.lists(st.sampled_from("abc"), min_size=6, max_size=6))
def test_templates_are_those_of_local_detection(soups: list[str], menus: list[str]) -> None:
    pages = [
        Page(f"<p>{number} {number}</p>{listed(menu, 'x', 'y')}<div>{soup}</div>", f"{HOST}/{number}.html")
        for number, (soup, menu) in enumerate(zip(soups, menus))
    ]
    with stored(pages) as database:
        shingles: dict[int, list[int]] = {}
        for one in pages:
            number = database.find(one.url)
            if number is not None and database.page(number).url == one.url:
                pagelets = partition_pagelets(one)
                found = pagelet_shingles(one, pagelets)
                shingles[number] = [shingle for shingle in found if shingle]
        templates = detect_local_templates(shingles)
        rows = database._database.execute("SELECT page, shingle, is_template FROM pagelets").fetchall()
        assert all(bool(is_template) == (shingle % 2**64 in templates) for _, shingle, is_template in rows)
        assert sorted(number for number, *_ in rows) == sorted(
            number for number, found in shingles.items() for _ in found
        )


def test_lone_surrogates_are_stored_as_replacement_characters() -> None:
    with stored([Page("<title>\ud800</title>tea \udfff", "http://tea.example/\ud800")]) as database:
        assert database.page(database.root_set("tea")[0]).title == "\ufffd"


def test_without_full_text_search_the_error_says_what_is_missing(monkeypatch) -> None:
    monkeypatch.setattr(page_database, "_SCHEMA", "CREATE VIRTUAL TABLE t USING fts5_is_not_here(x)")
    with pytest.raises(TemplcrawlError, match="FTS5"):
        PageDatabase()
