"""Emphasis in a tree: as by the rule applied one element at a time."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.page.markdown_emphasis import simplify_emphasis

turbohtml = pytest.importorskip("turbohtml")

EMPHASIS = ["b", "em", "i", "strong"]
STRONG = ("b", "strong")
trees = st.recursive(
    st.sampled_from(["tea ", "milk", "<br>"]),
    lambda inner: st.builds(
        "<{0}>{1}</{0}>".format,
        st.sampled_from([*EMPHASIS, "span"]),
        st.lists(inner, max_size=4).map("".join),
    ),
    max_leaves=20,
)


def unnested(tree: Any) -> str:
    """Unwrap one of two nested elements of emphasis until none are nested: a weak one around a strong one."""
    for outer in tree.find_all(EMPHASIS):
        while outer.parent is not None and (inner := outer.find(EMPHASIS)) is not None:
            (outer if inner.tag in STRONG and outer.tag not in STRONG else inner).unwrap()
    simplify_emphasis(turbohtml, tree)
    return str(tree.to_markdown())


@given(trees)
def test_nested_emphasis_is_reduced_as_by_one_element_at_a_time(html: str) -> None:
    tree, other = (turbohtml.parse_fragment(f"<p>{html}</p>") for _ in range(2))
    simplify_emphasis(turbohtml, tree)
    assert str(tree.to_markdown()) == unnested(other)


def test_by_hand() -> None:
    tree = turbohtml.parse_fragment("<p><i>a <em>b</em> <b>c <i>d</i></b> <em>e</em></i></p>")
    simplify_emphasis(turbohtml, tree)
    assert tree.to_markdown().strip() == "a b **c d** *e*"
