"""``scrapy report INPUT``: one HTML file that shows what is template on the pages of a finished crawl.

INPUT is read once, a page at a time, and each page is judged by the pages before it, as in a crawl.  Only the
pages that are shown are judged again, by all pages.

Cost: constant time a page, some 15 milliseconds for one of 50 KB.  Memory: bounded (see
:mod:`templcrawl.outputs.report.figures` and :mod:`templcrawl.memory.site`).
"""

from __future__ import annotations

import argparse
import sys
import webbrowser
from pathlib import Path

from templcrawl.tools.commands.base import INPUT, LOST, STDOUT, PagesCommand, check_page
from templcrawl.tools.commands.terminal import each_page, finish_reading


class ReportCommand(PagesCommand):
    """The command ``report``."""

    summary = "Show what is template on the pages of a finished crawl, as one HTML file"
    description = (
        "Write an HTML file that shows what the pages of each site of a finished crawl have in common: "
        "how much of their text is template, their page types, and a typical page of each with its "
        f"template greyed out. The file needs nothing but a browser. {INPUT} {LOST} For example: scrapy "
        "report saved/example.org/ -o report.html --open. It needs Jinja: pip install "
        "'templcrawl[report]'."
    )

    def options(self) -> str:
        """Return its options."""
        return """
            -o --output FILE=report.html  file of the report, a name that ends in .html; - for stdout (default
                report.html)
            --open  open the report in a browser
            """

    def check(self, opts: argparse.Namespace) -> None:
        """Raise UsageError for options that are not accepted."""
        check_page(opts, "the report is a file of HTML")

    def work(self, source: str, opts: argparse.Namespace) -> int:
        """Read the pages and write the report; return how many could not be read."""
        from datetime import datetime, timezone
        from time import monotonic

        from templcrawl.memory.crawl_memory import CrawlMemory
        from templcrawl.outputs.report.contents import CrawlFacts, report_contents
        from templcrawl.outputs.report.figures import CrawlFigures
        from templcrawl.outputs.report.html import load_template, report_html, write_report
        from templcrawl.tools.readers import open_pages

        load_template()
        reader = open_pages(source)
        memory = CrawlMemory(sample_salt=0, link_evidence=True)
        figures, started = CrawlFigures(), monotonic()
        each_page(reader, lambda page: figures.count_page(memory.observe(page)))
        finish_reading(reader, source, figures.total.pages)
        run = CrawlFacts(
            source, datetime.now(timezone.utc), monotonic() - started, errors=len(reader.unreadable)
        )
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
