"""``scrapy strip INPUT -o OUTPUT``: the pages of a finished crawl without their templates.

INPUT is read twice, a page at a time: first to learn what the pages of each site share, then to write every
page without it.  (Once, with --siblings arrival.)  OUTPUT appears only when it is complete.

Cost: constant time a page, some 15 milliseconds for one of 50 KB.  Memory: bounded (see the parts),
but for --siblings nearest, which keeps the names of all pages.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

from templcrawl.tools.commands.base import INPUT, LOST, STDOUT, PagesCommand, evidence, refuse
from templcrawl.tools.commands.terminal import each_page, report_unreadable

if TYPE_CHECKING:
    from templcrawl.page.page import Page
    from templcrawl.tools.commands.strip_outputs import Write
    from templcrawl.tools.commands.strippers import Stripper


class StripCommand(PagesCommand):
    """The command ``strip``."""

    arguments = "INPUT -o OUTPUT"
    summary = "Strip the templates from the pages of a finished crawl"
    description = (
        "Strip menus, headers, footers and all else that the pages of a site share from the pages of a "
        f"finished crawl. {INPUT} It is read twice: what the pages of a site share is learned from all "
        f"before the first is written. {LOST}"
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's options."""
        from templcrawl.memory.detectors.detector import STRIPPED
        from templcrawl.memory.detectors.detector_table import DETECTORS
        from templcrawl.tools.commands.strippers import SIBLINGS, STRIPPERS
        from templcrawl.tools.whole_site.site_detector_table import SITE_DETECTORS

        super().add_options(parser)
        parser.add_argument(
            "-o",
            "--output",
            metavar="OUTPUT",
            help="FILE.jsonl (a line for each page), FILE.parquet, - for JSON lines on stdout, or a new "
            "folder for stripped HTML (a name with a dot needs a slash at its end)",
        )
        parser.add_argument(
            "--detector",
            choices=tuple(STRIPPERS),
            default="vote",
            help=f"find the template by {evidence({**DETECTORS, **SITE_DETECTORS})} (default vote)",
        )
        parser.add_argument(
            "--siblings",
            choices=SIBLINGS,
            help="the sibling of a sandwich, the page of the same directory with the nearest name (default), "
            "or the last page before it (arrival), which reads INPUT once",
        )
        parser.add_argument(
            "--strip",
            choices=STRIPPED,
            help="strip what pages of a page type share, too (page type, the default), or only what those "
            "of the site do (site), for --detector vote",
        )
        parser.add_argument(
            "--extractor",
            metavar="NAME",
            help="also write the text of the article, found by article, readability, resiliparse, "
            "trafilatura, or the import path of a function of (html, url); for JSON lines and Parquet",
        )
        parser.add_argument(
            "--html", action="store_true", help="also write the stripped HTML into JSON lines and Parquet"
        )
        parser.add_argument(
            "--markdown",
            action="store_true",
            help="also write Markdown, with headings and sections, into JSON lines and Parquet",
        )

    def check(self, opts: argparse.Namespace) -> None:
        """Raise UsageError for options that are not accepted."""
        from templcrawl.errors import InvalidOption
        from templcrawl.tools.commands.strip_outputs import FOLDER, form_of
        from templcrawl.tools.commands.strippers import VIEWS, VOTE

        if not opts.output:
            refuse("name the output: -o FILE.jsonl, -o FILE.parquet, -o FOLDER or -o - (stdout)")
        if opts.siblings and opts.detector not in VIEWS:
            refuse(f"--siblings is for --detector {' and '.join(VIEWS)}")
        if opts.strip and opts.detector != VOTE:
            refuse(f"--strip {opts.strip!r} is for --detector {VOTE}")
        try:
            is_folder = form_of(opts.output) == FOLDER
        except InvalidOption as error:
            refuse(str(error))
        if is_folder and (opts.extractor or opts.html or opts.markdown):
            refuse("--extractor, --html and --markdown need an OUTPUT that ends in .jsonl or .parquet, or -")

    def work(self, source: str, opts: argparse.Namespace) -> int:
        """Read the pages and write them without their templates; return how many could not be read."""
        from templcrawl.memory.detectors.detector import PAGE_TYPE
        from templcrawl.outputs.extractors import extractor
        from templcrawl.page import markdown
        from templcrawl.page.records import FolderReader
        from templcrawl.tools.commands.strip_outputs import OutputFields, check_output, open_output
        from templcrawl.tools.commands.strippers import stripper
        from templcrawl.tools.readers.sources import open_pages

        check_output(opts.output)
        extract = extractor(opts.extractor) if opts.extractor else None
        if opts.markdown:
            markdown.load()
        reader = open_pages(source)
        chosen = stripper(opts.detector, opts.siblings or "nearest", opts.strip or PAGE_TYPE)
        mirrored = reader.folder if isinstance(reader, FolderReader) else None
        counts: Counter[str] = Counter()
        passes = ("learning, 1 of 2", "stripping, 2 of 2") if chosen.learns else ("", "stripping")
        try:
            if chosen.learns:
                each_page(reader, chosen.learn, passes[0])
            fields = OutputFields(extract, html=opts.html, markdown=opts.markdown)
            with open_output(opts.output, fields, mirrored) as write:
                strip = partial(_strip, stripper=chosen, write=write, counts=counts)
                each_page(reader, strip, passes[1])
                report_unreadable(reader.unreadable, reader.capped)
                if not counts["pages"]:
                    refuse(f"no pages in {source}")
        except BrokenPipeError:
            raise
        except OSError as error:
            where = f" ({error.filename})" if error.filename else ""
            refuse(f"{opts.output} was not written: {error.strerror or error}{where}")
        finally:
            chosen.close()
        stream = sys.stderr if opts.output == STDOUT else sys.stdout
        share = counts["retained"] / max(counts["whole"], 1)
        target = "stdout" if opts.output == STDOUT else opts.output
        stream.write(f"pages: {counts['pages']:,}, kept: {share:.0%} of their text, written to {target}\n")
        return len(reader.unreadable)


def _strip(page: Page, stripper: Stripper, write: Write, counts: Counter[str]) -> None:
    observation = stripper.separate(page)
    write(observation)
    retained, whole = observation.text_lengths
    counts.update(pages=1, retained=retained, whole=whole)
