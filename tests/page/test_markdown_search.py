"""Elements are found as the library finds them by walking the whole tree."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.page.markdown_search import find_named, outermost, select_of

turbohtml = pytest.importorskip("turbohtml")
NAMES = ("b", "i", "pre", "table", "td", "math")
PIECES = st.lists(st.sampled_from([*(f"<{name}>" for name in NAMES), "</b>", "</pre>", "</table>", "tea"]))


@given(PIECES.map("".join), st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True))
def test_elements_are_found_as_by_a_walk(html: str, names: list[str]) -> None:
    tree = turbohtml.parse_fragment(html, positions=False)
    assert find_named(tree, names) == tree.find_all(names)
    assert [*select_of(tree, names, ", ".join(names))] == tree.select(", ".join(names))


@given(PIECES.map("".join), st.sampled_from(["b", "pre, table", "i, td"]))
def test_the_outermost_are_those_in_no_other(html: str, selector: str) -> None:
    tree = turbohtml.parse_fragment(html, positions=False)
    for around in (tree, *tree.find_all("b"), *tree.find_all("td")):
        found = around.select(selector)
        inside = [inner for outer in found for inner in outer.select(selector)]
        assert outermost(around, selector) == [element for element in found if element not in inside]
