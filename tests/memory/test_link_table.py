"""Where links to a target were found, and what they said."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from templcrawl.memory.link_table import LinkTable


def test_a_target_is_known_by_the_pagelets_in_which_it_was_found() -> None:
    links = LinkTable(limit=10)
    assert [links.add(7, shingle, 0) for shingle in (1, 2, 3, 2)] == [True, True, True, False]
    assert (links.pagelets(7), links.roles(7)) == ((1, 2, 3), (0,))
    assert (links.pagelets(8), links.roles(8), links.is_pagination(8)) == ((), (), False)


@given(st.lists(st.integers(1, 30), min_size=1, max_size=40))
def test_of_a_target_in_many_pagelets_the_latest_is_always_known(shingles: list[int]) -> None:
    links = LinkTable(limit=10)
    for shingle in shingles:
        links.add(7, shingle, 0)
        links.validate()
        assert len(links.pagelets(7)) <= 4
        assert shingle in links.pagelets(7)


def test_it_is_bounded_and_survives_a_snapshot() -> None:
    links = LinkTable(limit=3)
    for target in range(5):
        links.add(target, target + 10, target)
        links.add(target, target + 20, target + 1)
    links.add_pagination(4)
    links.add_named(4)
    assert len(links) == 3
    again = LinkTable(limit=3)
    again.restore(links.snapshot())
    assert again.snapshot() == links.snapshot()
    assert again.pagelets(4) == (14, 24)
    assert (again.is_pagination(4), again.is_pagination(3)) == (True, False)
    assert (again.is_named(4), again.is_named(3)) == (True, False)
    assert again.roles(4) == (4, 5)
    assert again.roles(0) == ()
