"""The outbox: items wait in a file until the database has them, so that none waits in memory for a server.

The event loop writes each item into the table ``outbox`` of a :class:`~templcrawl.state_file.StateFile`: that
of the JOBDIR, in whose transactions an item lies beside its page, or one of its own.  A thread reads what is
committed, in their order, and forwards it in batches; the loop deletes what the thread reports as stored.
What a database that is away, frozen, locked or full does not take stays where it is, is tried again every
``_RETRY_SECONDS``, and is sent at the next start.  A kill between storing and deleting sends a batch twice; a
database stores an equal item once.

A row that a database refuses for its content stays in the outbox, with the reason in the column ``refused``.

Where the file is lost (:class:`~templcrawl.state_file.StateLost`: a full disk), what it does not hold waits in
memory, ``_MOST_ROWS`` and ``_MOST_CHARACTERS`` of it; what is beyond that, or is left at the close, is lost,
counted and said.

An outbox of its own has a lock beside it.  A crawl takes one that an earlier crawl has left, or the first free
name, so that two crawls at once have one each.

Cost on the loop: 30 us an item of 5 KB, a statement a batch.  Memory: two batches.
"""

from __future__ import annotations

import logging
import sqlite3
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from threading import Event, Thread
from typing import NamedTuple

from templcrawl.errors import InvalidSnapshot, brief, pluralize
from templcrawl.files import FileLock
from templcrawl.outputs.item_databases import ItemDatabase, ItemRow
from templcrawl.state_file import StateFile, StateLost
from templcrawl.threads import in_thread

logger = logging.getLogger(__name__)

BATCH_ROWS = 200
_BATCH_CHARACTERS = 8_000_000
_MOST_ROWS = 10 * BATCH_ROWS
_MOST_CHARACTERS = 10 * _BATCH_CHARACTERS
_LARGEST_ITEM = 200_000_000  # characters, of up to four bytes: SQLite takes 10^9 bytes
_RETRY_SECONDS = 5.0
_PAUSE = 0.5  # between two looks at the outbox, and two attempts at the close
_PATIENCE = 10.0  # at the close, since a batch was taken

_TABLE = "CREATE TABLE IF NOT EXISTS outbox (id INTEGER PRIMARY KEY, refused TEXT, item TEXT NOT NULL)"
_PUT = "INSERT INTO outbox (id, item) VALUES (?, ?)"
_NEXT = "SELECT id, item FROM outbox WHERE id > ? AND refused IS NULL ORDER BY id"
_REFUSE = "UPDATE outbox SET refused = ? WHERE id = ?"
_DELETE = "DELETE FROM outbox WHERE id BETWEEN ? AND ? AND refused IS NULL"
_LAST = "SELECT coalesce(max(id), 0) FROM outbox"
_LEFT = "SELECT count(*) - count(refused), count(refused) FROM outbox"

Waiting = tuple[int, str]  # its number in the outbox, an item as JSON text


class Sent(NamedTuple):
    """What became of a batch: the rows that were new, number of a refused row -> why, or an error."""

    batch: list[Waiting]
    stored: int = 0
    refused: Mapping[int, str] = {}
    error: Exception | None = None


