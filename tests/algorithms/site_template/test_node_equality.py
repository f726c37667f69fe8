"""How equal two nodes are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.site_template.node_equality import by_label, weighted
from templcrawl.page.nodes import Node

words = st.frozensets(st.sampled_from("abc"), max_size=3)
nodes = st.builds(
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


@given(nodes, nodes)
def test_it_is_symmetric_and_from_zero_to_one(a: Node, b: Node) -> None:
    b = b._replace(label=a.label)
    assert 0 <= weighted(a, b) == weighted(b, a) <= 1
    assert by_label(a, b) == 1


@given(nodes, st.floats(0, 1))
def test_nodes_that_are_alike_but_for_their_position_are_equal(node: Node, position: float) -> None:
    assert weighted(node, node) == 1
    assert weighted(node, node._replace(relative_position=position)) > 0
