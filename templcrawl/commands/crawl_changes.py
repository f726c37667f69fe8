"""What has changed between two finished crawls, template changes apart.

A page of the old crawl is kept as a sketch of its runs and its text, and so is a page of the new one that
differs; all is known before anything is judged, so that no page is judged early
(:mod:`templcrawl.memory.run_evidence`).

Pages are told by their addresses.  A folder of saved pages whose name stands for their host is the same host
in both crawls.

Memory: pages wait in a temporary file, but not the hashes of the distinct runs of pages that are in both
crawls.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from templcrawl.algorithms.similarity.alterations import Alterations, alterations, run_sketch, run_texts
from templcrawl.algorithms.similarity.line_differences import Difference, differences
from templcrawl.algorithms.similarity.run_words import RunWords
from templcrawl.memory.change_table import CHANGED, NEW, SAME, TEMPLATE_ONLY, PageRecord
from templcrawl.memory.run_evidence import RunEvidence
from templcrawl.page.addresses import host_of, url_key
from templcrawl.page.render import text_of
from templcrawl.page.separation import Separation
from templcrawl.readers.folder import FolderReader, page_url
from templcrawl.readers.records import Reader

GONE = "gone"
KINDS = (CHANGED, NEW, GONE, TEMPLATE_ONLY, SAME)

_TABLES = """
    CREATE TABLE pages (key TEXT PRIMARY KEY, url TEXT, old BLOB, was BLOB, new BLOB, now BLOB, kind TEXT,
        altered TEXT);
    CREATE INDEX kinds ON pages (kind);
"""
_MOST_RUNS = 1_000_000


class ChangedPage(NamedTuple):
    """A page whose content has changed, and how."""

    url: str
    differences: list[Difference]


class CrawlChanges:
    """The pages of two crawls: first all of the old one, then all of the new one, then the answers.

    counts  kind -> pages; complete once ``changed`` was read to its end
    """

    def __init__(self, old_host: str | None = None, new_host: str | None = None) -> None:
        """Start without pages.

        old_host, new_host  what stands for one host in the two crawls, None where nothing does
        """
        self._hosts = (old_host, new_host) if old_host and new_host else ("", "")
        self.counts: Counter[str] = Counter()
        self._pages = sqlite3.connect("")
        self._pages.executescript(_TABLES)
        self._evidence: dict[str, RunEvidence] = {}

    def close(self) -> None:
        """Let go of the temporary file."""
        self._pages.close()

    def add_old(self, separation: Separation) -> None:
        """Take a page of the old crawl; one that comes again counts once."""
        page = separation.page
        words = RunWords(separation.page)
        record, said = _packed(separation, words)
        added = self._pages.execute(
            "INSERT OR IGNORE INTO pages (key, url, old, was, kind) VALUES (?, ?, ?, ?, ?)",
            (_key(page.url), page.url, record.packed(), said, GONE),
        )
        if added.rowcount:
            self._of(page.host).learn(record.sketch, None)

    def add_new(self, separation: Separation) -> None:
        """Take a page of the new crawl; one that comes again counts once."""
        page = separation.page
        old_host, new_host = self._hosts
        url = page.url.replace(new_host, old_host, 1) if page.host == new_host else page.url
        key, evidence = _key(url), self._of(host_of(url))
        row = self._pages.execute("SELECT old, kind FROM pages WHERE key = ?", (key,)).fetchone()
        if row is not None and row[1] != GONE:
            return
        words = RunWords(separation.page)
        record, said = _packed(separation, words)
        if row is None:
            self._pages.execute("INSERT INTO pages (key, url, kind) VALUES (?, ?, ?)", (key, url, NEW))
            evidence.learn(record.sketch, None)
            return
        old = PageRecord.unpacked(row[0]).sketch
        altered = alterations(old, record.sketch, words)
        evidence.note(evidence.compare(old, record.sketch, altered))
        evidence.learn(record.sketch, old)
        is_same = old.text == record.sketch.text
        if is_same:
            self._pages.execute("UPDATE pages SET kind = ? WHERE key = ?", (SAME, key))
            return
        self._pages.execute(
            "UPDATE pages SET new = ?, now = ?, altered = ?, kind = ? WHERE key = ?",
            (record.packed(), said, json.dumps(list(map(list, altered))), TEMPLATE_ONLY, key),
        )

    def _of(self, host: str) -> RunEvidence:
        if host not in self._evidence:
            self._evidence[host] = RunEvidence(window=None, limit=_MOST_RUNS, altered=_MOST_RUNS)
        return self._evidence[host]

    def changed(self) -> Iterator[ChangedPage]:
        """Yield the pages whose content has changed, in the order of the old crawl."""
        self.counts = Counter(dict(self._pages.execute("SELECT kind, count(*) FROM pages GROUP BY kind")))
        rows = self._pages.execute(
            "SELECT url, old, was, new, now, altered FROM pages WHERE kind = ? ORDER BY rowid",
            (TEMPLATE_ONLY,),
        )
        for url, *columns in rows:
            altered = self._altered(url, *columns)
            if altered:
                self.counts[TEMPLATE_ONLY] -= 1
                self.counts[CHANGED] += 1
                yield ChangedPage(url, altered)

    def _altered(
        self, url: str, old: bytes, was: bytes, new: bytes, now: bytes, altered: str
    ) -> list[Difference]:
        """Return how the content of a page differs."""
        before, after = PageRecord.unpacked(old).sketch, PageRecord.unpacked(new).sketch
        evidence = self._of(host_of(url))
        runs = Alterations(*map(frozenset, json.loads(altered)))
        reread = evidence.compare(before, after, runs)
        added, removed = evidence.of_content(reread, before, after, noted=True)
        if not added and not removed:
            return []
        (old_lines, old_runs), (new_lines, new_runs) = _unpacked(was), _unpacked(now)
        return differences(old_lines, new_lines, _texts(old_runs, removed), _texts(new_runs, added))

    def urls(self, kind: str) -> Iterator[str]:
        """Yield the addresses of the pages that are NEW or GONE."""
        for (url,) in self._pages.execute("SELECT url FROM pages WHERE kind = ? ORDER BY rowid", (kind,)):
            yield url


def stand_in_host(reader: Reader) -> str | None:
    """Return the host that the name of a folder of saved pages stands for, None for other crawls."""
    return host_of(page_url(reader.folder, reader.folder / "x")) if isinstance(reader, FolderReader) else None


def _key(url: str) -> str:
    return f"{url_key(url):016x}"


def _packed(separation: Separation, words: RunWords) -> tuple[PageRecord, bytes]:
    """Return the sketch of a page, and its lines and the runs of its content as bytes."""
    record = PageRecord(run_sketch(separation, words), "0", 0, 0, 0)
    page = separation.page
    said = [text_of(page, b"\1" * len(page.tokens), 1).splitlines(), run_texts(separation, words)]
    return record, zlib.compress(json.dumps(said).encode(), 1)


def _unpacked(said: bytes) -> tuple[list[str], dict[str, str]]:
    lines, runs = json.loads(zlib.decompress(said))
    return lines, runs


def _texts(runs: dict[str, str], altered: frozenset[int]) -> list[str]:
    return [runs[name] for name in map(str, altered) if name in runs]
