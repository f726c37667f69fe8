"""``scrapy changes OLD NEW``: the differences between two finished crawls, without template changes.

Each crawl is read twice, a page at a time: first to learn what the pages of each site share, then to compare.
A page of the old crawl is stored as a sketch of its runs and its text.  Each page of the new crawl is
compared with it as it is read (:mod:`templcrawl.algorithms.similarity.alterations`).

Pages are identified by their addresses.  A folder of saved pages whose name replaces their host is the same
host in both crawls.

Cost: constant time a page, some 20 milliseconds for one of 50 KB.  Memory: a page; the pages of the old
crawl, and how those of the new one differ, are in a temporary file.

The JSON is one object::

    format     version of this schema: 1
    inputs     OLD and NEW, each {"input", "capped", "unreadable": {"count", "first"}}
    pages      {"changed", "new", "gone", "template only", "same", "unread"}: how many
    changed    [{"url", "differences": [{"removed": [line, ...], "added": [line, ...]}, ...]}, ...]
    new, gone  URLs of pages that are in one crawl alone

A page is *unread* where the archive of one crawl says that the crawl knew it and has left it, so that nothing
can be told; one that was not modified, as its server has answered, is the same.

Of changed, new and gone pages the first ``MAX_SHOWN`` each are retained and named; all are counted.
"""

from __future__ import annotations

import argparse
import pickle
import zlib
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from templcrawl.memory.change_kinds import CHANGED, GONE, NEW, SAME, TEMPLATE_ONLY
from templcrawl.tools.commands.base import INPUT, LOST, STDOUT, check_page, refuse
from templcrawl.tools.commands.terminal import (
    Answer,
    TabularCommand,
    input_json,
    report_unreadable,
    show_table,
    write,
)

if TYPE_CHECKING:
    import sqlite3

    from templcrawl.algorithms.similarity.alterations import Difference, RunSketch
    from templcrawl.algorithms.similarity.run_words import RunWords
    from templcrawl.memory.observation import Observation
    from templcrawl.page.saved_pages import CrawlReader
    from templcrawl.page.separation import Separation

MAX_SHOWN = 10_000
UNREAD = "unread"
KINDS = (CHANGED, NEW, GONE, TEMPLATE_ONLY, SAME, UNREAD)
_TABLES = """
    CREATE TABLE pages (key TEXT PRIMARY KEY, url TEXT, kind TEXT, was BLOB, differences BLOB);
    CREATE INDEX kinds ON pages (kind);
"""
_LONGEST_LINE = 60


