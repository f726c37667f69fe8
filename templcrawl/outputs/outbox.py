"""The outbox: items wait in a file until a database has them, so that none waits in memory for a server.

The event loop writes each item into the table ``outbox`` of a :class:`~templcrawl.state_file.StateFile`: that
of the JOBDIR, in whose transactions an item lies beside its page, or one of its own.  A thread
(:class:`Forwarder`) reads what is committed and sends it; the loop deletes what the thread reports as stored.

Cost on the loop: 30 us an item of 5 KB.  Memory: two batches.
"""

from __future__ import annotations

import json
import logging
import sqlite3
import time
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from pathlib import Path
from threading import Event, Thread

from templcrawl.errors import InvalidSnapshot, brief, pluralize
from templcrawl.files import FileLock
from templcrawl.outputs.item_databases import ItemDatabase
from templcrawl.scrapy_compat import in_thread
from templcrawl.state_file import StateFile, StateLost

logger = logging.getLogger(__name__)

BATCH_ITEMS = 200
_BATCH_CHARACTERS = 8_000_000
_MAX_ITEMS = 10 * BATCH_ITEMS
_MAX_CHARACTERS = 10 * _BATCH_CHARACTERS
_LARGEST_ITEM = 200_000_000  # characters, of up to four bytes: SQLite takes 10^9 bytes
_RETRY_SECONDS = 5.0
_MAX_FAILURES = 2  # of a batch before it is sent apart
_APART_ITEMS = 10  # that are sent apart at once, so that the close loses little of a batch
_PAUSE = 0.5  # between two looks at the outbox, and two attempts at the close
_PATIENCE = 10.0  # at the close, since a batch was taken

_TABLE = "CREATE TABLE IF NOT EXISTS outbox (id INTEGER PRIMARY KEY, refused TEXT, item TEXT NOT NULL)"
_PUT = "INSERT INTO outbox (id, item) VALUES (?, ?)"
_NEXT = "SELECT id, item FROM outbox WHERE id > ? AND refused IS NULL ORDER BY id"
_REFUSE = "UPDATE outbox SET refused = ? WHERE id = ?"
_DELETE = "DELETE FROM outbox WHERE id BETWEEN ? AND ? AND refused IS NULL"
_LAST = "SELECT coalesce(max(id), 0) FROM outbox"
_LEFT = "SELECT count(*) - count(refused), count(refused) FROM outbox"

Waiting = tuple[int, str]  # number in the outbox, item as JSON text


class Forwarder(Thread):
    """The thread: it forwards the items of a file, if there is one, then those that wait in memory.

    It forwards in batches, in the order of the file.  What a database does not take, since it is away,
    frozen, locked or full, is tried again every ``_RETRY_SECONDS`` and at the next start.  A batch that fails
    twice is sent apart (:meth:`ItemDatabase.insert`), so that one item does not hold up all others.  A batch
    that is sent twice, after a kill, is stored once.  An item that a database refuses stays, with its reason
    in the column ``refused``.

    memory  items that wait in memory
    batch   the items that the database was given last, and has not taken
    done    for the loop: a batch, how many items of it were new, place of a refused one -> why; or an error
    wake    is set when there is more
    """

    def __init__(self, database: ItemDatabase, reader: sqlite3.Connection | None) -> None:
        super().__init__(name="templcrawl-database", daemon=True)  # a frozen server does not keep a process
        self.memory: deque[Waiting] = deque()
        self.batch: list[Waiting] = []
        self.done: deque[tuple[list[Waiting], int, dict[int, str]] | Exception] = deque()
        self.wake = Event()
        self._database = database
        self._reader = reader
        self._last = self._failures = 0  # the last number that was read; how often its batch has failed
        self._closing = Event()
        self._moved_at = self._retry_at = 0.0

    def run(self) -> None:
        """Forward items until the end of the crawl, and after it while the database accepts any."""
        is_closing = False
        while not is_closing or (self.batch and time.monotonic() < self._moved_at + _PATIENCE):
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
        while self.is_alive() and time.monotonic() < self._moved_at + _PATIENCE + 2 * _PAUSE:
            self.join(_PAUSE)  # a frozen server may hold the thread for longer

    def _forward(self) -> None:
        try:
            while self.batch or self._read():
                is_apart = self._failures >= _MAX_FAILURES
                part = self.batch[:_APART_ITEMS] if is_apart else self.batch
                stored, refused = self._database.insert([item for _, item in part], apart=is_apart)
                self.done.append((part, stored, refused))
                self.batch = self.batch[len(part) :]
                self._failures *= bool(self.batch)
                self._moved_at = time.monotonic()
        except Exception as error:
            self._failures += 1
            self._retry_at = time.monotonic() + _RETRY_SECONDS * (self._failures != _MAX_FAILURES)
            self.done.append(error)

    def _read(self) -> bool:
        """Read a batch; return whether there is one."""
        if self._reader is not None:
            try:
                with closing(self._reader.execute(_NEXT, (self._last,))) as rows:
                    self.batch = _bounded(rows)
            except sqlite3.Error:
                self._reader = None  # what it cannot read is read at the next start
                raise
        if self.batch:
            self._last = self.batch[-1][0]
        else:
            self.batch = _bounded(self.memory.popleft() for _ in range(len(self.memory)))
        return bool(self.batch)


