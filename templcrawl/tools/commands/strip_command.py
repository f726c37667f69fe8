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
from typing import TYPE_CHECKING

from templcrawl.tools.commands.base import (
    INPUT,
    LOST,
    STDOUT,
    PagesCommand,
    check_parameters,
    choices,
    evidence,
    given_parameters,
    parameter_options,
    refuse,
)
from templcrawl.tools.commands.terminal import finish_reading

if TYPE_CHECKING:
    from templcrawl.memory.observation import Observation


class StripCommand(PagesCommand):
    """The command ``strip``."""

    arguments = "INPUT -o OUTPUT"
    summary = "Strip the templates from the pages of a finished crawl"
    description = (
        "Strip menus, headers, footers and all else that the pages of a site share from the pages of a "
        f"finished crawl. {INPUT} It is read twice: what the pages of a site share is learned from all "
        f"before the first is written. {LOST}"
    )

    def options(self) -> str:
        """Return its options."""
        from templcrawl.memory.detectors import DETECTORS, STRIPPED
        from templcrawl.tools.commands.strippers import SIBLINGS
        from templcrawl.tools.whole_site import PARAMETERS

        return f"""
            -o --output OUTPUT  FILE.jsonl (a line for each page), FILE.parquet, - for JSON lines on stdout,
                or a new folder for stripped HTML (a name with a dot needs a slash at its end)
            --detector {choices(DETECTORS)}=vote  find the template by {evidence(DETECTORS)} (default vote)
            --siblings {choices(SIBLINGS)}  the sibling of a sandwich, the page of the same directory with the
                nearest name (default), or the last page before it (arrival), which reads INPUT once
            --strip {choices(STRIPPED)}  strip what pages of a page type share, too (page type, the default),
                or only what those of the site do (site), for --detector vote
            --extractor NAME  also write the text of the article, found by article, or by the import path of a
                function of (html, url), such as trafilatura.extract; for JSON lines and Parquet
            --html  also write the stripped HTML into JSON lines and Parquet
            --markdown  also write Markdown, with headings and sections, into JSON lines and Parquet
            {parameter_options(PARAMETERS)}
            """

    def check(self, opts: argparse.Namespace) -> None:
        """Raise UsageError for options that are not accepted."""
        from templcrawl.tools.commands.strippers import VIEWS, VOTE

        if not opts.output:
            refuse("name the output: -o FILE.jsonl, -o FILE.parquet, -o FOLDER or -o - (stdout)")
        if opts.siblings and opts.detector not in VIEWS:
            refuse(f"--siblings is for --detector {' and '.join(VIEWS)}")
        if opts.strip and opts.detector != VOTE:
            refuse(f"--strip {opts.strip!r} is for --detector {VOTE}")
        check_parameters(opts, opts.detector)

    def work(self, source: str, opts: argparse.Namespace) -> int:
        """Read the pages and write them without their templates; return how many could not be read."""
        from templcrawl.outputs.extractors import extractor
        from templcrawl.page import markdown
        from templcrawl.page.saved_pages import FolderReader
        from templcrawl.tools.commands import strip_outputs
        from templcrawl.tools.commands.strippers import separate_pages, stripper
        from templcrawl.tools.readers import open_pages
        from templcrawl.tools.whole_site import PARAMETERS

        form = strip_outputs.checked_form(opts.output)
        asked = [option for option in strip_outputs.OPTIONS if getattr(opts, option)]
        if form == strip_outputs.FOLDER and asked:
            refuse(f"--{asked[0]} needs an OUTPUT that ends in .jsonl or .parquet, or -")
        if opts.markdown:
            markdown.load()
        fields = strip_outputs.OutputFields(asked, extractor(opts.extractor) if opts.extractor else None)
        reader = open_pages(source)
        mirrored = reader.folder if isinstance(reader, FolderReader) else None
        counts: Counter[str] = Counter()

        def strip(observation: Observation) -> None:
            write(observation)
            kept, whole = observation.text_lengths
            counts.update(pages=1, kept=kept, whole=whole)

        try:
            with (
                stripper(
                    opts.detector, opts.siblings, opts.strip, given_parameters(opts, PARAMETERS)
                ) as chosen,
                strip_outputs.open_output(opts.output, form, fields, mirrored) as write,
            ):
                separate_pages(reader, chosen, strip, "stripping")
                finish_reading(reader, source, counts["pages"])
        except BrokenPipeError:
            raise
        except OSError as error:
            where = f" ({error.filename})" if error.filename else ""
            refuse(f"{opts.output} was not written: {error.strerror or error}{where}")
        share = counts["kept"] / max(counts["whole"], 1)
        to_stdout = opts.output == STDOUT
        report = f"pages: {counts['pages']:,}, kept: {share:.0%} of their text, written to "
        (sys.stderr if to_stdout else sys.stdout).write(f"{report}{'stdout' if to_stdout else opts.output}\n")
        return len(reader.unreadable)
