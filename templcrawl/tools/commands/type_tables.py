"""The tables of ``scrapy tables``: a table of each page type, a row a page, a column a value.

Pages are read three times: first to learn the page types of each site, then to choose the columns of a type
by a sample of its pages, then to write the rows.  Tables appear only when all of them are complete.

A table has the ``url`` of the page first, one of records that and the ``position`` of the record on its page.
Its name is that of the page type, that of records ``<type>.<name>``; behind the host where there are several.

Cost: linear in the pages.  Memory: the samples, some 50 KB a page of ``MOST_SAMPLED``; 150 bytes for the
type of each page; one page, for Parquet a row group of each table.
"""

from __future__ import annotations

import csv
import json
import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Any, NamedTuple

from templcrawl.algorithms.columns.cells import read_cells
from templcrawl.algorithms.columns.choice import MOST_CHARACTERS, MOST_PAGES, TypeSample
from templcrawl.algorithms.columns.values import TypeColumns
from templcrawl.files import whole_file, whole_folder
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.outputs.arrow import RowGroups, arrow_schema, load_pyarrow
from templcrawl.page.page import Page
from templcrawl.page.records import CrawlReader
from templcrawl.page.text import storable
from templcrawl.tools.commands.terminal import each_page

LEAST_PAGES = 8  # of a type that has a table
MOST_TYPES, MOST_SAMPLED = 200, 6_000  # types that have tables, the largest; pages of all their samples
MOST_SAMPLED_CHARACTERS = 800_000_000  # of all their samples
MOST_TABLES = 200  # each is an open file
CSV, JSON_LINES, PARQUET, SQLITE = "csv", "jsonl", "parquet", "sqlite"
FORMATS = (CSV, JSON_LINES, PARQUET, SQLITE)
FORMAT = 1  # of columns.json
_UNSAFE = re.compile(r"[^\w.\-]+")
_RESERVED = re.compile(
    r"(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)|sqlite_", re.IGNORECASE
)  # by Windows, SQLite
_LONGEST_NAME = 60  # characters of the name of a host, a type or records in that of a file: 255 bytes at most

Row = dict[str, Any]
Write = Callable[[Row], object]


class TypeTable(NamedTuple):
    """A table.

    type_name  the page type, behind its host
    rows       name of the records that are its rows; "": the pages are
    columns    those behind ``url`` and ``position``
    """

    name: str
    type_name: str
    rows: str
    columns: TypeColumns

    @property
    def fields(self) -> dict[str, str]:
        """Column -> type of its cells."""
        first = {"url": "string", "position": "int64"} if self.rows else {"url": "string"}
        return first | {one.name: "list<string>" if one.many else "string" for one in self.columns.columns}


