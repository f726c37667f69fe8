"""The merge tree of groups, by hand and against plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.page_types.merge_tree import (
    average_linkage,
    branches,
    join,
    mean_distances,
    node_pages,
)
from templcrawl.algorithms.page_types.page_profiles import profile_distances

PROFILES = st.lists(
    st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=3, max_size=3), min_size=1, max_size=7
)


@given(PROFILES)
def test_linkage_joins_the_nearest_by_the_mean_distance_of_pages(rows: list[list[float]]) -> None:
    pages = np.arange(1.0, len(rows) + 1)
    distances = profile_distances(np.array(rows), np.array([1.0, 0.5, 0.25]))
    members = {row: [row] for row in range(len(rows))}

    def mean(one: list[int], other: list[int]) -> float:
        pairs = [(pages[a] * pages[b], distances[a, b]) for a in one for b in other]
        return float(sum(w * d for w, d in pairs) / sum(w for w, _ in pairs))

    for step, (a, b, distance) in enumerate(average_linkage(distances, pages)):
        names = list(members)
        nearest = min(mean(members[x], members[y]) for x in names for y in names if x < y)
        assert distance == pytest.approx(nearest, abs=1e-5)
        assert distance == pytest.approx(mean(members[a], members[b]), abs=1e-5)
        members[len(rows) + step] = members.pop(a) + members.pop(b)
    assert len(members) == 1


def test_what_stands_above_a_refused_merge_is_refused() -> None:
    merges = [(0, 1, 0.1), (2, 3, 0.2), (4, 5, 0.3)]
    assert join(4, merges, [True, True, True]) == [[0, 1, 2, 3]]
    assert join(4, merges, [True, False, True]) == [[0, 1], [2], [3]]


@given(PROFILES, PROFILES)
def test_the_distance_of_another_view_is_the_mean_over_pages_of_the_two_sides(
    rows: list[list[float]], others: list[list[float]]
) -> None:
    count = min(len(rows), len(others))
    pages = np.arange(1.0, count + 1)
    weights = np.array([1.0, 0.5, 0.25])
    merges = average_linkage(profile_distances(np.array(rows[:count]), weights), pages)
    distances = profile_distances(np.array(others[:count]), weights)
    means = mean_distances([distances], pages, merges)[0]
    sizes = node_pages(pages, merges)
    for step, (left, right, _) in enumerate(merges):
        (first,), (second,) = branches(merges, [left]), branches(merges, [right])
        total = sum(pages[a] * pages[b] * distances[a, b] for a in first for b in second)
        assert sizes[left] == sum(pages[row] for row in first)
        assert means[step] == pytest.approx(total / (sizes[left] * sizes[right]), abs=1e-9)
