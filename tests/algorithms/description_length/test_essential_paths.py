"""Essential paths and templates, on four documents worked by hand."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from templcrawl.algorithms.description_length.essential_paths import (
    cluster_templates,
    essential_paths,
    page_paths,
    support_threshold,
)
from templcrawl.page.ancestors import Keys
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
