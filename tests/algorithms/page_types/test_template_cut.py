"""The cut of page types: by hand, and the best branches against every set of branches."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.page_types.merge_tree import Merge, branches
from templcrawl.algorithms.page_types.page_profiles import view_of
from templcrawl.algorithms.page_types.template_cut import (
    WITH_BOTH,
    best_branches,
    merge_features,
    template_groups,
    template_tree,
)

ARTICLE, LISTING = [10, 10, 0, 0, 6, 0], [0, 0, 10, 10, 0, 5]
COUNTS = np.array([ARTICLE, ARTICLE, LISTING, LISTING], dtype=np.float32)
COUNTS[1, 4], COUNTS[3, 5] = 4, 6
PAGES = np.full(4, 10.0)


def test_two_page_types_are_told_apart_by_structure_alone() -> None:
    assert template_groups(PAGES, view_of(COUNTS, PAGES)) == [[0, 1], [2, 3]]


def test_pages_of_one_structure_are_told_apart_by_address_and_by_the_way_to_them() -> None:
    alike = np.array([[10, 6, 2], [10, 5, 3], [10, 6, 3], [10, 5, 2]], dtype=np.float32)
    apart = np.array([[10, 0, 10], [10, 0, 10], [0, 10, 10], [0, 10, 10]], dtype=np.float32)
    structure, beside = view_of(alike, PAGES), view_of(apart, PAGES)
    assert template_groups(PAGES, structure) == [[0, 1, 2, 3]]
    merges = template_tree(PAGES, structure, beside, beside)
    assert set(branches(merges, merges[-1][:2])[0]) in ({0, 1}, {2, 3})
    before = WITH_BOTH.evaluate(merge_features(PAGES, merges, structure, beside, beside))
    assert before[-1] < before[:-1].min()


def test_what_lies_between_two_sides_is_what_a_merge_is_judged_by() -> None:
    view = view_of(COUNTS, PAGES)
    merges = template_tree(PAGES, view)
    features = merge_features(PAGES, merges, view)
    assert features[:, 0].tolist() == pytest.approx([distance for *_, distance in merges])
    assert features[-1, 5] == pytest.approx(np.log(20))
    # Each side of the last merge is two groups of ten: 100 of its 190 pairs are at the distance of its merge.
    assert features[-1, 6] == pytest.approx(max(100 * merges[0][2], 100 * merges[1][2]) / 190)
    assert not features[:, 2:5].any()


@st.composite
def trees(draw: st.DrawFn) -> tuple[np.ndarray, list[Merge], np.ndarray]:
    pages = draw(st.lists(st.integers(1, 6), min_size=2, max_size=6))
    nodes, merges = list(range(len(pages))), []
    while len(nodes) > 1:
        first = nodes.pop(draw(st.integers(0, len(nodes) - 1)))
        second = nodes.pop(draw(st.integers(0, len(nodes) - 1)))
        nodes.append(len(pages) + len(merges))
        merges.append((first, second, 0.5))
    odds = draw(st.lists(st.floats(-6, 6), min_size=len(merges), max_size=len(merges)))
    return np.array(pages), merges, np.array(odds)


def every_cut(merges: list[Merge], node: int) -> list[list[int]]:
    """Return every set of branches below a node."""
    count = len(merges) + 1
    if node < count:
        return [[node]]
    left, right, _ = merges[node - count]
    parts = product(every_cut(merges, left), every_cut(merges, right))
    return [[node], *(one + other for one, other in parts)]


def expected_index(pages: np.ndarray, merges: list[Merge], odds: np.ndarray, nodes: list[int]) -> float:
    """Return the adjusted Rand index that branches are expected to have, by its definition."""
    total = pages.sum()
    chance = dict.fromkeys(range(len(pages)), 1.0)
    size = {row: float(pages[row]) for row in range(len(pages))}
    alike = {row: pages[row] * (pages[row] - 1) / 2 for row in range(len(pages))}
    for step, (left, right, _) in enumerate(merges, len(pages)):
        chance[step] = 1 / (1 + np.exp(-odds[step - len(pages)]))
        size[step] = size[left] + size[right]
        alike[step] = alike[left] + alike[right] + size[left] * size[right] * chance[step]
    pairs = total * (total - 1) / 2
    together = sum(size[node] * (size[node] - 1) / 2 for node in nodes)
    of_one = alike[len(pages) + len(merges) - 1]
    by_chance = of_one * together / pairs
    most = (of_one + together) / 2
    return (
        float((sum(alike[node] for node in nodes) - by_chance) / (most - by_chance))
        if most > by_chance
        else 0.0
    )


@given(trees())
def test_no_other_branches_have_a_higher_index_to_be_expected(tree: tuple) -> None:
    pages, merges, odds = tree
    found = best_branches(pages, merges, odds)
    assert sorted(row for rows in branches(merges, found) for row in rows) == list(range(len(pages)))
    best = max(expected_index(pages, merges, odds, nodes) for nodes in every_cut(merges, 2 * len(pages) - 2))
    assert expected_index(pages, merges, odds, found) == pytest.approx(max(best, 0.0), abs=1e-6)
