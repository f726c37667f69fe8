"""The mechanism of all key tables, against plain counters: counting, saving, validating."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.errors import InvalidSnapshot
from templcrawl.memory.key_tables import (
    MAX_LISTED,
    CountTable,
    KeySet,
    KeyTable,
    ListTable,
    PairTable,
    RecordTable,
)
from templcrawl.memory.snapshots import Lists, Numbers, written
from tests.memory.invariants import check

KEYS = range(1, 7)
LIMIT = 4

credits = st.lists(st.tuples(st.sampled_from(KEYS), st.integers(0, 9)), max_size=36)
"""What is counted: keys with a number."""


def count(table: CountTable, key: int, number: int) -> None:
    table[key] = table.get(key) + 1


def put(table: ListTable, key: int, number: int) -> None:
    table[key] = ((number,), (number + 10, number + 11))


TABLES: dict[str, tuple[Callable[[int], KeyTable[Any]], Callable[..., None]]] = {
    "counts": (lambda limit: CountTable(limit), count),
    "pairs": (
        lambda limit: PairTable(limit, most=9),
        lambda table, key, number: table.credit([key, key], number),
    ),
    "set": (lambda limit: KeySet(limit), lambda table, key, number: table.add(key)),
    "lists": (lambda limit: ListTable(limit, lists=2), put),
    "records": (
        lambda limit: RecordTable(limit),
        lambda table, key, number: table.set(key, bytes([number]) * number),
    ),
}


def counted(name: str, credits: Sequence[tuple[int, int]], limit: int = len(KEYS)) -> KeyTable[Any]:
    new, see = TABLES[name]
    table = new(limit)
    for key, number in credits:
        see(table, key, number)
    check(table)
    return table


@given(credits)
def test_keys_are_counted_as_a_counter_does(counted_keys: list[tuple[int, int]]) -> None:
    pages, sums = Counter[int](), Counter[int]()
    for key, number in counted_keys:
        pages[key] += 1
        sums[key] += number
    counts, pairs = (counted(name, counted_keys) for name in ("counts", "pairs"))
    assert [counts.get(key) for key in KEYS] == [pages[key] for key in KEYS]
    assert [pairs.get(key) for key in KEYS] == [(pages[key], sums[key]) for key in KEYS]


@pytest.mark.parametrize("name", TABLES)
@given(credits)
def test_a_table_is_bounded_and_survives_a_snapshot_in_its_order(
    name: str, counted_keys: list[tuple[int, int]]
) -> None:
    table = counted(name, counted_keys, LIMIT)
    assert len(table) <= LIMIT
    snapshot = table.snapshot()
    again = TABLES[name][0](LIMIT)
    again.restore(snapshot)
    assert list(again.items()) == list(table.items())
    assert again.snapshot() == snapshot


@pytest.mark.parametrize(
    ("name", "empty"), [("counts", 0), ("pairs", (0, 0)), ("lists", ((), ())), ("records", b"")]
)
def test_the_value_of_a_key_that_is_not_there_is_empty(name: str, empty: object) -> None:
    assert counted(name, [(1, 2)]).get(2) == empty


WRONG: dict[str, list[Any]] = {
    "counts": [Numbers([0]), Numbers([2**53]), Numbers([]), Numbers([1, 1])],
    "pairs": [Numbers([pair]) for pair in ((0, 0), (1, 10), (2**53, 1), (1, 2**63))],
    "lists": [Lists([(1,), tuple(range(MAX_LISTED + 1))]), Lists([(1,)])],
    "records": [Lists([], "u1"), Lists([b"", b""], "u1"), Lists([(1, 2)])],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name in WRONG for value in WRONG[name]])
def test_a_value_that_a_key_cannot_have_is_refused(name: str, value: Any) -> None:
    table = counted(name, [(1, 2)])
    column = next(column for column in table.columns() if column != "keys")
    with pytest.raises(InvalidSnapshot):
        TABLES[name][0](9).restore(written({**table.columns(), column: value}))


def test_a_key_that_comes_twice_is_refused() -> None:
    with pytest.raises(InvalidSnapshot, match="twice"):
        KeySet(9).restore(written({"keys": Numbers([7, 8, 7])}))
