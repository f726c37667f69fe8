"""The tables that ``scrapy detect`` writes, by method.

``local`` and ``global``: those of template pagelets, from the tables of an archive
(:mod:`templcrawl.tools.detection.template_tables`).

``dom``, ``text`` and ``mdl``: the results of the detectors of a whole site.  On this machine the pages
of any input are read twice, one at a time, and nothing is sorted.  Spark sorts the pages of an archive by
site (:mod:`templcrawl.tools.detection.separated_pages`).  Both put each page before the same detector and
write the same rows.

Cost: constant time a page.  Memory on this machine: that of
:class:`~templcrawl.tools.commands.spilled_sites.SpilledSites` and some thousand rows; for ``mdl`` the names
of all hosts.  Nothing is written into the archive before all tables are complete.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from templcrawl.errors import pluralize
from templcrawl.outputs.archive.detection_tables import TablesOutput
from templcrawl.outputs.archive.location import locate
from templcrawl.outputs.archive.parts import Archive
from templcrawl.outputs.arrow import RowGroups, arrow_schema
from templcrawl.page.page import Page
from templcrawl.page.records import MAX_BYTES, CrawlReader
from templcrawl.tools.commands.base import refuse
from templcrawl.tools.commands.detect_report import DetectReport, unreadable_parts
from templcrawl.tools.commands.output import report_unreadable
from templcrawl.tools.commands.spilled_sites import SpilledSites
from templcrawl.tools.commands.strip_command import each_page
from templcrawl.tools.commands.terminal import StatusLine
from templcrawl.tools.detection.separated_pages import (
    COLUMNS,
    SEPARATED_PAGES,
    SITE_TABLES,
    TEMPLATE_PATHS,
    columns_of,
    page_row,
    path_rows,
    separate_archive,
)
from templcrawl.tools.detection.template_tables import (
    HOST_SHARES,
    TEMPLATE_PAGELETS,
    TEMPLATES,
    detect_templates,
    sql_text,
)
from templcrawl.tools.engines.engine import Engine, byte_count, temporary_folder
from templcrawl.tools.engines.engine_table import start_engine
from templcrawl.tools.engines.groups import record_batch
from templcrawl.tools.readers.archived_pages import ArchiveReader
from templcrawl.tools.readers.sources import open_pages
from templcrawl.tools.whole_site.site_detector_table import SITE_DETECTORS


def detect_pagelets(source: str, opts: argparse.Namespace) -> DetectReport:
    """Detect, and write the tables.  Raises InvalidOption, InvalidSnapshot, EngineFailed."""
    archive = Archive(source)
    unreadable = unreadable_parts(archive)
    report_unreadable(unreadable)
    output = opts.output or archive.location.address("detected", opts.method)
    with _engine(opts) as engine, StatusLine() as line:
        line.show(f"detecting templates in {pluralize(len(archive.parts), 'part')} of the archive")
        detect_templates(engine, archive, opts.method, min_links=opts.min_links or 0)
        _save(engine, output, (TEMPLATES, TEMPLATE_PAGELETS, HOST_SHARES))
        return DetectReport(engine, opts.method, unreadable, top=opts.top)


def detect_sites(source: str, opts: argparse.Namespace) -> DetectReport:
    """Detect, and write the tables.  Raises UsageError if there are no pages or nothing can be written."""
    reader = open_pages(source)
    is_archive = isinstance(reader, ArchiveReader)
    if opts.engine == "spark" and not is_archive:
        refuse("--engine spark reads crawl archives; leave it out for a folder of saved pages or a WARC file")
    output = opts.output or (locate(source).address("detected", opts.method) if is_archive else None)
    try:
        with (
            _engine(opts) as engine,
            temporary_folder(None if opts.engine == "spark" else opts.temp) as aside,
            StatusLine() as line,
        ):
            if opts.engine == "spark":
                archive = Archive(source)
                line.show(f"detecting templates in {pluralize(len(archive.parts), 'part')} of the archive")
                separate_archive(engine, archive, opts.method, max_bytes=MAX_BYTES)
                unreadable = unreadable_parts(archive)
            else:
                _separate(engine, reader, opts.method, Path(aside), opts.max_temp)
                unreadable = reader.unreadable
            for name, text in ((HOST_SHARES, "site_shares"), ("overall_shares", "overall_shares")):
                engine.define(name, sql_text(text))
            report = DetectReport(engine, opts.method, unreadable, top=opts.top)
            report_unreadable(unreadable, report.counts["capped"])
            if not report.hosts:
                refuse(f"no pages in {source}")
            if output is not None:
                _save(engine, output, (*SITE_TABLES[opts.method], HOST_SHARES))
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        refuse(f"no tables were written: {error.strerror or error}{where}")
    return report


def _save(engine: Engine, output: str, tables: Sequence[str]) -> None:
    """Write tables in the place of those before, all or none.  Raises OSError, EngineFailed."""
    with TablesOutput(output, tables) as folder:
        for table in tables:
            engine.save(table, folder.address(table))
        folder.commit()


def _engine(opts: argparse.Namespace) -> Engine:
    return start_engine(opts.engine, memory=opts.memory, temp=opts.temp, max_temp=opts.max_temp)


def _separate(engine: Engine, reader: CrawlReader, method: str, folder: Path, max_temp: str | None) -> None:
    """Read the pages twice and name the tables that lie in ``folder`` then.

    Raises OSError, TemporaryFilesFull.
    """
    files = {table: _TableFile(folder / f"{table}.parquet", table) for table in SITE_TABLES[method]}
    most = None if max_temp is None else byte_count("max_temp", max_temp)
    sites = SpilledSites(lambda _: SITE_DETECTORS[method](), folder=str(folder), most=most)
    with_paths: set[str] = set()

    def learn(page: Page) -> None:
        with sites.using(page.host) as site:
            site.learn(page)

    def separate(page: Page) -> None:
        with sites.using(page.host) as site:
            files[SEPARATED_PAGES].append(page_row(site.separate(page), max_bytes=MAX_BYTES))
            if TEMPLATE_PATHS in files and page.host not in with_paths:
                for row in path_rows(page.host, site):
                    files[TEMPLATE_PATHS].append(row)
                with_paths.add(page.host)

    try:
        each_page(reader, learn, "learning, 1 of 2")
        each_page(reader, separate, "detecting, 2 of 2")
        for file in files.values():
            file.finish()
    finally:
        for file in files.values():
            file.close()
        sites.close()
    for table, file in files.items():
        engine.read(table, [str(file.path)])


class _TableFile(RowGroups):
    """A table of this command as a Parquet file."""

    def __init__(self, path: Path, table: str) -> None:
        self.path = path
        super().__init__(
            path,
            arrow_schema(COLUMNS[table]),
            lambda rows: record_batch(columns_of(table, rows), COLUMNS[table]),
        )
