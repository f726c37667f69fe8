"""The distiller of the paper's focused crawl: by hand, and against the dense matrix."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from templcrawl.algorithms.crawl_order.distiller import hub_scores, promise_of

links = st.dictionaries(
    st.integers(0, 7), st.lists(st.integers(100, 106), max_size=4, unique=True), max_size=8
)


def test_two_hubs_worked_out_by_hand() -> None:
    """Pagelet 7 links to pages of relevance 1 and .5, pagelet 8 to the first.

    A = [[1, .5], [1, 0]], A A^T = [[1.25, 1], [1, 1]].  Its larger eigenvalue x is (2.25 + sqrt(4.0625)) / 2;
    for the eigenvector (1, h), x = 1.25 + h.
    """
    scores = hub_scores([(1, [7, 8]), (2, [7])], {1: 1.0, 2: 0.5})
    assert scores[7] == 1.0
    assert scores[8] == pytest.approx((2.25 + 4.0625**0.5) / 2 - 1.25)


def test_without_a_relevant_page_there_is_no_hub() -> None:
    assert hub_scores([(1, [7])], {1: 0.0}) == hub_scores([(1, [7])], {}) == hub_scores([], {1: 1.0}) == {}


@given(links, st.data())
def test_the_scores_are_those_of_the_dense_matrix(found: dict[int, list[int]], data: st.DataObject) -> None:
    relevance = {page: data.draw(st.sampled_from([0.0, 0.5, 1.0])) for page in found}
    matrix = np.zeros((7, 8))
    for page, pagelets in found.items():
        for pagelet in pagelets:
            matrix[pagelet - 100, page] = relevance[page]
    values, vectors = np.linalg.eigh(matrix @ matrix.T)
    assume(values[-1] > 0 and values[-2] < 0.9 * values[-1])
    expected = np.abs(vectors[:, -1]) / np.abs(vectors[:, -1]).max()
    scores = hub_scores(found.items(), relevance)
    assert set(scores) == {row + 100 for row in np.flatnonzero(matrix.any(axis=1)).tolist()}
    assert all(score == pytest.approx(expected[pagelet - 100], abs=1e-5) for pagelet, score in scores.items())


@given(st.floats(0, 1), st.lists(st.floats(0, 1), max_size=4), st.floats(0, 1))
def test_no_link_of_templates_alone_comes_before_another(
    parent: float, hubs: list[float], other: float
) -> None:
    assert promise_of(parent, hubs, is_template=True) <= promise_of(other, [], is_template=False)
    assert promise_of(parent, hubs, is_template=False) == (1 + max([parent, *hubs])) / 2
