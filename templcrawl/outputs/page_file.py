"""The current pages of a folder, in one SQLite file: the last reading of each, and its change.

A pipeline (:mod:`templcrawl.crawl.stored_site`) writes a page here before Scrapy takes its request for done,
so a kill loses none.  The file is a ``CrawlReader``, for tables, report and texts.

Cost: some 2 ms a page of 100 KB, most of it to compress.  Disk: about a fifth of the HTML.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from templcrawl.memory.change_kinds import CHANGED, GONE, NEW
from templcrawl.outputs.change_line import change_line
from templcrawl.outputs.page_rows import DATES
from templcrawl.page.saved_pages import Record, Unreadable

_KNOWN = ("last_read", "first_seen", "last_changed", "content_hash")  # of a page, in a line about its change
_TABLES = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
CREATE TABLE IF NOT EXISTS pages (url TEXT PRIMARY KEY, asked TEXT, content_type TEXT, body BLOB,
    last_read TEXT, first_seen TEXT, last_changed TEXT, content_hash TEXT);
CREATE INDEX IF NOT EXISTS by_asked ON pages (asked);
CREATE TABLE IF NOT EXISTS changes (url TEXT PRIMARY KEY, change TEXT, line TEXT);
CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value TEXT);
CREATE TEMP TABLE unread (url TEXT PRIMARY KEY);
"""
_PUT = f"""
INSERT INTO pages VALUES ({", ".join("?" * 8)}) ON CONFLICT (url) DO UPDATE SET asked = excluded.asked,
    content_type = excluded.content_type, body = excluded.body, last_read = excluded.last_read,
    last_changed = excluded.last_changed, content_hash = excluded.content_hash
"""


@dataclass
class StoredPage:
    """A page on its way into the file.

    asked         the address that led to it
    last_read     when, as ISO 8601 has it
    content_hash  it and what follows as in the answers of that name
    """

    url: str
    body: bytes
    content_type: str
    asked: str
    last_read: str
    content_hash: str | None = None
    first_seen: str | None = None
    last_changed: str | None = None
    changed: str | None = None


class PageFile:
    """The file.

    total   how many pages it has
    stored  how many were stored since it was opened
    """

    unit = "pages"

    def __init__(self, path: Path) -> None:
        """Open the file, made if it is missing; raises sqlite3.Error."""
        self._file = sqlite3.connect(path, check_same_thread=False)
        self._file.executescript(_TABLES)
        self.done = self.capped = self.stored = 0
        self.unreadable = Unreadable()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    # what is known of the folder

    def get(self, name: str) -> str:
        """Return a fact about the folder, "" if it is not known."""
        row = self._file.execute("SELECT value FROM about WHERE name = ?", (name,)).fetchone()
        return row[0] if row else ""

    def set(self, **facts: str) -> None:
        """Note facts about the folder."""
        with self._file:
            self._file.executemany("INSERT OR REPLACE INTO about VALUES (?, ?)", facts.items())

    def begin(self) -> None:
        """Forget what the crawl before has changed; all pages are unread."""
        with self._file:
            self._file.execute("DELETE FROM changes")
            self._file.execute("INSERT OR IGNORE INTO unread SELECT url FROM pages")

    # pages

    @property
    def total(self) -> int:
        """Number of pages in the file."""
        return int(self._file.execute("SELECT count(*) FROM pages").fetchone()[0])

    def __contains__(self, url: str) -> bool:
        query = "SELECT 1 FROM pages WHERE url = ? OR asked = ?"
        return self._file.execute(query, (url, url)).fetchone() is not None

    def __iter__(self) -> Iterator[Record]:
        """Yield the pages in the order in which they were read first."""
        self.done = 0
        for url, content_type, body in self._file.execute(
            "SELECT url, content_type, body FROM pages ORDER BY rowid"
        ):
            self.done += 1
            yield Record(url, zlib.decompress(body), content_type or None)

    def dates(self, url: str) -> dict[str, str]:
        """Return when a page was first seen, last read, and last changed."""
        query = f"SELECT {', '.join(DATES)} FROM pages WHERE url = ?"
        return dict(zip(DATES, self._file.execute(query, (url,)).fetchone()))

    def put(self, page: StoredPage) -> None:
        """Store a page in the place of its earlier form, and note whether it is new or has changed."""
        noted, before = self._noted(page.url), self._known(page.url)
        row = (page.last_read, page.first_seen, page.last_changed, page.content_hash)
        with self._file:
            self._file.execute(
                _PUT, (page.url, page.asked, page.content_type, zlib.compress(page.body, 1), *row)
            )
            self._file.execute("DELETE FROM unread WHERE url = ?", (page.url,))
            change = NEW if before is None else page.changed
            if noted is not None:
                before = noted["before"]
                is_other = before is None or before["content_hash"] != page.content_hash
                change = NEW if before is None else CHANGED if is_other else None
            self._note(page.url, change, before, content_hash=page.content_hash)
        self.stored += 1

    def drop(self, url: str, why: str) -> None:
        """Remove a page that is gone, if it is there."""
        noted, before = self._noted(url), self._known(url)
        if before is not None:
            with self._file:
                self._file.execute("DELETE FROM pages WHERE url = ?", (url,))
                before = before if noted is None else noted["before"]
                self._note(url, GONE if before is not None else None, before, why=why)

    def drop_unread(self, why: str) -> None:
        """Remove the pages that were not stored again since ``begin``."""
        for (url,) in self._file.execute("SELECT url FROM unread").fetchall():
            self.drop(url, why)

    def _known(self, url: str) -> dict[str, Any] | None:
        query = f"SELECT {', '.join(_KNOWN)} FROM pages WHERE url = ?"
        row = self._file.execute(query, (url,)).fetchone()
        return dict(zip(_KNOWN, row)) if row else None

    # changes

    def _noted(self, url: str) -> dict[str, Any] | None:
        """Return the line that this crawl has noted about a page."""
        row = self._file.execute("SELECT line FROM changes WHERE url = ?", (url,)).fetchone()
        noted: dict[str, Any] | None = json.loads(row[0]) if row else None
        return noted

    def _note(self, url: str, change: str | None, before: dict[str, Any] | None, **line: str | None) -> None:
        """Note the change of a page since the crawl before, in the place of an earlier note."""
        self._file.execute("DELETE FROM changes WHERE url = ?", (url,))
        if change in (NEW, CHANGED, GONE):
            row = url, change, change_line(url, change, before, **line)
            self._file.execute("INSERT INTO changes VALUES (?, ?, ?)", row)

    def changes(self) -> Iterator[str]:
        """Yield a line of JSON for each page that is new, has changed or is gone."""
        for (line,) in self._file.execute("SELECT line FROM changes ORDER BY rowid"):
            yield line

    def news(self) -> str:
        """Return a phrase with the numbers of pages that are new, changed or gone."""
        counts = dict(self._file.execute("SELECT change, count(*) FROM changes GROUP BY change"))
        return ", ".join(f"{counts.get(change, 0):,} {change}" for change in (NEW, CHANGED, GONE))
