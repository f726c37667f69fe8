"""The files of tables: a folder of CSV, JSON lines or Parquet files, or one SQLite database.

They take their place when all are complete, and with them ``columns.json``, which describes the tables; for a
database it is ``NAME.columns.json``.  A failure leaves what was before.  A list is JSON in CSV and SQLite.

Memory: one row, for Parquet a row group of each table.
"""

from __future__ import annotations

import csv
import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Any

from templcrawl.files import whole_file, whole_folder
from templcrawl.outputs.arrow import RowGroups

CSV, JSON_LINES, PARQUET, SQLITE = "csv", "jsonl", "parquet", "sqlite"
FORMATS = (CSV, JSON_LINES, PARQUET, SQLITE)
SQLITE_ENDINGS = (".sqlite", ".sqlite3", ".db")
DESCRIPTION = "columns.json"

Row = dict[str, Any]
Fields = Mapping[str, str]  # column -> name of its type (templcrawl.outputs.arrow)
Write = Callable[[Row], object]


@contextmanager
def open_tables(
    target: Path, form: str, tables: Mapping[str, Fields]
) -> Iterator[tuple[dict[str, Write], IO[bytes]]]:
    """Open tables for writing: table -> what writes a row of it, and the file of their description.

    target  a free or empty folder; for SQLite a file
    They take their place as the context is left.  Raises MissingExtra, OSError, sqlite3.Error.
    """
    if form == SQLITE:
        with (
            whole_file(target.with_suffix(f".{DESCRIPTION}")) as about,
            whole_file(target) as file,
            closing(sqlite3.connect(file.name)) as database,
        ):
            database.execute("PRAGMA journal_mode = OFF")
            yield {name: _sqlite(database, name, fields) for name, fields in tables.items()}, about
            database.commit()
            about.flush()  # a full disk is found before the tables take their place
        return
    with whole_folder(target) as folder, ExitStack() as stack:
        opened = {
            name: stack.enter_context(_OPENED[form](folder / f"{name}.{form}", fields))
            for name, fields in tables.items()
        }
        yield opened, stack.enter_context((folder / DESCRIPTION).open("wb"))


@contextmanager
def _csv(path: Path, fields: Fields) -> Iterator[Write]:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(fields))
        writer.writeheader()
        yield lambda row: writer.writerow({name: _flat(value) for name, value in row.items()})


@contextmanager
def _json_lines(path: Path, fields: Fields) -> Iterator[Write]:
    with path.open("wb") as binary, TextIOWrapper(binary, "utf-8") as file:
        yield lambda row: file.write(json.dumps(row, ensure_ascii=False) + "\n")


@contextmanager
def _parquet(path: Path, fields: Fields) -> Iterator[Write]:
    with RowGroups(path, fields) as groups:
        yield groups.append


_OPENED = {CSV: _csv, JSON_LINES: _json_lines, PARQUET: _parquet}


def _sqlite(database: sqlite3.Connection, table: str, fields: Fields) -> Write:
    name, *columns = (f'"{name.replace(chr(34), chr(34) * 2)}"' for name in (table, *fields))
    database.execute(f"CREATE TABLE {name} ({', '.join(columns)})")
    insert = f"INSERT INTO {name} VALUES ({', '.join('?' * len(fields))})"
    return lambda row: database.execute(insert, [_flat(value) for value in row.values()])


def _flat(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value