class Forwarder(Thread):
    """Forwards rows to a database: those of a file, if any, then those that wait in memory."""

    def __init__(self, database: ItemDatabase, reader: sqlite3.Connection | None) -> None:
        super().__init__(name="templcrawl-database", daemon=True)  # a frozen server does not keep a process
        self.sent: deque[Sent] = deque()
        self.memory: deque[Waiting] = deque()
        self.wake = Event()
        self._database = database
        self._reader = reader
        self._batch: list[Waiting] = []
        self._last = 0
        self._closing = Event()
        self._moved_at = self._retry_at = 0.0

    def run(self) -> None:
        """Forward until the end, and then as long as the database takes something."""
        is_closing = False
        while not is_closing or (self._batch and time.monotonic() < self._moved_at + _PATIENCE):
            self.wake.wait(_PAUSE)
            self.wake.clear()
            is_closing = self._closing.is_set()
            if is_closing or time.monotonic() >= self._retry_at:
                self._forward()
        self._database.close()
        if self._reader is not None:
            self._reader.close()

    def finish(self) -> None:
        """Wait until all is forwarded, or the database has taken nothing for too long."""
        self._moved_at = time.monotonic()
        self._closing.set()
        self.wake.set()
        while self.is_alive() and time.monotonic() < self._moved_at + _PATIENCE:
            self.join(_PAUSE)

    def _forward(self) -> None:
        try:
            while batch := self._next():
                stored, refused = self._database.insert([item for _, item in batch])
                self._batch = []
                self._moved_at = time.monotonic()
                self.sent.append(Sent(batch, stored, {batch[n][0]: why for n, why in refused.items()}))
        except Exception as error:
            self._retry_at = time.monotonic() + _RETRY_SECONDS
            self.sent.append(Sent(self._batch, error=error))

    def _next(self) -> list[Waiting]:
        """Return the batch that has failed, or else another one."""
        if not self._batch and self._reader is not None:
            try:
                with closing(self._reader.execute(_NEXT, (self._last,))) as rows:
                    self._batch = _bounded(rows)
            except sqlite3.Error:
                self._reader = None  # what it cannot read is read at the next start
                raise
            if self._batch:
                self._last = self._batch[-1][0]
        if not self._batch:
            self._batch = _bounded(self._of_memory())
        return self._batch

    def _of_memory(self) -> Iterator[Waiting]:
        while self.memory:
            yield self.memory.popleft()


def _bounded(rows: Iterable[Waiting]) -> list[Waiting]:
    batch: list[Waiting] = []
    size = 0
    for number, item in rows:
        batch.append((number, item))
        size += len(item)
        if len(batch) >= BATCH_ROWS or size >= _BATCH_CHARACTERS:
            break
    return batch


