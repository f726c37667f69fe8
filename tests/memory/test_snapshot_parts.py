"""Entries of every kind: what was frozen stays, what was written comes back, what is wrong is refused."""

from __future__ import annotations

import json
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.errors import BrokenInvariant, InvalidSnapshot
from templcrawl.memory.lru_dict import LruDict
from templcrawl.memory.snapshot_parts import Attribute, Entries, KeyedTable, Nested, Part, Section
from templcrawl.memory.snapshot_values import COUNT, COUNTS, KEY, KEY_SET, TEXT, numbers, pack, records
from tests.memory.invariants import check

LIMIT = 5
MOST = 2**64 - 1

keys = st.integers(0, MOST)
counts = st.integers(0, 2**53 - 1)


class Inner(Section):
    """Rows of a key and a word each."""

    def __init__(self, rows: Iterable[tuple[int, str]] = ()) -> None:
        self.rows = list(rows)

    def parts(self) -> list[Part]:
        kind = records(key=KEY, word=TEXT)
        return [Entries({"rows": kind}, lambda: [list(self.rows)], lambda rows: setattr(self, "rows", rows))]

    def validate(self) -> None:
        check(super())
        if len(self.rows) > LIMIT:
            raise BrokenInvariant("Inner", "too many rows")


class Outer(Section):
    """Tables of every width, attributes, ragged numbers and a part."""

    def __init__(self) -> None:
        self.single: LruDict[int, int] = LruDict(LIMIT)
        self.double: LruDict[int, tuple[int, int]] = LruDict(LIMIT)
        self.met: LruDict[int, bool] = LruDict(LIMIT)
        self._many = 0
        self.listed: list[int] = []
        self.known: frozenset[int] = frozenset()
        self.words: list[tuple[int, ...]] = []
        self.inner = Inner()

    def parts(self) -> list[Part]:
        return [
            KeyedTable(self.single, "single", "value"),
            KeyedTable(self.double, "double", "left", "right"),
            KeyedTable(self.met, "met"),
            Attribute(self, "_many", COUNT),
            Attribute(self, "listed", COUNTS),
            Attribute(self, "known", KEY_SET),
            Entries({"lengths": numbers("B", of=lambda words: map(len, words))}, lambda: [self.words], len),
            Nested("inner", self.inner),
        ]

    def state(self) -> tuple[object, ...]:
        tables = [list(table.items()) for table in (self.single, self.double, self.met)]
        return tables, self._many, list(self.listed), self.known, list(self.inner.rows)


@st.composite
def parts(draw: st.DrawFn) -> Outer:
    part = Outer()
    for key, value in draw(st.lists(st.tuples(keys, keys))):
        part.single[key], part.double[value], part.met[key ^ value] = value, (key, value), True
    part._many, part.listed = draw(counts), draw(st.lists(counts))
    part.known = draw(st.frozensets(keys))
    part.words = draw(st.lists(st.lists(counts, max_size=9).map(tuple)))
    part.inner.rows = draw(st.lists(st.tuples(keys, st.text()), max_size=LIMIT))
    return part


@given(parts())
def test_what_was_written_comes_back_in_its_order(part: Outer) -> None:
    check(part)
    snapshot = part.snapshot()
    again = Outer()
    again.restore(snapshot)
    assert again.state() == part.state()
    assert {**again.snapshot(), "lengths": snapshot["lengths"]} == snapshot
    assert snapshot["lengths"] == pack(map(len, part.words), "B")


@given(parts(), keys)
def test_what_was_frozen_is_how_the_part_was(part: Outer, key: int) -> None:
    frozen, before = part.freeze(), part.snapshot()
    part.single[key], part.double[key], part.met[key] = 1, (2, 3), True
    part._many += 1
    part.listed.append(7)
    part.inner.rows.append((key, "later"))
    assert frozen() == frozen() == before != part.snapshot()


@pytest.mark.parametrize(
    ("name", "value", "blamed"),
    [
        ("single", None, "single"),
        ("value", "", "entries"),
        ("double", pack([1, 1]), "entries"),
        ("right", "", "Outer"),
        ("many", -1, "many"),
        ("many", True, "many"),
        ("listed", [0.5], "listed"),
        ("known", pack([2, 1]), "known"),
        ("inner", [], "inner"),
        ("inner", {"rows": [{"key": 1}]}, "word"),
        ("inner", {"rows": [{"key": n, "word": ""} for n in range(LIMIT + 1)]}, "Outer"),
    ],
)
def test_one_wrong_entry_is_refused_and_named(name: str, value: object, blamed: str) -> None:
    part = Outer()
    part.single[1], part.double[2] = 1, (2, 3)
    with pytest.raises(InvalidSnapshot) as refused:
        Outer().restore({**part.snapshot(), name: value})
    assert refused.value.source == blamed


def test_a_table_over_its_limit_is_found() -> None:
    part = Outer()
    for key in range(LIMIT):
        part.met[key] = True
    check(part)
    part.met.limit = LIMIT - 1
    with pytest.raises(BrokenInvariant, match="limit 4"):
        check(part)
