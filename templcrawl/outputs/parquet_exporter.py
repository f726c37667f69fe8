"""A feed exporter that writes items as Parquet, with a column for each of their fields.

::

    FEED_EXPORTERS = {"parquet": "templcrawl.outputs.parquet_exporter.ParquetItemExporter"}
    FEEDS = {
        "pages-%(time)s-%(batch_id)05d.parquet": {
            "format": "parquet",
            "overwrite": True,
            "batch_item_count": 50_000,
            "item_export_kwargs": {"schema": {"url": "string", "price": "float64"}},
        },
    }

The columns of a file are fixed when its first row group is written.  No item can break a half-written file: a
field without a column, and a value that its column cannot hold without loss, are stored as JSON text in one
more column, ``extra``; the number of such values is logged.  A Parquet file can be read only after it is
closed, and cannot be appended to.  So a killed crawl loses the open file, and a feed needs either
``"overwrite": True`` or a new name in each run.

Cost: linear in the size of the items; a row group is compressed and written at once, on the event loop.
Memory: a row group.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import date, time
from enum import Enum
from numbers import Number
from typing import IO, Any
from uuid import UUID

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler
from scrapy.exporters import BaseItemExporter, PythonItemExporter
from scrapy.extensions.postprocessing import PostProcessingManager

from templcrawl.errors import InvalidOption
from templcrawl.log import GuardedStats
from templcrawl.outputs.answers import ANSWERS
from templcrawl.outputs.arrow import ROWS, SIZE, RowGroups, load_pyarrow
from templcrawl.outputs.column_types import COLUMN_TYPES, column_type, to_cell
from templcrawl.outputs.item_values import json_text, plain

logger = logging.getLogger(__name__)

EXTRA = "extra"  # the column of JSON text for all that does not fit the other columns

# Columns of item fields at most; further fields are in ``extra``.
MAX_COLUMNS = 1_000


class ParquetItemExporter(PythonItemExporter):
    """Writes items into the binary file ``file`` as Parquet, compressed with zstd.

    A file that is not empty at the start, or that can no longer be written, is abandoned: one error is
    logged, and its lost items are counted in the stat ``templcrawl/parquet/lost``.  Other feeds continue.

    schema  column name -> a name of ``COLUMN_TYPES``; None: the types of the first items
    stats   where lost items are counted

    Accepts the options of every exporter of Scrapy, too; ``encoding`` and ``indent`` change nothing.
    Raises MissingExtra if pyarrow is not installed, and InvalidOption for an invalid schema.
    """

    cannot_append = True  # what a file has ends in its footer

    @classmethod
    def from_crawler(cls, crawler: Crawler, file: IO[bytes], **options: Any) -> ParquetItemExporter:
        """Build the exporter of one feed file, as Scrapy does."""
        return cls(file, stats=GuardedStats(crawler), **options)

    def __init__(
        self,
        file: IO[bytes],
        *,
        schema: Mapping[str, str] | None = None,
        stats: GuardedStats | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        for name, type_name in (schema or {}).items():
            if name == EXTRA:
                raise InvalidOption("schema", name, f"columns of other names; {EXTRA!r} is added")
            if type_name not in COLUMN_TYPES:
                raise InvalidOption(f"schema[{name!r}]", type_name, "one of " + ", ".join(COLUMN_TYPES))
        load_pyarrow("the Parquet exporter")
        self._has_schema = schema is not None
        self._type_names = schema
        self._names: dict[str, None] = {}
        self._stats = stats
        self._file = file
        self._is_lost = False
        self._groups: RowGroups | None = None
        self._first: list[dict[str, Any]] = []  # the fields of the first items, which decide on the columns
        self._size = self._exported = 0
        self._misfits: Counter[str | None] = Counter()

    def start_exporting(self) -> None:
        """Abandon a file that is not empty."""
        file: Any = self._file
        size = 0
        if not isinstance(file, PostProcessingManager):  # it counts what its plugins have written, too
            with suppress(OSError):  # a pipe
                size = file.tell()
        if size > 0:
            logger.error(
                "Parquet cannot be appended to, and %s is not empty: no item will be written to"
                " it. Put %%(time)s into its name, or give it another one.",
                _name(self._file),
            )
            self._is_lost = True

    serialize_field = BaseItemExporter.serialize_field  # bytes and nested values stay as they are

    def export_item(self, item: Any) -> None:  # type: ignore[override]
        """Add ``item`` as a row; a row group is written when it is full."""
        fields: dict[Any, Any] = super().export_item(item)
        if self._type_names is not None:
            rows = [self._row(fields, self._type_names)]
        else:
            rows = []
            fields = {name: _snapshot(value) for name, value in fields.items()}
            self._size += len(json_text(fields))  # raises for what no column can hold, as later does its row
            self._names.update(
                dict.fromkeys(fields if self.fields_to_export else ItemAdapter(item).field_names())
            )
        if self._is_lost:
            self._count_lost(1)
            return
        self._exported += 1
        if not rows:
            self._first.append(fields)
        if rows or len(self._first) >= ROWS or self._size >= SIZE:
            self._write(rows)

    def finish_exporting(self) -> None:
        """Write the last rows and the footer of the file; the file stays open."""
        if not self._is_lost:
            self._write()
        if self._groups is not None:
            try:
                self._groups.finish()
            except Exception:
                self._abandon()
        for name, count in (+self._misfits).items():
            which_one = f"of the field {name!r} that do not fit its Parquet column"
            which = "of fields that have no Parquet column" if name is None else which_one
            logger.warning("Values %s and are in %r: %d", which, EXTRA, count)

    def _find_columns(self) -> dict[str, str]:
        """Return the columns of the file, name -> type.

        They are those of ``schema``, or else the feed's ``fields``, or else the fields that the items of the
        first row group have or declare.  Without a schema, a column has the type of the answer of its name
        (:mod:`~templcrawl.outputs.answers`) if all values of that group fit it, or else the narrowest type
        that holds them all (:mod:`~templcrawl.outputs.column_types`).  The types are logged.
        """
        fields = self.fields_to_export or ()
        chosen = fields.values() if isinstance(fields, Mapping) else fields
        names = [name for name in dict.fromkeys([*chosen, *self._names]) if _can_be_column(name)]
        found = {
            name: column_type(
                (row.get(name) for row in self._first), ANSWERS[name].column if name in ANSWERS else None
            )
            for name in names[:MAX_COLUMNS]
        }
        logger.info(
            "Parquet columns of %s, from the fields of its first %d items: %s",
            _name(self._file),
            len(self._first),
            ", ".join(f"{name} {type_name}" for name, type_name in found.items()) or "none",
        )
        return found

    def _row(self, fields: Mapping[Any, Any], type_names: Mapping[str, str]) -> dict[str, Any]:
        row: dict[str, Any] = {}
        extra: dict[str, Any] = {}
        for name, value in fields.items():
            if name not in type_names:
                extra[name] = value
                self._misfits[None] += not self._has_schema
            elif value is not None:
                try:
                    row[name] = to_cell(value, type_names[name])
                except ValueError:
                    extra[name] = value
                    self._misfits[name] += 1
        if extra:
            row[EXTRA] = json_text(extra)
        return row

    def _write(self, rows: Iterable[dict[str, Any]] = ()) -> None:
        """Write rows, after those of the first items, whenever they fill a row group."""
        try:
            if self._type_names is None:
                self._type_names = types = self._find_columns()
                rows = [self._row(fields, types) for fields in self._first]
                self._first.clear()
            if self._groups is None:
                self._groups = RowGroups(self._file, {**self._type_names, EXTRA: "string"})
            for row in rows:
                self._groups.append(row)
        except Exception:
            self._abandon()

    def _abandon(self) -> None:
        """Abandon the file: without its footer nothing in it can be read."""
        self._is_lost = True
        logger.error(
            "Cannot write %s: its items so far (%d) and those to come are lost to this feed",
            _name(self._file),
            self._exported,
            exc_info=True,
        )
        self._count_lost(self._exported)
        groups, self._groups = self._groups, None
        if groups is not None:
            groups.close()

    def _count_lost(self, items: int) -> None:
        if self._stats is not None:
            self._stats.inc_value("templcrawl/parquet/lost", items)


def _can_be_column(name: object) -> bool:
    try:
        return isinstance(name, str) and name != EXTRA and bool(name.encode())
    except UnicodeEncodeError:  # a lone surrogate
        return False


def _snapshot(value: Any) -> Any:
    if isinstance(value, (str, bytes, date, time, UUID, Enum, Number)) or value is None:
        return value
    if isinstance(value, (bytearray, memoryview)):
        return bytes(value)
    is_text = isinstance(value, (list, tuple, set)) and all(isinstance(one, str) for one in value)
    return type(value)(value) if is_text else plain(value)


def _name(file: IO[bytes]) -> object:
    return getattr(file, "name", "the feed")