class ChangesCommand(TabularCommand):
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
        import sqlite3

        from templcrawl.outputs.archive.archive_parts import ArchiveReader
        from templcrawl.outputs.report.html import (
            CHANGES,
            ChangesContents,
            load_template,
            report_html,
            write_report,
        )
        from templcrawl.tools.commands.strippers import separate_pages, stripper
        from templcrawl.tools.readers import open_pages

        if opts.output:
            load_template(CHANGES)
        readers = open_pages(old), open_pages(new)
        with closing(sqlite3.connect("")) as pages:
            changes = CrawlChanges(pages, *map(placeholder_host, readers))
            for name, reader, add in zip(("OLD", "NEW"), readers, (changes.add_old, changes.add_new)):
                with stripper("vote") as chosen:
                    separate_pages(reader, chosen, add, "comparing", f"{name}: ")
                report_unreadable(reader.unreadable, reader.capped)
            for reader, note in zip(readers, (changes.note_unread_old, changes.note_unread)):
                for url, is_same in reader.unread() if isinstance(reader, ArchiveReader) else ():
                    note(url, is_same=is_same)
            found = ChangesContents(
                (old, new), changes.counts(), changes.changed(), changes.urls(NEW), changes.urls(GONE)
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
        shown = {kind: pages for kind, pages in counts.items() if pages or kind != UNREAD}
        write(", ".join(f"{kind}: {pages:,}" for kind, pages in shown.items()) + "\n")
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


class CrawlChanges:
    """The pages of two crawls: add all of the old one, then all of the new one, then read the answers."""

    def __init__(self, pages: sqlite3.Connection, old_host: str | None, new_host: str | None) -> None:
        """Start without pages.

        pages               an empty database, where they are stored
        old_host, new_host  the two names of one host in the two crawls, None without such names
        """
        self._hosts = (old_host, new_host) if old_host and new_host else ("", "")
        self._pages = pages
        self._pages.executescript(_TABLES)

    def add_old(self, observation: Observation) -> None:
        """Add a page of the old crawl; a repeated page counts once."""
        url, (_, *was) = observation.page.url, _content(observation.separation)
        self._pages.execute(
            "INSERT OR IGNORE INTO pages (key, url, kind, was) VALUES (?, ?, ?, ?)",
            (_key(url), url, GONE, _packed(was)),
        )

    def add_new(self, observation: Observation) -> None:
        """Add a page of the new crawl; a repeated page counts once."""
        page = observation.page
        old_host, new_host = self._hosts
        url = urlsplit(page.url)._replace(netloc=old_host).geturl() if page.host == new_host else page.url
        key = _key(url)
        row = self._pages.execute("SELECT was, kind FROM pages WHERE key = ?", (key,)).fetchone()
        if row is None:
            self._pages.execute("INSERT INTO pages (key, url, kind) VALUES (?, ?, ?)", (key, url, NEW))
        elif row[1] == GONE:
            kind, found = _compared(row[0], observation.separation)
            self._pages.execute(
                "UPDATE pages SET kind = ?, differences = ?, was = NULL WHERE key = ?",
                (kind, _packed(found), key),
            )

    def note_unread(self, url: str, *, is_same: bool) -> None:
        """Note a known page that the new crawl has not read; unchanged if it was not modified."""
        update = "UPDATE pages SET kind = ? WHERE key = ? AND kind = ?"
        self._pages.execute(update, (SAME if is_same else UNREAD, _key(url), GONE))

    def note_unread_old(self, url: str, *, is_same: bool) -> None:
        """Note a page that the old crawl knew and has not read."""
        self._pages.execute("UPDATE pages SET kind = ? WHERE key = ? AND kind = ?", (UNREAD, _key(url), NEW))

    def counts(self) -> dict[str, int]:
        """Return kind -> pages."""
        counts = dict(self._pages.execute("SELECT kind, count(*) FROM pages GROUP BY kind"))
        return {kind: counts.get(kind, 0) for kind in KINDS}

    def changed(self) -> list[tuple[str, list[Difference]]]:
        """Return the first pages whose content has changed, and how, in the order of the old crawl."""
        rows = self._pages.execute(
            "SELECT url, differences FROM pages WHERE kind = ? ORDER BY rowid LIMIT ?", (CHANGED, MAX_SHOWN)
        )
        return [(url, pickle.loads(zlib.decompress(found))) for url, found in rows]

    def urls(self, kind: str) -> list[str]:
        """Return the addresses of the first pages that are NEW or GONE."""
        select = "SELECT url FROM pages WHERE kind = ? ORDER BY rowid LIMIT ?"
        return [url for (url,) in self._pages.execute(select, (kind, MAX_SHOWN))]


def placeholder_host(reader: CrawlReader) -> str | None:
    """Return the host that replaces the real one in a folder of saved pages, None for other crawls."""
    from templcrawl.page.addresses import host_of
    from templcrawl.page.saved_pages import FolderReader, page_url

    return host_of(page_url(reader.folder, reader.folder / "x")) if isinstance(reader, FolderReader) else None


def _key(url: str) -> str:
    from templcrawl.page.text import unforgeable_key

    return f"{unforgeable_key(url.partition('#')[0]):016x}"


def _content(separation: Separation) -> tuple[RunWords, RunSketch, list[str], dict[int, str]]:
    """Return the words of a page, the sketch of its runs, its lines, and the runs of its content."""
    from templcrawl.algorithms.similarity.alterations import run_sketch, run_texts
    from templcrawl.algorithms.similarity.run_words import RunWords
    from templcrawl.page.render import visible_text

    words = RunWords(separation.page)
    lines = visible_text(separation.page).splitlines()
    return words, run_sketch(separation, words), lines, run_texts(separation, words)


def _compared(packed: bytes, separation: Separation) -> tuple[str, list[Difference]]:
    """Return the kind of change of a page, and how its content differs; packed is what it was."""
    from templcrawl.algorithms.similarity.alterations import alterations, differences

    old, old_lines, old_runs = pickle.loads(zlib.decompress(packed))
    words, new, new_lines, new_runs = _content(separation)
    altered = alterations(old, new, words)
    if not altered.changed:
        return (SAME if old.text == new.text else TEMPLATE_ONLY), []
    removed = [old_runs[run] for run in altered.removed if run in old_runs]
    added = [new_runs[run] for run in altered.added if run in new_runs]
    found = differences(old_lines, new_lines, removed, added)
    return CHANGED, found or differences(old_lines, new_lines, [*old_runs.values()], [*new_runs.values()])


def _packed(value: object) -> bytes:
    return zlib.compress(pickle.dumps(value), 1)
