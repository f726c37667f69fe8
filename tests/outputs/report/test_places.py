"""Parts of pages are named as a person would, texts counted as by hand, roles found again on pages."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.page_types.tag_paths import tag_paths
from templcrawl.memory.link_tables import PayTable, RoleRecord
from templcrawl.outputs.report.place_names import (
    RepeatedText,
    RepeatedTexts,
    RoleRow,
    add_examples,
    element_at,
    place_name,
    role_rows,
)
from templcrawl.page.page import Page
from tests.outputs.report.sites import separated
from tests.strategies import soups


@pytest.mark.parametrize(
    ("html", "name"),
    [
        ("<nav class='main-menu wide'>*", 'navigation "main-menu"'),
        ("<div role=navigation aria-label='The  menu'>*", 'navigation "The menu"'),
        ("<aside id=x><h2>Related <b>news</b></h2>*", 'side bar "Related"'),
        ("<div class=side><h2>Tea</h2><ul>*", 'list in div "side"'),
        ("<div><h2>Tea</h2><p>*", 'paragraph in div "Tea"'),
        ("<main class=main><article id=post-217><table>*", 'table in article "post-#"'),
        ("<footer><ul class=links>*", 'list "links" in footer'),
        ("<div><section><p>*", "paragraph"),
        (f"<div id={'x' * 90}>*", f'div "{"x" * 40}"'),
        ("<div id=a>" + "<div>" * 50 + "<p>*", "paragraph"),
        ("*", "page"),
    ],
)
def test_names(html: str, name: str) -> None:
    page = Page(f"<html><body>{html.replace('*', '<!--here-->')}", "")
    here = page.tokens.forms.index("<!--here-->")
    position = next(at for at, form in enumerate(page.tokens.form_of) if form == here)
    assert place_name(page, page.elements.owners[position]) == name


@given(soups)
def test_what_a_tag_path_leads_to_is_found(html: str) -> None:
    page = Page(html, "")
    for path in tag_paths(page.tokens, page.elements):
        element = element_at(page, path)
        assert element > 0
        assert page.elements.names[element] == path.rpartition(" > ")[2].partition(".")[0]
        assert len(place_name(page, element)) < 200
    assert element_at(page, "no > such > path") == 0


_words = st.sampled_from("ash birch cedar dogwood elm fir".split())
_pages = st.lists(st.tuples(st.lists(_words), st.lists(_words)), max_size=30)


def counted(pages: list[tuple[list[str], list[str]]], **limits: int) -> RepeatedTexts:
    texts = RepeatedTexts(**limits)
    for number, (removed, kept) in enumerate(pages):
        html = "".join([f"<p>{word}</p>" for word in removed] + [f"[<p>{word}</p>]" for word in kept])
        texts.count_page(separated(html, f"http://a/{number}"))
    return texts


def test_texts_by_hand() -> None:
    texts = RepeatedTexts()
    for number in range(4):
        html = "<nav class=top><a href=/>Home &amp;  away</a>" + "<b>7</b></nav>[<p id=by>Share</p>"
        texts.count_page(separated(f"{html}<p>{number} only</p>]", f"http://a/{number}"))
    assert texts.largest("removed") == [RepeatedText("Home & away", 'navigation "top"', kept=0, removed=4)]
    assert texts.largest("kept") == [RepeatedText("Share", 'paragraph "by"', kept=4, removed=0)]


@given(_pages)
def test_counts_are_those_of_a_plain_count(pages: list[tuple[list[str], list[str]]]) -> None:
    kept = Counter(word for _, its in pages for word in set(its))
    removed = Counter(word for template, its in pages for word in set(template) - set(its))
    texts = counted(pages)
    for found, counts in ((texts.largest("kept"), kept), (texts.largest("removed"), removed)):
        shown = {word for word, n in counts.items() if n >= 3 and 4 * n >= kept[word] + removed[word]}
        assert {text.text for text in found} == shown
        assert all((text.kept, text.removed) == (kept[text.text], removed[text.text]) for text in found)


@given(st.integers(8, 40))
def test_a_text_of_all_pages_outlives_texts_of_one(most: int) -> None:
    pages = [
        ([f"word{number}x{other}" for other in range(most // 2 - 1)], ["always"]) for number in range(12)
    ]
    texts = counted(pages, most=most)
    assert len(texts._texts) <= most
    assert [(text.text, text.kept) for text in texts.largest("kept")] == [("always", 12)]


def test_of_a_page_with_very_many_texts_some_are_read_later() -> None:
    words = [f"word{number}" for number in range(100)]
    texts = counted([(words, [])] * 3)
    read = [text for text in texts.largest("removed", 200) if text.text]
    assert len(read) == len(words)
    assert len(counted([(words, [])] * 2).largest("removed", 200)) == 0


MENU = "<ul class='menu wide'><li><a href=/a>a</a><li><a href=/b>b</a><li><a href=/c?sid=1>c</a></ul>"


def test_an_example_of_each_role_is_found() -> None:
    examples: dict[int, tuple[str, str]] = {}
    page = Page(
        f"<body><div>{MENU}</div><p><a href=/d>d</a><a href=/e>e</a><a href=/f>f</a>", "http://a.example/"
    )
    add_examples(examples, page, min_links=3)
    assert list(examples.values()) == [
        ('list "menu"', "http://a.example/a"),
        ('list "menu"', "http://a.example/c?sid=1"),
        ("paragraph", "http://a.example/d"),
    ]


@pytest.mark.parametrize(
    ("role_yield", "standing"),
    [
        (1.5, "go first"),
        (1.0, "wait their turn"),
        (0.7, "wait their turn"),
        (0.69, "wait"),
        (0.1, "wait"),
        (0.09, "starved: wait for all others"),
    ],
)
def test_where_links_of_a_role_stand(role_yield: float, standing: str) -> None:
    (row,) = role_rows([RoleRecord(7, 4, 10, role_yield)], {})
    assert row == RoleRow("", "", 4, 2.5, role_yield, standing)


def test_the_largest_roles_come_first() -> None:
    table = PayTable(limit=10)
    for role, words in ((1, 30), (2, 10), (2, 20), (3, 0)):
        table.credit([role], role, words)
    assert [record[:3] for record in table.largest(2)] == [(2, 2, 30), (1, 1, 30)]
    assert table.largest(1)[0].role_yield == pytest.approx((2 + 4) / (2 + 4))
