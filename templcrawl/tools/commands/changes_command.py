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

Of changed, new and gone pages the first ``MOST_SHOWN`` each are retained and named; all are counted.
"""

from __future__ import annotations

import argparse
from itertools import chain, islice
from pathlib import Path

from templcrawl.tools.commands.base import INPUT, LOST, STDOUT, check_page, refuse
from templcrawl.tools.commands.terminal import (
    Answer,
    TablesCommand,
    input_json,
    report_unreadable,
    show_table,
    write,
)

MOST_SHOWN = 10_000
_LONGEST_LINE = 60


class ChangesCommand(TablesCommand):
    """The command ``changes``."""

    arguments = "OLD NEW"
    inputs = (2, "two crawls, OLD and NEW: folders of saved pages, WARC files or crawl archives")
    summary = "Tell what has changed between two finished crawls, template changes apart"
    description = (
        "List the pages that are new, gone, changed in their content, changed in their template only "
        "(menus, footers, banners), or the same, and what was added and taken "
        f"away. OLD and NEW are crawls of the same sites. {INPUT.replace('INPUT is', 'Each is')} "
        f"{LOST.replace('INPUT', 'them')} For example: scrapy changes january/ february/ -o changes.html"
    )

    def options(self) -> str:
        """Return its options."""
        return """
            -o --output FILE  also write an HTML page of what was added and removed, to a name that ends in
                .html; it needs pip install 'templcrawl[report]'
            """

    def check(self, opts: argparse.Namespace) -> None:
        """Raise UsageError for options that are not accepted."""
        super().check(opts)
        if opts.output:
            check_page(opts, "the changes are a file of HTML")

    def find(self, old: str, new: str, opts: argparse.Namespace) -> Answer:
        """Compare two crawls; return what has changed, and write it as HTML with ``-o``."""
        from templcrawl.memory.change_table import NEW
        from templcrawl.outputs.report.html import (
            CHANGES,
            ChangesContents,
            load_template,
            report_html,
            write_report,
        )
        from templcrawl.tools.commands.crawl_changes import GONE, KINDS, CrawlChanges, placeholder_host
        from templcrawl.tools.commands.strippers import learn_pages, separate_pages, stripper
        from templcrawl.tools.readers.sources import open_pages

        if opts.output:
            load_template(CHANGES)
        readers = open_pages(old), open_pages(new)
        with CrawlChanges(*map(placeholder_host, readers)) as changes:
            for name, reader, add in zip(("OLD", "NEW"), readers, (changes.add_old, changes.add_new)):
                with stripper("vote") as chosen:
                    learn_pages(reader, chosen, f"{name}: ")
                    separate_pages(reader, chosen, add, f"{name}: comparing")
                report_unreadable(reader.unreadable, reader.capped)
            found = ChangesContents(
                (old, new),
                {kind: changes.counts[kind] for kind in KINDS},
                list(islice(changes.changed(), MOST_SHOWN)),
                *(list(islice(changes.urls(kind), MOST_SHOWN)) for kind in (NEW, GONE)),
            )
        if not any(found.counts.values()):
            refuse(f"no pages in {old} and {new}")
        if opts.output == STDOUT:
            write(report_html(found))
        elif opts.output:
            write_report(found, Path(opts.output))
        return {
            "inputs": list(map(input_json, found.sources, readers)),
            "pages": found.counts,
            "changed": [
                {"url": url, "differences": [part._asdict() for part in differences]}
                for url, differences in found.changed
            ],
            "new": found.new,
            "gone": found.gone,
        }

    def show(self, answer: Answer, top: int | None) -> None:
        """Write the tables of an answer."""
        counts = answer["pages"]
        write(", ".join(f"{kind}: {pages:,}" for kind, pages in counts.items()) + "\n")
        rows: list[list[object]] = []
        for page in answer["changed"]:
            added, removed = (
                list(chain.from_iterable(part[side] for part in page["differences"]))
                for side in ("added", "removed")
            )
            sign, line = ("+", added[0]) if added else ("-", removed[0])
            rows.append([len(added), len(removed), page["url"], f"{sign} {line[:_LONGEST_LINE]}"])
        cut = "the first {:,}"
        if rows:
            title = f"\nPages whose content has changed: {counts['changed']:,}"
            head = ["added", "taken away", "page", "such as"]
            show_table(title, head, rows, numbers=2, top=top, cut=cut)
        for kind in ("new", "gone"):
            if answer[kind]:
                title = f"\nPages that are {kind}: {counts[kind]:,}"
                show_table(title, ["page"], [[url] for url in answer[kind]], numbers=0, top=top, cut=cut)
