"""An item pipeline that stores every item in one SQLite database: the storage that needs no server.

::

    ITEM_PIPELINES = {"templcrawl.components.sqlite_pipeline.SqlitePagesPipeline": 900}
    TEMPLCRAWL_SQLITE_PATH = "pages.sqlite"

One row an item, in the table ``items``.  The columns ``url``, ``template_id``, ``content_text`` and
``content_html`` repeat the item's fields of that name where those are text; ``item`` is the whole
item as JSON (see :func:`~templcrawl.components.items.json_text`), whatever its kind.

Several items may share a URL, so rows are only ever added.  An item is stored once: ``digest``, a
hash of its JSON text, is unique, and an equal item is ignored and counted.  So a crawl that is run
again, or resumed, adds only what is new or has changed.  (The hash is a cryptographic one, lest a
hostile site make its pages pass for another's.)

Items wait until ``TEMPLCRAWL_SQLITE_BATCH`` of them, 8 million characters or 5 seconds are reached
(looked at when an item comes), then go in one transaction, in a thread.  The item that made them due goes
on to the next pipeline once they are stored, and so do items that come when as many wait again: a slow
disk slows the crawl.  The database is in WAL mode: one may read while the crawl writes, and a kill loses
only what was waiting.

An error of the database does not stop the crawl: the batch is kept and tried again after 5 seconds
and at the close.  What waits meanwhile is bounded (10 batches, 80 million characters); beyond that
the older half is given up, with an error in the log.

Stats: ``templcrawl/sqlite/stored``, ``/duplicates`` (ignored), ``/errors`` (failed transactions and
items without a JSON form), ``/lost`` (items given up).
"""

from __future__ import annotations

import hashlib
import logging
import sqlite3
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.statscollectors import StatsCollector
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred

from templcrawl.components.guard import guarded, starting
from templcrawl.components.items import json_text
from templcrawl.components.settings import TemplcrawlSettings
from templcrawl.components.threads import in_thread
from templcrawl.errors import InvalidOption
from templcrawl.page.encoding import storable
from templcrawl.wording import counted

logger = logging.getLogger(__name__)

_BATCH_CHARACTERS = 8_000_000
_WAIT_SECONDS = 5.0
_BATCHES_KEPT = 10
_BUSY_MILLISECONDS = 500
_BUSY_MILLISECONDS_AT_ENDS = 10_000

_TABLE = """
CREATE TABLE IF NOT EXISTS items (
    key INTEGER PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE,
    url TEXT,
    template_id TEXT,
    content_text TEXT,
    content_html TEXT,
    item TEXT NOT NULL,
    stored_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
)"""
_INDEX = "CREATE INDEX IF NOT EXISTS items_url ON items (url)"
_CHECK = "SELECT stored_at FROM items LIMIT 0"
_INSERT = """
INSERT OR IGNORE INTO items (digest, url, template_id, content_text, content_html, item)
VALUES (?, ?, ?, ?, ?, ?)"""


class _Row(NamedTuple):
    """An item as the table takes it."""

    digest: bytes
    url: str | None
    template_id: str | None
    content_text: str | None
    content_html: str | None
    item: str


