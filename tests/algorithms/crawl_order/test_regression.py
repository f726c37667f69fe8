"""The online regression over features of links."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.crawl_order.regression import SLOTS, Features, LinkRegression, link_features

features = st.lists(
    st.tuples(st.integers(0, SLOTS - 1), st.sampled_from([0.25, 0.5, 1.0])), min_size=1, max_size=12
).map(
    lambda pairs: Features(
        np.array([slot for slot, _ in pairs], dtype=np.intp),
        np.array([weight for _, weight in pairs], dtype=np.float32),
    )
)
pages = st.lists(st.tuples(features, st.integers(0, 500)), max_size=30)


def dense(found: Features) -> np.ndarray:
    x = np.zeros(SLOTS)
    np.add.at(x, found.slots, found.weights)
    return x


@given(pages, features)
def test_it_is_ridge_regression_on_all_pages_so_far(
    seen: list[tuple[Features, int]], asked: Features
) -> None:
    """Oracle: solve (X'X + 3 I) w = X't in double precision."""
    regression = LinkRegression()
    for found, pay in seen:
        regression.learn(found, pay, 100.0)
    x = np.array([dense(found) for found, _ in seen]).reshape(-1, SLOTS)
    targets = np.array([min(4.0, pay / 100.0) - 1.0 for _, pay in seen])
    weights = np.linalg.solve(x.T @ x + 3.0 * np.eye(SLOTS), x.T @ targets)
    assert regression.value(asked) == pytest.approx(1 + dense(asked) @ weights, abs=0.01)


def test_the_first_page_by_hand() -> None:
    """One feature x = 1: w = (3 - 1) / (1 + 3)."""
    regression = LinkRegression()
    found = Features(np.array([5]), np.array([1.0], dtype=np.float32))
    regression.learn(found, 300, 100.0)
    assert regression.weights[5] == pytest.approx(0.5)
    assert regression.value(found) == pytest.approx(1.5)


def test_where_no_page_has_paid_nothing_is_learned() -> None:
    regression = LinkRegression()
    regression.learn(link_features("http://x.org/", (1,)), 0, 0.0)
    assert not regression.weights.any()


def test_it_stays_stable_over_many_pages() -> None:
    regression, draw = LinkRegression(), np.random.default_rng(0)
    links = [link_features(f"http://x.org/{'ab'[n % 2]}/w{n}?p={n}", (n % 7 + 1,)) for n in range(50)]
    for n in draw.integers(0, 50, 20_000).tolist():
        regression.learn(links[n], 200 * (n % 2), 100.0)
    assert np.isfinite(regression.covariance).all()
    values = [regression.value(link) for link in links]
    assert max(values[::2]) < 0.2 < 1.8 < min(values[1::2])


def test_links_that_differ_in_numbers_alone_have_the_same_features() -> None:
    one, other = (link_features(f"http://x.org/blog/{n}/post-{n}.html?page={n}", (3, 9)) for n in (1, 22))
    assert one.slots.tolist() == other.slots.tolist()
    assert one.weights.tolist() == other.weights.tolist()


def test_the_features_of_an_address_by_hand() -> None:
    """Directory, first directory, shape; words shop, red, tea, html; a role and its path."""
    found = link_features("http://x.org/shop/red-tea.html", (3,))
    assert found.weights.tolist() == [1, 1, 1, 0.5, 0.5, 0.5, 0.5, 1, 1]
    assert link_features("http://x.org/shop/red-tea.html", (3, 4)).weights.tolist()[-4:] == [0.5] * 4


@given(st.text(), st.lists(st.integers(0, 2**64 - 1), max_size=4).map(tuple))
def test_every_link_has_features(url: str, roles: tuple[int, ...]) -> None:
    found = link_features(url, roles)
    assert len(found.slots) == len(found.weights)
    assert all(0 <= slot < SLOTS for slot in found.slots.tolist())
