"""DuckDB: on this machine, in bounded memory; data that does not fit is written to a temporary folder."""

from __future__ import annotations

import glob
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from templcrawl.errors import InvalidOption, TemporaryFilesFull, load_extra
from templcrawl.outputs.archive.location import locate
from templcrawl.outputs.arrow import gathered, load_pyarrow
from templcrawl.tools.engines import (
    BATCH_ROWS,
    Engine,
    EngineFailed,
    GroupFunction,
    Groups,
    apply_to_groups,
    byte_count,
    temporary_folder,
)

_SPARK_MACROS = """
    CREATE MACRO explode(entries) AS unnest(entries);
    CREATE MACRO size(entries) AS len(entries);
    CREATE MACRO xxhash64(entry) AS hash(entry);
"""
_SPILL = "max_temp_directory_size"
_MIN_SPILL_BYTES = 2**18
_ROWS_INSERTED = 2**12  # groups may be small, and inserts are expensive

_FILE = "part-00000.parquet"


class DuckDBEngine(Engine):
    """The engine of this machine.

    memory  memory that DuckDB may use, as in "4GB"; None: four fifths of the machine's
    folder  where its tables, and data that does not fit into memory, are stored during the session; None: the
            system's temporary folder
    most    bytes that these may take there, as in "10GB"; None: no limit
    """

    name = "duckdb"

    def __init__(
        self, *, memory: str | None = None, folder: str | None = None, most: str | None = None
    ) -> None:
        """Start.  Raises MissingExtra, InvalidOption."""
        duckdb = load_extra("duckdb", "the engine duckdb", "duckdb")
        self._most = most
        self._most_bytes = None if most is None else byte_count("max_temp", most)
        self._folder = temporary_folder(folder)
        self._tables = Path(self._folder.name, "tables.duckdb")
        config: dict[str, Any] = {"temp_directory": self._folder.name, "preserve_insertion_order": "false"}
        if memory is not None:
            config["memory_limit"] = memory
        try:
            self._connection = duckdb.connect(str(self._tables), config=config)
        except duckdb.Error as error:
            self._folder.cleanup()
            raise InvalidOption("memory", memory, 'an amount such as "4GB"') from error
        self._connection.execute(_SPARK_MACROS)

    def __exit__(self, *exception: object) -> None:
        self._connection.close()
        self._folder.cleanup()

    @contextmanager
    def _working(self) -> Iterator[None]:
        """Limit the temporary files of DuckDB; raise EngineFailed for what it raises."""
        import duckdb

        try:
            if self._most_bytes is not None:
                available = self._most_bytes - self._tables.stat().st_size
                if available < _MIN_SPILL_BYTES:
                    raise TemporaryFilesFull(self._folder.name, self._most)
                self._connection.execute(f"SET max_temp_directory_size = '{available // 1024}KiB'")
            yield
        except (duckdb.Error, OSError) as error:
            if self._most is not None and _SPILL in str(error):
                raise TemporaryFilesFull(self._folder.name, self._most) from error
            raise EngineFailed(self.name, error) from error

    def read(self, name: str, files: Sequence[str]) -> None:
        """Name a table of Parquet files."""
        with self._working():
            if "://" in files[0]:
                from pyarrow import dataset

                filesystem, _ = load_pyarrow().fs.FileSystem.from_uri(files[0])
                paths = [file.partition("://")[2].partition("?")[0] for file in files]
                rows = dataset.dataset(paths, filesystem=filesystem, format="parquet")
                self._connection.register(name, rows)
            else:
                quoted = ", ".join("'" + glob.escape(file).replace("'", "''") + "'" for file in files)
                self._connection.execute(f"CREATE OR REPLACE VIEW {name} AS FROM read_parquet([{quoted}])")

    def define(self, name: str, select: str, *, as_written: bool = False) -> None:
        """Name the rows of a SELECT."""
        with self._working():
            self._connection.execute(f"SET disabled_optimizers = '{'join_order' if as_written else ''}'")
            self._connection.execute(f"CREATE OR REPLACE TABLE {name} AS {select}")

    def apply(self, name: str, groups: Groups, function: GroupFunction, columns: Mapping[str, str]) -> None:
        """Name the results of a function of each group.  Long texts must fit into memory to be sorted."""
        with self._working():
            typed = ", ".join(f"{column} {kind}" for column, kind in columns.items())
            self._connection.execute(f"CREATE OR REPLACE TABLE {name} ({typed})")
            with self._connection.cursor() as cursor:
                order = ", ".join((groups.by, *groups.order))
                rows: Any = cursor.sql(f"FROM ({groups.select}) ORDER BY {order}")
                self._connection.begin()
                batches = rows.to_arrow_reader(groups.batch_rows)
                found = apply_to_groups(function, groups.by, columns, batches)
                for rows_found in gathered(found, _ROWS_INSERTED):
                    self._connection.register("rows_found", rows_found)
                    self._connection.execute(f"INSERT INTO {name} FROM rows_found")
                    self._connection.unregister("rows_found")
                self._connection.commit()

    def rows(self, select: str) -> list[tuple[Any, ...]]:
        """Return the rows of a SELECT."""
        with self._working():
            return self._connection.execute(select).fetchall()

    def save(self, name: str, folder: str) -> None:
        """Write a named table as one Parquet file into a folder that is made."""
        location, parquet = locate(folder), load_pyarrow().parquet
        with self._working(), self._connection.cursor() as cursor:
            location.filesystem.create_dir(location.path, recursive=True)
            rows = cursor.sql(f"FROM {name}").to_arrow_reader(BATCH_ROWS)
            with parquet.ParquetWriter(
                location.join(_FILE), rows.schema, filesystem=location.filesystem, compression="zstd"
            ) as writer:
                for batch in rows:
                    writer.write_batch(batch)
