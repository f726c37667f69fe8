"""``scrapy tables INPUT -o OUTPUT``: the pages of a finished crawl as tables, without a selector.

First come labelled facts, tables with headings, and declared properties; then values that differ from page to
page in the same place.  Each page type of eight pages or more has a table, and so have the records that its
pages list.  ``columns.json`` says for each column where it stands, as an XPath; ``--spider`` writes a spider
that has them.

Cost: some ten milliseconds a page of 50 KB.  Memory: bounded, and 150 bytes a page.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from templcrawl.errors import pluralize
from templcrawl.files import whole_file
from templcrawl.tools.commands.base import (
    INPUT,
    LOST,
    STDOUT,
    PagesCommand,
    check_target,
    choices,
    names_folder,
    refuse,
)
from templcrawl.tools.commands.terminal import each_page, finish_reading, show_table, write

if TYPE_CHECKING:
    from templcrawl.outputs.type_tables import CrawlTables, TypeTable


class TablesOfTypesCommand(PagesCommand):
    """The command ``tables``."""

    arguments = "INPUT -o OUTPUT"
    summary = "Write the pages of a finished crawl as tables, a column for what differs"
    description = (
        "Write a table of each page type of a finished crawl: a row for each page, a column for each place "
        "where pages differ; and a table of each kind of record that pages list, such as the products of a "
        f"listing. {INPUT} It is read three times. {LOST}"
    )

    def options(self) -> str:
        """Return its options."""
        from templcrawl.outputs.table_files import FORMATS

        return f"""
            -o --output OUTPUT  a new folder (a name with a dot needs a slash at its end), or FILE.sqlite
            --format {choices(FORMATS)}  of the tables (csv, or what the ending of OUTPUT says)
            --all  write all columns, not only the best twenty of a table
            --no-declared  leave out what pages declare (JSON-LD, microdata, OpenGraph)
            --formulas  leave cells of CSV as they are, also those that a spreadsheet takes for formulas
            --parse  also write numbers, amounts with their currency, and dates as data, beside their text
            --spider FILE  write a Scrapy spider with the selectors to FILE, - for stdout
            """

    def check(self, opts: argparse.Namespace) -> None:
        """Raise UsageError for options that are not accepted."""
        from templcrawl.outputs.table_files import CSV, SQLITE, SQLITE_ENDINGS

        if not opts.output and not opts.spider:
            refuse("name the output: -o FOLDER or -o FILE.sqlite, or --spider FILE")
        is_file = bool(opts.output) and opts.output.endswith(SQLITE_ENDINGS)
        opts.format = opts.format or (SQLITE if is_file else CSV)
        if opts.output and is_file != (opts.format == SQLITE):
            refuse("SQLite is one file: give -o FILE.sqlite with --format sqlite, else a new folder")
        if is_file:
            check_target("-o", opts.output)
        elif opts.output:
            if not names_folder(opts.output):
                refuse(f"-o: give FILE.sqlite or a new folder (with a slash, {opts.output}/, if that is one)")
            target = Path(opts.output)
            if target.exists() and (not target.is_dir() or any(target.iterdir())):
                refuse(f"-o: there is something in {opts.output}; give a new folder")
            check_target("-o", f"{target.absolute()}.part")
        if opts.spider:
            check_target("--spider", opts.spider)

    def work(self, source: str, opts: argparse.Namespace) -> int:
        """Read the pages and write the tables; return how many could not be read."""
        from templcrawl.outputs.type_tables import CrawlTables
        from templcrawl.tools.commands.type_spider import spider_of
        from templcrawl.tools.readers import open_pages

        reader = open_pages(source)
        crawl = CrawlTables(
            partial(each_page, reader), parses=opts.parse, declares=not opts.no_declared, whole=opts.all
        )
        if opts.output and crawl.types:
            crawl.write(Path(opts.output), opts.format, is_guarded=not opts.formulas)
        finish_reading(reader, source, sum(crawl.types.values()))
        if opts.spider:
            text = spider_of(crawl.description())
            if opts.spider == STDOUT:
                sys.stdout.write(text)
            else:
                with whole_file(Path(opts.spider)) as file:
                    file.write(text.encode("utf-8", "replace"))
        if opts.output:
            show(crawl)
        return len(reader.unreadable)


def show(crawl: CrawlTables) -> None:
    """Write a line for each table."""
    rows = [
        [crawl.filled[table.name, "url"], len(table.columns.columns), table.name, _first(table)]
        for table in crawl.tables
    ]
    if not rows:
        write(f"{crawl.why_none()}\n")
        return
    show_table(f"Tables: {len(rows):,}", ["rows", "columns", "table", "columns, such as"], rows, numbers=2)
    if crawl.left_out:
        write(f"left out, for there are so many: {pluralize(crawl.left_out, 'table')}\n")
    if crawl.cut:
        write(f"read in part, for they are too large: {pluralize(crawl.cut, 'page')}\n")
    if crawl.small:
        write(f"without a table, for they have too few pages: {pluralize(crawl.small, 'page type')}\n")


def _first(table: TypeTable) -> str:
    best = sorted(table.columns.columns, key=lambda column: -column.share)[:6]
    return ", ".join(column.name for column in best)
