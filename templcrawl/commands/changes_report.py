"""What ``scrapy changes`` has found, as tables, as JSON and as HTML.

The JSON is one object::

    format     version of this schema: 1
    inputs     OLD and NEW, each {"input", "capped", "unreadable": {"count", "first"}}
    pages      {"changed", "new", "gone", "template only", "same"}: how many
    changed    [{"url", "differences": [{"removed": [line, ...], "added": [line, ...]}, ...]}, ...]
    new, gone  URLs of pages that are in one crawl alone

Of changed, new and gone pages the first ``_MOST_SHOWN`` each are kept in memory and named; all are counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from templcrawl.commands.crawl_changes import GONE, KINDS, ChangedPage, CrawlChanges
from templcrawl.commands.output import STDOUT, input_json
from templcrawl.commands.terminal_tables import show_table, write
from templcrawl.files import whole_file
from templcrawl.memory.change_table import CHANGED, NEW
from templcrawl.readers.records import Reader
from templcrawl.report.changes import ChangesContents, changes_html

FORMAT = 1
_MOST_SHOWN = 10_000


class ChangesReport:
    """What has changed between two crawls.

    counts   kind -> pages
    changed  pages whose content has changed
    """

    def __init__(self, sources: tuple[str, str], changes: CrawlChanges) -> None:
        self._sources = sources
        self.changed: list[ChangedPage] = []
        for number, page in enumerate(changes.changed()):
            if number < _MOST_SHOWN:
                self.changed.append(page)
        self.counts = {kind: changes.counts[kind] for kind in KINDS}
        self.pages = sum(self.counts.values())
        self.new, self.gone = (list(islice(changes.urls(kind), _MOST_SHOWN)) for kind in (NEW, GONE))

    def show(self, top: int) -> None:
        """Write the tables, at most ``top`` rows of each."""
        write(", ".join(f"{kind}: {pages:,}" for kind, pages in self.counts.items()) + "\n")
        rows = [_row(page) for page in self.changed[:top]]
        if rows:
            title = f"\nPages whose content has changed: {self.counts[CHANGED]:,}"
            title += f", the first {top:,}" if len(self.changed) > top else ""
            show_table(title, ["added", "taken away", "page", "such as"], rows, numbers=2)
        for kind, urls in ((NEW, self.new), (GONE, self.gone)):
            if urls:
                title = f"\nPages that are {kind}: {self.counts[kind]:,}"
                title += f", the first {top:,}" if len(urls) > top else ""
                show_table(title, ["page"], [[url] for url in urls[:top]], numbers=0)

    def as_json(self, readers: Sequence[Reader]) -> Any:
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
            NEW: self.new,
            GONE: self.gone,
        }

    def write_html(self, target: str) -> None:
        """Write the report as HTML to a file, or to stdout for -; raises OSError."""
        pages = [(page.url, page.differences) for page in self.changed]
        html = changes_html(ChangesContents(self._sources, self.counts, pages, self.new, self.gone))
        if target == STDOUT:
            write(html)
            return
        with whole_file(Path(target)) as file:
            file.write(html.encode("utf-8"))


def _row(page: ChangedPage) -> list[str]:
    added = [line for part in page.differences for line in part.added]
    removed = [line for part in page.differences for line in part.removed]
    sign, line = ("+", added[0]) if added else ("-", removed[0])
    return [str(len(added)), str(len(removed)), page.url, f"{sign} {line[:60]}"]