class CrawlTables:
    """The page types of a finished crawl, and their columns.

    types    page type, behind its host -> pages
    columns  page type that has a table -> its columns
    example  page type that has a table -> the URL of a page
    left_out tables beyond the first ``MOST_TABLES``
    """

    def __init__(self) -> None:
        self._memory = CrawlMemory(sample_salt=0)
        self._leaves: dict[int, str] = {}
        self._type_of: dict[str, str] = {}
        self.types: Counter[str] = Counter()
        self.columns: dict[str, TypeColumns] = {}
        self.example: dict[str, str] = {}
        self.left_out = 0
        self.filled: Counter[tuple[str, str]] = Counter()

    def learn(self, page: Page) -> None:
        """Learn from a page."""
        self._leaves[page.key] = self._memory.observe(page).leaf_id

    def choose(self, reader: CrawlReader) -> None:
        """Choose the columns of each type."""
        for leaf in self._memory.page_types():
            self._type_of[leaf.leaf_id] = f"{leaf.host} {leaf.page_type}"
        keys: defaultdict[str, list[int]] = defaultdict(list)
        for key, leaf_id in self._leaves.items():
            keys[self._type_of.get(leaf_id, leaf_id)].append(key)
        self.types = Counter({name: len(members) for name, members in keys.items()})
        chosen = [name for name, pages in self.types.most_common(MOST_TYPES) if pages >= LEAST_PAGES]
        most = min(MOST_PAGES, MOST_SAMPLED // max(len(chosen), 1))
        characters = min(MOST_CHARACTERS, MOST_SAMPLED_CHARACTERS // max(len(chosen), 1))
        samples = {name: TypeSample(most, characters) for name in chosen}
        sampled = {key for name in chosen for key in sorted(keys[name])[:most]}

        def add(page: Page) -> None:
            if (key := page.key) in sampled:
                separation = self._memory.observe(page).separation
                name = self.type_of(page)
                samples[name].add(key, read_cells(page, separation.content_mask))
                self.example[name] = min(page.url, self.example.get(name, page.url))

        each_page(reader, add, "choosing columns, 2 of 3")
        self.columns = {name: sample.columns() for name, sample in samples.items()}

    def type_of(self, page: Page) -> str:
        """Return the type of a page that was learned from, behind its host."""
        leaf_id = self._leaves.get(page.key, "")
        return self._type_of.get(leaf_id, leaf_id)

    def tables(self) -> list[TypeTable]:
        """Return the tables, those of the largest types first, at most ``MOST_TABLES``."""
        hosts = {name.partition(" ")[0] for name in self.types}
        tables: list[TypeTable] = []
        for type_name, columns in sorted(
            self.columns.items(), key=lambda item: (-self.types[item[0]], item[0])
        ):
            host, _, name = type_name.partition(" ")
            name = _safe(name) or "pages"
            name = _free(f"{_safe(host)}.{name}" if len(hosts) > 1 else name, tables)
            if columns.columns:
                tables.append(TypeTable(name, type_name, "", columns))
            for rows, of_rows in columns.rows.items():
                tables.append(TypeTable(_free(f"{name}.{_safe(rows)}", tables), type_name, rows, of_rows))
        self.left_out = max(len(tables) - MOST_TABLES, 0)
        return tables[:MOST_TABLES]

    def write(self, reader: CrawlReader, tables: Sequence[TypeTable], writers: Mapping[str, Write]) -> None:
        """Write the rows of each page."""
        of_type: defaultdict[str, list[TypeTable]] = defaultdict(list)
        for table in tables:
            of_type[table.type_name].append(table)

        def write_page(page: Page) -> None:
            type_name = self.type_of(page)
            if type_name not in of_type:
                return
            columns = self.columns[type_name]
            cells = columns.read(page)
            records = columns.records(cells, page.base_url)
            for table in of_type[type_name]:
                found = records[table.rows] if table.rows else [columns.values(cells, page.base_url)]
                for position, values in enumerate(found, start=1):
                    row = dict.fromkeys(table.fields) | _storable(values) | {"url": storable(page.url)}
                    if table.rows:
                        row["position"] = position
                    self.filled.update((table.name, name) for name in ("url", *values))
                    writers[table.name](row)

        each_page(reader, write_page, "writing, 3 of 3")

    def described(self, tables: Sequence[TypeTable]) -> dict[str, Any]:
        """Return what ``columns.json`` says of the tables that were written."""
        return {"format": FORMAT, "tables": [self._described(table) for table in tables]}

    def _described(self, table: TypeTable) -> dict[str, Any]:
        rows = self.filled[table.name, "url"]
        columns = [
            {
                "name": column.name,
                "label": column.label,
                "kind": column.kind,
                "many": column.many,
                "last": column.last,
                "css": column.css,
                "xpath": column.xpath,
                "regex": column.regex,
                "attribute": column.attribute,
                "elements": column.elements,
                "fixed": column.fixed,
                "filled": self.filled[table.name, column.name],
                "share": self.filled[table.name, column.name] / max(rows, 1),
                "examples": column.examples,
            }
            for column in table.columns.columns
        ]
        host, _, page_type = table.type_name.partition(" ")
        return {
            "table": table.name,
            "host": host,
            "page_type": page_type,
            "pages": self.types[table.type_name],
            "example": self.example.get(table.type_name, ""),
            "records": " > ".join(table.columns.row.split("/")) or None,
            "records_xpath": table.columns.selected,
            "labels": table.columns.labels,
            "rows": rows,
            "columns_left_out": table.columns.dropped,
            "columns": columns,
        }


@contextmanager
def open_tables(
    output: str, form: str, tables: Sequence[TypeTable]
) -> Iterator[tuple[dict[str, Write], IO[bytes]]]:
    """Open the tables for writing: table -> what writes a row of it, and the file of ``columns.json``.

    output  a new folder; for SQLite a file
    They take their place as the context is left.  Raises MissingExtra, OSError, sqlite3.Error.
    """
    target = Path(output)
    if form == SQLITE:
        with (
            whole_file(target.with_suffix(".columns.json")) as about,
            whole_file(target) as file,
            closing(sqlite3.connect(file.name)) as database,
        ):
            database.execute("PRAGMA journal_mode = OFF")
            yield {table.name: _sqlite(database, table) for table in tables}, about
            database.commit()
        return
    with whole_folder(target) as folder, ExitStack() as stack:
        opened = {table.name: stack.enter_context(_OPENED[form](folder, table)) for table in tables}
        yield opened, stack.enter_context((folder / "columns.json").open("wb"))


@contextmanager
def _csv(folder: Path, table: TypeTable) -> Iterator[Write]:
    with (folder / f"{table.name}.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(table.fields))
        writer.writeheader()
        yield lambda row: writer.writerow({name: _flat(value) for name, value in row.items()})


@contextmanager
def _json_lines(folder: Path, table: TypeTable) -> Iterator[Write]:
    with (folder / f"{table.name}.jsonl").open("wb") as binary, TextIOWrapper(binary, "utf-8") as file:
        yield lambda row: file.write(json.dumps(row, ensure_ascii=False) + "\n")


@contextmanager
def _parquet(folder: Path, table: TypeTable) -> Iterator[Write]:
    schema = arrow_schema(table.fields)
    from_rows = load_pyarrow("writing Parquet").RecordBatch.from_pylist
    groups = RowGroups(folder / f"{table.name}.parquet", schema, partial(from_rows, schema=schema))
    try:
        yield lambda row: groups.append(row, sum(len(str(value)) for value in row.values()))
        groups.finish()
    finally:
        groups.close()


_OPENED = {CSV: _csv, JSON_LINES: _json_lines, PARQUET: _parquet}


def _sqlite(database: sqlite3.Connection, table: TypeTable) -> Write:
    names = [name.replace('"', '""') for name in (table.name, *table.fields)]
    columns = ", ".join(f'"{name}"' for name in names[1:])
    database.execute(f'CREATE TABLE "{names[0]}" ({columns})')
    insert = f'INSERT INTO "{names[0]}" VALUES ({", ".join("?" * len(table.fields))})'
    return lambda row: database.execute(insert, [_flat(value) for value in row.values()])


def _flat(value: Any) -> Any:
    """Return a value as a cell of CSV or SQLite: a list as JSON."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value


def _storable(values: Row) -> Row:
    return {
        name: list(map(storable, value)) if isinstance(value, list) else storable(value)
        for name, value in values.items()
    }


def _safe(name: str) -> str:
    """Return a name as a part of that of a file and of a table of SQLite."""
    name = _UNSAFE.sub("_", name)[:_LONGEST_NAME].strip("._-")
    return f"_{name}" if _RESERVED.match(name) else name


def _free(name: str, tables: Sequence[TypeTable]) -> str:
    taken = {table.name.lower() for table in tables}
    numbered = (f"{name}_{number}" for number in range(2, len(taken) + 3))
    return name if name.lower() not in taken else next(one for one in numbered if one.lower() not in taken)
