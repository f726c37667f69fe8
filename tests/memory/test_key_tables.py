"""The mechanism of all key tables, against plain counters: remote counts, merging, saving, validating."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.errors import InvalidSnapshot
from templcrawl.memory.key_tables import (
    MOST_LISTED,
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

credits = st.lists(st.lists(st.tuples(st.sampled_from(KEYS), st.integers(0, 9)), max_size=12), max_size=3)
"""What each of some workers counts: keys with a number."""


def count(table: CountTable, key: int, number: int) -> None:
    table[key] = (table.get(key) or 0) + 1


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


@pytest.mark.parametrize("name", TABLES)
@given(credits)
def test_workers_merge_to_one_table_in_every_order_and_each_reads_it_beside_its_own(
    name: str, of_workers: list[list[tuple[int, int]]]
) -> None:
    tables = [counted(name, of_worker) for of_worker in of_workers]
    snapshots = []
    for order in permutations(tables):
        total = TABLES[name][0](len(KEYS))
        total.merge(order)
        check(total)
        snapshots.append(total.snapshot())
    assert all(snapshot == snapshots[0] for snapshot in snapshots)
    for key in KEYS:
        assert (key in total) == any(key in table for table in tables)
    for number, own in enumerate(tables):
        before, remote = own.snapshot(), TABLES[name][0](len(KEYS))
        remote.merge(tables[:number] + tables[number + 1 :])
        own.set_remote(remote)
        for key in KEYS:
            assert own.reduced(own.known(key)) == total.known(key) == (total.get(key) or own.empty)
        assert own.snapshot() == before


@given(credits)
def test_workers_count_as_one_counter_does(
    of_workers: list[list[tuple[int, int]]],
) -> None:
    pages, sums = Counter[int](), Counter[int]()
    for key, number in (credit for of_worker in of_workers for credit in of_worker):
        pages[key] += 1
        sums[key] += number
    counts, pairs = (TABLES[name][0](len(KEYS)) for name in ("counts", "pairs"))
    counts.merge([counted("counts", of_worker) for of_worker in of_workers])
    pairs.merge([counted("pairs", of_worker) for of_worker in of_workers])
    assert [counts.known(key) for key in KEYS] == [pages[key] for key in KEYS]
    assert [pairs.known(key) for key in KEYS] == [(pages[key], sums[key]) for key in KEYS]


@pytest.mark.parametrize("name", TABLES)
@given(credits)
def test_a_table_is_bounded_and_survives_a_snapshot_in_its_order(
    name: str, of_workers: list[list[tuple[int, int]]]
) -> None:
    table = counted(name, [credit for of_worker in of_workers for credit in of_worker], LIMIT)
    assert len(table) <= LIMIT
    snapshot = table.snapshot()
    again = TABLES[name][0](LIMIT)
    again.restore(snapshot)
    assert list(again.items()) == list(table.items())
    assert again.snapshot() == snapshot


def test_of_too_many_keys_those_with_the_highest_counts_remain_of_equal_ones_the_smallest() -> None:
    table, first, second = (CountTable(limit) for limit in (2, 9, 9))
    for key, pages in ((5, 2), (3, 1), (8, 3)):
        first[key] = pages
    second[3] = 1
    table.merge([first, second])
    assert dict(table.items()) == {8: 3, 3: 2}


def test_a_list_keeps_its_latest_numbers_and_merged_lists_the_smallest() -> None:
    first, second, total = (ListTable(9, lists=1) for _ in range(3))
    first[1], second[1] = ((9, 1, 7, 5),), ((2, 9, 8, 3),)
    total.merge([first, second])
    assert total.get(1) == ((1, 2, 3, 5),)
    first.set_remote(second)
    assert (first.get(1), first.known(1)) == (((9, 1, 7, 5),), ((9, 1, 7, 5, 2, 8, 3),))
    assert first.known(2) == ((),) == ListTable(9, lists=1).known(2)
    assert ListTable(9, lists=2).known(2) == ((), ())


WRONG: dict[str, list[Any]] = {
    "counts": [Numbers([0]), Numbers([2**53]), Numbers([]), Numbers([1, 1])],
    "pairs": [Numbers([pair]) for pair in ((0, 0), (1, 10), (2**53, 1), (1, 2**63))],
    "lists": [Lists([(1,), tuple(range(MOST_LISTED + 1))]), Lists([(1,)])],
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
