"""The element tree: what the HTML standard builds, where this project follows it.

The structure of a page: what is a feature, and what is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.page.page import Page
from templcrawl.page.tokens import START, TEXT, VOID, Limits
from tests.strategies import Tree, soups, trees, written

pytestmark = pytest.mark.usefixtures("reader")

STANDARD = [
    # paragraphs and lists, as test_implied_ends has them in full
    ("<p>a<ul><li>b</ul>", (("p", "a"), ("ul", ("li", "b")))),
    ("<p><b>a<section>b</section>", (("p", ("b", "a")), ("section", "b"))),
    ("<p>a<span>b</span>c</p>d", (("p", "a", ("span", "b"), "c"), "d")),
    ("<div><p>a</div>b", (("div", ("p", "a")), "b")),
    ("<ul><li>a<ul><li>b</ul>c<li>d</ul>", (("ul", ("li", "a", ("ul", ("li", "b")), "c"), ("li", "d")),)),
    ("<ul><li>a<ul><li>b</li></li>c</ul>", (("ul", ("li", "a", ("ul", ("li", "b"), "c"))),)),
    ("<p>a<li>b", (("p", "a"), ("li", "b"))),
    # headings
    ("<h1>a</h2>b", (("h1", "a"), "b")),
    ("<h1>a<h2>b</h1>c", (("h1", "a"), ("h2", "b"), "c")),
    ("<h1><span>a<h2>b", (("h1", ("span", "a", ("h2", "b"))),)),
    ("<h3><div>a</h2>b", (("h3", ("div", "a")), "b")),
    ("<div>a</h2>b", (("div", "a", "b"),)),
    # svg and math
    ("<svg><title/></svg>a", (("svg", ("title",)), "a")),
    ("<svg><style/><path/></svg><p>a", (("svg", ("style",), ("path",)), ("p", "a"))),
    ("<svg><title>a</svg>b", (("svg", ("title", "a")), "b")),
    ("<svg><![CDATA[a >\nb]]></svg>c", (("svg", "a >\nb"), "c")),
    ("<svg><g><text>a<p>b", (("svg", ("g", ("text", "a"))), ("p", "b"))),
    ("<text><g><p>a", (("text", ("g", ("p", "a"))),)),
    ("<p><svg><foreignObject><p>a</p></svg>b", (("p", ("svg", ("foreignobject", ("p", "a"))), "b"),)),
    # templates
    ("<template><tr><td>a</template><p>b", (("template", ("tr", ("td", "a"))), ("p", "b"))),
    ("<template><table><object>a</template>b", (("template", ("table", ("object", "a"))), "b")),
    ("<noscript><div>a</noscript>b", (("noscript", ("div", "a")), "b")),
    (
        "<table><tr><td>a<template><td>b</template>c</table>",
        (("table", ("tr", ("td", "a", ("template", ("td", "b")), "c"))),),
    ),
    # tables
    ("<table><form><tr><td>a</form>b</table>", (("table", ("form",), ("tr", ("td", "a", "b"))),)),
    ("<td><form>a</form>b", (("td", ("form", "a"), "b"),)),
    (
        "<table><tr><td>a<table><tr><td>b</table>c<td>d</table>",
        (("table", ("tr", ("td", "a", ("table", ("tr", ("td", "b"))), "c"), ("td", "d"))),),
    ),
    ("<div><table><tr><td>a</div>b</table>", (("div", ("table", ("tr", ("td", "a", "b")))),)),
    ("<b><table><tr><td>a</b>b</table>", (("b", ("table", ("tr", ("td", "a", "b")))),)),
    # choices
    (
        "<select><optgroup><option>a<optgroup><option>b</select>c",
        (("select", ("optgroup", ("option", "a")), ("optgroup", ("option", "b"))), "c"),
    ),
    # the head
    ("<head><title>a</title><link><p>b", (("head", ("title",), ("link",)), ("p", "b"))),
    ("<html><head><meta><body>a", (("html", ("head", ("meta",)), ("body", "a")),)),
    ("<head>\na", (("head",), "a")),
    ("<head> <!-- --> <!-- -->a", (("head",), "a")),
    ("<head><script>a</script>b", (("head", ("script",)), "b")),
    ("<head><style>a</style></head><p>b", (("head", ("style",)), ("p", "b"))),
    ("<head><noscript><link></noscript><meta></head>", (("head", ("noscript", ("link",)), ("meta",)),)),
    # end tags
    ("a</div>b", ("a", "b")),
    ("<div>a</span>b</div>c", (("div", "a", "b"), "c")),
    ("<ul><li>a</ul></li>b", (("ul", ("li", "a")), "b")),
    ("<div>a</DIV>b", (("div", "a"), "b")),
    ("<i><div>a</i>b</div>c", (("i", ("div", "a", "b")), "c")),
    ("<b><i><p>a</b></i>b</p>c", (("b", ("i", ("p", "a", "b"))), "c")),
    ("<b><table><tr><td>a</b>b</table>c", (("b", ("table", ("tr", ("td", "a", "b"))), "c"),)),
    # links
    ("<a>b<a>c</a>", (("a", "b"), ("a", "c"))),
    ("<a><b>b<a>c</a>", (("a", ("b", "b")), ("a", "c"))),
    ("<a><div>b</div></a>c", (("a", ("div", "b")), "c")),
    # elements without content
    ("<br>a<img>b<hr>", (("br",), "a", ("img",), "b", ("hr",))),
    ("<div/>a", (("div", "a"),)),
    ("<svg><path/><g><circle/></g></svg>a", (("svg", ("path",), ("g", ("circle",))), "a")),
    ("<script>if (a<b) '<p>'</script>a", (("script",), "a")),
    ("a<!-- <p> -->b<!doctype html>", ("a", "b")),
    ("", ()),
]


def nested(page: Page) -> Tree:
    """Return the tree of a page as nested tuples: text runs, and elements as (name, content...)."""
    tokens, elements = page.tokens, page.elements
    nodes: list[list[Any]] = [[]] + [[name] for name in elements.names[1:]]
    for position, (kind, owner) in enumerate(zip(tokens.kinds, elements.owners)):
        if kind == TEXT:
            nodes[owner].append(tokens.forms[tokens.form_of[position]].strip())
        elif kind in (START, VOID):
            nodes[elements.parents[owner]].append(nodes[owner])
    return _frozen(nodes[0])


def _frozen(nodes: Sequence[Any]) -> Tree:
    return tuple(node if isinstance(node, str) else _frozen(node) for node in nodes)


@pytest.mark.parametrize(("html", "tree"), STANDARD, ids=[html for html, _ in STANDARD])
def test_the_tree_of_small_pages(html: str, tree: Tree) -> None:
    assert nested(Page(html, "")) == tree


@given(trees)
def test_a_well_written_page_has_the_tree_it_was_written_from(tree: Tree) -> None:
    assert nested(Page(written(tree, optional_ends=True), "")) == tree


@given(trees)
def test_end_tags_that_may_be_left_out_change_nothing(tree: Tree) -> None:
    assert nested(Page(written(tree, optional_ends=False), "")) == tree


@given(soups)
def test_elements_nest_in_document_order(text: str) -> None:
    tokens, elements = Page(text, "").tokens, Page(text, "").elements
    parents, opens, closes = elements.parents, elements.opens, elements.closes
    assert (parents[0], elements.names[0], opens[0], closes[0]) == (-1, "", 0, len(tokens))
    assert opens[1:] == [position for position, kind in enumerate(tokens.kinds) if kind in (START, VOID)]
    last_close = [0] * len(elements)
    for element in range(1, len(elements)):
        parent = parents[element]
        assert 0 <= parent < element
        assert elements.names[element] == tokens.form_names[tokens.form_of[opens[element]]]
        assert max(opens[parent], last_close[parent]) <= opens[element]
        assert opens[element] < closes[element] <= closes[parent]
        last_close[parent] = closes[element]
        if tokens.kinds[opens[element]] == VOID:
            assert closes[element] == opens[element] + 1
            assert element not in parents


@given(soups)
def test_every_token_has_the_innermost_element_that_covers_it_as_its_owner(text: str) -> None:
    page = Page(text, "")
    elements = page.elements
    spans = list(zip(elements.opens, elements.closes))
    innermost = [
        max(element for element, (start, stop) in enumerate(spans) if start <= position < stop)
        for position in range(len(page.tokens))
    ]
    assert elements.owners == innermost


@given(soups)
def test_what_is_inside_a_head_is_what_a_head_may_hold(text: str) -> None:
    page = Page(text, "")
    names, parents = page.elements.names, page.elements.parents
    in_head = [
        names[element] for element, parent in enumerate(parents) if parent >= 0 and names[parent] == "head"
    ]
    assert set(in_head) <= {"base", "link", "meta", "title", "script", "style", "noscript", "template"}
    for kind, owner in zip(page.tokens.kinds, page.elements.owners):
        assert kind != TEXT or names[owner] != "head"


def test_names_have_the_classes_that_are_asked_for() -> None:
    page = Page("<h2>Tea<ul><li>Green<new-name>", "")
    assert page.elements.names == ["", "h2", "ul", "li", "new-name"]
    assert page.elements.classed({"ul": 3, "h2": 1}).tolist() == [0, 1, 3, 0, 0]


def test_what_was_not_read_belongs_to_the_document() -> None:
    text = "<template><p>tea<p>milk"
    assert Page(text, "").elements.owners == [1, 2, 2, 3, 3]
    page = Page(text, "", Limits(max_tags=2))
    assert page.elements.owners == [1, 2, 0]
    assert page.elements.closes == [3, 2, 2]
    assert page.elements.visible == [True, False, False]


def features(html: str) -> set[int]:
    return set(Page(html, "").structure.tolist())


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
