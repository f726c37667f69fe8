"""The tables of a crawl archive, their columns, and the number of this format.

Source: Bar-Yossef & Rajagopalan (WWW 2002), section 3.2, whose algorithms assume pages, links and pagelets in
database tables.  Keys are 64-bit hashes as signed numbers, since not every engine has unsigned ones.  Those
of pages are such that no page can be given the key of another
(:func:`templcrawl.page.text.unforgeable_key`).

``docs/finished-crawls.md`` describes every column, and which files count, for readers with other tools, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from templcrawl.errors import InvalidSnapshot
from templcrawl.outputs.arrow import arrow_schema, load_pyarrow

FORMAT = 2
FORMAT_KEY = b"templcrawl-archive"
# In the metadata of a file of PAGES: names of the parts in whose place its part is, separated by blanks.
REPLACES_KEY = b"templcrawl-replaces"

PAGES, LINKS, PAGELETS, BODIES = "pages", "links", "pagelets", "bodies"
PAGE_TYPES = "page_types"

# Table of a part -> column -> type; ``keys`` is a list of 64-bit numbers.
TABLES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        PAGES: {
            "page": "int64",
            "url": "string",
            "host": "string",
            "fetched_at": "timestamp",
            "fingerprint": "binary",
            "cluster": "string",
            "leaf": "string",
            "sketch": "keys",
            "characters": "int64",
            "text_characters": "int64",
            "content_characters": "int64",
            "words": "int64",
            "links": "int32",
            "pagelets": "int32",
            "page_kind": "string",
        },
        LINKS: {"source": "int64", "target": "int64", "pagelet": "int64", "anchor": "string"},
        PAGELETS: {
            "pagelet": "int64",
            "page": "int64",
            "ordinal": "int32",
            "tag_path": "string",
            "shingle": "int64",
            "sketch": "keys",
            "text": "string",
            "characters": "int64",
            "text_characters": "int64",
            "words": "int64",
            "links": "int32",
        },
        BODIES: {"page": "int64", "html": "string"},
    }
)
# Table of which each crawl writes files of its own -> column -> type.
CRAWL_TABLES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        PAGE_TYPES: {
            "leaf": "string",
            "page_type": "string",
            "pages": "int64",
            "kind": "string",
            "written_at": "timestamp",
        }
    }
)

NULLABLE = frozenset({(LINKS, "pagelet"), (PAGELETS, "shingle")})

# Table -> rows that become Arrow's at once: what PyArrow does in one go, no other thread can interrupt.
_ROWS_AT_A_TIME = {PAGES: 2**10, LINKS: 2**12, PAGELETS: 2**12, BODIES: 1, PAGE_TYPES: 2**12}


def table_schema(table: str) -> Any:
    """Return the PyArrow schema of a table, with the number of this format in its metadata."""
    columns = {**TABLES, **CRAWL_TABLES}[table]
    required = [column for column in columns if (table, column) not in NULLABLE]
    return arrow_schema(columns, required=required, metadata={FORMAT_KEY: str(FORMAT).encode()})


def record_batches(table: str, rows: Sequence[Sequence[Any]]) -> Iterator[Any]:
    """Yield rows, each in the order of the columns, as PyArrow's record batches of a few rows."""
    arrow, schema, step = load_pyarrow(), table_schema(table), _ROWS_AT_A_TIME[table]
    for first in range(0, len(rows), step):
        columns = zip(*rows[first : first + step])
        arrays = [arrow.array(list(cells), field.type) for cells, field in zip(columns, schema)]
        yield arrow.RecordBatch.from_arrays(arrays, schema=schema)


def check_schema(table: str, schema: Any, source: str) -> None:
    """Raise InvalidSnapshot unless a Parquet file with this schema is of this table of an archive.

    The order of its columns is free, and further ones are no error.
    """
    written = (schema.metadata or {}).get(FORMAT_KEY, b"")
    if not written.isdigit():
        raise InvalidSnapshot(source, "it is no part of a crawl archive")
    if int(written[:18]) != FORMAT:
        raise InvalidSnapshot(
            source, f"it has format {int(written[:18])}, of another templcrawl; this one reads {FORMAT}"
        )
    for field in table_schema(table):
        kinds = [schema.field(at).type for at in schema.get_all_field_indices(field.name)]
        if len(kinds) != 1:
            raise InvalidSnapshot(source, f"it has {len(kinds) or 'no'} columns {field.name}, not one")
        if kinds[0] != field.type:
            raise InvalidSnapshot(source, f"its column {field.name} holds {kinds[0]}, not {field.type}")
