"""The tables that ``scrapy detect`` writes, by method, and its report of them.

``dom``, ``text`` and ``mdl``: the results of the detectors of a whole site.  On this machine the pages
of any input are read twice, one at a time, and nothing is sorted.  Spark sorts the pages of an archive by
site (:mod:`templcrawl.tools.detection.separated_pages`).  Both put each page before the same detector and
write the same rows.

Cost: constant time a page.  Memory on this machine: that of
:class:`~templcrawl.tools.commands.spilled_sites.SpilledSites` and some thousand rows; for ``mdl`` the names
of all hosts.  Nothing is written into the archive before all tables are complete.

The JSON is one object::

    format       version of this schema: 1
    input        what was read
    method, engine
    unreadable   {"count": n, "first": [{"name": ..., "reason": ...}, ...]}, what was left out, the first ten
    overall      shares of all sites together
    host_count   how many sites there are
    hosts        one for each of the largest sites (``--top``): its shares, and "host"; the table
                 ``host_shares`` that is written has all sites

of local and global::

    duplicates   pages left out because they repeat another page
    templates, template_pagelets   rows of the two tables
    largest      the templates on the most pages: {"pages", "hosts", "pagelets", "tag_path", "links", "text"}

of dom, text and mdl::

    capped       pages of which only a part was read, since they are too large
    separated_pages, template_paths   rows of the tables, the second of mdl only

Shares are those of the pages that are no duplicates (dom, text, mdl: of all pages)::

    pages, template_pages, template_page_share   the last: share of pages with template pagelets (Table 2),
                                                 of dom, text and mdl with visible words of a template
    html_share, word_share, link_share           the share of template in their HTML, words and links
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from templcrawl.errors import InvalidOption, pluralize
from templcrawl.files import try_folder
from templcrawl.outputs.archive.manifest import replacing_tables
from templcrawl.outputs.archive.parts import Archive, locate
from templcrawl.outputs.arrow import RowGroups, arrow_schema
from templcrawl.page.page import Page
from templcrawl.page.records import MAX_BYTES, CrawlReader, Unreadable
from templcrawl.tools.commands.base import refuse
from templcrawl.tools.commands.spilled_sites import SpilledSites
from templcrawl.tools.commands.terminal import (
    Answer,
    StatusLine,
    each_page,
    printable,
    report_unreadable,
    show_table,
    unreadable_json,
    write,
)
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
from templcrawl.tools.readers.sources import ArchiveReader, open_pages
from templcrawl.tools.whole_site.site_detector_table import SITE_DETECTORS

FORMAT = 1
_SHOWN = 60
_LARGEST = ("pages", "hosts", "pagelets", "tag_path", "links", "text")
_SHARES = ("template_page_share", "html_share", "word_share", "link_share")
_OF_PAGELETS = (
    ", repeats left out: {duplicates:,}\n"
    "{method} templates: {templates:,}, with {template_pagelets:,} pagelets\n"
)
_OF_PATHS = "\npaths in templates: {template_paths:,}\n"


def detect_pagelets(source: str, opts: argparse.Namespace) -> Answer:
    """Detect, and write the tables.  Raises InvalidOption, InvalidSnapshot, EngineFailed."""
    archive = Archive(source)
    unreadable = unreadable_parts(archive)
    report_unreadable(unreadable)
    output = opts.output or archive.location.address("detected", opts.method)
    _try_output(output)
    with _engine(opts) as engine, StatusLine() as line:
        line.show(f"detecting templates in {pluralize(len(archive.parts), 'part')} of the archive")
        detect_templates(engine, archive, opts.method, min_links=opts.min_links or 0)
        _save(engine, output, (TEMPLATES, TEMPLATE_PAGELETS, HOST_SHARES))
        return _answer(engine, source, opts.method, unreadable, opts.top)


def detect_sites(source: str, opts: argparse.Namespace) -> Answer:
    """Detect, and write the tables.  Raises UsageError if there are no pages or nothing can be written."""
    reader = open_pages(source)
    is_archive = isinstance(reader, ArchiveReader)
    if opts.engine == "spark" and not is_archive:
        refuse("--engine spark reads crawl archives; leave it out for a folder of saved pages or a WARC file")
    output = opts.output or (locate(source).address("detected", opts.method) if is_archive else None)
    _try_output(output)
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
            answer = _answer(engine, source, opts.method, unreadable, opts.top)
            report_unreadable(unreadable, answer["capped"])
            if not answer["hosts"]:
                refuse(f"no pages in {source}")
            if output is not None:
                _save(engine, output, (*SITE_TABLES[opts.method], HOST_SHARES))
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        refuse(f"no tables were written: {error.strerror or error}{where}")
    return answer


def _try_output(output: str | None) -> None:
    """Raise InvalidOption for a local folder that the tables cannot be written into."""
    if output is not None and "://" not in output:
        try:
            try_folder(Path(output))
        except OSError as error:
            accepted = f"a folder that can be written to ({error.strerror or error})"
            raise InvalidOption("output", output, accepted) from error


def _save(engine: Engine, output: str, tables: Sequence[str]) -> None:
    with replacing_tables(output, tables) as folder:
        for table in tables:
            engine.save(table, folder.address(table))


def _engine(opts: argparse.Namespace) -> Engine:
    if opts.engine == "duckdb":
        from templcrawl.tools.engines.duckdb import DuckDBEngine

        return DuckDBEngine(memory=opts.memory, folder=opts.temp, most=opts.max_temp)
    from templcrawl.tools.engines.spark import SparkEngine

    for option in ("memory", "max_temp"):
        if (value := getattr(opts, option)) is not None:
            raise InvalidOption(option, value, "none for spark, which has its own configuration")
    return SparkEngine(folder=opts.temp)


def _separate(engine: Engine, reader: CrawlReader, method: str, folder: Path, max_temp: str | None) -> None:
    """Read the pages twice and name the tables that lie in ``folder`` then.

    Raises OSError, TemporaryFilesFull.
    """
    paths = {table: folder / f"{table}.parquet" for table in SITE_TABLES[method]}
    files = {table: _row_groups(path, table) for table, path in paths.items()}
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
    for table, path in paths.items():
        engine.read(table, [str(path)])


def _row_groups(path: Path, table: str) -> RowGroups:
    columns = COLUMNS[table]
    return RowGroups(path, arrow_schema(columns), lambda rows: record_batch(columns_of(table, rows), columns))


def _answer(engine: Engine, source: str, method: str, unreadable: Unreadable, top: int) -> Answer:
    """Return what is in the tables of an engine, of the largest ``top`` sites and templates."""
    tables = SITE_TABLES.get(method, ("duplicates", TEMPLATES, TEMPLATE_PAGELETS))
    counts = {table: _count(engine, table) for table in tables}
    if SEPARATED_PAGES in tables:
        counts["capped"] = _count(engine, f"{SEPARATED_PAGES} WHERE truncated")
    _, *overall = engine.rows("SELECT * FROM overall_shares")[0]
    by_host = engine.rows(f"SELECT * FROM {HOST_SHARES} ORDER BY pages DESC, host LIMIT {top}")
    answer = {
        "format": FORMAT,
        "input": source,
        "method": method,
        "engine": engine.name,
        "unreadable": unreadable_json(unreadable),
        **counts,
        "overall": _shares(overall),
        "host_count": _count(engine, HOST_SHARES),
        "hosts": [{"host": host, **_shares(sums)} for host, *sums in by_host],
    }
    if TEMPLATES in tables:
        rows = engine.rows(sql_text("largest_templates").format(top=top))
        answer["largest"] = [dict(zip(_LARGEST, row)) for row in rows]
    return answer


def show_shares(answer: Answer) -> None:
    """Write the tables of an answer."""
    counted = _OF_PAGELETS if TEMPLATES in answer else "\n"
    counted = _OF_PATHS if TEMPLATE_PATHS in answer else counted
    write(f"pages: {answer['overall']['pages']:,}, hosts: {answer['host_count']:,}")
    write(counted.format(**answer))
    head = ["pages", "with template", "HTML", "words", "links", "host"]
    rows = [
        [shares["pages"], *(shares[name] for name in _SHARES), shares["host"]]
        for shares in (*answer["hosts"], {**answer["overall"], "host": "all"})
    ]
    show_table(f"\nShare that is template, by {answer['method']}", head, rows, numbers=5)
    if "largest" in answer:
        rows = []
        for row in answer["largest"]:
            text = printable(row["text"])
            shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
            rows.append([row["pages"], row["hosts"], row["links"], row["tag_path"], shown])
        head = ["pages", "hosts", "links", "tag path", "text"]
        show_table("\nLargest templates", head, rows, numbers=3)


def unreadable_parts(archive: Archive) -> Unreadable:
    """Return which parts of an archive are left out."""
    unreadable = Unreadable()
    for name, reason in archive.unreadable:
        unreadable.add(name, reason)
    return unreadable


def _count(engine: Engine, table: str) -> int:
    count: int = engine.rows(f"SELECT count(*) FROM {table}")[0][0]
    return count


def _shares(sums: Sequence[int | None]) -> dict[str, Any]:
    pages, template_pages, html, of_html, words, of_words, links, of_links = (amount or 0 for amount in sums)
    parts = ((template_pages, pages), (of_html, html), (of_words, words), (of_links, links))
    shares = [part / whole if whole else 0.0 for part, whole in parts]
    return {"pages": pages, "template_pages": template_pages, **dict(zip(_SHARES, shares))}
