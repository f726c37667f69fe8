"""``scrapy detect INPUT``: the share of template on each site of a finished crawl, and tables of templates.

``local`` and ``global`` read the tables of an archive (:mod:`templcrawl.tools.detection.template_tables`);
``dom``, ``text`` and ``mdl`` read the HTML of pages (:mod:`templcrawl.tools.detection.separated_pages`).

Cost and memory: see the modules of the tables.

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
from pathlib import Path
from typing import Any

from templcrawl.tools.commands.base import LOST, STDOUT, choices, evidence, names_folder, refuse
from templcrawl.tools.commands.terminal import Answer, TablesCommand, printable, show_table, write

_METHODS = ("local", "global")
ENGINES = ("duckdb", "spark")
_SHOWN = 60  # characters of the text of a template


class DetectCommand(TablesCommand):
    """The command ``detect``."""

    summary = "Detect the templates of a finished crawl"
    description = (
        "Detect the templates of a finished crawl: show how much of each site is template, and write "
        "tables (Parquet) of what is. INPUT is the archive that a crawl wrote with TEMPLCRAWL_ARCHIVE: a "
        "folder, or a URI such as s3://bucket/crawl. The methods dom, text and mdl need one that was "
        "written with TEMPLCRAWL_ARCHIVE_BODIES = True; on this machine they also read a folder of saved "
        f"pages (.html, as wget saves them) or a WARC file (.warc, .warc.gz, .warc.zst). {LOST}"
    )

    def options(self) -> str:
        """Return its options."""
        from templcrawl.tools.whole_site import SITE_DETECTORS

        return f"""
            --method {choices((*_METHODS, *SITE_DETECTORS))}=local  how templates are found. By local
                (default), as pagelets that are alike on several pages, without duplicate pages; by global, as
                those of them whose pages link to each other. Both write the tables templates and
                template_pagelets. The other methods read all pages of a site and write the table
                separated_pages. They go by {evidence(SITE_DETECTORS)}
            --engine {choices(ENGINES)}=duckdb  duckdb runs on this machine (default); spark runs on the
                cluster of Spark's configuration, for archives only
            --memory SIZE  memory limit of duckdb, as in "4GB"; not for spark
            --temp FOLDER  folder of duckdb's temporary files (the system's by default). For spark, a folder
                or URI that all executors reach, for intermediate results; then a lost executor loses none (by
                default the executors keep them)
            --max-temp SIZE  size limit of the temporary files, as in "10GB" (none by default); not for spark
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
        if opts.output and Path(opts.output).is_file():
            refuse(f"-o: give a folder; {opts.output} is a file")
        if opts.output == STDOUT:
            refuse("-o: the tables are folders of Parquet; --json - writes the shares to stdout")
        if opts.output and "://" not in opts.output and not names_folder(opts.output):
            refuse(f"-o: give a folder; if {opts.output} is to be one, write {opts.output}/")

    def find(self, source: str, opts: argparse.Namespace) -> Answer:
        """Detect, write the tables, and return the shares."""
        from templcrawl.tools.commands.detect_tables import detect

        return detect(source, opts)

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
            of_pages = [shares["pages"], shares["template_page_share"]]
            of_page = [shares[f"{part}_share"] for part in ("html", "word", "link")]
            rows.append([*of_pages, *of_page, shares["host"]])
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
