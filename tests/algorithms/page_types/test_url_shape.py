"""The shape of URLs: what is shared by addresses of one form, and what parts two forms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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
