"""A function gets each group once and whole, however the rows are cut into batches."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.tools.engines import Columns, apply_to_groups
from tests.tools.engines.whole_groups import joined

COLUMNS = {"key": "string", "numbers": "string", "many": "bigint", "is_one": "boolean"}


def listed(pieces: Iterator[Columns]) -> Iterator[Columns]:
    """Yield a row for a group."""
    rows = joined(pieces)
    keys = set(rows["key"].tolist())
    assert len(keys) == 1
    numbers = rows["number"].tolist()
    yield {
        "key": [*keys],  # type: ignore[dict-item]
        "numbers": [" ".join(map(str, numbers))],  # type: ignore[dict-item]
        "many": [len(numbers)],  # type: ignore[dict-item]
        "is_one": [len(numbers) == 1],  # type: ignore[dict-item]
    }


def answers(rows: list[tuple[str, int]], cuts: list[int]) -> list[tuple[object, ...]]:
    edges = sorted([0, 0, len(rows), *(cut for cut in cuts if cut <= len(rows))])
    batches = [
        pa.record_batch(
            [
                pa.array([key for key, _ in rows[start:stop]], pa.string()),
                pa.array([number for _, number in rows[start:stop]], pa.int64()),
            ],
            names=["key", "number"],
        )
        for start, stop in pairwise(edges)
    ]
    found = apply_to_groups(listed, "key", COLUMNS, batches)
    return [tuple(row.values()) for batch in found for row in batch.to_pylist()]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 99))), st.lists(st.integers(0, 30)))
def test_each_group_is_given_once_and_whole(rows: list[tuple[str, int]], cuts: list[int]) -> None:
    rows = sorted(rows, key=lambda row: row[0])
    numbers: dict[str, list[int]] = {}
    for key, number in rows:
        numbers.setdefault(key, []).append(number)
    expected = [(key, " ".join(map(str, its)), len(its), len(its) == 1) for key, its in numbers.items()]
    assert answers(rows, cuts) == expected


def test_a_function_need_not_read_its_group_to_the_end() -> None:
    def nothing(pieces: Iterator[Columns]) -> Iterator[Columns]:
        next(pieces)
        yield from ()

    batches = [pa.record_batch([pa.array(["a", "a", "b"])], names=["key"])] * 2
    assert list(apply_to_groups(nothing, "key", COLUMNS, batches)) == []


def test_rows_that_lack_a_column_are_an_error() -> None:
    def short(pieces: Iterator[Columns]) -> Iterator[Columns]:
        yield from pieces

    batch = pa.record_batch([pa.array(["a"])], names=["key"])
    with pytest.raises(KeyError, match="numbers"):
        list(apply_to_groups(short, "key", COLUMNS, [batch]))
