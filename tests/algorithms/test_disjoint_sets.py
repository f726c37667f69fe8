"""Disjoint sets against a list of sets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.disjoint_sets import DisjointSets


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=40))
def test_unions_give_the_same_partition_as_merging_plain_sets(pairs: list[tuple[int, int]]) -> None:
    sets: DisjointSets[int] = DisjointSets()
    plain: list[set[int]] = []
    for a, b in pairs:
        for item in (a, b):
            sets.add(item)
            if not any(item in group for group in plain):
                plain.append({item})
        sets.union(a, b)
        merged = set().union(*(group for group in plain if a in group or b in group))
        plain = [group for group in plain if not group & merged] + [merged]
        sets.check()
    assert sets.groups() == sorted(map(sorted, plain))
    assert len(sets) == len(plain)
    for group in plain:
        for item in group:
            assert sets.smallest(item) == min(group)


def test_an_unknown_item_is_a_key_error() -> None:
    sets: DisjointSets[str] = DisjointSets()
    with pytest.raises(KeyError):
        sets.find("a")
