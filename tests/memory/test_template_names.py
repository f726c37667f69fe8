"""Names of templates stay with most of their pages."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from templcrawl.memory.template_names import MOST_NAMES
from templcrawl.memory.template_names import TemplateNames

from templcrawl.errors import BrokenInvariant, InvalidSnapshot

KEYS = list(range(100, 120))


def given_names(*pairs: tuple[int, int]) -> TemplateNames:
    """Names that were assigned to pages: (leaf, name) of each."""
    names = TemplateNames()
    for leaf, name in pairs:
        names.assign(leaf, name)
    return names


def test_of_two_templates_that_become_one_the_larger_names_it() -> None:
    names = given_names((0, 7), (1, 9), (1, 9))
    assert names.choose([[0, 1]], KEYS) == [9]
    assert names.aliases([[0, 1]], [9]) == {7: 9, 9: 9}


def test_of_a_template_that_falls_apart_the_larger_part_keeps_the_name() -> None:
    names = given_names((0, 7), (1, 7), (1, 7))
    small, large = names.choose([[0], [1]], KEYS)
    assert large == 7 != small
    assert names.aliases([[0], [1]], [small, large]) == {7: 7}


def test_a_new_name_depends_on_the_page_alone_and_is_given_once() -> None:
    first = TemplateNames().choose([[3], [4]], KEYS)
    assert first == TemplateNames().choose([[3], [4]], KEYS)
    assert len(set(first)) == 2
    # The name of leaf 3 went to another leaf meanwhile: leaf 3 is named anew.
    again = given_names((4, first[0]), (4, first[0])).choose([[3], [4]], KEYS)
    assert again[1] == first[0] != again[0]


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(1, 4)), max_size=40),
    st.lists(st.integers(0, 2), min_size=6, max_size=6),
)
def test_each_template_has_one_name_and_no_two_have_the_same(
    pairs: list[tuple[int, int]], group_of: list[int]
) -> None:
    names = given_names(*pairs)
    groups = [[leaf for leaf in range(6) if group_of[leaf] == group] for group in sorted(set(group_of))]
    found = names.choose(groups, KEYS)
    assert len(set(found)) == len(groups)
    aliases = names.aliases(groups, found)
    assert set(aliases) == {name for _, name in pairs}
    for name, now in aliases.items():
        most = Counter(group_of[leaf] for leaf, given_name in pairs if given_name == name).most_common()
        assert dict(most)[sorted(set(group_of))[found.index(now)]] == most[0][1]
    names.check_leaves(Counter(leaf for leaf, _ in pairs))


def test_names_of_a_leaf_are_bounded_when_leaves_merge() -> None:
    names = given_names(*((leaf, 20 * leaf + name) for leaf in range(2) for name in range(MOST_NAMES)))
    names.assign(1, 20)
    names.merge_leaves(0, [1])
    assert len(names) == MOST_NAMES
    assert names.choose([[0]], KEYS) == [20]


def test_they_survive_a_snapshot_and_a_damaged_one_is_refused() -> None:
    names = given_names((0, 7), (1, 9), (1, 7))
    snapshot = json.loads(json.dumps(names.snapshot()))
    again = TemplateNames()
    again.restore(snapshot)
    assert again.snapshot() == snapshot
    for change in ({"leaves": ""}, {"pages": 3}, {"names": ""}):
        with pytest.raises(InvalidSnapshot):
            TemplateNames().restore({**snapshot, **change})
    with pytest.raises(BrokenInvariant, match="leaf 1"):
        names.check_leaves({0: 1, 1: 1})


def test_those_who_know_of_different_pages_agree_on_the_smallest_name_that_many_were_given() -> None:
    def name_given(pages: dict[int, int], *, agreed: bool) -> int:
        names = TemplateNames()
        for name, many in pages.items():
            names.assign(0, name, many)
        return names.choose([[0]], keys=[99], agreed=agreed)[0]

    known_here, known_there = {7: 20, 5: 30}, {7: 30, 5: 20}
    assert [name_given(known, agreed=True) for known in (known_here, known_there)] == [5, 5]
    assert [name_given(known, agreed=False) for known in (known_here, known_there)] == [5, 7]
    assert name_given({7: 30, 5: 2}, agreed=True) == 7


def test_a_name_that_is_agreed_on_goes_to_the_template_that_has_most_of_its_pages() -> None:
    names = TemplateNames()
    for leaf, name, pages in ((0, 5, 10), (0, 7, 20), (1, 5, 30)):
        names.assign(leaf, name, pages)
    assert names.choose([[0], [1]], keys=[98, 99], agreed=True) == [7, 5]