class SqlitePagesPipeline:
    """Stores items in the SQLite database at ``path``; its folder is made if it is missing.

    batch: items of a transaction, at least 1.
    stats: where stored, ignored and lost items are counted.
    clock: seconds that never run backwards.
    """

    crawler: Crawler | None = None

    @classmethod
    @starting
    def from_crawler(cls, crawler: Crawler) -> SqlitePagesPipeline:
        """Build the pipeline from the settings; raise NotConfigured when they name no path."""
        options = TemplcrawlSettings.from_settings(crawler.settings)
        if options.sqlite_path is None:
            raise NotConfigured
        pipeline = cls(options.sqlite_path, batch=options.sqlite_batch, stats=crawler.stats)
        pipeline.crawler = crawler
        return pipeline

    def __init__(
        self,
        path: str,
        *,
        batch: int,
        stats: StatsCollector,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._path = path
        self._batch = batch
        self._stats = stats
        self._clock = clock
        self._connection: sqlite3.Connection | None = None
        self._waiting: list[_Row] = []
        self._waiting_size = 0
        self._due_at = 0.0
        self._failing = False
        self._written: Deferred[None] | None = None

    @guarded("opening a database", lambda pipeline: None, passing=(InvalidOption,))
    async def open_spider(self) -> None:
        """Open the database; raise InvalidOption when it cannot hold the table ``items``."""
        try:
            Path(self._path).parent.mkdir(parents=True, exist_ok=True)
            self._connection = _connect(self._path)
        except (OSError, sqlite3.Error) as error:
            accepted = f"a file where SQLite can keep the table items ({error})"
            raise InvalidOption("TEMPLCRAWL_SQLITE_PATH", self._path, accepted) from error

    @guarded("storing an item", lambda pipeline, item: item)
    async def process_item(self, item: Any) -> Any:
        """Take ``item`` in, write what is due, and hand ``item`` on as it is."""
        try:
            row = _row(item)
        except Exception:
            logger.exception("An item of %s has no JSON form and is not stored", type(item))
            self._count("errors", 1)
            self._count("lost", 1)
            return item
        if not self._waiting:
            self._due_at = self._clock() + _WAIT_SECONDS
        self._waiting.append(row)
        self._waiting_size += _size(row)
        while self._is_due():
            await self._flush()
        self._bound_waiting()
        return item

    @guarded("closing a database", lambda pipeline: None)
    async def close_spider(self) -> None:
        """Write what waits, with more patience for a locked database, and close the database."""
        if self._connection is None:
            return
        try:
            while self._written is not None:
                await self._flush()
            _set_patience(self._connection, _BUSY_MILLISECONDS_AT_ENDS)
            await self._flush()
            self._lose(len(self._waiting))
        finally:
            self._connection.close()
            self._connection = None

    def _is_due(self) -> bool:
        is_full = len(self._waiting) >= self._batch or self._waiting_size >= _BATCH_CHARACTERS
        return (is_full and not self._failing) or (bool(self._waiting) and self._clock() >= self._due_at)

    async def _flush(self) -> None:
        """Write what waits, and keep it where that fails; where a batch is being written, wait for that."""
        if self._written is not None:
            await maybe_deferred_to_future(self._written)
            return
        if self._connection is None or not self._waiting:
            return
        self._written = written = Deferred[None]()
        batch, self._waiting, self._waiting_size = self._waiting, [], 0
        self._due_at = self._clock() + _WAIT_SECONDS
        try:
            self._count_written(batch, *await in_thread(_insert, self._connection, batch))
        except sqlite3.Error as error:
            self._waiting[:0] = batch
            self._waiting_size += sum(map(_size, batch))
            self._failing = True
            self._count("errors", 1)
            logger.error(
                "Cannot write to %s (%s); items that wait: %d", self._path, error, len(self._waiting)
            )
        finally:
            self._written = None
            written.callback(None)

    def _count_written(self, batch: Sequence[_Row], stored: int, refused: Sequence[str | None]) -> None:
        self._failing = False
        self._count("stored", stored)
        self._count("duplicates", len(batch) - stored - len(refused))
        for url in refused:
            logger.error("The item of %s is too large for SQLite and is not stored", url)
        self._count("lost", len(refused))

    def _bound_waiting(self) -> None:
        while (
            len(self._waiting) > _BATCHES_KEPT * self._batch
            or self._waiting_size > _BATCHES_KEPT * _BATCH_CHARACTERS
        ):
            self._lose((len(self._waiting) + 1) // 2)

    def _lose(self, number: int) -> None:
        """Give up the ``number`` items that have waited longest."""
        if number == 0:
            return
        logger.error("%s lost: %s cannot be written", counted(number, "item"), self._path)
        self._count("lost", number)
        del self._waiting[:number]
        self._waiting_size = sum(map(_size, self._waiting))

    def _count(self, what: str, number: int) -> None:
        if number:
            self._stats.inc_value(f"templcrawl/sqlite/{what}", number)


def _connect(path: str) -> sqlite3.Connection:
    connection = sqlite3.connect(path, check_same_thread=False)
    try:
        _set_patience(connection, _BUSY_MILLISECONDS_AT_ENDS)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        with connection:
            connection.execute(_TABLE)
            connection.execute(_INDEX)
        connection.execute(_CHECK)
        _set_patience(connection, _BUSY_MILLISECONDS)
    except BaseException:
        connection.close()
        raise
    return connection


def _set_patience(connection: sqlite3.Connection, milliseconds: int) -> None:
    """Set how long a write waits for another writer."""
    connection.execute(f"PRAGMA busy_timeout = {milliseconds}")


def _insert(connection: sqlite3.Connection, rows: Sequence[_Row]) -> tuple[int, list[str | None]]:
    """Insert ``rows`` in one transaction: how many were new, and the URLs of those too large."""
    stored = 0
    too_large: list[str | None] = []
    with connection:
        for row in rows:
            try:
                stored += connection.execute(_INSERT, row).rowcount
            except (sqlite3.DataError, OverflowError):
                too_large.append(row.url)
    return stored, too_large


def _row(item: object) -> _Row:
    fields = ItemAdapter(item)
    text = json_text(item)
    return _Row(
        hashlib.blake2b(text.encode(), digest_size=16).digest(),
        _text(fields.get("url")),
        _text(fields.get("template_id")),
        _text(fields.get("content_text")),
        _text(fields.get("content_html")),
        text,
    )


def _text(value: object) -> str | None:
    """``value`` where it is text; a lone surrogate, which UTF-8 cannot hold, becomes "?"."""
    return storable(value) if isinstance(value, str) else None


def _size(row: _Row) -> int:
    return len(row.item) + len(row.content_text or "") + len(row.content_html or "")
