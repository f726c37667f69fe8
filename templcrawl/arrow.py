"""PyArrow, an optional library: loaded where it is used, and its schemas by the names of columns and types.

``bigint`` and ``boolean`` are what both dialects of SQL call ``int64`` and ``bool``; ``keys`` is a list of
64-bit numbers, ``sections`` are those of Markdown, ``json`` is text.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any

from templcrawl.errors import MissingExtra


def load_pyarrow(feature: str = "a crawl archive") -> Any:
    """Return pyarrow with its Parquet and file system parts; raises MissingExtra.

    feature  what needs it
    """
    try:
        import pyarrow as pa
        import pyarrow.fs
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtra(feature, "parquet") from error
    return pa


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
        "binary": arrow.binary(),
        "bool": arrow.bool_(),
        "boolean": arrow.bool_(),
        "float64": arrow.float64(),
        "int32": arrow.int32(),
        "int64": arrow.int64(),
        "json": arrow.string(),
        "keys": arrow.list_(arrow.int64()),
        "list<string>": arrow.list_(arrow.string()),
        "sections": arrow.list_(
            arrow.struct({"path": arrow.list_(arrow.string()), "start": arrow.int64(), "stop": arrow.int64()})
        ),
        "string": arrow.string(),
        "timestamp": arrow.timestamp("us", tz="UTC"),
    }
    fields = [
        arrow.field(column, types[kind], nullable=column not in required) for column, kind in columns.items()
    ]
    return arrow.schema(fields, metadata=metadata)
