"""``scrapy changes OLD NEW``: the differences between two finished crawls, without template changes.

Each crawl is read twice, a page at a time: first to learn what the pages of each site share, then to compare.

Cost: constant time a page, some 20 milliseconds for one of 50 KB.  Memory: see
:mod:`templcrawl.tools.commands.crawl_changes`.

The JSON is one object::

    format     version of this schema: 1
    inputs     OLD and NEW, each {"input", "capped", "unreadable": {"count", "first"}}
    pages      {"changed", "new", "gone", "template only", "same"}: how many
    changed    [{"url", "differences": [{"removed": [line, ...], "added": [line, ...]}, ...]}, ...]
    new, gone  URLs of pages that are in one crawl alone

Of changed, new and gone pages the first ``_MOST_SHOWN`` each are retained and named; all are counted.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from templcrawl.tools.commands.base import (
    INPUT,
    LOST,
    STDOUT,
    TablesCommand,
    can_write_to,
    exact_arguments,
    names_html,
    refuse,
)
from templcrawl.tools.commands.terminal import (
    each_page,
    input_json,
    report_unreadable,
    show_table,
    write,
    write_json,
)

if TYPE_CHECKING:
    from templcrawl.page.records import CrawlReader
    from templcrawl.page.separation import Separation
    from templcrawl.tools.commands.crawl_changes import ChangedPage, CrawlChanges

FORMAT = 1
_MOST_SHOWN = 10_000


class ChangesCommand(TablesCommand):
    """The command ``changes``."""

    arguments = "OLD NEW"
    summary = "Tell what has changed between two finished crawls, template changes apart"
    description = (
        "List the pages that are new, gone, changed in their content, changed in their template only "
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
            help="also write an HTML page of what was added and removed, to a name that ends in .html; it "
            "needs pip install 'templcrawl[report]'",
        )

    def check(self, opts: argparse.Namespace) -> None:
        """Raise UsageError for options that are not accepted."""
        super().check(opts)
        if opts.output and (not names_html(opts.output) or not can_write_to(opts.output)):
            refuse(f"-o: give the name of a file that can be written and ends in .html, not {opts.output}")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the command.  Raises UsageError, which Scrapy turns into exit code 2."""
        crawls = "two crawls, OLD and NEW: folders of saved pages, WARC files or crawl archives"
        old, new = exact_arguments(args, crawls, 2)
        self.check(opts)
        self.finish(lambda: self.compare(old, new, opts))

    def compare(self, old: str, new: str, opts: argparse.Namespace) -> int:
        """Compare two crawls and show what has changed; return how many records could not be read."""
        from templcrawl.outputs.report.html import CHANGES, load_template
        from templcrawl.tools.commands.crawl_changes import CrawlChanges, placeholder_host
        from templcrawl.tools.readers.sources import open_pages

        if opts.output:
            load_template(CHANGES)
        readers = open_pages(old), open_pages(new)
        changes = CrawlChanges(*map(placeholder_host, readers))
        try:
            for name, reader, add in zip(("OLD", "NEW"), readers, (changes.add_old, changes.add_new)):
                each_separation(reader, add, name)
                report_unreadable(reader.unreadable, reader.capped)
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


def each_separation(reader: CrawlReader, use: Callable[[Separation], None], name: str) -> None:
    """Put every page of a crawl before a function, separated by all that its site shares.

    name  of the crawl, for the progress line
    """
    from templcrawl.tools.commands.strippers import stripper

    chosen = stripper("vote")
    try:
        each_page(reader, chosen.learn, f"{name}: learning, 1 of 2")
        each_page(reader, lambda page: use(chosen.separate(page).separation), f"{name}: comparing, 2 of 2")
    finally:
        chosen.close()


class ChangesReport:
    """What has changed between two crawls.

    counts   kind -> pages
    changed  pages whose content has changed
    urls     "new", "gone" -> URLs of pages that are in one crawl alone
    """

    def __init__(self, sources: tuple[str, str], changes: CrawlChanges) -> None:
        from templcrawl.memory.change_table import NEW
        from templcrawl.tools.commands.crawl_changes import GONE, KINDS

        self._sources = sources
        self.changed: list[ChangedPage] = []
        for number, page in enumerate(changes.changed()):
            if number < _MOST_SHOWN:
                self.changed.append(page)
        self.counts = {kind: changes.counts[kind] for kind in KINDS}
        self.pages = sum(self.counts.values())
        self.urls = {kind: list(islice(changes.urls(kind), _MOST_SHOWN)) for kind in (NEW, GONE)}

    def show(self, top: int) -> None:
        """Write the tables, at most ``top`` rows of each."""
        write(", ".join(f"{kind}: {pages:,}" for kind, pages in self.counts.items()) + "\n")
        if self.changed:
            title = f"\nPages whose content has changed: {self.counts['changed']:,}"
            head = ["added", "taken away", "page", "such as"]
            show_table(title, head, list(map(_row, self.changed)), numbers=2, top=top, by="first")
        for kind, urls in self.urls.items():
            if urls:
                title = f"\nPages that are {kind}: {self.counts[kind]:,}"
                show_table(title, ["page"], [[url] for url in urls], numbers=0, top=top, by="first")

    def as_json(self, readers: Sequence[CrawlReader]) -> Any:
        """Return the report as the plain values of its schema."""
        changed = [
            {"url": page.url, "differences": [part._asdict() for part in page.differences]}
            for page in self.changed
        ]
        return {
            "format": FORMAT,
            "inputs": list(map(input_json, self._sources, readers)),
            "pages": self.counts,
            "changed": changed,
            **self.urls,
        }

    def write_html(self, target: str) -> None:
        """Write the report as HTML to a file, or to stdout for -; raises OSError."""
        from templcrawl.outputs.report.html import ChangesContents, report_html, write_report

        pages = [(page.url, page.differences) for page in self.changed]
        contents = ChangesContents(self._sources, self.counts, pages, *self.urls.values())
        if target == STDOUT:
            write(report_html(contents))
        else:
            write_report(contents, Path(target))


def _row(page: ChangedPage) -> list[object]:
    added = [line for part in page.differences for line in part.added]
    removed = [line for part in page.differences for line in part.removed]
    sign, line = ("+", added[0]) if added else ("-", removed[0])
    return [len(added), len(removed), page.url, f"{sign} {line[:60]}"]
