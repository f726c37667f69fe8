"""DuckDB: on this machine, in bounded memory; what does not fit goes to a temporary folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any

import numpy as np

from templcrawl.engines.parquet_folder import ParquetFolder
from templcrawl.engines.shape import Columns, EngineFailed
from templcrawl.errors import InvalidOption, MissingExtra

_OF_SPARK = """
    CREATE MACRO explode(entries) AS unnest(entries);
    CREATE MACRO size(entries) AS len(entries);
    CREATE MACRO xxhash64(entry) AS hash(entry);
"""
_AT_ONCE = 2**17


@contextmanager
def _telling() -> Iterator[None]:
    """Raise EngineFailed for what DuckDB, or writing for it, raises."""
    import duckdb

    try:
        yield
    except (duckdb.Error, OSError) as error:
        raise EngineFailed("duckdb", error) from error


class DuckDBEngine:
    """An :class:`~templcrawl.engines.shape.Engine`.

    memory  what DuckDB may use, as in "4GB"; None: four fifths of the machine's
    folder  where what does not fit is put for the time being; None: the system's temporary folder
    """

    name = "duckdb"

    def __init__(self, *, memory: str | None = None, folder: str | None = None) -> None:
        """Start.  Raises MissingExtra, InvalidOption."""
        try:
            import duckdb
        except ImportError as error:
            raise MissingExtra("the engine duckdb", "duckdb") from error
        self._folder = Path(mkdtemp(prefix="templcrawl-", dir=folder))
        config: dict[str, Any] = {"temp_directory": str(self._folder), "preserve_insertion_order": "false"}
        if memory is not None:
            config["memory_limit"] = memory
        try:
            self._connection = duckdb.connect(str(self._folder / "tables.duckdb"), config=config)
        except duckdb.Error as error:
            rmtree(self._folder, ignore_errors=True)
            raise InvalidOption("memory", memory, 'an amount such as "4GB"') from error
        self._connection.execute(_OF_SPARK)

    def __enter__(self) -> DuckDBEngine:
        return self

    def __exit__(self, *exception: object) -> None:
        self._connection.close()
        rmtree(self._folder, ignore_errors=True)

    @_telling()
    def read(self, name: str, files: Sequence[str]) -> None:
        """Name a table that lies in Parquet files."""
        if "://" in files[0]:
            from pyarrow import dataset, fs

            filesystem, _ = fs.FileSystem.from_uri(files[0])
            paths = [file.partition("://")[2] for file in files]
            self._connection.register(name, dataset.dataset(paths, filesystem=filesystem, format="parquet"))
        else:
            quoted = ", ".join("'" + file.replace("'", "''") + "'" for file in map(_unglobbed, files))
            self._connection.execute(f"CREATE OR REPLACE VIEW {name} AS FROM read_parquet([{quoted}])")

    @_telling()
    def define(self, name: str, select: str) -> None:
        """Name the rows of a SELECT."""
        self._connection.execute(f"CREATE OR REPLACE TABLE {name} AS {select}")

    @_telling()
    def apply(
        self, name: str, source: str, by: str, function: Callable[[Columns], Columns], columns: Sequence[str]
    ) -> None:
        """Name what a function makes of each group; one group at a time is in memory."""
        typed = ", ".join(f"{column} BIGINT" for column in columns)
        self._connection.execute(f"CREATE OR REPLACE TABLE {name} ({typed})")
        self._connection.begin()
        for group in self._groups(source, by):
            self._insert(name, function(group), columns)
        self._connection.commit()

    def _insert(self, name: str, found: Mapping[str, Any], columns: Sequence[str]) -> None:
        import pyarrow as pa

        batch = pa.table({column: found[column] for column in columns})
        self._connection.register("batch", batch)
        self._connection.execute(f"INSERT INTO {name} SELECT {', '.join(columns)} FROM batch")
        self._connection.unregister("batch")

    def _groups(self, source: str, by: str) -> Iterator[dict[str, Any]]:
        """Yield the columns of each group."""
        with self._connection.cursor() as cursor:
            reader: Any = cursor.sql(f"FROM {source} ORDER BY {by}").to_arrow_reader(_AT_ONCE)
            waiting: list[dict[str, Any]] = []
            for batch in reader:
                piece = {
                    column: batch[column].to_numpy(zero_copy_only=False) for column in batch.schema.names
                }
                edges = [0, *(np.flatnonzero(np.diff(piece[by])) + 1).tolist(), len(piece[by])]
                for start, stop in pairwise(edges):
                    cut = {column: values[start:stop] for column, values in piece.items()}
                    if waiting and waiting[0][by][0] != cut[by][0]:
                        yield _joined(waiting)
                        waiting = []
                    waiting.append(cut)
            if waiting:
                yield _joined(waiting)

    @_telling()
    def rows(self, select: str) -> list[tuple[Any, ...]]:
        """Return the rows of a SELECT."""
        return self._connection.execute(select).fetchall()

    @_telling()
    def save(self, name: str, folder: str) -> None:
        """Write a named table as one Parquet file."""
        reader = self._connection.sql(f"FROM {name}").to_arrow_reader(_AT_ONCE)
        ParquetFolder(folder).replace(reader)


def _joined(pieces: list[dict[str, Any]]) -> dict[str, Any]:
    return {column: np.concatenate([piece[column] for piece in pieces]) for column in pieces[0]}


def _unglobbed(path: str) -> str:
    """Return a path in which DuckDB sees no pattern."""
    return "".join(f"[{character}]" if character in "*?[" else character for character in path)
