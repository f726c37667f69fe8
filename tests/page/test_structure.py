"""The structure of a page: what is a feature, and what is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.page.page import Page

pytestmark = pytest.mark.usefixtures("reader")


def features(html: str) -> set[int]:
    return set(Page(html, "").structure.tolist())


def test_paths_class_words_ids_and_names_are_features() -> None:
    html = '<div class="a b" id=x><p>one</p><p>two</p><meta name=robots content=y><input name=q></div>'
    # div, div.a, div.b, div#x, div/p, div/meta, div/meta@robots, div/input, div/input@q
    assert len(features(html)) == 9


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("<ul><li>1</li></ul>", "<ul><li>1</li><li>2</li><li>3</li></ul>"),
        ("<p class='a b'>x</p>", "<P  CLASS='b a'>y</P>"),
        ("<p id=post-17>", "<p id=post-4711>"),
        ("<html class=no-js><body id=home><p>", "<html><body class=page><p>"),
        ("<p style=x data-y=1>", "<p>"),
        ("<p>text</p>", "text <p></p><!-- comment -->"),
        ("<p class=a class=b>", "<p class=a>"),
        ("<p title='class=a id=b'>", "<p>"),
    ],
)
def test_what_is_the_same_structure(one: str, other: str) -> None:
    assert features(one) == features(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("<p>", "<div>"),
        ("<div><p>", "<div></div><p>"),
        ("<p class=a>", "<p class=b>"),
        ("<p id=a>", "<p class=a>"),
        ("<meta name=robots>", "<meta name=author>"),
        ("<meta property=og:type>", "<meta property=og:title>"),
        ("<link rel=next>", "<link rel=stylesheet>"),
        ("<input name=q>", "<input name=email>"),
    ],
)
def test_what_is_another(one: str, other: str) -> None:
    assert features(one) != features(other)


@pytest.mark.parametrize("html", ["", "text alone", "<!-- x -->", "</p>"])
def test_a_page_without_tags_has_none(html: str) -> None:
    assert not features(html)


@given(st.lists(st.sampled_from(["<div>", "</div>", "<p class=a>", "<b id=x>", "</b>", "text"]), max_size=40))
def test_the_features_are_those_of_a_plain_walk(pieces: list[str]) -> None:
    page = Page("".join(pieces), "")
    elements = page.elements
    expected = set()
    for element in range(1, len(elements)):
        path, step = [], element
        while step > 0:
            path.append(elements.names[step])
            step = elements.parents[step]
        expected.add(tuple(path))
        extra = {"p": ".a", "b": "#x"}.get(elements.names[element])
        if extra:
            expected.add((extra, *path))
    found = page.structure.tolist()
    assert len(found) == len(expected)
    assert found == sorted(set(found))
