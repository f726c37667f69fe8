"""An item pipeline that stores every item in one SQLite database: the storage that needs no server.

::

    ITEM_PIPELINES = {"templcrawl.outputs.sqlite.SqlitePagesPipeline": 900}
    TEMPLCRAWL_SQLITE_PATH = "pages.sqlite"

One row an item, in the table ``items``; one a leaf, with its page type, in the table ``page_types``.  The
columns ``url``, ``leaf_id``, ``content_text`` and ``content_html`` repeat the item's fields of that name
where those are text; ``item`` is the whole item as JSON (see :func:`~templcrawl.outputs.items.json_text`),
whatever its kind.

Several items may share a URL, so rows are only ever added.  An item is stored once: ``digest``, a
hash of its JSON text, is unique, and an equal item is ignored and counted.  So a crawl that is run
again, or resumed, adds only what is new or has changed.  (The hash is a cryptographic one, lest a
hostile site make its pages pass for another's.)

:mod:`templcrawl.outputs.item_batches` documents how items are buffered, and what happens to items that cannot
be stored.  The database is in WAL mode: one may read while the crawl writes, and a kill loses only buffered
items.  The pipeline waits for another writer, at the close for 10 seconds.  What is not stored, such as an
item that is too large for SQLite, is in ``<path>.unstored.jsonl``.

*The table.*  If a database is removed or replaced while it is open, what is written to it is lost without an
error. So each batch is written only to the file of that name, and counts only if the file is still there
afterwards; if not, a new one is created.

A table is used by one thread at a time.
"""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

from templcrawl.errors import InvalidOption
from templcrawl.memory.page_types import TypedLeaf
from templcrawl.outputs.item_batches import BATCH_ITEMS, BatchedItems, Inserted, ItemRow

if TYPE_CHECKING:
    from typing_extensions import Self

_SETTING = "TEMPLCRAWL_SQLITE_PATH"


class SqlitePagesPipeline(BatchedItems):
    """Stores items in the SQLite database at a path; its folder is made if it is missing."""

    database = "sqlite"

    @classmethod
    def _from_settings(cls, crawler: Crawler) -> Self:
        path = crawler.settings.get(_SETTING)
        if not path:
            raise NotConfigured
        return cls(str(path), batch=BATCH_ITEMS, stats=crawler.stats)

    def _open_table(self) -> ItemsTable:
        try:
            return ItemsTable(self._store)
        except (OSError, sqlite3.Error) as error:
            accepted = f"a file where SQLite can keep the table items ({error})"
            raise InvalidOption(_SETTING, self._store, accepted) from error


logger = logging.getLogger(__name__)

BUSY_MILLISECONDS = 500
BUSY_MILLISECONDS_AT_ENDS = 10_000

_TABLE = """
CREATE TABLE IF NOT EXISTS items (
    key INTEGER PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE,
    url TEXT,
    leaf_id TEXT,
    content_text TEXT,
    content_html TEXT,
    item TEXT NOT NULL,
    stored_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
)"""
_INDEX = "CREATE INDEX IF NOT EXISTS items_url ON items (url)"
_CHECK = "SELECT leaf_id FROM items LIMIT 0"
_INSERT = """
INSERT OR IGNORE INTO items (digest, url, leaf_id, content_text, content_html, item)
VALUES (?, ?, ?, ?, ?, ?)"""


class ItemsTable:
    """The table in the database at ``path``; its folder is made if it is missing.

    connection  the open database
    """

    def __init__(self, path: str) -> None:
        """Open the database; raises OSError, sqlite3.Error."""
        self._path = path
        self._open()

    def _open(self) -> None:
        Path(self._path).parent.mkdir(parents=True, exist_ok=True)
        self.connection = _connect(self._path)
        self._file = _file(self._path)

    def insert(self, rows: Sequence[ItemRow], *, at_end: bool = False) -> Inserted:
        """Insert rows in one transaction.

        at_end  whether another writer is waited for longer
        Raises OSError, sqlite3.Error; no row is counted as stored then.
        """
        milliseconds = BUSY_MILLISECONDS_AT_ENDS if at_end else BUSY_MILLISECONDS
        if _file(self._path) != self._file:
            logger.error("%s was removed or replaced: what was stored there is lost", self._path)
            self.close()
            self._open()
        stored = 0
        refused: list[ItemRow] = []
        self.connection.execute(f"PRAGMA busy_timeout = {milliseconds}")
        with self.connection:
            for row in rows:
                try:
                    stored += self.connection.execute(_INSERT, row).rowcount
                except (sqlite3.DataError, OverflowError, ValueError):
                    refused.append(row)
        if _file(self._path) != self._file:
            raise sqlite3.OperationalError("it was removed while it was written to")
        return Inserted(stored, 0, refused)

    def close(self) -> None:
        """Close the database."""
        with suppress(sqlite3.Error):
            self.connection.close()


_PAGE_TYPES = """
CREATE TABLE IF NOT EXISTS page_types (
    leaf_id TEXT PRIMARY KEY, page_type TEXT NOT NULL, pages INTEGER NOT NULL, kind TEXT
)"""
_INSERT_PAGE_TYPE = "INSERT OR REPLACE INTO page_types VALUES (?, ?, ?, ?)"


def store_page_types(path: str, leaves: Iterable[TypedLeaf]) -> None:
    """Insert the page types of leaves in the place of earlier ones; raises OSError, sqlite3.Error."""
    with closing(_connect(path)) as connection, connection:
        connection.execute(_PAGE_TYPES)
        connection.executemany(_INSERT_PAGE_TYPE, leaves)


def _file(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)  # noqa: PTH116
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _connect(path: str) -> sqlite3.Connection:
    connection = sqlite3.connect(path, check_same_thread=False)
    try:
        connection.execute(f"PRAGMA busy_timeout = {BUSY_MILLISECONDS_AT_ENDS}")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        with connection:
            connection.execute(_TABLE)
            connection.execute(_INDEX)
        connection.execute(_CHECK)
    except BaseException:
        connection.close()
        raise
    return connection
