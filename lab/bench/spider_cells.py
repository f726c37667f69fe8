"""In which share of the cells does the spider that ``scrapy tables --spider`` prints differ from the tables?

The spider is loaded, and each of its callbacks is called with the pages of its type, as parsel reads them.
Its items are compared with the rows of the tables, cell by cell, records in their order; running text
without white space.

differ    share of the cells that the table or the spider fills, of columns that are in the spider
left out  share of the cells of the tables that are of columns without a line in the spider

A site is held out as in :mod:`lab.bench.wanted`.  Without ``--sites`` the ten are read whose names are first
by a hash.
Cost: four seconds for 100 pages.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from scrapy.http import HtmlResponse

from lab.bench.labelled import WHICH
from lab.bench.options import asked_sites, new_parser
from lab.bench.saved_sites import SavedSite
from lab.bench.site_tables import each_page, is_held_out
from lab.bench.tables import report, table_of
from templcrawl import Page
from templcrawl.outputs.sampled_types import EachPage
from templcrawl.outputs.table_files import JSON_LINES
from templcrawl.outputs.tried_pages import bare
from templcrawl.outputs.type_tables import CrawlTables
from templcrawl.tools.commands.type_spider import MIN_HOLDS, spider_of

SITES = 10
Row = Mapping[str, Any]


def compare_cells(each: EachPage) -> Counter[str]:
    """Return how many cells of a crawl are compared, how many differ, and how many are left out."""
    found: Counter[str] = Counter()
    responses: dict[str, HtmlResponse] = {}

    def keep(page: Page) -> None:
        responses[page.url] = HtmlResponse(
            page.url, body=page.text.encode("utf-8", "replace"), encoding="utf-8"
        )

    with TemporaryDirectory() as folder:
        CrawlTables(each).write(Path(folder, "tables"), JSON_LINES)
        about = json.loads(Path(folder, "tables", "columns.json").read_text(encoding="utf-8"))
        each(keep, "")
        names: dict[str, Any] = {}
        exec(spider_of(about), names)
        spider = names["TablesSpider"]()
        types: defaultdict[tuple[str, str], list[Any]] = defaultdict(list)
        for table in about["tables"]:
            file = Path(folder, "tables", f"{table['table']}.{JSON_LINES}")
            rows: defaultdict[str, list[Row]] = defaultdict(list)
            for line in file.read_text(encoding="utf-8").splitlines():
                rows[json.loads(line)["url"]].append(json.loads(line))
            for page_type in table["page_types"]:
                types[table["host"], page_type].append((table, rows))
        callbacks = [name for name in vars(type(spider)) if name.startswith("parse_")]
        of_pages = {
            name: {url for table, rows in tables if table["records"] is None for url in rows}
            for name, tables in types.items()
        }
        known = set().union(*of_pages.values())
        for callback, (name, tables) in zip(callbacks, types.items()):
            pages = [table for table, _ in tables if table["records"] is None]
            fields = {"url", *(column["name"] for table in pages for column in table["columns"])}
            for url in of_pages[name] or {url for _, rows in tables for url in rows} - known:
                item = getattr(spider, callback)(responses[url])
                lists = iter([value for name, value in item.items() if name not in fields])
                for table, rows in tables:
                    is_page = table["records"] is None
                    found += _compared(table, rows[url], [item] if is_page else next(lists, []))
    return found


def _compared(table: Mapping[str, Any], rows: Sequence[Row], items: Sequence[Row]) -> Counter[str]:
    """Compare the rows of a table with what the spider has of the same page."""
    found: Counter[str] = Counter()
    given = [column["name"] for column in table["columns"] if column["holds"] >= MIN_HOLDS]
    other = [column["name"] for column in table["columns"] if column["holds"] < MIN_HOLDS]
    found["left out"] = sum(bool(row.get(name)) for row in rows for name in other)
    running = {column["name"] for column in table["columns"] if column["joined"]}
    ours, theirs = (list(_filled(some, given, running)) for some in (rows, items))
    for at in range(max(len(ours), len(theirs))):
        row, item = (some[at] if at < len(some) else {} for some in (ours, theirs))
        found["cells"] += len(row.keys() | item.keys())
        found["differ"] += sum(row.get(name) != item.get(name) for name in row.keys() | item.keys())
    return found


def _filled(rows: Sequence[Row], names: Sequence[str], running: Collection[str]) -> Iterator[Row]:
    """Yield the filled cells of rows, of rows that have some; those of running text without white space."""
    for row in rows:
        if cells := {name: row[name] for name in names if row.get(name)}:
            yield {name: bare(cell) if name in running else cell for name, cell in cells.items()}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = new_parser("lab.bench.spider_cells", __doc__, "--corpora! --sites --figures")
    options = parser.parse_args(arguments)
    sites: Sequence[SavedSite] = asked_sites(parser, options)
    if not options.sites:
        sites = sorted(sites, key=lambda one: sha256(f"spider:{one.name}".encode()).hexdigest())[:SITES]
    found = {site.name: compare_cells(partial(each_page, site)) for site in sites}
    rows = [[name, WHICH[is_held_out(name)], *_shares(one)] for name, one in found.items()]
    for which in (*WHICH, "all"):
        some = [one for name, one in found.items() if which in ("all", WHICH[is_held_out(name)])]
        rows.append([which, f"{len(some)} sites", *_shares(sum(some, Counter()))])
    heads = ["site", "", "cells", "differ", "left out"]
    report({"cells": table_of("Cells of the printed spider", heads, rows, left=2)}, options.figures)


def _shares(found: Counter[str]) -> list[str]:
    cells, left = max(found["cells"], 1), found["left out"]
    return [
        f"{found['cells']:,}",
        f"{found['differ'] / cells:.3f}",
        f"{left / max(found['cells'] + left, 1):.3f}",
    ]


if __name__ == "__main__":
    main()