def _bounded(items: Iterable[Waiting]) -> list[Waiting]:
    batch: list[Waiting] = []
    size = 0
    for number, item in items:
        batch.append((number, item))
        size += len(item)
        if len(batch) >= BATCH_ITEMS or size >= _BATCH_CHARACTERS:
            break
    return batch


class Outbox:
    """The outbox of a crawl, used by the event loop.

    Where the file is lost (a full disk), items wait in memory, under the number 0.  What is beyond the limits
    of that, or left at the close, is lost.

    An outbox of its own has a lock beside it.  A crawl takes one that an earlier crawl has left, or the first
    free name, so that two crawls at once have one each.

    count  called with the name of a stat and the number to add
    """

    def __init__(
        self, database: ItemDatabase, job: StateFile | None, count: Callable[[str, int], None]
    ) -> None:
        """Open it in the file of a job, or in one of its own; where that fails, items wait in memory."""
        self._name = database.name
        self._count = count
        self._number = 0
        self._uncommitted: list[str] = []
        self._is_failing = self._has_lost = False
        self._lock: FileLock | None = None
        self._file: StateFile | None = None
        reader = None
        try:
            file = job or StateFile(self._own_path(database.outbox))
            file.make(_TABLE)
            reader = file.reader()
            (self._number,) = reader.execute(_LAST).fetchone()  # opens it: it reads on if the file is removed
            file.on_commit.append(self._uncommitted.clear)
            file.on_lost.append(self._lose_file)
            self._file = file
        except (InvalidSnapshot, OSError, sqlite3.Error) as error:
            logger.error("Items for %s wait in memory, since they cannot in a file: %s", self._name, error)
        self._forwarder = Forwarder(database, reader)
        self._forwarder.start()

    def _own_path(self, first: Path) -> Path:
        names = [first, *(first.with_name(f"{first.name}{number}") for number in range(2, 100))]
        for path in sorted(names, key=lambda path: not path.exists()):
            with suppress(BlockingIOError):
                self._lock = FileLock(path.with_name(f"{path.name}.lock"))
                return path
        raise FileExistsError(f"each {first} is in use")

    def put(self, item: str) -> None:
        """Store an item until it is forwarded, as JSON text."""
        if self._file is not None and len(item) < _LARGEST_ITEM:
            with suppress(StateLost):
                self._number += 1
                self._file.write(_PUT, (self._number, item))
                self._uncommitted.append(item)
                if len(self._uncommitted) == BATCH_ITEMS:
                    self.commit()
                return
        self._remember(item)

    def commit(self) -> None:
        """Commit waiting items (unless the job does), process results of the thread, and forward more."""
        if self._file is not None and self._lock is not None:
            self._file.commit()
        self._collect()
        self._forwarder.wake.set()

    async def close(self) -> None:
        """Forward what waits, if the database takes it; an empty file of its own is removed."""
        if self._file is not None:
            self._file.commit()
        await in_thread(self._forwarder.finish)
        self._collect()
        in_memory = sum(number == 0 for number, _ in self._forwarder.batch) + len(self._forwarder.memory)
        if in_memory:
            self._lose(in_memory)
        if self._file is None:
            return
        waiting, refused = self._file.read(_LEFT)[0]
        if waiting:
            self._count("waiting", waiting)
            items, path = pluralize(waiting, "item waits", "items wait"), self._file.path
            logger.error("%s in %s for %s: the next crawl sends them", items, path, self._name)
        if self._lock is not None:
            self._file.close()
            if not waiting and not refused:
                for ending in ("", "-wal", "-shm", ".lock"):
                    Path(f"{self._file.path}{ending}").unlink(missing_ok=True)
            self._lock.release()

    def _lose_file(self, error: Exception) -> None:
        logger.error("Items for %s wait in memory now: %s", self._name, error)
        for item in self._uncommitted:
            self._remember(item)
        self._uncommitted.clear()

    def _remember(self, item: str) -> None:
        memory = self._forwarder.memory
        size = sum(len(item) for _, item in [*memory])
        if len(memory) < _MAX_ITEMS and size < _MAX_CHARACTERS:
            memory.append((0, item))
        else:
            self._lose(1)

    def _lose(self, number: int) -> None:
        self._count("lost", number)
        if not self._has_lost:
            items = pluralize(number, "item is", "items are")
            logger.error("%s lost: neither %s nor a file takes more (logged once)", items, self._name)
        self._has_lost = True

    def _collect(self) -> None:
        """Count what the thread has done, and delete what the database has."""
        while self._forwarder.done:
            done = self._forwarder.done.popleft()
            if isinstance(done, Exception):
                self._count("errors", 1)
                if not self._is_failing:
                    error = brief(done)
                    logger.error("Cannot write to %s (%s): items wait (logged once)", self._name, error)
            else:
                self._delete(*done)
            self._is_failing = isinstance(done, Exception)

    def _delete(self, batch: list[Waiting], stored: int, refused: dict[int, str]) -> None:
        self._count("stored", stored)
        self._count("duplicates", len(batch) - stored - len(refused))
        self._count("refused", len(refused))
        for place, why in refused.items():
            fields = json.loads(batch[place][1])
            url = fields.get("url") if isinstance(fields, dict) else None
            logger.error("%s does not take the item of %s: %s", self._name, url, why)
        first, last = batch[0][0], batch[-1][0]
        if not first:
            self._count("lost", len(refused))
        elif self._file is not None:
            with suppress(StateLost):
                self._file.write(_REFUSE, *((why, batch[place][0]) for place, why in refused.items()))
                self._file.write(_DELETE, (first, last))
