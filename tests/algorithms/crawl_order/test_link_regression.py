"""The regression over features of links: its formula against a plain solution, and what its features tell."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from templcrawl.algorithms.crawl_order.link_regression import (
    MAX_TEXT_WORDS,
    MAX_URL_WORDS,
    SLOTS,
    LinkFeatures,
    LinkRegression,
    address_shape,
    link_features,
    text_slots,
)

features = st.lists(
    st.tuples(st.integers(0, SLOTS - 1), st.sampled_from([1.0, 0.5, 1 / 3])), min_size=1, max_size=12
).map(
    lambda pairs: LinkFeatures(*(np.array(column, kind) for column, kind in zip(zip(*pairs), ("i8", "f4"))))
)


@settings(max_examples=30)
@given(st.lists(st.tuples(features, st.floats(-1, 3)), min_size=1, max_size=8), features)
def test_it_is_ridge_regression_on_all_pages_so_far(
    pages: list[tuple[LinkFeatures, float]], asked: LinkFeatures
) -> None:
    regression = LinkRegression()
    rows = np.zeros((len(pages), SLOTS))
    for row, (page, target) in zip(rows, pages):
        np.add.at(row, page.slots, page.weights)
        regression.learn(page, target)
    squares = rows.T @ rows + 3.0 * np.eye(SLOTS)
    weights = np.linalg.solve(squares, rows.T @ np.array([target for _, target in pages]))
    expected = 1.0 + weights[asked.slots] @ asked.weights
    assert regression.value(asked) == pytest.approx(expected, abs=2e-3)


def test_links_of_one_kind_share_what_was_learned() -> None:
    regression = LinkRegression()
    for number in range(6):
        regression.learn(
            link_features(f"http://x.org/shop/tea-{number}.html", (7,), text_slots("Buy tea")), 1.0
        )
        regression.learn(link_features(f"http://x.org/news/{number}", (8,), text_slots("Read more")), 0.0)
    shop, news = (
        regression.value(link_features(url, (role,)))
        for url, role in (("http://x.org/shop/milk-77.html", 7), ("http://x.org/news/2026", 8))
    )
    assert shop > 1.5
    assert abs(news - 1.0) < 0.2
    # the text alone tells, too
    buy, read = (
        regression.value(link_features("/", (), text_slots(text))) for text in ("Buy milk", "Read on")
    )
    assert buy > read


@given(st.text(max_size=60), st.lists(st.integers(0, 2**64 - 1), max_size=4).map(tuple), st.text(max_size=60))
def test_any_address_and_text_has_features(url: str, roles: tuple[int, ...], text: str) -> None:
    slots = text_slots(text)
    found = link_features(url, roles, slots)
    assert len(slots) <= MAX_TEXT_WORDS
    assert len(found.slots) == len(found.weights) <= 3 + MAX_URL_WORDS + 2 * len(roles) + MAX_TEXT_WORDS
    assert all(0 <= slot < SLOTS for slot in found.slots.tolist())
    assert address_shape(url) == address_shape(url)


def test_the_shape_of_an_address_leaves_out_numbers_and_values() -> None:
    assert address_shape("http://x.org/a/tea-12?page=2&sort=up") == "word 0 page&sort"
    assert address_shape("http://x.org/a/tea-13?sort=down&page=9") == "word 0 page&sort"
    assert address_shape("http://x.org/a/") == " "
