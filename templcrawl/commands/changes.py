"""``scrapy changes OLD NEW``: what has changed between two finished crawls, template changes apart.

Each crawl is read twice, a page at a time: first to learn what the pages of each site share, then to compare.

Cost: constant time a page, some 20 milliseconds for one of 50 KB.  Memory: see
:mod:`templcrawl.commands.crawl_changes`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING

from templcrawl.commands.base import INPUT, LOST, TablesCommand, refuse
from templcrawl.commands.output import can_write_to, names_html

if TYPE_CHECKING:
    from templcrawl.page.separation import Separation
    from templcrawl.readers.records import Reader

_CRAWLS = 2


class ChangesCommand(TablesCommand):
    """The command ``changes``."""

    def syntax(self) -> str:
        """Return what follows the command's name."""
        return "[options] OLD NEW"

    def short_desc(self) -> str:
        """Return a line of description."""
        return "Tell what has changed between two finished crawls, template changes apart"

    def long_desc(self) -> str:
        """Return a paragraph of description."""
        return (
            "Tell which pages are new, gone, changed in their content, changed in their template only "
            "(menus, footers, banners), or the same, and what was added and taken "
            f"away. OLD and NEW are crawls of the same sites. {INPUT.replace('INPUT is', 'Each is')} "
            f"{LOST.replace('INPUT', 'them')} For example: scrapy changes january/ february/ -o changes.html"
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's options."""
        super().add_options(parser)
        parser.add_argument(
            "-o",
            "--output",
            metavar="FILE",
            help="also write an HTML page that shows what was added and taken away, a name that ends in "
            ".html; it needs pip install 'templcrawl[report]'",
        )

    def check(self, opts: argparse.Namespace) -> None:
        """Raise UsageError for options that are not accepted."""
        super().check(opts)
        if opts.output and (not names_html(opts.output) or not can_write_to(opts.output)):
            refuse(f"-o: give the name of a file that can be written and ends in .html, not {opts.output}")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the command.  Raises UsageError, which Scrapy turns into exit code 2."""
        unknown = [argument for argument in args if argument.startswith("-")]
        if unknown:
            refuse(f"unknown option: {unknown[0]}")
        if len(args) != _CRAWLS:
            refuse("give two crawls, OLD and NEW: folders of saved pages, WARC files or crawl archives")
        self.check(opts)
        self.finish(lambda: self.compare(args[0], args[1], opts))

    def compare(self, old: str, new: str, opts: argparse.Namespace) -> int:
        """Compare two crawls and show what has changed; return how many records could not be read."""
        from templcrawl.commands.changes_report import ChangesReport
        from templcrawl.commands.crawl_changes import CrawlChanges, stand_in_host
        from templcrawl.commands.output import tell_unreadable, write_json
        from templcrawl.readers.sources import open_pages
        from templcrawl.report.html import CHANGES, load_template

        if opts.output:
            load_template(CHANGES)
        readers = open_pages(old), open_pages(new)
        changes = CrawlChanges(*map(stand_in_host, readers))
        try:
            for name, reader, add in zip(("OLD", "NEW"), readers, (changes.add_old, changes.add_new)):
                each_separation(reader, add, name)
                tell_unreadable(reader.unreadable, reader.capped)
            report = ChangesReport((old, new), changes)
            if not report.pages:
                refuse(f"no pages in {old} and {new}")
            report.show(opts.top)
            if opts.json:
                write_json(report.as_json(readers), opts.json)
            if opts.output:
                report.write_html(opts.output)
        finally:
            changes.close()
        return sum(len(reader.unreadable) for reader in readers)


def each_separation(reader: Reader, use: Callable[[Separation], None], name: str) -> None:
    """Put every page of a crawl before a function, separated by all that its site shares.

    name  of the crawl, as a person is told who waits
    """
    from templcrawl.commands.strip import each_page
    from templcrawl.commands.strippers import stripper

    way = stripper("vote")
    try:
        each_page(reader, way.learn, f"{name}: learning, 1 of 2")
        each_page(reader, lambda page: use(way.separate(page).separation), f"{name}: comparing, 2 of 2")
    finally:
        way.close()
