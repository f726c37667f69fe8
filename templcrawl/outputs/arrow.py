"""PyArrow, an optional library: loaded where it is used; schemas by name; rows gathered into row groups.

Types have the names that PyArrow gives them.  ``bigint`` and ``boolean`` are what both dialects of SQL call
``int64`` and ``bool``; ``keys`` is a list of 64-bit numbers, ``sections`` are those of Markdown, ``json`` is
text.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from typing import Any

from templcrawl.errors import load_extra

# A row group that is gathered row by row is full at so many rows, or at about so many bytes.
ROWS, SIZE = 2_000, 32 * 2**20


def load_pyarrow(feature: str = "a crawl archive") -> Any:
    """Return pyarrow with its Parquet and file system parts; raises MissingExtra.

    feature  what needs it
    """
    for part in ("pyarrow.fs", "pyarrow.parquet"):
        load_extra(part, feature, "parquet")
    return load_extra("pyarrow", feature, "parquet")


def arrow_schema(
    columns: Mapping[str, str],
    *,
    required: Container[str] = (),
    metadata: Mapping[bytes, bytes] | None = None,
) -> Any:
    """Return PyArrow's schema of columns; raises MissingExtra.

    columns   column -> name of its type
    required  columns whose cells are never null
    """
    arrow = load_pyarrow()
    types = {
        "bigint": arrow.int64(),
        "boolean": arrow.bool_(),
        "json": arrow.string(),
        "keys": arrow.list_(arrow.int64()),
        "list<float64>": arrow.list_(arrow.float64()),
        "list<string>": arrow.list_(arrow.string()),
        "sections": arrow.list_(
            arrow.struct({"path": arrow.list_(arrow.string()), "start": arrow.int64(), "stop": arrow.int64()})
        ),
        "timestamp": arrow.timestamp("us", tz="UTC"),
    }
    fields = [
        arrow.field(column, types.get(kind) or arrow.type_for_alias(kind), nullable=column not in required)
        for column, kind in columns.items()
    ]
    return arrow.schema(fields, metadata=metadata)


def gathered(batches: Iterable[Any], rows: int, size: int | None = None) -> Iterator[Any]:
    """Yield record batches as tables of at least so many rows, or made of so many batches; the last of fewer.

    size  bytes that a table of several batches does not exceed
    Cost: O(rows).  Memory: one table.
    """
    from_batches = load_pyarrow().Table.from_batches
    pending: list[Any] = []
    count = taken = 0
    for batch in batches:
        if pending and size is not None and taken + batch.nbytes > size:
            yield from_batches(pending)
            pending, count, taken = [], 0, 0
        pending.append(batch)
        count += len(batch)
        taken += batch.nbytes
        if count >= rows or len(pending) >= rows:
            yield from_batches(pending)
            pending, count, taken = [], 0, 0
    if pending:
        yield from_batches(pending)


class RowGroups(AbstractContextManager["RowGroups"]):
    """Writes rows into a Parquet file, compressed with zstd, a row group at a time.

    Nothing is written before a row group is full.  ``finish``, ``close`` or the end of its context ends the
    file.  All may raise OSError.
    """

    def __init__(self, file: Any, columns: Mapping[str, str]) -> None:
        """Start without rows.  Raises MissingExtra.

        file     a path, or a file that is open
        columns  column -> name of its type
        """
        load_pyarrow("writing Parquet")
        self._file, self._schema = file, arrow_schema(columns)
        self._writer: Any = None
        self._rows: list[Mapping[str, Any]] = []
        self._size = 0

    def __exit__(self, kind: object, error: object, traceback: object) -> None:
        """Finish the file; let go of it where there is an error."""
        try:
            if kind is None:
                self.finish()
        finally:
            self.close()

    def append(self, row: Mapping[str, Any]) -> None:
        """Append a row, a dict."""
        self._rows.append(row)
        self._size += _size(row)
        if len(self._rows) >= ROWS or self._size >= SIZE:
            self._write()

    def finish(self) -> None:
        """Write the last rows and the foot."""
        self._write()
        self._writer.close()

    def close(self) -> None:
        """Close a file that may be incomplete."""
        with suppress(Exception):
            self._writer.close()

    def _write(self) -> None:
        arrow = load_pyarrow()
        if self._writer is None:
            self._writer = arrow.parquet.ParquetWriter(self._file, self._schema, compression="zstd")
        if self._rows:
            self._writer.write_batch(arrow.RecordBatch.from_pylist(self._rows, schema=self._schema))
        self._rows, self._size = [], 0


def _size(value: object) -> int:
    """Return the approximate size of a value: its characters, or one if it is not text."""
    if isinstance(value, (str, bytes)):
        return len(value)
    if isinstance(value, dict):
        return sum(map(_size, value.values()))
    return sum(map(_size, value)) if isinstance(value, list) else 1
