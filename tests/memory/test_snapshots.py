"""Columns of every kind: what was frozen stays, what was written comes back, what is wrong is refused."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xxhash import xxh3_64_hexdigest

from templcrawl.errors import InvalidSnapshot
from templcrawl.memory.snapshots import (
    FORMAT,
    Frozen,
    ListRows,
    Lists,
    Numbers,
    Section,
    Snapshot,
    Sparse,
    StoredColumn,
    Text,
    written,
)
from templcrawl.memory.states import pack, unpack
from tests.memory.stores import plain, state

MOST = 2**64 - 1

keys = st.integers(0, MOST)


class Inner(Section):
    """Byte strings."""

    def __init__(self, strings: Iterable[bytes] = ()) -> None:
        self.strings = list(strings)

    def columns(self) -> Frozen:
        return {"strings": Lists(list(self.strings), "u1")}

    def load(self, snapshot: Snapshot) -> None:
        self.strings = snapshot.strings("strings", below=100)


class Outer(Section):
    """Columns of every kind, and a section."""

    sections = ("_inner",)

    def __init__(self) -> None:
        self.keys: list[int] = []
        self.pairs: list[tuple[int, int]] = []
        self.amounts = np.zeros(0)
        self.arrays: list[np.ndarray] = []
        self.rows: list[tuple[tuple[int, ...], ...]] = []
        self.table = np.zeros((3, 5), dtype=np.float32)
        self.text = ""
        self._inner = Inner()

    def columns(self) -> Frozen:
        return {
            "keys": Numbers(list(self.keys)),
            "pairs": Numbers(list(self.pairs)),
            "amounts": Numbers(self.amounts.copy(), "f8"),
            "arrays": Lists(list(self.arrays)),
            "rows": ListRows(list(self.rows)),
            "table": Sparse(self.table.copy()),
            "text": Text(self.text),
        }

    def load(self, snapshot: Snapshot) -> None:
        self.keys = snapshot.numbers("keys").tolist()
        self.pairs = [(a, b) for a, b in snapshot.numbers("pairs", width=2).tolist()]
        self.amounts = snapshot.numbers("amounts", "f8")
        self.arrays = snapshot.arrays("arrays")
        lists = snapshot.tuples("rows", least=1)
        self.rows = list(zip(lists[::2], lists[1::2], strict=True))
        self.table = snapshot.sparse("table", 3, 5)
        self.text = snapshot.text("text")


lists = st.lists(keys, min_size=1, max_size=5).map(tuple)


@st.composite
def sections(draw: st.DrawFn) -> Outer:
    section = Outer()
    section.keys = draw(st.lists(keys))
    section.pairs = draw(st.lists(st.tuples(keys, keys)))
    section.amounts = np.array(draw(st.lists(st.floats(0, 2**53, exclude_max=True))), dtype=float)
    section.arrays = [np.array(row, dtype=np.uint64) for row in draw(st.lists(lists))]
    section.rows = draw(st.lists(st.tuples(lists, lists)))
    section.table[draw(st.integers(0, 2)), draw(st.integers(0, 4))] = draw(st.integers(0, 2**20))
    section.text = draw(st.text())
    section._inner.strings = draw(st.lists(st.binary(max_size=99)))
    return section


@settings(max_examples=40)
@given(sections(), keys)
def test_what_was_frozen_is_how_the_section_was_and_comes_back(section: Outer, key: int) -> None:
    frozen, before = section.freeze(), section.snapshot()
    section.keys.append(key)
    section.rows.append(((key,), (key,)))
    section.table += 1
    section._inner.strings.append(b"later")
    assert section.snapshot() != written(frozen) == before == unpack("it", pack(before))
    again = Outer()
    again.restore(before)
    assert again.snapshot() == before
    assert (again.text, again.keys, again.pairs) == (section.text, section.keys[:-1], section.pairs)
    assert again.rows == section.rows[:-1]
    assert np.array_equal(again.table + 1, section.table)


def of_numbers(kind: str, *numbers: float) -> StoredColumn:
    return StoredColumn(kind, np.array(numbers, f"<{kind}").tobytes())


SNAPSHOT = Snapshot(
    {
        "pages": of_numbers("u8", 1, 2, 3, MOST),
        "amounts": of_numbers("f8", 0.5, 2.0),
        "nan": of_numbers("f8", 0.5, np.nan),
        "minus": of_numbers("f8", -1.0),
        "lists": of_numbers("u8", 1, 2, 3),
        "lists.sizes": of_numbers("u4", 2, 1),
        "more.sizes": of_numbers("u4", 2, 2),
        "more": of_numbers("u8", 1, 2, 3),
        "table": of_numbers("u4", 7, 9),
        "table.bits": of_numbers("u1", 0b10000100),
        "cut": of_numbers("u4", 7),
        "cut.bits": of_numbers("u1", 0b10000100),
        "text": StoredColumn("u1", b"\xff"),
    }
)


@pytest.mark.parametrize(
    "read",
    [
        lambda: SNAPSHOT.numbers("none"),
        lambda: SNAPSHOT.numbers("pages", "u4"),
        lambda: SNAPSHOT.numbers("pages", count=3),
        lambda: SNAPSHOT.numbers("pages", width=3),
        lambda: SNAPSHOT.numbers("pages", width=2, count=4),
        lambda: SNAPSHOT.numbers("pages", below=2**53),
        lambda: SNAPSHOT.numbers("pages", least=2),
        lambda: SNAPSHOT.numbers("amounts", "f8", below=2.0),
        lambda: SNAPSHOT.numbers("nan", "f8"),
        lambda: SNAPSHOT.numbers("minus", "f8"),
        lambda: SNAPSHOT.arrays("pages"),
        lambda: SNAPSHOT.tuples("more"),
        lambda: SNAPSHOT.tuples("lists", count=3),
        lambda: SNAPSHOT.tuples("lists", least=2),
        lambda: SNAPSHOT.arrays("lists", below=2),
        lambda: SNAPSHOT.sparse("table", 3, 3),
        lambda: SNAPSHOT.sparse("table", 2, 2),
        lambda: SNAPSHOT.sparse("cut", 2, 3),
        lambda: SNAPSHOT.sparse("lists", 1, 8),
        lambda: SNAPSHOT.text("text"),
        lambda: SNAPSHOT.section("lists").numbers("keys"),
    ],
)
def test_a_column_that_is_not_as_its_reader_has_to_find_it_is_refused(read: object) -> None:
    with pytest.raises(InvalidSnapshot):
        read()  # type: ignore[operator]


def test_what_is_right_is_read() -> None:
    assert SNAPSHOT.numbers("pages", count=2, width=2).tolist() == [[1, 2], [3, MOST]]
    assert SNAPSHOT.tuples("lists", count=2, least=1, below=3) == [(1, 2), (3,)]
    assert SNAPSHOT.sparse("table", 2, 3).tolist() == [[7, 0, 0], [0, 0, 9]]


def test_whatever_a_section_fails_by_is_the_fault_of_its_snapshot() -> None:
    snapshot = Outer().snapshot()
    for name, column in (("rows.sizes", of_numbers("u4", 1)), ("rows", of_numbers("u8", 7))):
        snapshot[name] = column
    with pytest.raises(InvalidSnapshot, match="Outer: ValueError"):
        Outer().restore(snapshot)


def body_of(header: bytes, data: bytes) -> bytes:
    """Return a state whose checksum is right, whatever it holds."""
    body = header + b"\n" + data
    return b"templcrawl-site %d %s\n" % (FORMAT, xxh3_64_hexdigest(body).encode()) + body


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"pages u8 8",
        b"pages u8 7\n",
        b"pages u8 16\n",
        b"pages u8 0\n",
        b"pages u8 -8\n",
        b"pages u8 " + b"9" * 5_000 + b"\n",
        b"pages u3 8\n",
        b"pages O 8\n",
        b"pages\n",
        b"pages u8 4\npages u8 4\n",
        b"a u4 4\na u4 4\n",
        b"a u8 4\nb u4 4\n",
        b"\xff" * 2**17,
    ],
)
def test_a_header_that_does_not_fit_its_columns_is_refused(header: bytes) -> None:
    assert unpack("it", body_of(b"pages u8 8\n", bytes(8))) == plain(pages=0)
    with pytest.raises(InvalidSnapshot):
        unpack("it", body_of(header, bytes(8)))


def test_every_truncation_and_every_flip_is_refused() -> None:
    whole = state(pages=1, words=2)
    for position in range(len(whole)):
        flipped = whole[:position] + bytes([whole[position] ^ 1]) + whole[position + 1 :]
        for damaged in (whole[:position], flipped):
            with pytest.raises(InvalidSnapshot):
                unpack("it", damaged)


@pytest.mark.parametrize("format", [FORMAT + 1, 14, 1])
def test_a_state_of_another_format_is_refused_by_name(format: int) -> None:
    other = state(pages=1).replace(b" %d " % FORMAT, b" %d " % format, 1)
    with pytest.raises(InvalidSnapshot, match=f"it has format {format}, of another version of templcrawl"):
        unpack("it", other)
