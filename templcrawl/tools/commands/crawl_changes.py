"""The differences between two finished crawls, without template changes.

A page of the old crawl is stored as a sketch of its runs and its text.  Each page of the new crawl is
compared with it as it is read (:mod:`templcrawl.algorithms.similarity.alterations`).

Pages are identified by their addresses.  A folder of saved pages whose name replaces their host is the same
host in both crawls.

Memory: a page; the pages of the old crawl, and how those of the new one differ, in a temporary file.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager
from urllib.parse import urlsplit

from templcrawl.algorithms.similarity.alterations import (
    Difference,
    alterations,
    differences,
    run_sketch,
    run_texts,
)
from templcrawl.algorithms.similarity.run_words import RunWords
from templcrawl.memory.change_table import CHANGED, NEW, SAME, TEMPLATE_ONLY, PageRecord
from templcrawl.memory.observation import Observation
from templcrawl.page.addresses import host_of
from templcrawl.page.records import CrawlReader, FolderReader, page_url
from templcrawl.page.render import visible_text
from templcrawl.page.separation import Separation
from templcrawl.page.text import unforgeable_key

GONE = "gone"
KINDS = (CHANGED, NEW, GONE, TEMPLATE_ONLY, SAME)

_TABLES = """
    CREATE TABLE pages (key TEXT PRIMARY KEY, url TEXT, old BLOB, was BLOB, kind TEXT, differences BLOB);
    CREATE INDEX kinds ON pages (kind);
"""


class CrawlChanges(AbstractContextManager["CrawlChanges"]):
    """The pages of two crawls: add all of the old one, then all of the new one, then read the answers.

    Leaving the context removes the temporary file.
    """

    def __init__(self, old_host: str | None = None, new_host: str | None = None) -> None:
        """Start without pages.

        old_host, new_host  the two names of one host in the two crawls, None without such names
        """
        self._hosts = (old_host, new_host) if old_host and new_host else ("", "")
        self._pages = sqlite3.connect("")
        self._pages.executescript(_TABLES)

    def __exit__(self, *exception: object) -> None:
        self._pages.close()

    @property
    def counts(self) -> Counter[str]:
        """Kind -> pages."""
        return Counter(dict(self._pages.execute("SELECT kind, count(*) FROM pages GROUP BY kind")))

    def add_old(self, observation: Observation) -> None:
        """Add a page of the old crawl; a repeated page counts once."""
        separation, url = observation.separation, observation.page.url
        words = RunWords(separation.page)
        record = PageRecord(run_sketch(separation, words), "0", 0, 0, 0)
        texts = _compressed([visible_text(separation.page).splitlines(), run_texts(separation, words)])
        self._pages.execute(
            "INSERT OR IGNORE INTO pages (key, url, old, was, kind) VALUES (?, ?, ?, ?, ?)",
            (_key(url), url, record.packed(), texts, GONE),
        )

    def add_new(self, observation: Observation) -> None:
        """Add a page of the new crawl; a repeated page counts once."""
        page = observation.page
        old_host, new_host = self._hosts
        url = urlsplit(page.url)._replace(netloc=old_host).geturl() if page.host == new_host else page.url
        key = _key(url)
        row = self._pages.execute("SELECT old, was, kind FROM pages WHERE key = ?", (key,)).fetchone()
        if row is None:
            self._pages.execute("INSERT INTO pages (key, url, kind) VALUES (?, ?, ?)", (key, url, NEW))
        elif row[2] == GONE:
            kind, found = _compared(row[0], row[1], observation.separation)
            self._pages.execute(
                "UPDATE pages SET kind = ?, differences = ?, old = NULL, was = NULL WHERE key = ?",
                (kind, _compressed(found), key),
            )

    def changed(self) -> Iterator[tuple[str, list[Difference]]]:
        """Yield the pages whose content has changed, and how, in the order of the old crawl."""
        rows = self._pages.execute(
            "SELECT url, differences FROM pages WHERE kind = ? ORDER BY rowid", (CHANGED,)
        )
        for url, found in rows:
            parts = json.loads(zlib.decompress(found))
            yield url, [Difference(tuple(removed), tuple(added)) for removed, added in parts]

    def urls(self, kind: str) -> Iterator[str]:
        """Yield the addresses of the pages that are NEW or GONE."""
        for (url,) in self._pages.execute("SELECT url FROM pages WHERE kind = ? ORDER BY rowid", (kind,)):
            yield url


def placeholder_host(reader: CrawlReader) -> str | None:
    """Return the host that replaces the real one in a folder of saved pages, None for other crawls."""
    return host_of(page_url(reader.folder, reader.folder / "x")) if isinstance(reader, FolderReader) else None


def _key(url: str) -> str:
    return f"{unforgeable_key(url.partition('#')[0]):016x}"


def _compared(packed: bytes, was: bytes, separation: Separation) -> tuple[str, list[Difference]]:
    """Return the kind of change of a page, and how its content differs.

    packed  its record
    was     its lines and the runs of its content, as bytes
    """
    words = RunWords(separation.page)
    old, new = PageRecord.unpacked(packed).sketch, run_sketch(separation, words)
    altered = alterations(old, new, words)
    if not altered.changed:
        return (SAME if old.text == new.text else TEMPLATE_ONLY), []
    old_lines, by_name = json.loads(zlib.decompress(was))
    new_lines, new_runs = visible_text(separation.page).splitlines(), run_texts(separation, words)
    old_runs = {int(run): text for run, text in by_name.items()}
    removed = [old_runs[run] for run in altered.removed if run in old_runs]
    added = [new_runs[run] for run in altered.added if run in new_runs]
    found = differences(old_lines, new_lines, removed, added)
    return CHANGED, found or differences(old_lines, new_lines, [*old_runs.values()], [*new_runs.values()])


def _compressed(value: object) -> bytes:
    return zlib.compress(json.dumps(value).encode(), 1)
