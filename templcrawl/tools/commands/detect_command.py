"""``scrapy detect INPUT``: the share of template on each site of a finished crawl, and tables of templates.

``local`` and ``global`` read the tables of an archive (:mod:`templcrawl.tools.detection.template_tables`);
``dom``, ``text`` and ``mdl`` read the HTML of pages (:mod:`templcrawl.tools.detection.separated_pages`).

Cost and memory: see the modules of the tables.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from templcrawl.tools.commands.base import LOST, STDOUT, TablesCommand, evidence, names_folder, refuse
from templcrawl.tools.commands.terminal import write_answer

_METHODS = ("local", "global")
ENGINES = ("duckdb", "spark")


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

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's options."""
        from templcrawl.tools.whole_site.site_detector_table import SITE_DETECTORS

        super().add_options(parser)
        parser.add_argument(
            "--method",
            choices=(*_METHODS, *SITE_DETECTORS),
            default="local",
            help="how templates are found. By local (default), as pagelets that are alike on several pages, "
            "without duplicate pages; by global, as those of them whose pages link to each other. Both write "
            "the tables templates and template_pagelets. The other methods read all pages of a site and "
            f"write the table separated_pages. They go by {evidence(SITE_DETECTORS)}",
        )
        parser.add_argument(
            "--engine",
            choices=ENGINES,
            default="duckdb",
            help="duckdb runs on this machine (default); spark runs on the cluster of Spark's configuration, "
            "for archives only",
        )
        parser.add_argument(
            "--memory", metavar="SIZE", help='memory limit of duckdb, as in "4GB"; not for spark'
        )
        parser.add_argument(
            "--temp",
            metavar="FOLDER",
            help="folder of duckdb's temporary files (the system's by default). For spark, a folder or URI "
            "that all executors reach, for intermediate results; then a lost executor loses none (by default "
            "the executors keep them)",
        )
        parser.add_argument(
            "--max-temp",
            metavar="SIZE",
            help='size limit of the temporary files, as in "10GB" (none by default); not for spark',
        )
        parser.add_argument(
            "--min-links",
            metavar="N",
            type=int,
            help="leave out pagelets with fewer links, for local and global (default 0)",
        )
        parser.add_argument(
            "-o",
            "--output",
            metavar="FOLDER",
            help="folder of the tables, a folder each; it replaces older ones (by default detected/METHOD in "
            "the archive; without an archive nothing is written unless FOLDER is given)",
        )

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

    def work(self, source: str, opts: argparse.Namespace) -> int:
        """Detect, write the tables, and show the shares; return how many records could not be read."""
        from templcrawl.tools.commands.detect_tables import detect_pagelets, detect_sites, show_shares

        answer = (detect_pagelets if opts.method in _METHODS else detect_sites)(source, opts)
        write_answer(opts.json, answer, show_shares)
        unreadable: int = answer["unreadable"]["count"]
        return unreadable
