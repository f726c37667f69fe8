"""The table of profiles: which features stay where there are more than it has columns for."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.memory.profile_table import ProfileTable
from tests.memory.invariants import check


def keys(*features: int) -> np.ndarray:
    return np.array(features, dtype=np.uint64)


def full_table() -> ProfileTable:
    """Return a table of eight columns, full of 11 to 18: all on two pages but 18, which is on one."""
    table = ProfileTable(most_columns=8)
    row = table.new_row()
    table.count(row, table.columns_of(keys(*range(11, 18))))
    table.count(row, table.columns_of(keys(*range(11, 19))))
    return table


def test_a_full_table_gives_no_column_to_a_new_feature() -> None:
    table = full_table()
    assert table.columns_of(keys(19, 20)).tolist() == []
    assert len(table.columns_of(keys(*range(11, 19)))) == 8


def test_as_weights_are_taken_a_full_table_makes_room_by_what_says_least() -> None:
    table = full_table()
    # 18 is rare.  Of the other seven, six stay (three quarters of eight columns): 13 weighs least.
    table.weigh(np.array([0.5, 0.6, 0.1, 0.7, 0.2, 0.9, 0.8, 1.0]))
    check(table)
    kept = [11, 12, 14, 15, 16, 17]
    assert table.columns_of(keys(*range(11, 19)), learn=False).tolist() == list(range(6))
    assert table.columns_of(keys(*kept), learn=False).tolist() == list(range(6))
    assert table.counts.tolist() == [[2.0] * 6]
    assert table.columns_of(keys(19, 20, 21)).tolist() == [6, 7]


@given(st.lists(st.tuples(st.integers(0, 2), st.sets(st.integers(0, 15), max_size=6)), min_size=1))
def test_pages_that_are_counted_together_are_counted_as_one_by_one(pages: list[tuple[int, set[int]]]) -> None:
    one_by_one, together = (ProfileTable(most_columns=8) for _ in range(2))
    for table in (one_by_one, together):
        for _ in range(3):
            table.new_row()
    rows, features = [row for row, _ in pages], [keys(*sorted(of_page)) for _, of_page in pages]
    for row, of_page in zip(rows, features):
        one_by_one.count(row, one_by_one.columns_of(of_page))
    together.count_pages(rows, features)
    assert together.features.tolist() == one_by_one.features.tolist()
    assert together.counts.tolist() == one_by_one.counts.tolist()
    assert together.pages.tolist() == one_by_one.pages.tolist()


def test_the_totals_of_a_weighed_table_follow_pages_that_are_counted_together() -> None:
    table = full_table()
    table.weigh(np.array([0.5, 0.6, 0.1, 0.7, 0.2, 0.9, 0.8, 1.0]))
    table.count_pages([0, 0], [keys(11, 12), keys(14, 99)])
    check(table)
