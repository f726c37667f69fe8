"""The tables that ``scrapy detect`` writes, by method, and its answer of them.

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
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from templcrawl.errors import InvalidOption, pluralize
from templcrawl.files import try_folder
from templcrawl.memory.observation import Observation
from templcrawl.outputs.archive.bodies import ArchiveReader
from templcrawl.outputs.archive.manifest import replacing_tables
from templcrawl.outputs.archive.parts import Archive, locate
from templcrawl.outputs.arrow import RowGroups
from templcrawl.page.records import MAX_BYTES, CrawlReader, Unreadable
from templcrawl.tools.commands.base import refuse
from templcrawl.tools.commands.strippers import SiteStripper, learn_pages, separate_pages
from templcrawl.tools.commands.terminal import Answer, StatusLine, report_unreadable, unreadable_json
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
from templcrawl.tools.engines.engine import Engine, byte_count, record_batch, temporary_folder
from templcrawl.tools.readers.sources import open_pages
from templcrawl.tools.whole_site import SITE_DETECTORS

_LARGEST = ("pages", "hosts", "pagelets", "tag_path", "links", "text")


def detect(source: str, opts: argparse.Namespace) -> Answer:
    """Detect, and write the tables.

    Raises InvalidOption, InvalidSnapshot, EngineFailed, UsageError if there are no pages or nothing can be
    written.
    """
    reader = open_pages(source) if opts.method in SITE_DETECTORS else None
    is_archive = reader is None or isinstance(reader, ArchiveReader)
    if opts.engine == "spark" and not is_archive:
        refuse("--engine spark reads crawl archives; leave it out for a folder of saved pages or a WARC file")
    archive = Archive(source) if reader is None or opts.engine == "spark" else None
    output = opts.output or (locate(source).address("detected", opts.method) if is_archive else None)
    if output is not None and "://" not in output:
        try:
            try_folder(Path(output))
        except OSError as error:
            accepted = f"a folder that can be written to ({error.strerror or error})"
            raise InvalidOption("output", output, accepted) from error
    try:
        with _engine(opts) as engine, temporary_folder(None if archive else opts.temp) as aside:
            if archive is not None:
                unreadable = _detect_in_archive(engine, archive, opts)
            elif reader is not None:
                _separate(engine, reader, opts, Path(aside))
                unreadable = reader.unreadable
            if reader is not None:
                engine.define(HOST_SHARES, sql_text("site_shares"))
                engine.define("overall_shares", sql_text("overall_shares"))
            answer = _answer(engine, source, opts, unreadable)
            report_unreadable(unreadable, answer.get("capped", 0))
            if reader is not None and not answer["hosts"]:
                refuse(f"no pages in {source}")
            if output is not None:
                tables = (*SITE_TABLES.get(opts.method, (TEMPLATES, TEMPLATE_PAGELETS)), HOST_SHARES)
                with replacing_tables(output, tables) as folder:
                    for table in tables:
                        engine.save(table, folder.address(table))
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        refuse(f"no tables were written: {error.strerror or error}{where}")
    return answer


def _engine(opts: argparse.Namespace) -> Engine:
    if opts.engine == "duckdb":
        from templcrawl.tools.engines.duckdb import DuckDBEngine

        return DuckDBEngine(memory=opts.memory, folder=opts.temp, most=opts.max_temp)
    from templcrawl.tools.engines.spark import SparkEngine

    for option in ("memory", "max_temp"):
        if (value := getattr(opts, option)) is not None:
            raise InvalidOption(option, value, "none for spark, which has its own configuration")
    return SparkEngine(folder=opts.temp)


def _detect_in_archive(engine: Engine, archive: Archive, opts: argparse.Namespace) -> Unreadable:
    """Let an engine name the tables; return what it has left out."""
    with StatusLine() as line:
        line.show(f"detecting templates in {pluralize(len(archive.parts), 'part')} of the archive")
        if opts.method in SITE_DETECTORS:
            separate_archive(engine, archive, opts.method, max_bytes=MAX_BYTES)
        else:
            detect_templates(engine, archive, opts.method, min_links=opts.min_links or 0)
    return unreadable_parts(archive)


def _separate(engine: Engine, reader: CrawlReader, opts: argparse.Namespace, folder: Path) -> None:
    """Read the pages twice and name the tables that lie in ``folder`` then.

    Raises OSError, sqlite3.Error, TemporaryFilesFull.
    """
    most = None if opts.max_temp is None else byte_count("max_temp", opts.max_temp)
    paths = {table: folder / f"{table}.parquet" for table in SITE_TABLES[opts.method]}
    with_paths: set[str] = set()

    def write(observation: Observation) -> None:
        files[SEPARATED_PAGES].append(page_row(observation, max_bytes=MAX_BYTES))
        host = observation.page.host
        if TEMPLATE_PATHS in files and host not in with_paths:
            with_paths.add(host)
            for row in path_rows(host, sites.peek(host)):
                files[TEMPLATE_PATHS].append(row)

    with ExitStack() as stack:
        files = {}
        for table, path in paths.items():
            to_batch = partial(_record_batch, table)
            files[table] = stack.enter_context(RowGroups(path, COLUMNS[table], to_batch))
        detector, spilled = SITE_DETECTORS[opts.method], folder / "sites.sqlite"
        sites = stack.enter_context(SiteStripper(lambda host: detector(), path=spilled, most=most))
        learn_pages(reader, sites)
        separate_pages(reader, sites, write, "detecting")
    for table, path in paths.items():
        engine.read(table, [str(path)])


def _record_batch(table: str, rows: Sequence[Any]) -> Any:
    return record_batch(columns_of(table, rows), COLUMNS[table])


def _answer(engine: Engine, source: str, opts: argparse.Namespace, unreadable: Unreadable) -> Answer:
    """Return what is in the tables of an engine, of the largest sites and templates."""
    tables = SITE_TABLES.get(opts.method, ("duplicates", TEMPLATES, TEMPLATE_PAGELETS))
    count = partial(_count, engine)
    counts = {table: count(table) for table in tables}
    if SEPARATED_PAGES in tables:
        counts["capped"] = count(f"{SEPARATED_PAGES} WHERE truncated")
    _, *overall = engine.rows("SELECT * FROM overall_shares")[0]
    by_host = engine.rows(f"SELECT * FROM {HOST_SHARES} ORDER BY pages DESC, host LIMIT {opts.top}")
    answer = {
        "input": source,
        "method": opts.method,
        "engine": engine.name,
        "unreadable": unreadable_json(unreadable),
        **counts,
        "overall": _shares(overall),
        "host_count": count(HOST_SHARES),
        "hosts": [{"host": host, **_shares(sums)} for host, *sums in by_host],
    }
    if TEMPLATES in tables:
        rows = engine.rows(sql_text("largest_templates").format(top=opts.top))
        answer["largest"] = [dict(zip(_LARGEST, row)) for row in rows]
    return answer


def unreadable_parts(archive: Archive) -> Unreadable:
    """Return which parts of an archive are left out."""
    unreadable = Unreadable()
    for name, reason in archive.unreadable:
        unreadable.add(name, reason)
    return unreadable


def _count(engine: Engine, table: str) -> int:
    count: int = engine.rows(f"SELECT count(*) FROM {table}")[0][0]
    return count


def _shares(sums: Sequence[int | None]) -> dict[str, int | float]:
    pages, template_pages, *amounts = (amount or 0 for amount in sums)
    shares: dict[str, int | float] = {"pages": pages, "template_pages": template_pages}
    shares["template_page_share"] = template_pages / pages if pages else 0.0
    for name, whole, template in zip(("html", "word", "link"), amounts[::2], amounts[1::2]):
        shares[f"{name}_share"] = template / whole if whole else 0.0
    return shares
