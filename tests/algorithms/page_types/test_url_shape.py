"""The shape of URLs: what addresses of one form share, what parts two forms; the names of page types."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.page_types.type_names import LONGEST_NAME, address_pattern, readable_names
from templcrawl.algorithms.page_types.url_shape import url_features


def shared(first: str, second: str) -> float:
    """Return the share of the features of two URLs that they have in common."""
    one, other = url_features(first), url_features(second)
    return len(np.intersect1d(one, other)) / len(np.union1d(one, other))


def test_addresses_of_one_form_share_more_than_addresses_of_two() -> None:
    post, other, tag = (
        f"http://e.org/{path}" for path in ("2026/03/a-cup-of-tea/", "2025/11/of-mugs/", "tag/tea/")
    )
    assert shared(post, other) > 2 * shared(post, tag)
    wiki, user, talk = (f"http://e.org/wiki/{name}" for name in ("Tea", "User:Ann", "User:Bob"))
    assert shared(user, talk) > shared(wiki, user)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("http://e.org/a/index.html", "http://e.org/a/"),
        ("http://e.org/page/20", "http://e.org/page/13"),
        ("http://e.org/x.php@a=1.html", "http://e.org/x.php?a=2"),
        ("http://e.org/%41/b", "http://e.org/A/b"),
        ("http://one.example/a", "https://other.example/a"),
    ],
)
def test_what_does_not_matter_is_not_read(first: str, second: str) -> None:
    assert url_features(first).tolist() == url_features(second).tolist()


@pytest.mark.parametrize("url", ["", "http://[", "#top"])
def test_no_address_has_no_features(url: str) -> None:
    assert not len(url_features(url))


@given(st.text(max_size=60))
def test_any_address_has_ascending_distinct_features(path: str) -> None:
    features = url_features(f"http://e.org/{path}").tolist()
    assert features == sorted(set(features))
    assert len(features) < 100


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
