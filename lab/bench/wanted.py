"""How much of what a person would ask for do the tables of page types hold, by XPaths of saved sites?

The tables are those of ``scrapy tables``.  Of a field (:mod:`lab.bench.wanted_fields`) the column counts
that has its value on the most pages; a record table may have it, too, in its first rows.  Of records the
table counts that has the most values, with the best column of each.

share  pages, or records, whose value the column has
F1     2 right cells by the cells of the gold and those that the column fills on its pages
whole  records of which one row has all

A field counts that eight pages have, with two values.  A site is held out if the hash of its name says so:
who changes the columns does not look at it.
Cost: three seconds for 100 pages.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from parsel import Selector

from lab.bench.options import asked_sites, new_parser
from lab.bench.saved_sites import SavedSite
from lab.bench.site_tables import add_tables, is_held_out, tables_of
from lab.bench.tables import report, table_of
from lab.bench.wanted_fields import LISTS, Wanted, read_wanted
from lab.bench.wanted_values import Cell, Value, cell_of, count_of, values_on, whole_rows
from templcrawl.outputs.table_files import JSON_LINES

MIN_PAGES, MIN_VALUES, GOOD = 8, 2, 0.95
BESIDE = ("url", "position")  # of the columns of a table
NO_CELL = cell_of(None)
SETS: Mapping[str, Sequence[Wanted]] = read_wanted(LISTS.read_text(encoding="utf-8"))
WHOLE = "whole records"

Gold = Mapping[str, Sequence[Mapping[str, Value]]]  # page -> its records, or itself -> field -> value
Rows = Mapping[str, Sequence[Mapping[str, Cell]]]  # page -> rows -> column -> cell


class Found(NamedTuple):
    """How well a field is found.

    of     pages, or records, that have it
    where  the best column, behind its table; "" where none has a value of it
    """

    what: str
    site: str
    field: str
    of: int
    share: float
    f1: float
    where: str


def read_tables(folder: Path) -> dict[str, Rows]:
    """Return the tables of a site, by the URL of their pages."""
    tables: dict[str, Rows] = {}
    for file in sorted(folder.glob(f"*.{JSON_LINES}")):
        rows: defaultdict[str, list[Mapping[str, Cell]]] = defaultdict(list)
        with file.open(encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                cells = {name: cell_of(content) for name, content in row.items()}
                rows[row["url"]].append({name: cell for name, cell in cells.items() if name not in BESIDE})
        tables[file.stem] = rows
    return tables


def read_gold(site: SavedSite, wanted: Wanted) -> Gold:
    """Return what is wanted of the pages of a site."""
    gold = {}
    for path in site.files.values():
        if re.match(wanted.paths, path):
            page = site.page(path).page
            found = values_on(Selector(page.text or "<p>", type="html"), wanted, page.base_url)
            if found:
                gold[page.url] = found
    return gold


def counted_fields(gold: Gold) -> Iterator[tuple[str, int]]:
    """Yield the fields that count, and how many pages or records have each."""
    pages: Counter[str] = Counter()
    values: defaultdict[str, set[frozenset[str]]] = defaultdict(set)
    times: Counter[str] = Counter()
    for records in gold.values():
        pages.update({name for record in records for name in record})
        for record in records:
            times.update(list(record))
            for name, value in record.items():
                values[name].add(value.texts)
    for name in times:
        if pages[name] >= MIN_PAGES and len(values[name]) >= MIN_VALUES:
            yield name, times[name]


def fields_found(what: str, wanted: Wanted, gold: Gold, tables: Mapping[str, Rows]) -> Iterator[Found]:
    """Yield how well each field of pages is found: by the best column of all tables."""
    firsts: defaultdict[str, dict[str, Cell]] = defaultdict(dict)  # column -> page -> cell
    for table, rows in tables.items():
        for page in rows.keys() & gold.keys():
            for name, cell in rows[page][0].items():
                if cell.whole:
                    firsts[f"{table}: {name}"][page] = cell
    for field, of in counted_fields(gold):
        values = {page: found[0][field] for page, found in gold.items() if field in found[0]}
        best = max(
            (
                (sum(cells[page].has(values[page]) for page in cells.keys() & values.keys()), column)
                for column, cells in firsts.items()
            ),
            default=(0, ""),
        )
        right, column = best if best[0] else (0, "")
        filled = len(firsts[column].keys() & values.keys()) if column else 0
        yield Found(what, wanted.site, field, of, right / of, 2 * right / (of + filled), column)


def records_found(what: str, wanted: Wanted, gold: Gold, tables: Mapping[str, Rows]) -> Iterator[Found]:
    """Yield how well each field of records is found, by the best table; last how many are whole."""
    of = dict(counted_fields(gold))
    if not of:
        return
    scored = ((_best_columns(gold, rows, of), table) for table, rows in tables.items())
    none: dict[str, tuple[int, str]] = dict.fromkeys(of, (0, ""))
    best, table = max(
        scored,
        key=lambda one: sum(right / of[name] for name, (right, _) in one[0].items()),
        default=(none, ""),
    )
    rows = tables.get(table, {})
    for field, (right, column) in best.items():
        filled = sum(bool(row.get(column, NO_CELL).whole) for page in gold for row in rows.get(page, ()))
        f1 = 2 * right / (of[field] + filled)
        where = f"{table}: {column}" if column else ""
        yield Found(what, wanted.site, field, of[field], right / of[field], f1, where)
    records, whole, told = 0, 0, 0
    for page, found in gold.items():
        here = [
            {field: row.get(column, NO_CELL) for field, (_, column) in best.items()}
            for row in rows.get(page, ())
        ]
        records, told = records + len(found), told + len(here)
        whole += whole_rows([{name: one[name] for name in one.keys() & of} for one in found], here)
    share, f1 = whole / records, 2 * whole / (records + told)
    yield Found(WHOLE, wanted.site, WHOLE, records, share, f1, table)


def _best_columns(gold: Gold, rows: Rows, fields: Mapping[str, int]) -> dict[str, tuple[int, str]]:
    """Return field -> how many of its values the best column has, and that column."""
    right: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for page, records in gold.items():
        here = rows.get(page, ())
        columns = {name for row in here for name in row}
        for field in fields:
            values = [record[field] for record in records if field in record]
            for column in columns:
                right[field][column] += count_of(values, [row.get(column, NO_CELL) for row in here])
    return {
        field: max(((count, name) for name, count in right[field].items() if count), default=(0, ""))
        for field in fields
    }


def judge(site: SavedSite, tables: Path | None) -> Iterator[Found]:
    """Yield how well the fields of a site are found.

    tables  folder in which the tables of each site are kept, None for none
    """
    with tables_of(site, tables) as folder:
        found = read_tables(folder)
    for what, wanted in SETS.items():
        for one in wanted:
            if one.site == site.name:
                score = records_found if one.record else fields_found
                yield from score(what, one, read_gold(site, one), found)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = new_parser("lab.bench.wanted", __doc__, "--corpora! --sites --figures")
    add_tables(parser)
    options = parser.parse_args(arguments)
    names = {one.site for wanted in SETS.values() for one in wanted}
    sites = sorted(
        (one for one in asked_sites(parser, options) if one.name in names), key=lambda one: one.name
    )
    found = [one for site in sites for one in judge(site, options.tables)]
    if not found:
        parser.error("nothing is wanted of these sites")
    heads = ["site", "field", "of", "looked at", "held out", "F1", "best column"]
    tables = {
        what: table_of(f"Share of what is wanted: {what}", heads, map(_row, enumerate(one, start=1)), left=2)
        for what in (*SETS, WHOLE)
        if (one := [each for each in found if each.what == what])
    }
    worst = sorted(found, key=lambda one: one.share)[:10]
    tables["worst"] = table_of("The worst ten", heads, map(_row, enumerate(worst, start=1)), left=2)
    tables["summary"] = table_of(
        "Means",
        ["wanted", "sites", "number", "share", f">= {GOOD}", "F1", f"F1 >= {GOOD}"],
        [
            [what, which, len(some), *_means([one.share for one in some]), *_means([one.f1 for one in some])]
            for what in (*SETS, WHOLE)
            for which in ("looked at", "held out", "all")
            if (some := [one for one in found if one.what == what and _is_of(one.site, which)])
        ],
        left=2,
    )
    report(tables, options.figures)


def _row(numbered: tuple[int, Found]) -> list[object]:
    number, one = numbered
    shown = f"{one.share:.3f}"
    shares = ["", shown] if is_held_out(one.site) else [shown, ""]
    return [one.site, f"{one.field} ({number})", one.of, *shares, f"{one.f1:.3f}", one.where]


def _is_of(site: str, which: str) -> bool:
    return which == "all" or is_held_out(site) == (which == "held out")


def _means(scores: Sequence[float]) -> tuple[str, str]:
    return f"{fmean(scores):.3f}", f"{sum(score >= GOOD for score in scores) / len(scores):.2f}"


if __name__ == "__main__":
    main()
