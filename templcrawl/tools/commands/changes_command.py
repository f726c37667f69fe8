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
from typing import TYPE_CHECKING

from templcrawl.tools.commands.base import (
    INPUT,
    LOST,
    STDOUT,
    TablesCommand,
    check_html,
    exact_arguments,
    refuse,
)
from templcrawl.tools.commands.terminal import (
    Answer,
    each_page,
    input_json,
    report_unreadable,
    show_table,
    write,
    write_json,
)

if TYPE_CHECKING:
    from templcrawl.outputs.report.html import ChangesContents
    from templcrawl.page.records import CrawlReader
    from templcrawl.page.separation import Separation

FORMAT = 1
_MOST_SHOWN = 10_000
_CUT = "the first {:,}"


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
        if opts.output:
            check_html(opts.output, "the changes are a file of HTML")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the command.  Raises UsageError, which Scrapy turns into exit code 2."""
        crawls = "two crawls, OLD and NEW: folders of saved pages, WARC files or crawl archives"
        old, new = exact_arguments(args, crawls, 2)
        self.check(opts)
        self.finish(lambda: self.compare(old, new, opts))

    def compare(self, old: str, new: str, opts: argparse.Namespace) -> int:
        """Compare two crawls and show what has changed; return how many records could not be read."""
        from templcrawl.memory.change_table import NEW
        from templcrawl.outputs.report.html import (
            CHANGES,
            ChangesContents,
            load_template,
            report_html,
            write_report,
        )
        from templcrawl.tools.commands.crawl_changes import GONE, KINDS, CrawlChanges, placeholder_host
        from templcrawl.tools.readers.sources import open_pages

        if opts.output:
            load_template(CHANGES)
        readers = open_pages(old), open_pages(new)
        changes = CrawlChanges(*map(placeholder_host, readers))
        try:
            for name, reader, add in zip(("OLD", "NEW"), readers, (changes.add_old, changes.add_new)):
                each_separation(reader, add, name)
                report_unreadable(reader.unreadable, reader.capped)
            found = ChangesContents(
                (old, new),
                {kind: changes.counts[kind] for kind in KINDS},
                list(islice(changes.changed(), _MOST_SHOWN)),
                *(list(islice(changes.urls(kind), _MOST_SHOWN)) for kind in (NEW, GONE)),
            )
        finally:
            changes.close()
        if not any(found.counts.values()):
            refuse(f"no pages in {old} and {new}")
        _show(found, opts.top)
        if opts.json:
            write_json(_as_json(found, readers), opts.json)
        if opts.output == STDOUT:
            write(report_html(found))
        elif opts.output:
            write_report(found, Path(opts.output))
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


def _show(found: ChangesContents, top: int) -> None:
    write(", ".join(f"{kind}: {pages:,}" for kind, pages in found.counts.items()) + "\n")
    rows: list[list[object]] = []
    for url, differences in found.changed:
        added = [line for part in differences for line in part.added]
        removed = [line for part in differences for line in part.removed]
        sign, line = ("+", added[0]) if added else ("-", removed[0])
        rows.append([len(added), len(removed), url, f"{sign} {line[:60]}"])
    if rows:
        title = f"\nPages whose content has changed: {found.counts['changed']:,}"
        head = ["added", "taken away", "page", "such as"]
        show_table(title, head, rows, numbers=2, top=top, cut=_CUT)
    for kind, urls in (("new", found.new), ("gone", found.gone)):
        if urls:
            title = f"\nPages that are {kind}: {found.counts[kind]:,}"
            show_table(title, ["page"], [[url] for url in urls], numbers=0, top=top, cut=_CUT)


def _as_json(found: ChangesContents, readers: Sequence[CrawlReader]) -> Answer:
    return {
        "format": FORMAT,
        "inputs": list(map(input_json, found.sources, readers)),
        "pages": found.counts,
        "changed": [
            {"url": url, "differences": [part._asdict() for part in differences]}
            for url, differences in found.changed
        ],
        "new": found.new,
        "gone": found.gone,
    }
