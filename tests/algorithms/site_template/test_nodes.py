"""The DOM tree of a page: ranges, features and subtree keys.

How equal two nodes are.
"""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from templcrawl.algorithms.site_template.nodes import Node, Nodes, weighted
from templcrawl.page.page import Page
from templcrawl.page.text import as_seen, unescape
from templcrawl.page.tokens import Limits
from tests.strategies import soups


def nodes(html: str) -> Nodes:
    return Nodes(Page(html, "http://example.org/"))


def shape(tree: Nodes, node: int) -> object:
    """Return a subtree as nested tuples, texts as they are seen: what equal keys must mean."""
    position = int(tree.positions[node])
    tokens = tree.page.tokens
    own = tokens.forms[tokens.form_of[position]] if position >= 0 else ""
    if tree.texts[node]:
        own = "text " + " ".join(as_seen(unescape(own)).split())
    return own, tuple(shape(tree, child) for child in tree.children_of(node))


def test_elements_and_text_runs_are_nodes_in_document_order() -> None:
    tree = nodes("<ul class='a b' id=x> <li>tea <b>hot</b></li><!-- no --><li><br></ul>")
    assert [tree[node].label if tree.elements[node] >= 0 else "text" for node in range(len(tree))] == [
        "",
        "ul",
        "li",
        "text",
        "b",
        "text",
        "li",
        "br",
    ]
    assert tree.parents.tolist() == [-1, 0, 1, 2, 2, 4, 1, 6]
    assert tree.stops.tolist() == [8, 8, 6, 4, 6, 6, 8, 8]
    assert tree.children.tolist() == [1, 2, 2, 0, 1, 0, 1, 0]
    assert tree.ranks.tolist() == [0, 0, 0, 0, 1, 0, 1, 0]
    menu = tree[1]
    assert (menu.classes, menu.attributes) == ({"a", "b"}, {("id", "x")})
    assert [tree[node].relative_position for node in (2, 6)] == [0.0, 1.0]


def test_what_a_raw_text_element_holds_is_a_text_run_below_it() -> None:
    tree = nodes("<title>Tea</title><script src=x></script><style> </style>")
    assert tree.parents.tolist() == [-1, 0, 1, 0, 0]
    assert tree.texts.tolist() == [False, False, True, False, False]
    assert tree[3].attributes == {("src", "x")}
    assert nodes("<title>Tea</title>").keys[1] != nodes("<title>Milk</title>").keys[1]


def test_what_is_below_two_elements_has_one_key_whatever_their_tags() -> None:
    tree = nodes("<p class=a>x<b>y</b></p><div>x<b>y</b></div><p>x")
    a, b, c = tree.children_of(0)
    assert tree.insides[a] == tree.insides[b] != tree.insides[c]


def test_a_mask_of_tokens_is_one_of_nodes() -> None:
    page = Page("<p>x</p><p>y</p>", "http://example.org/")
    assert Nodes(page).content_nodes(bytes([0, 0, 0, 1, 1, 1])).tolist() == [False, False, False, True, True]


def test_what_is_not_read_is_no_node() -> None:
    page = Page("<p>x</p><p>y</p>", "http://example.org/", Limits(max_tags=2))
    assert len(Nodes(page)) == 3


@given(soups)
def test_subtrees_are_ranges_and_parents_come_first(html: str) -> None:
    tree = nodes(html)
    for node in range(1, len(tree)):
        parent = int(tree.parents[node])
        assert 0 <= parent < node < tree.stops[node] <= tree.stops[parent]
    for node in range(len(tree)):
        children = tree.children_of(node)
        assert len(children) == tree.children[node]
        assert [tree.ranks[child] for child in children] == list(range(len(children)))
        assert all(tree.parents[child] == node for child in children)


@given(soups, soups)
@example("&lt;</a><", "")
def test_keys_are_equal_where_subtrees_are(a: str, b: str) -> None:
    left, right = nodes(a), nodes(b)
    shapes = [
        (shape(tree, node), int(tree.keys[node])) for tree in (left, right) for node in range(len(tree))
    ]
    by_shape = dict(shapes)
    assert all(by_shape[form] == key for form, key in shapes)
    assert len(set(by_shape.values())) == len(by_shape)


words = st.frozensets(st.sampled_from("abc"), max_size=3)
random_nodes = st.builds(
    Node,
    st.sampled_from(["p", "body"]),
    words,
    st.frozensets(st.tuples(st.sampled_from("xy"), st.sampled_from("12")), max_size=2),
    st.integers(0, 9),
    st.floats(0, 1),
)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (Node("p"), Node("p"), 1.0),
        (Node("p", frozenset("ab")), Node("p", frozenset("bc")), (1 / 3 + 3) / 4),
        (Node("p", children=1), Node("p", children=4), (1 / 4 + 3) / 4),
        (Node("p", relative_position=0.0), Node("p", relative_position=1.0), 3 / 4),
        (
            Node("p", attributes=frozenset({("id", "1")})),
            Node("p", relative_position=0.5),
            (1 + 0 + 1 + 0.5) / 4,
        ),
        (
            Node("p", frozenset("a"), relative_position=0.5),
            Node("p", attributes=frozenset({("id", "1")})),
            0.0,
        ),
        (Node("body", frozenset("a")), Node("body", frozenset("b")), 1.0),
    ],
)
def test_by_hand(a: Node, b: Node, expected: float) -> None:
    assert weighted(a, b) == pytest.approx(expected)


@given(random_nodes, random_nodes)
def test_it_is_symmetric_and_from_zero_to_one(a: Node, b: Node) -> None:
    b = b._replace(label=a.label)
    assert 0 <= weighted(a, b) == weighted(b, a) <= 1


@given(random_nodes, st.floats(0, 1))
def test_nodes_that_are_alike_but_for_their_position_are_equal(node: Node, position: float) -> None:
    assert weighted(node, node) == 1
    assert weighted(node, node._replace(relative_position=position)) > 0
