"""Disjoint sets against a list of sets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.fingerprints.disjoint_sets import DisjointSets


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=40))
def test_unions_give_the_same_partition_as_merging_plain_sets(pairs: list[tuple[int, int]]) -> None:
    sets = DisjointSets()
    assert [sets.make_set() for _ in range(13)] == list(range(13))
    plain = [{item} for item in range(13)]
    for a, b in pairs:
        sets.union(a, b)
        merged = set().union(*(group for group in plain if a in group or b in group))
        plain = [group for group in plain if not group & merged] + [merged]
        sets.validate()
    assert sets.groups() == sorted(map(sorted, plain))
    assert len(sets) == 13
    for group in plain:
        for item in group:
            assert sets.smallest(item) == min(group)


def test_what_is_smallest_is_a_matter_of_the_order() -> None:
    sets = DisjointSets(order=lambda number: -number)
    for _ in range(4):
        sets.make_set()
    sets.union(0, 2)
    assert (sets.smallest(0), sets.groups()) == (2, [[3], [2, 0], [1]])


def test_an_unknown_number_is_an_error() -> None:
    with pytest.raises(IndexError):
        DisjointSets().find(0)
