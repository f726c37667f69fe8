"""``scrapy detect ARCHIVE``: the template pagelets of an archived crawl.

``--method local`` calls pagelets template that are alike on two pages; ``global`` only where links connect
those pages, which tells a site's own template from mirrors and from what strangers happen to share
(Bar-Yossef & Rajagopalan, WWW 2002).  The tables TEMPLATES and TEMPLATE_PAGELETS are written into the
archive's folder; shown is the share of pages, HTML, words and links that is template, site by site.

``dom``, ``text`` and ``mdl`` read the HTML of the pages instead, which must have been kept, and write no
tables (see :mod:`templcrawl.commands.detect_sites`).

Cost and memory are said in :mod:`templcrawl.detection.template_tables`.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from templcrawl.commands.base import PagesCommand, refuse
from templcrawl.commands.output import STDOUT

if TYPE_CHECKING:
    from templcrawl.archive.parts import Archive

_METHODS = ("local", "global")
_SITE_METHODS = ("dom", "text", "mdl")
_ENGINES = ("duckdb", "spark")


class DetectCommand(PagesCommand):
    """The command ``detect``."""

    def syntax(self) -> str:
        """Return what follows the command's name."""
        return "[options] ARCHIVE"

    def short_desc(self) -> str:
        """Return a line of description."""
        return "Detect the templates of an archived crawl"

    def long_desc(self) -> str:
        """Return a paragraph of description."""
        return (
            "Detect the templates of an archived crawl: pagelets that are alike on several pages (local), "
            "and of those the ones whose pages are linked with each other (global). Duplicate pages are left "
            "out. ARCHIVE is what a crawl wrote with TEMPLCRAWL_ARCHIVE: a folder, or a URI such as "
            "s3://bucket/crawl. The methods dom, text and mdl read the HTML of an archive that kept it, a "
            "folder of saved pages or a WARC file, and show shares only."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's options."""
        super().add_options(parser)
        parser.add_argument(
            "--method", choices=(*_METHODS, *_SITE_METHODS), default="local", help="how (default: local)"
        )
        parser.add_argument(
            "--engine",
            choices=_ENGINES,
            default="duckdb",
            help="what runs the SQL: duckdb on this machine (default), or spark as it is configured",
        )
        parser.add_argument("--memory", metavar="SIZE", help='what duckdb may use, as in "4GB"')
        parser.add_argument(
            "--min-links",
            metavar="N",
            type=int,
            default=0,
            help="leave out pagelets with fewer links (default: 0)",
        )
        parser.add_argument(
            "-o",
            "--output",
            metavar="FOLDER",
            help="where the tables go (default: detected/METHOD in the archive)",
        )

    def check(self, opts: argparse.Namespace) -> None:
        """Raise UsageError for options that are not accepted."""
        if opts.min_links < 0:
            refuse("--min-links: give a number of 0 or more")
        if opts.method in _SITE_METHODS and (opts.output or opts.min_links or opts.memory):
            refuse("--output, --min-links and --memory are for --method local and global")

    def work(self, source: str, opts: argparse.Namespace) -> None:
        """Detect, and write the tables."""
        if opts.method in _SITE_METHODS:
            from templcrawl.commands.detect_sites import detect_sites

            detect_sites(source, opts)
        else:
            self._detect_pagelets(source, opts)

    def _detect_pagelets(self, source: str, opts: argparse.Namespace) -> None:
        from templcrawl.archive.location import locate
        from templcrawl.archive.parts import Archive
        from templcrawl.commands.detect_report import DetectReport
        from templcrawl.commands.output import write_json
        from templcrawl.detection.template_tables import TEMPLATE_PAGELETS, TEMPLATES, detect_templates
        from templcrawl.engines.choice import start_engine

        archive = Archive(source)
        _tell_unreadable(archive)
        output = locate(opts.output or archive.location.address("detected", opts.method))
        with start_engine(opts.engine, memory=opts.memory) as engine:
            detect_templates(engine, archive, opts.method, min_links=opts.min_links)
            for table in (TEMPLATES, TEMPLATE_PAGELETS):
                engine.save(table, output.address(table))
            report = DetectReport(engine, opts.method, top=opts.top)
        if opts.json:
            write_json(report.as_json(source, archive), opts.json)
        if opts.json != STDOUT:
            report.show()


def _tell_unreadable(archive: Archive) -> None:
    """Say on stderr which parts are left out."""
    from templcrawl.commands.output import tell_unreadable
    from templcrawl.readers.shape import Unreadable

    unreadable = Unreadable()
    for name, reason in archive.unreadable:
        unreadable.add(name, reason)
    tell_unreadable(unreadable)
