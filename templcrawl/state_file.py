"""One SQLite file that holds the state from which a crawl goes on after a kill.

Only the thread of the event loop writes.  What it writes between two commits becomes durable together: after
a kill at any moment, the file has the state of the last commit.  Each part of a crawl has tables of its own
here, so that a request, the fingerprints and the items that belong together are in one transaction.  Other
threads read, each through a connection of its own, and see what is committed.

Cost: some 10 us a row, 50 us a commit.
"""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from threading import Thread
from typing import Any

from templcrawl.errors import InvalidSnapshot
from templcrawl.files import identity, sync

logger = logging.getLogger(__name__)

JOB_FILE = "templcrawl.sqlite"  # the file of a job, in its JOBDIR
FORMAT = 2  # of the tables; another one with every change of them
_BUSY_MILLISECONDS = 40  # that the event loop waits for another process
_LOG_BYTES = 2**22  # a log that is longer is moved into the file
_MAX_LOG_BYTES = 2**26  # of a log that did not begin anew, since more was written while it was moved
_ANEW = "if it is removed, all begins anew"


class StateLost(Exception):
    """A file is lost: nothing more is written to it."""


class StateFile:
    """A file of state, made if it is missing.

    The journal is a write-ahead log, and a commit waits for no disk: a crash of the machine may undo the last
    commits, each of them whole.  A thread moves what the log has into the file, since that waits for the
    disk. Before that it syncs the files that the commits are about (``unsynced``), so that the disk never has
    a commit without them.

    A file that cannot be written to any more (a full disk, a damaged file, another process that has locked
    it) is *lost*: nothing is written from then on, and the crawl goes on in memory.  What was committed stays
    readable. A file that was removed or replaced is still written to, but nobody will find what is in it;
    that is lost too.

    path       where it is
    on_commit  called after each commit
    on_lost    called once the file is lost; what was written since the last commit is not in it
    lost       the reason, None as long as it can be written to
    unsynced   files that the disk has to have before what was committed
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Open a file; raises InvalidSnapshot if it is damaged, locked, or of another version."""
        self.path = Path(path).absolute()  # the project may change its working directory
        self.on_commit: list[Callable[[], None]] = []
        self.on_lost: list[Callable[[Exception], None]] = []
        self.lost: Exception | None = None
        self.unsynced: set[str] = set()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(self.path, timeout=_BUSY_MILLISECONDS / 1000)
        except (OSError, sqlite3.Error) as error:
            raise self._refused(error) from error
        try:
            self._set_up()
        except sqlite3.Error as error:
            self._connection.close()
            raise self._refused(error) from error
        self._file = identity(self.path)
        self._mover: Thread | None = None
        self._has_failed_to_sync = False

    def _set_up(self) -> None:
        written = self._connection.execute("PRAGMA user_version").fetchone()[0]
        if written not in (0, FORMAT):
            self._connection.close()
            raise InvalidSnapshot(
                str(self.path),
                f"it has format {written}, of another version of templcrawl, not {FORMAT}; {_ANEW}",
            )
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = NORMAL")
        self._connection.execute("PRAGMA wal_autocheckpoint = 0")
        self._connection.execute("PRAGMA cache_spill = OFF")  # it would wait for the disk between commits
        self._connection.execute(f"PRAGMA journal_size_limit = {_LOG_BYTES}")
        self._connection.execute(f"PRAGMA user_version = {FORMAT}")

    def _refused(self, error: Exception) -> InvalidSnapshot:
        advice = "what has locked it has to end" if "locked" in str(error) else _ANEW
        return InvalidSnapshot(str(self.path), f"it cannot be used ({error}); {advice}")

    def make(self, *statements: str) -> None:
        """Make tables and indexes; raises InvalidSnapshot."""
        try:
            for statement in statements:
                self._connection.execute(statement)
            self._connection.commit()
        except sqlite3.Error as error:
            raise self._refused(error) from error

    def read(self, query: str, parameters: Sequence[Any] = ()) -> list[Any]:
        """Return rows, those that are not yet committed too; raises sqlite3.Error, which loses the file."""
        try:
            return self._connection.execute(query, parameters).fetchall()
        except sqlite3.Error as error:
            self._lose(error)
            raise

    def scan(self, query: str) -> Iterator[Any]:
        """Yield rows one by one; nothing is to be written meanwhile.  Raises sqlite3.Error."""
        yield from self._connection.execute(query)

    def write(self, statement: str, *rows: Sequence[Any]) -> None:
        """Execute a statement for each row; raises StateLost, or ValueError for a row that SQLite refuses."""
        if self.lost is not None:
            raise StateLost from self.lost
        try:
            if len(rows) == 1:
                self._connection.execute(statement, rows[0])
            else:
                self._connection.executemany(statement, rows)
        except (sqlite3.DataError, sqlite3.InterfaceError, sqlite3.ProgrammingError, OverflowError) as error:
            raise ValueError(str(error)) from error
        except sqlite3.Error as error:
            self._lose(error)
            raise StateLost from error

    def commit(self) -> bool:
        """Make durable what was written; return whether it is."""
        if self.lost is None:
            try:
                if identity(self.path) != self._file:
                    raise FileNotFoundError(f"{self.path} was removed or replaced")
                self._connection.commit()
            except (OSError, sqlite3.Error) as error:
                self._lose(error)
            if self.lost is None and not self.is_moving:
                self._move_long_log()
        for call in self.on_commit if self.lost is None else ():
            call()
        return self.lost is None

    @property
    def is_moving(self) -> bool:
        """True while a thread moves the log: it may take the next commit along, without its files."""
        return self._mover is not None and self._mover.is_alive()

    def wait(self) -> None:
        """Wait until the log is moved."""
        if self._mover is not None:
            self._mover.join()

    def settle(self) -> None:
        """Flush commits to the disk; do nothing for a lost file."""
        self.wait()
        if self.lost is None:
            self._move_log(self._taken_unsynced())

    def _move_long_log(self) -> None:
        with suppress(OSError, sqlite3.Error):
            size = Path(f"{self.path}-wal").stat().st_size
            if size > _MAX_LOG_BYTES and self._mover is not None:  # it has moved all but the last commits
                self._sync(self._taken_unsynced())
                self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
                self._mover = None
            elif size > _LOG_BYTES:
                paths = self._taken_unsynced()
                self._mover = Thread(target=self._move_log, args=(paths,), name="templcrawl-log", daemon=True)
                self._mover.start()

    def _move_log(self, paths: Iterable[str]) -> None:
        self._sync(paths)
        with suppress(sqlite3.Error), closing(sqlite3.connect(self.path)) as connection:
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def _taken_unsynced(self) -> Iterable[str]:
        paths, self.unsynced = self.unsynced, set()
        return paths

    def _sync(self, paths: Iterable[str]) -> None:
        for path in paths:
            try:
                sync(path)
            except OSError as error:
                if not self._has_failed_to_sync:
                    logger.error("The disk may not have %s: %s (logged once)", path, error)
                self._has_failed_to_sync = True

    def reader(self) -> sqlite3.Connection:
        """Return a connection for another thread, which reads what is committed; raises sqlite3.Error."""
        address = f"{self.path.as_uri()}?mode=ro"
        return sqlite3.connect(address, uri=True, check_same_thread=False)

    def close(self) -> None:
        """Commit, and close the file."""
        self.commit()
        self.wait()
        self._sync(self._taken_unsynced())
        with suppress(sqlite3.Error):
            self._connection.close()

    def _lose(self, error: Exception) -> None:
        if self.lost is None:
            self.lost = error
            with suppress(sqlite3.Error):
                self._connection.rollback()
            for call in self.on_lost:
                call(error)
