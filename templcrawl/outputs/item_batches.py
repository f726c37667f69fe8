"""Items on their way into a database: buffered, written in batches by a thread, and none is lost silently.

The base of the pipelines of all databases.  Items are buffered until there are 200 of them, or
8 million characters, or for 5 seconds (checked when an item comes).  Then they go in one transaction, in a
thread.  The item that made them due goes on to the next pipeline once they are stored, and so do items that
come when as many are buffered again: a slow database slows the crawl.

An error of the database does not stop the crawl: the batch stays buffered, and is tried again 5 seconds later
and at the close; the first of a series is logged.  The buffer is bounded (10 batches, 80 million
characters); beyond that the older half, and at the close the rest, is saved in a file, with an error in the
log: the JSON text of each item is a line of ``<store>.unstored.jsonl``.  So is an item that the database does
not take, and so is what is buffered where a crawl is ended without a close (Ctrl-C a second time).

Stats, below ``templcrawl/<database>/``: ``stored``, ``replaced`` (in the place of an earlier item),
``duplicates`` (ignored), ``errors`` (failed transactions and items without a JSON form), ``unstored`` (items
saved in the file), ``lost`` (items given up).

The file of unstored items is there only if there are any, and only ever appended to.
"""

from __future__ import annotations

import atexit
import hashlib
import logging
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler
from scrapy.statscollectors import StatsCollector
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred

from templcrawl.errors import InvalidOption, pluralize
from templcrawl.guard import guarded, starting
from templcrawl.outputs.items import json_text
from templcrawl.page.text import storable
from templcrawl.threads import in_thread

if TYPE_CHECKING:
    from typing_extensions import Self

logger = logging.getLogger(__name__)

BATCH_ITEMS = 200
_BATCH_CHARACTERS = 8_000_000
_WAIT_SECONDS = 5.0
_MOST_BATCHES = 10


class ItemRow(NamedTuple):
    """An item as a table takes it."""

    digest: bytes
    url: str | None
    leaf_id: str | None
    content_text: str | None
    content_html: str | None
    item: str


class Inserted(NamedTuple):
    """The result of inserting a batch.

    stored    rows that were new
    replaced  rows that took the place of others
    refused   rows that the database does not take
    """

    stored: int
    replaced: int
    refused: Sequence[ItemRow]


class ItemStore(Protocol):
    """The table of a database; used by one thread at a time."""

    def insert(self, rows: Sequence[ItemRow], *, at_end: bool) -> Inserted:
        """Insert rows, with more patience at the end; raises where that fails, and none is stored then."""

    def close(self) -> None:
        """Close the database."""


