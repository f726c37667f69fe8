"""The table of profiles: which features stay where there are more than it has columns for."""

from __future__ import annotations

import numpy as np

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
