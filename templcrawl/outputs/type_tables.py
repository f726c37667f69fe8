"""Write the tables of a finished crawl: a table for each page type, and for each kind of records.

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
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

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
from templcrawl.outputs.tried_pages import TriedPage, parse
from templcrawl.page.page import Page
from templcrawl.page.text import storable

MAX_TABLES = 200  # each is an open file
MAX_PARSED = 500  # columns, of which values are parsed
FORMAT = 3  # of columns.json
Selections = dict[str, tuple[str, dict[str, Selection]]]  # table -> XPath of records, and the columns'
_DESCRIBED = "name label declared kind many last joined shown attribute".split()  # of a column


class TypeTable(NamedTuple):
    """A table.

    rows_of  page type, behind its host -> name of the records that are the rows; "": the pages are
    columns  those behind ``url`` and ``position``
    parsed   column -> how its values are parsed, and names of the columns of what they have
    """

    name: str
    rows_of: Mapping[str, str]
    columns: TypeColumns
    parsed: Mapping[str, tuple[Parsing, Sequence[str]]]

    @property
    def of_records(self) -> bool:
        """Whether the rows are records of pages."""
        return any(self.rows_of.values())

    @property
    def fields(self) -> dict[str, str]:
        """Column -> type of its cells; what is parsed of a column stands behind it."""
        fields = {"url": "string", "position": "int64"} if self.of_records else {"url": "string"}
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
        names, taken = self._names()
        for type_name in self._sampled.ordered(self.columns):
            columns, (host, name) = self.columns[type_name], names[type_name]
            found = self._found(type_name)
            self._to_try |= self._sampled.more_to_try(type_name, [*map(_filled_by, found)])
            whole_pages = {"": columns} if columns.columns else {}
            for rows, row_columns in {**whole_pages, **columns.rows}.items():
                rows_of = self._sampled.records.get((type_name, rows)) if rows else {type_name: ""}
                if rows_of is None:  # of a larger type
                    continue
                own = records_name(rows, name, taken[host], is_of_several=len(rows_of) > 1) if rows else name
                taken[host].add(own)
                values: defaultdict[str, list[str]] = defaultdict(list)
                for other, other_rows in rows_of.items() if self._parses else ():
                    _add_values(found if other == type_name else self._found(other), other_rows, values)
                whole = f"{host}.{own}" if host else own
                yield TypeTable(whole, rows_of, row_columns, self._parsed(row_columns, values))

    def _names(self) -> tuple[dict[str, tuple[str, str]], dict[str, set[str]]]:
        """Return type -> its host, "" of one alone, and the name of its table; and host -> these names."""
        hosts = {name.partition(" ")[0] for name in self.types}
        names, taken = dict[str, tuple[str, str]](), defaultdict[str, set[str]](set)
        for type_name in self._sampled.ordered(self.columns):
            host = safe(type_name.partition(" ")[0]) if len(hosts) > 1 else ""
            kinds = self._sampled.kinds(type_name)
            addresses, records = self._sampled.addresses[type_name], self.columns[type_name].rows
            names[type_name] = host, table_name(addresses, kinds, next(iter(records), ""), taken[host])
            taken[host].add(names[type_name][1])  # that of a table is the same with all of its columns
        return names, taken

    def _found(self, type_name: str) -> list[dict[str, Sequence[Row]]]:
        """Return the rows that each page of a sample has."""
        columns = self.columns[type_name]
        return [_rows_of(columns, read, "") for read in self._sampled.sample(type_name)]

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
            for type_name in table.rows_of:
                tables_of[type_name].append(table)
        fields = {table.name: table.fields for table in self.tables}
        with open_tables(target, form, fields, is_guarded=is_guarded) as (writers, about):

            def write_page(page: Page) -> None:
                type_name = self._sampled.table_type(page)
                if tables := tables_of.get(type_name):
                    self._write_page(page, type_name, tables, writers)

            self._each_page(write_page, "writing, 3 of 3")
            self.tables = [table for table in self.tables if self.filled[table.name, "url"]]
            text = json.dumps(self.description(), indent=1, ensure_ascii=False)
            about.write(f"{text}\n".encode("utf-8", "replace"))

    def _write_page(
        self, page: Page, type_name: str, tables: Sequence[TypeTable], writers: Mapping[str, Write]
    ) -> None:
        """Write the rows of a page, whose type has these tables."""
        columns = self.columns[type_name]
        read, base = columns.read(page, declares=self._declares), page.base_url
        found = _rows_of(columns, read, base)
        if page.key in self._to_try:
            self._sampled.keep_to_try(page)
        for table in tables:
            for position, values in enumerate(found[table.rows_of[type_name]], start=1):
                row = dict.fromkeys(table.fields) | values | table.parse(values) | {"url": storable(page.url)}
                if table.of_records:
                    row["position"] = position
                self.filled.update((table.name, name) for name, value in row.items() if _is_filled(value))
                writers[table.name](row)

    def _selections(self, tables: Sequence[TypeTable]) -> Selections:
        """Return what selects the columns of tables of the same page types."""
        found: defaultdict[str, list[tuple[TriedPage, Sequence[Row]]]] = defaultdict(list)
        for type_name, url, text in self._sampled.tried_of(tables[0].rows_of):
            columns, page = self.columns[type_name], Page.from_html(text, url=url)
            read, base = columns.read(page, declares=self._declares), page.base_url
            tried, rows = parse(text, base), _rows_of(columns, read, base)
            for table in tables:
                found[table.name].append((tried, rows[table.rows_of[type_name]]))
        return {
            table.name: selections(table.columns.columns, self._places(table), found[table.name])
            for table in tables
        }

    def _places(self, table: TypeTable) -> list[str]:
        """Return the places of the records of a table."""
        several = (self.columns[name].rows[rows].places for name, rows in table.rows_of.items() if rows)
        return list(dict.fromkeys(chain.from_iterable(several)))

    def description(self) -> dict[str, Any]:
        """Return the content of ``columns.json`` for the tables."""
        alike: defaultdict[tuple[str, ...], list[TypeTable]] = defaultdict(list)
        for table in self.tables:
            alike[tuple(table.rows_of)].append(table)
        found: Selections = {}
        for tables in alike.values():
            found |= self._selections(tables)
        return {
            "format": FORMAT,
            "tables": [self._described(table, *found[table.name]) for table in self.tables],
        }

    def _described(
        self, table: TypeTable, records_xpath: str, found: Mapping[str, Selection]
    ) -> dict[str, Any]:
        rows = self.filled[table.name, "url"]
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
        types = list(table.rows_of)
        addresses = chain.from_iterable(self._sampled.addresses[name] for name in types)
        return {
            "table": table.name,
            "host": types[0].partition(" ")[0],
            "page_types": [name.partition(" ")[2] for name in types],
            "rows_name": table.rows_of[types[0]],
            "pages": sum(self.types[name] for name in types),
            "example": min(addresses, default=""),
            "records": ", ".join(place.replace("/", " > ") for place in self._places(table)) or None,
            "records_xpath": records_xpath,
            "rows": rows,
            "columns_left_out": table.columns.dropped,
            "columns": columns,
            **({"parsed": parsed} if self._parses else {}),
        }


def _rows_of(columns: TypeColumns, read: PageUnits, base: str) -> dict[str, Sequence[Row]]:
    """Return name of records, "" of pages -> the rows that a page has."""
    return {"": [columns.values(read, base)], **columns.records(read, base)}


def _add_values(
    found: Sequence[Mapping[str, Sequence[Row]]], rows: str, values: defaultdict[str, list[str]]
) -> None:
    """Add the values of a sample: column -> its values.

    rows  name of the records that have them
    """
    for name, value in (item for of_page in found for row in of_page[rows] for item in row.items()):
        values[name] += value if isinstance(value, list) else [value]


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
