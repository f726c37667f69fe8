"""TEXT-MDL: its cost by hand and by brute force, its clusters on small sets."""

from __future__ import annotations

from math import log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from templcrawl.algorithms.description_length.essential_paths import (
    cluster_templates,
    essential_paths,
    page_paths,
)
from templcrawl.algorithms.description_length.text_mdl import Entries, bits, entries_of, path_matrix, text_mdl
from templcrawl.page.ancestors import Keys
from tests.memory.pages import article, listing

documents = st.lists(st.sets(st.integers(0, 9), max_size=8), min_size=1, max_size=6)


def keys(paths: set[int]) -> Keys:
    return np.array(sorted(paths), dtype=np.uint64)


def entropy(values: list[int]) -> float:
    shares = [values.count(value) / len(values) for value in set(values)]
    return -sum(share * log2(share) for share in shares)


def brute_force(paths: list[set[int]], clusters: list[int]) -> float:
    """Return the description length from the matrices, entry by entry."""
    every = sorted(set().union(*paths))
    templates = {
        cluster: set(found.tolist())
        for cluster, found in cluster_templates(list(map(keys, paths)), clusters).items()
    }
    of_templates = [int(path in template) for template in templates.values() for path in every]
    differences = [
        (path in document) - (path in templates[cluster])
        for document, cluster in zip(paths, clusters)
        for path in every
    ]
    return sum(len(matrix) * entropy(matrix) for matrix in (of_templates, differences) if matrix)


def cost(paths: list[set[int]], clusters: list[int]) -> float:
    """Return the description length from the counts that the algorithm keeps."""
    matrix, weights = path_matrix(list(map(keys, paths)))
    names = sorted(set(clusters))
    supports = np.array([matrix[np.array(clusters) == name].sum(axis=0) for name in names])
    members = np.array([clusters.count(name) for name in names])
    entries = np.array(entries_of(supports, members, weights)).sum(axis=1)
    found = bits(
        Entries(*entries[:, None]), paths=int(weights.sum()), documents=len(paths), clusters=len(names)
    )
    return float(found[0])


def test_a_description_by_hand() -> None:
    paths = [{1, 2, 3, 4}, {1, 2, 3, 4, 5}, {1, 2, 3, 4, 5}, {1, 2}]
    # Clusters {1, 2, 3} and {4}: templates of 10 entries, 7 of them ones; 20 differences, one of them -1.
    by_hand = 10 * -(0.7 * log2(0.7) + 0.3 * log2(0.3)) + 20 * -(0.95 * log2(0.95) + 0.05 * log2(0.05))
    assert cost(paths, [0, 0, 0, 1]) == pytest.approx(by_hand)
    assert brute_force(paths, [0, 0, 0, 1]) == pytest.approx(by_hand)


@settings(deadline=None)
@given(documents, st.data())
def test_the_cost_is_that_of_the_matrices(paths, data) -> None:
    if any(paths):
        clusters = data.draw(st.lists(st.integers(0, 2), min_size=len(paths), max_size=len(paths)))
        assert cost(paths, clusters) == pytest.approx(brute_force(paths, clusters), abs=1e-6)


@settings(deadline=None)
@given(documents)
def test_no_union_of_two_clusters_is_shorter(paths) -> None:
    found = text_mdl(list(map(keys, paths)))
    assert all(found[name] == name <= number for number, name in enumerate(found))
    if not any(paths):
        assert set(found) == {0}
        return
    now = brute_force(paths, found)
    for one in set(found):
        for other in set(found) - {one}:
            joined = [one if name == other else name for name in found]
            assert brute_force(paths, joined) >= now - 1e-6


@settings(deadline=None)
@given(documents)
def test_equal_documents_are_in_one_cluster(paths) -> None:
    found = text_mdl(list(map(keys, paths + paths)))
    assert found[: len(paths)] == found[len(paths) :]


def test_articles_and_lists_are_two_clusters() -> None:
    pages = [article(number) for number in range(6)] + [listing(number) for number in range(6)]
    found = text_mdl(essential_paths([page_paths(page) for page in pages]))
    assert found == [0] * 6 + [6] * 6


def test_no_documents_are_no_clusters() -> None:
    assert text_mdl([]) == []
    assert text_mdl([keys(set()), keys(set())]) == [0, 0]
