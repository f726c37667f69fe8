"""Parts of pages are named as a person would, on any page, at a bounded cost."""

from __future__ import annotations

import pytest
from hypothesis import given

from templcrawl.algorithms.page_types.tag_paths import tag_paths
from templcrawl.outputs.report.places import element_at, place_name, place_of_text
from templcrawl.page.page import Page
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


def test_a_text_stands_in_a_part_and_not_in_a_link() -> None:
    page = Page("<body><nav id=top><ul class=u><li><a href=/><b>Tea", "")
    assert place_of_text(page, len(page.elements) - 1) == 'list "u" in navigation "top"'


@given(soups)
def test_what_a_tag_path_leads_to_is_found(html: str) -> None:
    page = Page(html, "")
    for path in tag_paths(page.tokens, page.elements):
        element = element_at(page, path)
        assert element is not None
        assert page.elements.names[element] == path.rpartition(" > ")[2].partition(".")[0]
        assert len(place_name(page, element)) < 200
    assert element_at(page, "no > such > path") is None


def test_each_path_that_is_written_leads_to_an_element() -> None:
    long = "very-" * 20
    page = Page(f"<body class='page-7 wide'><div class='{long} a b c d'><p class=x1>Tea<p>Cups", "")
    paths = tag_paths(page.tokens, page.elements)
    assert any("very-" in path for path in paths)
    assert all(element_at(page, path) is not None for path in paths)
