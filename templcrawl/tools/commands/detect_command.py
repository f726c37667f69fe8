"""``scrapy detect INPUT``: the share of template on each site of a finished crawl, and tables of templates.

``local`` and ``global`` read the tables of an archive (:mod:`templcrawl.tools.detection.template_tables`).

``dom``, ``text`` and ``mdl`` are detectors of a whole site.  On this machine the pages of any input are read
twice, one at a time, and nothing is sorted.  Spark sorts the pages of an archive by site
(:mod:`templcrawl.tools.detection.separated_pages`).  Both put each page before the same detector and write
the same rows.  Nothing is written into the archive before all tables are complete.

Cost: constant time a page.  Memory: that of :class:`~templcrawl.tools.commands.spilled_sites.SpilledSites`
and some thousand rows; for ``mdl`` the names of all hosts.

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

Shares are those of the pages that are not duplicates (dom, text, mdl: of all pages)::

    pages, template_pages, template_page_share   the last: share of pages with template pagelets (Table 2),
                                                 of dom, text and mdl with visible words of a template
    html_share, word_share, link_share           the share of template in their HTML, words and links
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from templcrawl.errors import InvalidOption, pluralize
from templcrawl.files import try_folder
from templcrawl.tools.commands.base import (
    LOST,
    STDOUT,
    check_parameters,
    choices,
    evidence,
    given_parameters,
    names_folder,
    parameter_options,
    refuse,
)
from templcrawl.tools.commands.terminal import (
    Answer,
    StatusLine,
    TabularCommand,
    printable,
    report_unreadable,
    show_table,
    unreadable_json,
    write,
)

if TYPE_CHECKING:
    from templcrawl.memory.observation import Observation
    from templcrawl.outputs.archive.archive_parts import Archive
    from templcrawl.page.saved_pages import CrawlReader, Unreadable
    from templcrawl.tools.engines import Engine

_METHODS = ("local", "global")
ENGINES = ("duckdb", "spark")
_SHOWN = 60  # characters of the text of a template
_LARGEST = ("pages", "hosts", "pagelets", "tag_path", "links", "text")


class DetectCommand(TabularCommand):
    """The command ``detect``."""

    summary = "Detect the templates of a finished crawl"
    description = (
        "Detect the templates of a finished crawl: show how much of each site is template, and write "
        "tables (Parquet) of what is. INPUT is the archive that a crawl wrote with TEMPLCRAWL_ARCHIVE: a "
        "folder, or a URI such as s3://bucket/crawl. The methods dom, text and mdl need one that was "
        "that has bodies; on this machine they also read a folder of saved "
        f"pages (.html, as wget saves them) or a WARC file (.warc, .warc.gz, .warc.zst). {LOST}"
    )

    def options(self) -> str:
        """Return its options."""
        from templcrawl.memory.detectors import WHOLE_SITE
        from templcrawl.tools.whole_site import PARAMETERS

        return f"""
            --method {choices((*_METHODS, *WHOLE_SITE))}=local  how templates are found. By local
                (default), as pagelets that are alike on several pages, without duplicate pages; by global, as
                those of them whose pages link to each other. Both write the tables templates and
                template_pagelets. The other methods read all pages of a site and write the table
                separated_pages. They go by {evidence(WHOLE_SITE)}
            --engine {choices(ENGINES)}=duckdb  duckdb runs on this machine (default); spark runs on the
                cluster of Spark's configuration, for archives only
            --memory SIZE  memory limit of duckdb, as in "4GB"; not for spark
            --temp FOLDER  folder of duckdb's temporary files (the system's by default). For spark, a folder
                or URI that all executors reach, for intermediate results; then a lost executor loses none (by
                default the executors keep them)
            --max-temp SIZE  size limit of the temporary files, as in "10GB" (none by default); not for spark
            {parameter_options(PARAMETERS)}
            --min-links N  leave out pagelets with fewer links, for local and global (default 0)
            -o --output FOLDER  folder of the tables, a folder each; it replaces older ones (by default
                detected/METHOD in the archive; without an archive nothing is written unless FOLDER is given)
            """

    def check(self, opts: argparse.Namespace) -> None:
        """Raise UsageError for options that are not accepted."""
        super().check(opts)
        if opts.min_links is not None and opts.method not in _METHODS:
            refuse("--min-links is for --method local and global")
        if opts.min_links is not None and opts.min_links < 0:
            refuse("--min-links: give a number of 0 or more")
        check_parameters(opts, opts.method)
        if opts.output and Path(opts.output).is_file():
            refuse(f"-o: give a folder; {opts.output} is a file")
        if opts.output == STDOUT:
            refuse("-o: the tables are folders of Parquet; --json - writes the shares to stdout")
        if opts.output and "://" not in opts.output and not names_folder(opts.output):
            refuse(f"-o: give a folder; if {opts.output} is to be one, write {opts.output}/")

    def find(self, source: str, opts: argparse.Namespace) -> Answer:
        """Detect, write the tables, and return the shares.

        Raises InvalidOption, InvalidSnapshot, EngineFailed, UsageError if there are no pages or nothing can
        be written.
        """
        from templcrawl.outputs.archive.archive_parts import Archive, ArchiveReader
        from templcrawl.outputs.archive.location import locate, replacing_tables
        from templcrawl.tools.detection.separated_pages import METHOD_TABLES
        from templcrawl.tools.detection.template_tables import HOST_SHARES, sql_text
        from templcrawl.tools.engines import temporary_folder
        from templcrawl.tools.readers import open_pages

        reader = None if opts.method in _METHODS else open_pages(source)
        is_archive = reader is None or isinstance(reader, ArchiveReader)
        if opts.engine == "spark" and not is_archive:
            refuse(
                "--engine spark reads crawl archives; leave it out for a folder of saved pages or a WARC file"
            )
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
                    unreadable = _separate(engine, reader, opts, Path(aside))
                if reader is not None:
                    engine.define(HOST_SHARES, sql_text("site_shares"))
                    engine.define("overall_shares", sql_text("overall_shares"))
                answer = _answer(engine, source, opts, unreadable)
                report_unreadable(unreadable, answer.get("capped", 0))
                if reader is not None and not answer["hosts"]:
                    refuse(f"no pages in {source}")
                if output is not None:
                    tables = (*METHOD_TABLES[opts.method], HOST_SHARES)
                    with replacing_tables(output, tables) as folder:
                        for table in tables:
                            engine.save(table, folder.address(table))
        except OSError as error:
            where = f" ({error.filename})" if error.filename else ""
            refuse(f"no tables were written: {error.strerror or error}{where}")
        return answer

    def show(self, answer: Answer, top: int | None) -> None:
        """Write the tables of an answer."""
        write(f"pages: {answer['overall']['pages']:,}, hosts: {answer['host_count']:,}")
        if "largest" in answer:
            write(
                ", repeats left out: {duplicates:,}\n"
                "{method} templates: {templates:,}, with {template_pagelets:,} pagelets".format(**answer)
            )
        if "template_paths" in answer:
            write(f"\npaths in templates: {answer['template_paths']:,}")
        rows: list[list[Any]] = []
        for shares in (*answer["hosts"], {**answer["overall"], "host": "all"}):
            page_figures = [shares["pages"], shares["template_page_share"]]
            text_figures = [shares[f"{part}_share"] for part in ("html", "word", "link")]
            rows.append([*page_figures, *text_figures, shares["host"]])
        head = ["pages", "with template", "HTML", "words", "links", "host"]
        show_table(f"\n\nShare that is template, by {answer['method']}", head, rows, numbers=5)
        if "largest" in answer:
            rows = []
            for row in answer["largest"]:
                text = printable(row["text"])
                shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
                rows.append([row["pages"], row["hosts"], row["links"], row["tag_path"], shown])
            head = ["pages", "hosts", "links", "tag path", "text"]
            show_table("\nLargest templates", head, rows, numbers=3)


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
    """Define the tables in an engine; return what was left out."""
    from templcrawl.page.saved_pages import MAX_BYTES, Unreadable
    from templcrawl.tools.detection.separated_pages import separate_archive
    from templcrawl.tools.detection.template_tables import detect_templates
    from templcrawl.tools.whole_site import PARAMETERS

    with StatusLine() as line:
        line.show(f"detecting templates in {pluralize(len(archive.parts), 'part')} of the archive")
        if opts.method in _METHODS:
            detect_templates(engine, archive, opts.method, min_links=opts.min_links or 0)
        else:
            separate_archive(
                engine,
                archive,
                opts.method,
                max_bytes=MAX_BYTES,
                parameters=given_parameters(opts, PARAMETERS),
            )
    return Unreadable(archive.unreadable)


def _separate(engine: Engine, reader: CrawlReader, opts: argparse.Namespace, folder: Path) -> Unreadable:
    """Read the pages twice and name the tables, which lie in ``folder`` then; return what was left out.

    Raises OSError, sqlite3.Error, TemporaryFilesFull.
    """
    from templcrawl.outputs.arrow import RowGroups
    from templcrawl.page.saved_pages import MAX_BYTES
    from templcrawl.tools.commands.strippers import SiteStripper, separate_pages
    from templcrawl.tools.detection.separated_pages import (
        COLUMNS,
        SEPARATED_PAGES,
        SITE_TABLES,
        TEMPLATE_PATHS,
        page_row,
        path_rows,
    )
    from templcrawl.tools.engines import byte_count
    from templcrawl.tools.whole_site import PARAMETERS, new_detector

    most = None if opts.max_temp is None else byte_count("max_temp", opts.max_temp)
    paths = {table: folder / f"{table}.parquet" for table in SITE_TABLES[opts.method]}
    with_paths: set[str] = set()

    def write(observation: Observation) -> None:
        append(SEPARATED_PAGES, page_row(observation, max_bytes=MAX_BYTES))
        host = observation.page.host
        if TEMPLATE_PATHS in files and host not in with_paths:
            with_paths.add(host)
            for row in path_rows(host, sites.peek(host)):
                append(TEMPLATE_PATHS, row)

    def append(table: str, row: Sequence[Any]) -> None:
        files[table].append(dict(zip(COLUMNS[table], row)))

    with ExitStack() as stack:
        files = {table: stack.enter_context(RowGroups(path, COLUMNS[table])) for table, path in paths.items()}
        given, spilled = given_parameters(opts, PARAMETERS), folder / "sites.sqlite"
        make = partial(new_detector, opts.method, given)
        sites = stack.enter_context(SiteStripper(lambda host: make(), path=spilled, most=most))
        separate_pages(reader, sites, write, "detecting")
    for table, path in paths.items():
        engine.read(table, [str(path)])
    return reader.unreadable


def _answer(engine: Engine, source: str, opts: argparse.Namespace, unreadable: Unreadable) -> Answer:
    """Return the rows of an engine's tables for the largest sites and templates."""
    from templcrawl.tools.detection.separated_pages import METHOD_TABLES
    from templcrawl.tools.detection.template_tables import HOST_SHARES, sql_text

    def count(table: str) -> int:
        return int(engine.rows(f"SELECT count(*) FROM {table}")[0][0])

    by_links = opts.method in _METHODS
    counts = {"duplicates": count("duplicates")} if by_links else {}
    counts |= {table: count(table) for table in METHOD_TABLES[opts.method]}
    if not by_links:
        counts["capped"] = count("separated_pages WHERE truncated")
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
    if by_links:
        rows = engine.rows(sql_text("largest_templates").format(top=opts.top))
        answer["largest"] = [dict(zip(_LARGEST, row)) for row in rows]
    return answer


def _shares(sums: Sequence[int | None]) -> dict[str, int | float]:
    pages, template_pages, *amounts = (amount or 0 for amount in sums)
    shares: dict[str, int | float] = {"pages": pages, "template_pages": template_pages}
    shares["template_page_share"] = template_pages / pages if pages else 0.0
    for name, whole, template in zip(("html", "word", "link"), amounts[::2], amounts[1::2]):
        shares[f"{name}_share"] = template / whole if whole else 0.0
    return shares
