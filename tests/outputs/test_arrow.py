"""PyArrow as every layer loads it."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from templcrawl.outputs import arrow
from templcrawl.outputs.arrow import RowGroups, arrow_schema, gathered


def test_a_schema_has_the_columns_in_order_with_their_types() -> None:
    schema = arrow_schema(
        {"page": "bigint", "seen": "boolean", "sketch": "keys"}, required={"page"}, metadata={b"format": b"1"}
    )
    assert schema == pa.schema(
        [
            pa.field("page", pa.int64(), nullable=False),
            pa.field("seen", pa.bool_()),
            pa.field("sketch", pa.list_(pa.int64())),
        ]
    )
    assert schema.metadata == {b"format": b"1"}


@pytest.mark.parametrize(
    ("rows_a_batch", "tables"), [(1, [4096, 4096, 1808]), (3_000, [6_000, 4_000]), (0, [0, 0])]
)
def test_batches_become_tables_of_many_rows_and_are_never_all_in_memory(
    rows_a_batch: int, tables: list[int]
) -> None:
    batches = [pa.RecordBatch.from_pydict({"a": [0] * rows_a_batch})] * (10_000 if rows_a_batch == 1 else 3)
    if rows_a_batch == 3_000:
        batches.append(batches[0].slice(0, 1_000))
    if not rows_a_batch:
        batches = [pa.RecordBatch.from_pydict({"a": pa.array([], pa.int64())})] * 5_000
    taken: list[int] = []
    found = gathered((taken.append(len(batch)) or batch for batch in batches), 4_096)
    first = next(found)
    assert len(taken) <= 4_096
    assert [len(first), *map(len, found)] == tables


@pytest.mark.parametrize(
    ("sizes", "groups"),
    [
        ([0] * 4_001, [2_000, 2_000, 1]),
        ([5_000] * 5, [2, 2, 1]),
        ([], []),
        ([20_000], [1]),
        ([0] * 2_000, [2_000]),
    ],
)
def test_a_row_group_is_full_at_its_rows_or_its_bytes(
    sizes: list[int], groups: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrow, "SIZE", 9_000)
    columns = {"number": "bigint", "texts": "list<string>"}
    file = RowGroups(tmp_path / "a.parquet", columns)
    for number, size in enumerate(sizes):
        file.append({"number": number, "texts": ["x" * size]})
    file.finish()
    file.close()
    found = pq.ParquetFile(tmp_path / "a.parquet")
    assert [found.metadata.row_group(at).num_rows for at in range(found.num_row_groups)] == groups
    assert found.read()["number"].to_pylist() == list(range(len(sizes)))
