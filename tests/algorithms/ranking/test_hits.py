"""Hubs and authorities: by hand, by the eigenvectors of a dense matrix, with and without templates."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from templcrawl.algorithms.ranking.hits import hits, rank_pages
from templcrawl.algorithms.ranking.pagelet_graph import VERSIONS, BasePagelet, BaseSet

Matrix = npt.NDArray[np.float64]


@st.composite
def matrices(draw: st.DrawFn) -> Matrix:
    """Small matrices of links, each there up to three times, many not at all, of any shape."""
    rows, columns = draw(st.integers(1, 7)), draw(st.integers(1, 7))
    weights = st.sampled_from([0.0, 0.0, 1.0, 1.0, 2.0, 3.0])
    return np.array(draw(st.lists(weights, min_size=rows * columns, max_size=rows * columns))).reshape(
        rows, columns
    )


def principal(matrix: Matrix) -> Matrix:
    """Return the authorities by the textbook: where (1, ..., 1) lies in the principal eigenspace of A^T A."""
    values, vectors = np.linalg.eigh(matrix.T @ matrix)
    space = vectors[:, values > values[-1] * (1 - 1e-9)]
    found: Matrix = space @ (space.T @ np.ones(len(matrix.T)))
    return found / np.linalg.norm(found)


@given(matrices())
def test_it_is_the_principal_eigenvector(matrix: Matrix) -> None:
    assume(matrix.any())
    values = np.unique(np.linalg.eigvalsh(matrix.T @ matrix).round(9))
    assume(len(values) == 1 or values[-2] < 0.95 * values[-1])
    rows, columns = np.nonzero(matrix)
    links = np.repeat((rows, columns), matrix[rows, columns].astype(int), axis=1).tolist()
    found = hits(*links, shape=matrix.shape)
    assert found.authorities == pytest.approx(principal(matrix), abs=1e-6)
    hubs = matrix @ principal(matrix)
    assert found.hubs == pytest.approx(hubs / np.linalg.norm(hubs), abs=1e-6)


@given(matrices(), st.integers(0, 5))
def test_scores_are_positive_and_have_length_one(matrix: Matrix, more: int) -> None:
    rows, columns = np.nonzero(matrix)
    found = hits(rows.tolist(), columns.tolist(), shape=(len(matrix) + more, matrix.shape[1] + more))
    for scores in found.hubs, found.authorities:
        assert (scores >= 0).all()
        assert np.linalg.norm(scores) == pytest.approx(1.0 if matrix.any() else 0.0)


@pytest.mark.parametrize("shape", [(0, 0), (3, 0), (0, 2), (3, 2)])
def test_without_links_all_scores_are_zero(shape: tuple[int, int]) -> None:
    found = hits([], [], shape=shape)
    assert (len(found.hubs), len(found.authorities)) == shape
    assert not found.hubs.any()
    assert not found.authorities.any()


def test_the_denser_part_takes_all() -> None:
    clique = [(0, 0), (0, 1), (1, 0), (1, 1)]
    pair = [(2, 2), (3, 3)]
    found = hits(*zip(*clique, *pair), shape=(4, 4))
    assert found.authorities.tolist() == pytest.approx([0.5**0.5, 0.5**0.5, 0, 0], abs=1e-8)


def templated_site() -> BaseSet:
    """A site whose navigation bar links all its pages to a clique of six.

    0 to 5    the clique: home, shop, jobs ...; the query stands in the bar, so all pages match
    6 to 25   further pages; the first four have a list of links on the topic
    26 to 29  the pages on the topic, each cited from all four lists
    """
    clique, others, topic = range(6), range(6, 26), range(26, 30)
    pages = [*clique, *others, *topic]
    pagelets = [BasePagelet(page, tuple(clique), matches=True, is_template=True) for page in pages]
    pagelets += [BasePagelet(page, tuple(topic), matches=True) for page in others[:4]]
    pagelets += [BasePagelet(page, (page + 1, page + 2)) for page in others[4:-2]]
    return BaseSet(["one.example"] * len(pages), [True] * len(pages), pagelets)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_template_takes_over_until_it_is_left_out(version: str) -> None:
    first = {ranked.page for ranked in rank_pages(templated_site(), version, top=4)}
    if version == "pagelet-ft-fnm":
        assert first == {26, 27, 28, 29}
    elif "ft" not in version:
        assert first < set(range(6))


def test_the_hubs_of_an_authority_are_the_strongest_that_link_to_it() -> None:
    base = BaseSet(
        ["a"] * 6,
        [True] * 6,
        [BasePagelet(page, targets) for page, targets in enumerate([(4, 5), (4, 5), (4,), (4, 5), (0,)])],
    )
    best, second = rank_pages(base, "pagelet")
    assert (best.page, second.page) == (4, 5)
    assert [hub.number for hub in best.hubs] == [0, 1, 3]
    assert best.hubs[0].score == pytest.approx(best.hubs[2].score)
    assert best.score**2 + second.score**2 == pytest.approx(1)
    assert [one.page for one in rank_pages(base, "pagelet", top=1)] == [4]


def test_what_no_link_leads_to_is_not_ranked() -> None:
    assert rank_pages(BaseSet(["a", "a"], [True, True], [BasePagelet(0, (0,))]), "page") == []