class Outbox:
    """The outbox of a crawl, used by the event loop.

    count  called with the name of a stat and the number to add
    """

    def __init__(
        self, database: ItemDatabase, job: StateFile | None, count: Callable[[str, int], None]
    ) -> None:
        """Open it in the file of a job, or in one of its own; where that fails, items wait in memory."""
        self._database = database
        self._count = count
        self._number = 0
        self._uncommitted: dict[int, str] = {}
        self._in_memory: dict[int, str] = {}
        self._memory_size = 0
        self._is_failing = self._has_lost = False
        self._lock: FileLock | None = None
        self._file: StateFile | None = None
        try:
            self._open(job)
        except (InvalidSnapshot, OSError, sqlite3.Error) as error:
            self._file = None
            logger.error("Items for %s wait in memory, since they cannot in a file: %s", database.name, error)
        self._forwarder = Forwarder(database, self._file.reader() if self._file is not None else None)
        self._forwarder.start()

    def _open(self, job: StateFile | None) -> None:
        self._file = file = job or StateFile(self._lock_own())
        file.make(_TABLE)
        self._number = file.read(_LAST)[0][0]
        self._reader = file.reader()
        file.on_lost.append(self._lose)

    def _lock_own(self) -> Path:
        first = self._database.outbox
        names = [first, *(first.with_name(f"{first.name}{number}") for number in range(2, 100))]
        for path in sorted(names, key=lambda path: not path.exists()):
            with suppress(BlockingIOError):
                self._lock = FileLock(path.with_name(f"{path.name}.lock"))
                return path
        raise FileExistsError(f"each {first} is in use")

    def put(self, item: str) -> None:
        """Let an item wait, as JSON text."""
        self._number += 1
        if self._file is not None and len(item) < _LARGEST_ITEM:
            with suppress(StateLost):
                self._file.write(_PUT, (self._number, item))
                self._uncommitted[self._number] = item
                if len(self._uncommitted) >= BATCH_ROWS:
                    self.commit()
                return
        self._remember(self._number, item)

    def commit(self) -> None:
        """Make durable what waits, unless the job does; see to what was sent, and send more."""
        if self._file is not None and self._lock is not None:
            self._file.commit()
        self._forget_committed()
        self._collect()
        self._forwarder.wake.set()

    async def close(self) -> None:
        """Send what waits, if the database takes it; an empty file of its own is removed."""
        if self._file is not None:
            self._file.commit()
        await in_thread(self._forwarder.finish)
        self._collect()
        if self._in_memory:
            self._lose_rows(len(self._in_memory))
        if self._file is None:
            return
        waiting, refused = self._file.read(_LEFT)[0]
        if waiting:
            self._count("waiting", waiting)
            logger.error(
                "%s in %s for %s: the next crawl sends them",
                pluralize(waiting, "item waits", "items wait"),
                self._file.path,
                self._database.name,
            )
        if self._lock is not None:
            self._file.close()
            if not waiting and not refused:
                for path in (*map(f"{self._file.path}{{}}".format, ("", "-wal", "-shm")), self._lock.path):
                    Path(path).unlink(missing_ok=True)
            self._lock.release()

    def _forget_committed(self) -> None:
        """Forget the rows that are in the file; a reader sees what is committed."""
        with suppress(sqlite3.Error):
            last = self._reader.execute(_LAST).fetchone()[0] if self._uncommitted else 0
            for number in [number for number in self._uncommitted if number <= last]:
                del self._uncommitted[number]

    def _lose(self, error: Exception) -> None:
        """Keep the rows that were not yet committed, as their file is lost."""
        logger.error("Items for %s wait in memory now: %s", self._database.name, error)
        self._forget_committed()
        for number, item in self._uncommitted.items():
            self._remember(number, item)
        self._uncommitted.clear()

    def _remember(self, number: int, item: str) -> None:
        if len(self._in_memory) >= _MOST_ROWS or self._memory_size >= _MOST_CHARACTERS:
            self._lose_rows(1)
            return
        self._in_memory[number] = item
        self._memory_size += len(item)
        self._forwarder.memory.append((number, item))

    def _lose_rows(self, number: int) -> None:
        self._count("lost", number)
        if not self._has_lost:
            logger.error(
                "%s lost: neither %s nor a file has taken them (logged once; see the stat "
                "templcrawl/database/lost)",
                pluralize(number, "item"),
                self._database.name,
            )
        self._has_lost = True

    def _collect(self) -> None:
        while self._forwarder.sent:
            sent = self._forwarder.sent.popleft()
            if sent.error is None:
                self._is_failing = False
                self._count_sent(sent)
                continue
            self._count("errors", 1)
            if not self._is_failing:
                logger.error(
                    "Cannot write to %s (%s): items wait (logged once until it can; see the stat "
                    "templcrawl/database/errors)",
                    self._database.name,
                    brief(sent.error),
                )
            self._is_failing = True

    def _count_sent(self, sent: Sent) -> None:
        self._count("stored", sent.stored)
        self._count("duplicates", len(sent.batch) - sent.stored - len(sent.refused))
        self._count("refused", len(sent.refused))
        items = dict(sent.batch)
        for number, why in sent.refused.items():
            url = ItemRow.of(items[number]).url
            logger.error("%s does not take the item of %s: %s", self._database.name, url, why)
        first, last = sent.batch[0][0], sent.batch[-1][0]
        if first in self._in_memory:
            self._count("lost", len(sent.refused))
            for number, item in sent.batch:
                del self._in_memory[number]
                self._memory_size -= len(item)
        elif self._file is not None:
            with suppress(StateLost):
                self._file.write(_REFUSE, *((why, number) for number, why in sent.refused.items()))
                self._file.write(_DELETE, (first, last))
