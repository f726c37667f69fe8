"""Names of page types: the pattern that the addresses of a type share, unique on a site."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.page_types.readable_names import LONGEST_NAME, address_pattern, readable_names


@pytest.mark.parametrize(
    ("addresses", "pattern"),
    [
        (["/product/a", "/product/b", "/product/c"], "/product/*"),
        (["/2024/01/a", "/2024/02/b"], "/2024/*/*"),
        (["/a.html", "/b.html"], "/*"),
        (["/"], "/"),
        (["/p/a", "/p/b", "/p/c", "/p/d", "/q/e"], "/p/*"),
        (["/p/a", "/p/b", "/p/a/b"], "/p/*"),
        (["/w?do=edit&id=a", "/w?do=edit&id=b", "/w?id=c&do=edit"], "/w?do=edit&id=*"),
        (["/w?id=a", "/w", "/w"], "/w"),
        ([], "*"),
        (["[", ""], "/"),
        (["//["], "*"),
    ],
)
def test_the_pattern_is_what_most_addresses_share(addresses: list[str], pattern: str) -> None:
    full = [
        f"http://a.example{path}" if path.startswith("/") and path != "//[" else path for path in addresses
    ]
    assert address_pattern(full) == pattern


def test_the_larger_type_has_the_plain_name() -> None:
    types = {"a": ["http://a/x/1", "http://a/x/2"], "b": [f"http://a/x/{page}" for page in "345"]}
    assert readable_names(types) == {"a": "/x/* (2)", "b": "/x/*"}


_addresses = st.lists(
    st.lists(st.sampled_from(["a", "b", "* (2)", "x" * 90, ""]), max_size=3).map(
        lambda path: "http://a/" + "/".join(path)
    )
    | st.text(max_size=8),
    max_size=4,
)


@given(st.dictionaries(st.text(max_size=2), _addresses, max_size=6))
def test_each_type_has_a_bounded_name_of_its_own_in_any_order(types: dict[str, list[str]]) -> None:
    names = readable_names(types)
    assert names.keys() == types.keys()
    assert len({*names.values()}) == len(names)
    assert all(len(name) <= LONGEST_NAME + len(" (9)") for name in names.values())
    assert readable_names(dict(reversed(types.items()))) == names