class BatchedItems:
    """Stores items in a database.

    batch  items of a transaction, at least 1
    stats  where stored, ignored and lost items are counted
    store  what the database is called in the log, and the file of what is not stored
    clock  seconds that never run backwards
    """

    database: ClassVar[str]  # its name in the stats

    crawler: Crawler | None = None

    def __init__(
        self,
        store: str,
        *,
        batch: int,
        stats: StatsCollector,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._batch = batch
        self._stats = stats
        self._clock = clock
        self._table: ItemStore | None = None
        self._buffer: list[ItemRow] = []
        self._buffered_size = 0
        self._due_at = 0.0
        self._failing = False
        self._written: Deferred[None] | None = None
        self._in_flight: dict[int, Sequence[ItemRow]] = {}

    def _open_table(self) -> ItemStore:
        raise NotImplementedError

    @classmethod
    @starting
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build the pipeline, and open its database once to see whether that is possible.

        Raises NotConfigured where the settings name no database, InvalidOption where it cannot be opened.
        Scrapy would log what ``open_spider`` raises with a traceback.
        """
        pipeline = cls._from_settings(crawler)
        pipeline.crawler = crawler
        pipeline._open_table().close()
        return pipeline

    @classmethod
    def _from_settings(cls, crawler: Crawler) -> Self:
        """Build the pipeline; raise NotConfigured where the settings name no database."""
        raise NotImplementedError

    @guarded("opening a database", passing=(InvalidOption,))
    async def open_spider(self) -> None:
        """Open the database; raise InvalidOption when it cannot hold the table ``items``."""
        self._table = self._open_table()
        atexit.register(self._save_unwritten)

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
        if not self._buffer:
            self._due_at = self._clock() + _WAIT_SECONDS
        self._buffer.append(row)
        self._buffered_size += _size(row)
        while self._is_due():
            await self._flush()
        self._bound_buffer()
        return item

    @guarded("closing a database")
    async def close_spider(self) -> None:
        """Write the buffer, with more patience for a locked database, and close the database."""
        try:
            while self._written is not None:
                await self._flush()
            await self._flush(at_end=True)
        finally:
            self._save_unwritten()
            atexit.unregister(self._save_unwritten)
            if self._table is not None:
                self._table.close()
                self._table = None

    def _is_due(self) -> bool:
        if self._table is None:
            return False
        is_full = len(self._buffer) >= self._batch or self._buffered_size >= _BATCH_CHARACTERS
        return (is_full and not self._failing) or (bool(self._buffer) and self._clock() >= self._due_at)

    async def _flush(self, *, at_end: bool = False) -> None:
        """Write the buffer, and retain it where that fails; where a batch is being written, wait for that."""
        if self._written is not None:
            await maybe_deferred_to_future(self._written)
            return
        if self._table is None or not self._buffer:
            return
        self._written = written = Deferred[None]()
        batch, self._buffer, self._buffered_size = self._buffer, [], 0
        self._in_flight[id(batch)] = batch
        try:
            done = await in_thread(self._insert, self._table, batch, at_end=at_end)
            del self._in_flight[id(batch)]
            self._count_written(batch, done)
        except Exception as error:
            self._in_flight.pop(id(batch), None)
            self._buffer[:0] = batch
            self._buffered_size += sum(map(_size, batch))
            self._due_at = self._clock() + _WAIT_SECONDS
            self._count("errors", 1)
            if not self._failing:
                logger.error(
                    "Cannot write to %s (%s); buffered items: %d (logged once until it can; see the stat "
                    "templcrawl/%s/errors)",
                    self._store,
                    str(error) or type(error).__name__,
                    len(self._buffer),
                    self.database,
                )
            self._failing = True
        finally:
            self._written = None
            written.callback(None)

    def _insert(self, table: ItemStore, batch: Sequence[ItemRow], *, at_end: bool) -> Inserted:
        """Insert a batch, and note what of it is not stored for an end that does not wait for the thread."""
        done = table.insert(batch, at_end=at_end)
        self._in_flight[id(batch)] = done.refused
        return done

    def _count_written(self, batch: Sequence[ItemRow], done: Inserted) -> None:
        self._failing = False
        self._count("stored", done.stored)
        self._count("replaced", done.replaced)
        self._count("duplicates", len(batch) - done.stored - done.replaced - len(done.refused))
        for row in done.refused:
            logger.error(
                "%s does not take the item of %s: it is too large, or has text that it cannot hold",
                self._store,
                row.url,
            )
        self._save_unstored(done.refused)

    def _bound_buffer(self) -> None:
        while (
            len(self._buffer) > _MOST_BATCHES * self._batch
            or self._buffered_size > _MOST_BATCHES * _BATCH_CHARACTERS
        ):
            self._save_oldest((len(self._buffer) + 1) // 2)

    def _save_oldest(self, number: int) -> None:
        """Give up storing the ``number`` items that were buffered first."""
        self._save_unstored(self._buffer[:number])
        del self._buffer[:number]
        self._buffered_size = sum(map(_size, self._buffer))

    def _save_unwritten(self) -> None:
        """Save what is not stored: at the close, or as the process ends without one."""
        self._buffer[:0] = [row for batch in self._in_flight.values() for row in batch]
        self._in_flight.clear()
        self._save_oldest(len(self._buffer))

    def _save_unstored(self, rows: Sequence[ItemRow]) -> None:
        if not rows:
            return
        number = pluralize(len(rows), "item")
        try:
            save_unstored(self._store, [row.item for row in rows])
        except OSError as error:
            logger.error(
                "%s lost: %s cannot be written, nor can what is beside it (%s)", number, self._store, error
            )
            self._count("lost", len(rows))
        else:
            logger.error(
                "%s not stored: %s cannot be written; see %s", number, self._store, unstored_path(self._store)
            )
            self._count("unstored", len(rows))

    def _count(self, stat: str, number: int) -> None:
        if number:
            self._stats.inc_value(f"templcrawl/{self.database}/{stat}", number)


def _row(item: object) -> ItemRow:
    fields = ItemAdapter(item)
    text = json_text(item)
    return ItemRow(
        hashlib.blake2b(text.encode(), digest_size=16).digest(),
        _text(fields.get("url")),
        _text(fields.get("leaf_id")),
        _text(fields.get("content_text")),
        _text(fields.get("content_html")),
        text,
    )


def _text(value: object) -> str | None:
    """``value`` where it is text, as a database can hold it."""
    return storable(value) if isinstance(value, str) else None


def _size(row: ItemRow) -> int:
    return len(row.item) + len(row.content_text or "") + len(row.content_html or "")


def unstored_path(store: str) -> Path:
    """Return where the items lie that a store could not take."""
    return Path(f"{store}.unstored.jsonl")


def save_unstored(store: str, items: Sequence[str]) -> None:
    """Append items, each of them as JSON text without line ends; raises OSError, and appends none then."""
    path = unstored_path(store)
    path.parent.mkdir(parents=True, exist_ok=True)
    remaining = memoryview("".join(f"{item}\n" for item in items).encode())
    with path.open("ab", buffering=0) as file:
        start = file.tell()
        try:
            while remaining:
                remaining = remaining[file.write(remaining) :]
        except OSError:
            file.truncate(start)
            raise
