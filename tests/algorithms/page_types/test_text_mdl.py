"""Essential paths and templates, on four documents worked by hand.

TEXT-MDL: its cost by hand and by brute force, its clusters on small sets.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from templcrawl.algorithms.page_types.text_mdl import (
    bits,
    cluster_templates,
    entries_of,
    essential_paths,
    page_paths,
    path_matrix,
    support_threshold,
    text_mdl,
)
from templcrawl.page.arrays import Keys
from templcrawl.page.page import Page
from tests.memory.pages import article
from tests.strategies import soups

path_sets = st.lists(st.sets(st.integers(0, 9), max_size=8), min_size=1, max_size=6)

DOCUMENTS = ({1, 2, 3, 4, 6}, {1, 2, 3, 4, 5, 7}, {1, 2, 3, 4, 5, 8}, {1, 2, 5})
"""Paths: 1 html, 2 body, 3 a headline, 4 a line, 5 a word in the body; 6, 7, 8 what each headline says.

Supports: 1 and 2 have 4; 3, 4 and 5 have 3; the others have 1.
"""


def keys(paths: set[int]) -> Keys:
    return np.array(sorted(paths), dtype=np.uint64)


def test_four_documents_by_hand() -> None:
    found = essential_paths(list(map(keys, DOCUMENTS)))
    assert [set(paths.tolist()) for paths in found] == [
        {1, 2, 3, 4},
        {1, 2, 3, 4, 5},
        {1, 2, 3, 4, 5},
        {1, 2},
    ]
    templates = cluster_templates(found, [0, 0, 0, 1])
    assert {cluster: set(paths.tolist()) for cluster, paths in templates.items()} == {
        0: {1, 2, 3, 4, 5},
        1: {1, 2},
    }


@settings(deadline=None)
@given(path_sets)
def test_essential_are_the_paths_of_enough_support(documents) -> None:
    supports = Counter(path for document in documents for path in document)
    for document, found in zip(documents, essential_paths(list(map(keys, documents)))):
        modes = Counter(supports[path] for path in document if supports[path] > 1)
        threshold = min((one for one in modes if modes[one] == max(modes.values())), default=2)
        assert set(found.tolist()) == {path for path in document if supports[path] >= threshold}


@settings(deadline=None)
@given(path_sets)
def test_no_other_set_of_paths_is_nearer_to_the_documents(documents) -> None:
    found = set(cluster_templates(list(map(keys, documents)), [0] * len(documents))[0].tolist())
    every = set().union(*documents)

    def difference(template: set[int]) -> int:
        return sum(len(template ^ document) for document in documents)

    subsets = (set(one) for size in range(len(every) + 1) for one in combinations(sorted(every), size))
    assert difference(found) == min(map(difference, subsets))


def test_a_threshold_of_nothing_is_the_least() -> None:
    assert support_threshold(np.zeros(0, dtype=np.intp)) == 2
    assert essential_paths([]) == []
    assert cluster_templates([], []) == {}


@settings(deadline=None)
@given(soups)
def test_the_paths_of_a_page_are_distinct_and_among_them_are_its_runs(html) -> None:
    page = Page(html, "")
    paths = page_paths(page)
    assert paths.tolist() == sorted(set(paths.tolist()))
    assert set(page.text_runs.keys.tolist()) <= set(paths.tolist())


def test_the_essential_paths_of_articles_are_their_template() -> None:
    pages = [article(number) for number in range(6)]
    essential = set(essential_paths([page_paths(page) for page in pages])[0].tolist())
    is_essential = [int(key) in essential for key in pages[0].text_runs.keys]
    assert is_essential == [True] * 4 + [False] * 2 + [True]


documents = st.lists(st.sets(st.integers(0, 9), max_size=8), min_size=1, max_size=6)


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
    entries = entries_of(supports, members, weights).sum(axis=1)
    found = bits(entries[:, None], paths=int(weights.sum()), documents=len(paths), clusters=len(names))
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


def test_no_documents_are_no_clusters() -> None:
    assert text_mdl([]) == []
    assert text_mdl([keys(set()), keys(set())]) == [0, 0]
