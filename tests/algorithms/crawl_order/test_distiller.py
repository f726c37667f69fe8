"""The best hubs of a focused crawl."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("scipy")

import numpy as np

from templcrawl.algorithms.crawl_order.focus import best_hubs

links = st.dictionaries(
    st.integers(0, 12), st.lists(st.integers(100, 106), max_size=4, unique=True), max_size=10
)


def test_a_pagelet_that_leads_to_more_relevant_pages_is_the_better_hub() -> None:
    found = [(1, [7, 8]), (2, [7, 8]), (3, [7]), (4, [9])]
    assert best_hubs(found, {1: 1.0, 2: 1.0, 3: 0.5, 4: 0.1}) == [7, 8]
    assert best_hubs(found, {1: 1.0, 2: 1.0, 3: 0.5, 4: 0.1}, most=1) == [7]


def test_without_a_relevant_page_there_is_no_hub() -> None:
    assert best_hubs([(1, [7])], {1: 0.0}) == []
    assert best_hubs([(1, [7])], {}) == []
    assert best_hubs([], {1: 1.0}) == []


@given(links, st.data())
def test_the_scores_are_those_of_the_dense_matrix(found: dict[int, list[int]], data: st.DataObject) -> None:
    relevance = {page: data.draw(st.sampled_from([0.0, 0.5, 1.0])) for page in found}
    hubs = best_hubs(list(found.items()), relevance, most=100)
    matrix = np.zeros((7, 13))
    for page, pagelets in found.items():
        for pagelet in pagelets:
            matrix[pagelet - 100, page] = relevance[page]
    assert set(hubs) <= {row + 100 for row in np.flatnonzero(matrix.any(axis=1)).tolist()}
    scores = np.ones(13)
    for _ in range(2_000 if matrix.any() else 0):
        rows = matrix @ scores
        scores = matrix.T @ rows
        scores /= scores.max()
    if hubs:
        rows = matrix @ scores
        assert rows[hubs[0] - 100] >= rows.max() * (1 - 1e-3)
