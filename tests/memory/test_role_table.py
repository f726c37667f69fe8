"""What links of a role have led to: bounded, saved, checked."""

from __future__ import annotations

import json

import pytest

from templcrawl.errors import BrokenInvariant, InvalidSnapshot
from templcrawl.memory.role_table import RoleTable


def test_the_best_role_of_a_link_counts() -> None:
    table = RoleTable(limit=10)
    table.credit([1], 0)
    table.credit([2], 400)
    assert table.yield_of([1]) == pytest.approx(4 / 5)
    assert table.yield_of([2]) == pytest.approx((2 + 4) / 5)
    assert table.yield_of([1, 2]) == table.yield_of([2])
    assert table.yield_of([]) == 1.0
    assert table.yield_of([3], prior=0.6) == pytest.approx(0.6)


def test_one_very_long_page_pays_no_more_than_500_words() -> None:
    table, same = RoleTable(limit=10), RoleTable(limit=10)
    table.credit([1], 100_000)
    same.credit([1, 1], 500)
    assert table.snapshot() == same.snapshot()


def test_it_is_bounded_and_survives_a_snapshot() -> None:
    table = RoleTable(limit=3)
    for role in range(6):
        table.credit([role], 10 * role)
        table.validate()
    assert len(table) == 3
    again = RoleTable(limit=3)
    again.restore(json.loads(json.dumps(table.snapshot())))
    assert again.snapshot() == table.snapshot()
    assert again.yield_of([5]) == table.yield_of([5])


def test_a_wrong_snapshot_is_refused_and_a_wrong_count_found() -> None:
    table = RoleTable(limit=3)
    with pytest.raises(InvalidSnapshot):
        table.restore({"site": 3})
    table.restore({**RoleTable(limit=3).snapshot(), "site": [0, 0]})
    table.credit([1], 5)
    table._pages = 0
    with pytest.raises(BrokenInvariant):
        table.validate()
