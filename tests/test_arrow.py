"""PyArrow as every layer loads it."""

from __future__ import annotations

import sys

import pyarrow as pa
import pytest

from templcrawl.arrow import arrow_schema, load_pyarrow
from templcrawl.errors import MissingExtra


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


def test_without_it_the_feature_and_the_extra_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"writing Parquet needs .*templcrawl\[parquet\]"):
        load_pyarrow("writing Parquet")
