"""Write the tables of a finished crawl: a table for each page type, a row a page, a column a value.

Pages are read three times: twice to choose the columns of each type
(:mod:`templcrawl.outputs.sampled_types`), then to write the rows (:mod:`templcrawl.outputs.table_files`).

A table has the ``url`` of the page first, one of records that and the ``position`` of the record on its page.
Its name says what its pages are about (:mod:`templcrawl.outputs.table_names`), behind the host where there
are several.

Cost: linear in the pages; 16 pages of each type are parsed by parsel, too.  Memory: the samples; one page.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, NamedTuple
from zlib import decompress

from templcrawl.algorithms.columns.choice import RESERVED
from templcrawl.algorithms.columns.names import free_name
from templcrawl.algorithms.columns.reading import PageUnits
from templcrawl.algorithms.columns.values import TypeColumns
from templcrawl.errors import pluralize
from templcrawl.outputs.parsed_values import PARSED, Parsing, load_parsers, parsing_of
from templcrawl.outputs.proposed_xpaths import Selection
from templcrawl.outputs.sampled_types import MIN_PAGES, EachPage, SampledTypes
from templcrawl.outputs.selectors import selections
from templcrawl.outputs.table_files import Row, Write, open_tables
from templcrawl.outputs.table_names import records_name, safe, table_name
from templcrawl.outputs.tried_pages import TriedPage
from templcrawl.page.page import Page
from templcrawl.page.text import storable

MAX_TABLES = 200  # each is an open file
MAX_PARSED = 500  # columns, of which values are parsed
FORMAT = 1  # of columns.json
Selections = dict[str, tuple[str, dict[str, Selection]]]  # name of records -> their XPath, and the columns'
_DESCRIBED = "name label declared kind many last joined shown attribute".split()  # of a column


class TypeTable(NamedTuple):
    """A table.

    type_name  the page type, behind its host
    rows       name of the records that are its rows; "": the pages are
    columns    those behind ``url`` and ``position``
    parsed     column -> how its values are parsed, and names of the columns of what they have
    """

    name: str
    type_name: str
    rows: str
    columns: TypeColumns
    parsed: Mapping[str, tuple[Parsing, Sequence[str]]]

    @property
    def fields(self) -> dict[str, str]:
        """Column -> type of its cells; what is parsed of a column stands behind it."""
        fields = {"url": "string", "position": "int64"} if self.rows else {"url": "string"}
        for column in self.columns.columns:
            kinds = {column.name: "string"}
            if column.name in self.parsed:
                parsing, names = self.parsed[column.name]
                kinds |= zip(names, parsing.parts.values())
            fields |= {name: f"list<{kind}>" if column.many else kind for name, kind in kinds.items()}
        return fields

    def parse(self, values: Row) -> Row:
        """Return the parsed values of a row."""
        row: Row = {}
        for column, (parsing, names) in self.parsed.items():
            value = values.get(column)
            if isinstance(value, list):
                row |= zip(names, map(list, zip(*map(parsing.parse, value))))
            elif value is not None:
                row |= zip(names, parsing.parse(value))
        return row


class CrawlTables:
    """The page types of a finished crawl, and their tables.

    types    page type, behind its host -> pages
    cut      pages of which the rest is unread, since they are too large
    columns  page type that has a table -> its columns
    tables   those of the largest types first, at most ``MAX_TABLES``
    left_out how many tables there are beyond these, and types beyond the ``MAX_TYPES`` largest
    filled   (table, column) -> rows that fill it, of the tables that were written
    """

    def __init__(
        self, each_page: EachPage, *, parses: bool = False, declares: bool = True, whole: bool = False
    ) -> None:
        """Read the pages twice: learn their types, and choose the columns.  Raises MissingExtra.

        parses    whether values are parsed, too (:mod:`templcrawl.outputs.parsed_values`)
        declares  whether what pages declare has columns, too
        whole     whether tables have all columns, not only the best
        """
        if parses:
            load_parsers()
        self._each_page, self._parses, self._declares, self._parsings = each_page, parses, declares, 0
        self._sampled = SampledTypes(each_page, declares=declares)
        self.types, self.cut = self._sampled.types, self._sampled.cut
        chosen = self._sampled.columns
        self.columns = chosen if whole else {name: _best(columns) for name, columns in chosen.items()}
        self.filled: Counter[tuple[str, str]] = Counter()
        self._to_try: set[int] = set()  # keys of pages
        tables = list(self._tables())
        self._sampled.samples.clear()
        self.tables = tables[:MAX_TABLES]
        large = len(self.types) - self.small
        self.left_out = len(tables) - len(self.tables) + large - len(self.columns)

    def _tables(self) -> Iterator[TypeTable]:
        """Yield all tables, those of the largest types first."""
        hosts = {name.partition(" ")[0] for name in self.types}
        taken: defaultdict[str, set[str]] = defaultdict(set)  # host -> names of its tables
        for type_name in self._sampled.ordered(self.columns):
            sample, columns = self._sampled.sample(type_name), self.columns[type_name]
            host = safe(type_name.partition(" ")[0]) if len(hosts) > 1 else ""
            kinds = [page.declared.kind for page in sample]
            addresses = self._sampled.addresses[type_name]
            name = table_name(addresses, kinds, next(iter(columns.rows), ""), taken[host])
            found = [_rows_of(columns, read, "") for read in sample]
            values = _sampled_values(found) if self._parses else {}
            self._to_try |= self._sampled.more_to_try(type_name, [*map(_filled_by, found)])
            whole_pages = {"": columns} if columns.columns else {}
            taken[host].add(name)  # that of a table is the same with all of its columns
            for rows, row_columns in {**whole_pages, **columns.rows}.items():
                own = records_name(rows, name, taken[host]) if rows else name
                taken[host].add(own)
                whole = f"{host}.{own}" if host else own
                parsed = self._parsed(row_columns, values.get(rows, {}))
                yield TypeTable(whole, type_name, rows, row_columns, parsed)

    def _parsed(
        self, columns: TypeColumns, sampled: Mapping[str, Sequence[str]]
    ) -> dict[str, tuple[Parsing, list[str]]]:
        """Return the parsing of columns, and the names of the parsed columns.

        sampled  column -> some of its values
        """
        taken = {*RESERVED, *(column.name for column in columns.columns)}
        parsed = {}
        for column in columns.columns:
            if column.kind not in PARSED or column.name not in sampled or self._parsings == MAX_PARSED:
                continue
            self._parsings += 1
            if parsing := parsing_of(column.kind, sampled[column.name]):
                names = [free_name(f"{column.name}_{part}", "", taken) for part in parsing.parts]
                taken.update(names)
                parsed[column.name] = parsing, names
        return parsed

    @property
    def small(self) -> int:
        """How many types have too few pages for a table."""
        return sum(1 for pages in self.types.values() if pages < MIN_PAGES)

    def why_none(self) -> str:
        """Return why there are no tables, and what to do."""
        if not self.types:
            return "no tables: there are no pages"
        if not self.columns:
            types, most = pluralize(len(self.types), "page type"), max(self.types.values())
            return (
                f"no tables: none of {types} has {MIN_PAGES} pages, the largest has {most}; "
                "read more pages of a site"
            )
        return f"no tables: nothing differs among the pages of a type that has {MIN_PAGES} pages"

    def write(self, target: Path, form: str, *, is_guarded: bool = True) -> None:
        """Read the pages a third time, and write the tables (:func:`open_tables`)."""
        tables_of: defaultdict[str, list[TypeTable]] = defaultdict(list)
        for table in self.tables:
            tables_of[table.type_name].append(table)
        fields = {table.name: table.fields for table in self.tables}
        with open_tables(target, form, fields, is_guarded=is_guarded) as (writers, about):

            def write_page(page: Page) -> None:
                if tables := tables_of.get(self._sampled.type_of.get(page.key, "")):
                    self._write_page(page, tables, writers)

            self._each_page(write_page, "writing, 3 of 3")
            self.tables = [table for table in self.tables if self.filled[table.name, "url"]]
            text = json.dumps(self.description(), indent=1, ensure_ascii=False)
            about.write(f"{text}\n".encode("utf-8", "replace"))

    def _write_page(self, page: Page, tables: Sequence[TypeTable], writers: Mapping[str, Write]) -> None:
        """Write the rows of a page, whose type has these tables."""
        columns = self.columns[tables[0].type_name]
        read, base = columns.read(page, declares=self._declares), page.base_url
        found = _rows_of(columns, read, base)
        if page.key in self._to_try:
            self._sampled.keep_to_try(page)
        for table in tables:
            for position, values in enumerate(found[table.rows], start=1):
                row = dict.fromkeys(table.fields) | values | table.parse(values) | {"url": storable(page.url)}
                if table.rows:
                    row["position"] = position
                self.filled.update((table.name, name) for name, value in row.items() if _is_filled(value))
                writers[table.name](row)

    def _selections(self, type_name: str) -> Selections:
        """Return name of records, "" of pages -> the XPath of the records, and what selects the columns."""
        columns = self.columns[type_name]
        found: defaultdict[str, list[tuple[TriedPage, Sequence[Row]]]] = defaultdict(list)
        for _, (url, packed) in sorted(self._sampled.tried[type_name].items()):
            text = decompress(packed).decode()
            page = Page.from_html(text, url=url)
            read, base = columns.read(page, declares=self._declares), page.base_url
            tried = TriedPage(text, base)
            for rows, lines in _rows_of(columns, read, base).items():
                found[rows].append((tried, lines))
        every = {"": columns, **columns.rows}
        return {rows: selections(each.columns, each.row, found[rows]) for rows, each in every.items()}

    def description(self) -> dict[str, Any]:
        """Return the content of ``columns.json`` for the tables."""
        types = dict.fromkeys(table.type_name for table in self.tables)
        found = {name: self._selections(name) for name in types}
        return {
            "format": FORMAT,
            "tables": [self._described(table, found[table.type_name]) for table in self.tables],
        }

    def _described(self, table: TypeTable, selected: Selections) -> dict[str, Any]:
        rows = self.filled[table.name, "url"]
        records_xpath, found = selected[table.rows]
        columns = [
            {
                **{name: getattr(column, name) for name in _DESCRIBED},
                **asdict(found[column.name]),
                "filled": self.filled[table.name, column.name],
                "share": self.filled[table.name, column.name] / max(rows, 1),
                "examples": column.examples,
            }
            for column in table.columns.columns
        ]
        parsed = [
            {"name": name, "column": column, "part": part, "filled": self.filled[table.name, name]}
            for column, (parsing, names) in table.parsed.items()
            for part, name in zip(parsing.parts, names)
        ]
        host, _, page_type = table.type_name.partition(" ")
        return {
            "table": table.name,
            "host": host,
            "page_type": page_type,
            "rows_name": table.rows,
            "pages": self.types[table.type_name],
            "example": min(self._sampled.addresses[table.type_name], default=""),
            "records": " > ".join(table.columns.row.split("/")) or None,
            "records_xpath": records_xpath,
            "rows": rows,
            "columns_left_out": table.columns.dropped,
            "columns": columns,
            **({"parsed": parsed} if self._parses else {}),
        }


def _rows_of(columns: TypeColumns, read: PageUnits, base: str) -> dict[str, Sequence[Row]]:
    """Return name of records, "" of pages -> the rows that a page has."""
    return {"": [columns.values(read, base)], **columns.records(read, base)}


def _sampled_values(found: Sequence[Mapping[str, Sequence[Row]]]) -> dict[str, dict[str, list[str]]]:
    """Return the values of a sample: name of records, "" of pages -> column -> its values."""
    values: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for of_page in found:
        for rows, lines in of_page.items():
            for name, value in (item for row in lines for item in row.items()):
                values[rows][name] += value if isinstance(value, list) else [value]
    return {rows: dict(by_column) for rows, by_column in values.items()}


def _filled_by(found: Mapping[str, Sequence[Row]]) -> set[Hashable]:
    """Return the columns that the rows of a page fill, each with the name of its records."""
    return {(rows, name) for rows, lines in found.items() for row in lines for name in row}


def _best(columns: TypeColumns) -> TypeColumns:
    """Return the columns of a type, and of its records, without those that are not shown by default."""
    shown = tuple(column for column in columns.columns if column.shown)
    return replace(columns, columns=shown, rows={name: _best(rows) for name, rows in columns.rows.items()})


def _is_filled(value: Any) -> bool:
    """Return whether a cell has a value."""
    return any(map(_is_filled, value)) if isinstance(value, list) else value is not None
