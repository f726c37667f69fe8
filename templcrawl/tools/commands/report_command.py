"""``scrapy report INPUT``: one HTML file that shows what is template on the pages of a finished crawl.

INPUT is read once, a page at a time, and every page is judged by those before it, as in a crawl; only the
pages that are shown are judged again by all.

Cost: constant time a page, some 15 milliseconds for one of 50 KB.  Memory: bounded (see
:mod:`templcrawl.outputs.report.figures` and :mod:`templcrawl.memory.site`).
"""

from __future__ import annotations

import argparse
import sys
import webbrowser
from pathlib import Path

from templcrawl.tools.commands.base import INPUT, LOST, PagesCommand, refuse
from templcrawl.tools.commands.output import STDOUT, can_write_to, names_html

_DEFAULT = "report.html"


class ReportCommand(PagesCommand):
    """The command ``report``."""

    def syntax(self) -> str:
        """Return what follows the command's name."""
        return "[options] INPUT"

    def short_desc(self) -> str:
        """Return a line of description."""
        return "Show what is template on the pages of a finished crawl, as one HTML file"

    def long_desc(self) -> str:
        """Return a paragraph of description."""
        return (
            "Write an HTML file that shows what the pages of each site of a finished crawl have in common: "
            "how much of their text is template, their page types, and a typical page of each with its "
            f"template greyed out. The file needs nothing but a browser. {INPUT} {LOST} For example: scrapy "
            "report saved/example.org/ -o report.html --open. It needs Jinja: pip install "
            "'templcrawl[report]'."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's options."""
        super().add_options(parser)
        parser.add_argument(
            "-o",
            "--output",
            metavar="FILE",
            default=_DEFAULT,
            help=f"file of the report, a name that ends in .html; - for stdout (default {_DEFAULT})",
        )
        parser.add_argument("--open", action="store_true", help="open the report in a browser")

    def check(self, opts: argparse.Namespace) -> None:
        """Raise UsageError for options that are not accepted."""
        if opts.open and opts.output == STDOUT:
            refuse("--open needs a file: -o FILE")
        if not names_html(opts.output):
            refuse(f"-o: the report is a file of HTML; give a name that ends in .html, not {opts.output}")
        if not can_write_to(opts.output):
            refuse(f"-o: cannot write to {opts.output}")

    def work(self, source: str, opts: argparse.Namespace) -> int:
        """Read the pages and write the report; return how many could not be read."""
        from datetime import datetime, timezone
        from time import monotonic

        from templcrawl.memory.crawl import CrawlMemory
        from templcrawl.outputs.report.contents import Run, report_contents
        from templcrawl.outputs.report.figures import CrawlFigures
        from templcrawl.outputs.report.html import load_template, report_html, write_report
        from templcrawl.tools.commands.output import report_unreadable
        from templcrawl.tools.commands.terminal import tracked
        from templcrawl.tools.readers.sources import open_pages

        load_template()
        reader = open_pages(source)
        memory, figures, started = CrawlMemory(sample_salt=0), CrawlFigures(), monotonic()
        for number, record in enumerate(tracked(reader), start=1):
            if record.url:
                with reader.unreadable.skipping(record.url):
                    figures.update(memory.observe(record.page()))
            else:
                reader.unreadable.add(f"record {number}", "it has no URL")
        report_unreadable(reader.unreadable, reader.capped)
        if not figures.total.pages:
            refuse(f"no pages in {source}")
        run = Run(source, datetime.now(timezone.utc), monotonic() - started, errors=len(reader.unreadable))
        contents = report_contents(figures, memory, run)
        if opts.output == STDOUT:
            sys.stdout.buffer.write(report_html(contents).encode("utf-8"))
            return len(reader.unreadable)
        write_report(contents, Path(opts.output))
        share = figures.total.template_share
        sys.stdout.write(
            f"pages: {figures.total.pages:,}, {share:.0%} of their text is template, "
            f"written to {opts.output}\n"
        )
        if opts.open:
            webbrowser.open(Path(opts.output).resolve().as_uri())
        return len(reader.unreadable)
