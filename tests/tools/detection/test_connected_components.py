"""Components of many graphs at once."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.page_types.fingerprint import DisjointSets
from templcrawl.tools.detection.template_tables import connected_components

Links = list[tuple[int, int, int]]


def found(links: Links) -> list[tuple[int, int, int]]:
    groups, sources, targets = np.array(links, dtype=np.int64).reshape(-1, 3).T
    return list(zip(*(column.tolist() for column in connected_components(groups, sources, targets).values())))


def by_disjoint_sets(links: Links) -> list[tuple[int, int, int]]:
    nodes = sorted({(group, end) for group, *ends in links for end in ends})
    sets = DisjointSets()
    numbers = {node: sets.make_set() for node in nodes}
    for group, a, b in links:
        sets.union(numbers[group, a], numbers[group, b])
    smallest = {node: nodes[sets.smallest(number)] for node, number in numbers.items()}
    members = list(smallest.values())
    return [(*node, root[1]) for node, root in smallest.items() if members.count(root) > 1]


_keys = st.sampled_from([-(2**63), -7, 0, 1, 2, 3, 4, 5, 2**63 - 1])


@given(st.lists(st.tuples(st.sampled_from([-(2**63), 3, 4]), _keys, _keys), max_size=25))
def test_they_are_those_of_disjoint_sets(links: Links) -> None:
    assert found(links) == by_disjoint_sets(links)


def test_a_long_chain_is_one_component() -> None:
    order = np.random.default_rng(1).permutation(5_000).tolist()
    chain = [(0, a, b) for a, b in pairwise(order)]
    assert {root for _, _, root in found(chain)} == {0}
