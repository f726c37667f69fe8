"""The files of tables: a folder of CSV, JSON lines or Parquet files, or one SQLite database.

A cell of CSV that a spreadsheet would take for a formula (``=HYPERLINK(...)``) has a ``'`` before it,
unless that is not wanted. A list is JSON in CSV and SQLite. The tables take their place when all are
complete, and with them ``columns.json``, which describes them; for a database it is ``NAME.columns.json``.
A failure leaves what was before.

Memory: one row, for Parquet a row group of each table.
"""

from __future__ import annotations

import csv
import json
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from functools import cache, partial
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Any

from templcrawl.files import whole_file, whole_folder
from templcrawl.outputs.arrow import RowGroups

CSV, JSON_LINES, PARQUET, SQLITE = "csv", "jsonl", "parquet", "sqlite"
FORMATS = (CSV, JSON_LINES, PARQUET, SQLITE)
SQLITE_ENDINGS = (".sqlite", ".sqlite3", ".db")
DESCRIPTION = "columns.json"
_FORMULA = frozenset("=+-@\t\r")
_NUMBER = re.compile(r"[+-][\d.,'()/\s-]*%?").fullmatch

Row = dict[str, Any]
Fields = Mapping[str, str]  # column -> name of its type (templcrawl.outputs.arrow)
Write = Callable[[Row], object]


@contextmanager
def open_tables(
    target: Path, form: str, tables: Mapping[str, Fields], *, is_guarded: bool = True
) -> Iterator[tuple[dict[str, Write], IO[bytes]]]:
    """Open tables for writing: table -> what writes a row of it, and the file of their description.

    A table without rows has no file.

    target      a free or empty folder; for SQLite a file
    is_guarded  whether cells of CSV are not formulas
    They take their place as the context is left.  Raises MissingExtra, OSError, sqlite3.Error.
    """
    if form == SQLITE:
        with (
            whole_file(target.with_suffix(f".{DESCRIPTION}")) as about,
            whole_file(target) as file,
            closing(sqlite3.connect(file.name)) as database,
        ):
            database.execute("PRAGMA journal_mode = OFF")
            yield _writers(tables, lambda name: _sqlite(database, name, tables[name])), about
            database.commit()
            about.flush()  # a full disk is found before the tables take their place
        return
    with whole_folder(target) as folder, ExitStack() as stack:
        openers: Mapping[str, Callable[..., Any]] = {
            CSV: partial(_csv, is_guarded=is_guarded),
            JSON_LINES: _json_lines,
            PARQUET: _parquet,
        }
        writers = _writers(
            tables,
            lambda name: stack.enter_context(openers[form](folder / f"{name}.{form}", tables[name])),
        )
        yield writers, stack.enter_context((folder / DESCRIPTION).open("wb"))


def _writers(names: Iterable[str], make: Callable[[str], Write]) -> dict[str, Write]:
    """Return table -> what writes a row of it; a table is made with its first row."""
    made = cache(make)

    def write(name: str, row: Row) -> None:
        made(name)(row)

    return {name: partial(write, name) for name in names}


@contextmanager
def _csv(path: Path, fields: Fields, *, is_guarded: bool) -> Iterator[Write]:
    say = guarded if is_guarded else _as_is
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(map(say, fields))
        yield lambda row: writer.writerow([say(_flat(row[name])) for name in fields])


def guarded(cell: Any) -> Any:
    """Return a cell escaped against being read as a formula by a spreadsheet; numbers stay.

    >>> guarded("=1+1"), guarded("@x"), guarded("-4.5 %"), guarded("+49 30 1234"), guarded("tea")
    ("'=1+1", "'@x", '-4.5 %', '+49 30 1234', 'tea')
    """
    is_formula = isinstance(cell, str) and cell[:1] in _FORMULA and not _NUMBER(cell)
    return f"'{cell}" if is_formula else cell


def _as_is(cell: Any) -> Any:
    return cell


@contextmanager
def _json_lines(path: Path, fields: Fields) -> Iterator[Write]:
    with path.open("wb") as binary, TextIOWrapper(binary, "utf-8") as file:
        yield lambda row: file.write(json.dumps(row, ensure_ascii=False) + "\n")


@contextmanager
def _parquet(path: Path, fields: Fields) -> Iterator[Write]:
    with RowGroups(path, fields) as groups:
        yield groups.append


def _sqlite(database: sqlite3.Connection, table: str, fields: Fields) -> Write:
    name, *columns = (f'"{name.replace(chr(34), chr(34) * 2)}"' for name in (table, *fields))
    database.execute(f"CREATE TABLE {name} ({', '.join(columns)})")
    insert = f"INSERT INTO {name} VALUES ({', '.join('?' * len(fields))})"
    return lambda row: database.execute(insert, [_flat(value) for value in row.values()])


def _flat(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value
