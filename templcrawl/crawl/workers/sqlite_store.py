"""Site memories in a SQLite file: for one crawl after the other, and for several workers of one machine.

    states  written, host, worker, state    ``written`` grows with each push
    crawl   salt, generation                of the samples, and of the file; one row

A worker that has no name takes the first number that no running worker has, and goes on from what was pushed
under this number before: so of crawls that run one after the other there is one state a site.  A number is
locked by a file beside the other, and the lock dies with its process.

One thread writes, each time in a transaction of its own, and waits ``_SECONDS`` for other processes; then
StoreUnavailable is raised, and for whatever else SQLite says.  ``reload`` reads through a connection of its
own each time, and by the write-ahead log waits for no writer.  If it cannot read, the worker goes on under
another name, so that what it has not read is not overwritten.

Of too many states of a site, and of more than ``_MOST_ROWS`` in all, those written longest ago are evicted.
Cost: a transaction to push and one to negotiate, some 0.2 ms; a query to poll.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from secrets import token_hex
from typing import Any

from templcrawl.crawl.workers import MOST_BYTES, MOST_STATES, SharedStore, read_salt
from templcrawl.errors import InvalidOption, InvalidSnapshot, StoreUnavailable
from templcrawl.files import FileLock, identity, make_folder_of
from templcrawl.memory.store import ALL_SITES

FORMAT = 1  # of the tables
_APPLICATION = 0x7463_6D65  # marks a file as ours

_SECONDS = 5.0
_SECONDS_ON_LOOP = 0.04
_MOST_ROWS = 100_000

_TABLES = (
    f"PRAGMA application_id = {_APPLICATION}",
    f"PRAGMA user_version = {FORMAT}",
    "CREATE TABLE IF NOT EXISTS crawl (salt TEXT, generation TEXT)",
    """CREATE TABLE IF NOT EXISTS states
    (written INTEGER PRIMARY KEY, host TEXT, worker TEXT, state BLOB, UNIQUE (host, worker))""",
)
_OWN = "SELECT CAST(state AS BLOB) FROM states WHERE host = ? AND worker = ?"
_MARKS = "SELECT worker, written FROM states WHERE host = ? AND typeof(worker) = 'text'"
_OF_OTHER = """SELECT length(state), CASE WHEN length(state) <= ? THEN CAST(state AS BLOB) END
    FROM states WHERE host = ? AND worker = ?"""
_EVICT_OF_SITE = """DELETE FROM states WHERE written IN
    (SELECT written FROM states WHERE host = ? ORDER BY written DESC LIMIT -1 OFFSET ?)"""
_EVICT = """DELETE FROM states WHERE written IN (SELECT written FROM states WHERE host != ?
    ORDER BY written LIMIT max(0, (SELECT count(*) FROM states) - ?))"""


class SharedSqliteStore(SharedStore):
    """The store in a SQLite file."""

    def __init__(self, path: Path, worker: str | None = None) -> None:
        """Open a file, or make it; one that is locked is opened when it is used.

        worker  None for the first number that no running worker has

        Raises InvalidOption for a file that cannot be used, InvalidSnapshot for one of another templcrawl or
        of something else.
        """
        super().__init__(worker or token_hex(8))
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = (0, 0)
        self._lock: FileLock | None = None
        try:
            make_folder_of(path)
            self._connected(_SECONDS_ON_LOOP)
            if worker is None:
                self._claim()
        except (OSError, sqlite3.Error) as error:
            if "locked" not in str(error):
                raise InvalidOption("url", str(path), f"a file that can be written ({error})") from error

    def _connected(self, seconds: float = _SECONDS) -> sqlite3.Connection:
        """Return the connection, a new one if the file was replaced; raises OSError, sqlite3.Error."""
        if self._connection is not None:
            if self._path.exists() and identity(self._path) == self._file:
                return self._connection
            self._connection.close()
            self._connection = None
        connection = sqlite3.connect(
            self._path, timeout=seconds, isolation_level=None, check_same_thread=False
        )
        try:
            _set_up(self._path, connection)
        except BaseException:
            connection.close()
            raise
        connection.execute(f"PRAGMA busy_timeout = {int(_SECONDS * 1000)}")
        self._file = identity(self._path)
        self._connection = connection
        return connection

    def _claim(self) -> None:
        """Take a number that no running worker has; where there are no locks, keep the name by chance."""
        for number in range(MOST_STATES):
            try:
                lock = FileLock(self._path.with_name(f"{self._path.name}-worker{number}"))
            except BlockingIOError:
                continue
            if lock.is_exclusive:
                self._lock, self.worker = lock, f"{number}"
            return

    @contextmanager
    def _reaching(self, *, writes: bool = False) -> Iterator[sqlite3.Connection]:
        """Give the connection, in a transaction if something is written; raises StoreUnavailable."""
        self.commands += 1
        try:
            connection = self._connected()
            with connection:
                if writes:
                    connection.execute("BEGIN IMMEDIATE")
                yield connection
        except (OSError, sqlite3.Error) as error:
            raise StoreUnavailable("SQLite", f"{self._path}: {error}") from error

    def negotiate(self, salt: int) -> tuple[int, str]:
        """Return the salt of the crawl, this one if there is none, and the generation of the store."""
        with self._reaching(writes=True) as connection:
            first = (str(salt), token_hex(8))
            connection.execute("INSERT INTO crawl SELECT ?, ? WHERE NOT EXISTS (SELECT 1 FROM crawl)", first)
            stored, generation = connection.execute("SELECT salt, generation FROM crawl").fetchone()
        return read_salt(str(stored), salt), str(generation)

    def reload(self, host: str) -> bytes | None:
        """Return this worker's state of a site as an earlier crawl has pushed it; raises InvalidSnapshot."""
        address = f"{self._path.absolute().as_uri()}?mode=ro"
        try:
            with closing(sqlite3.connect(address, timeout=_SECONDS_ON_LOOP, uri=True)) as connection:
                found = connection.execute(_OWN, (host, self.worker)).fetchone()
        except sqlite3.Error as error:
            self.worker = token_hex(8)
            raise InvalidSnapshot(f"{self._path}, {host}", f"it cannot be read: {error}") from error
        return found[0] if found is not None else None

    def _write(self, host: str, state: bytes) -> None:
        own = (host, self.worker)
        with self._reaching(writes=True) as connection:
            connection.execute(
                "INSERT OR REPLACE INTO states (host, worker, state) VALUES (?, ?, ?)", (*own, state)
            )
            connection.execute(_EVICT_OF_SITE, (host, MOST_STATES))
            connection.execute(_EVICT, (ALL_SITES, _MOST_ROWS))

    def _marks(self, host: str) -> dict[str, Any]:
        with self._reaching() as connection:
            rows = connection.execute(_MARKS, (host,))
            return {worker: (self._file, written) for worker, written in rows}

    def _read(self, host: str, worker: str) -> bytes | None:
        with self._reaching() as connection:
            size, state = connection.execute(_OF_OTHER, (MOST_BYTES, host, worker)).fetchone() or (0, None)
        self.unreadable += size > MOST_BYTES
        return state

    def close(self) -> None:
        """Close the file, and let another worker have the number."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        if self._lock is not None:
            self._lock.release()


def _set_up(path: Path, connection: sqlite3.Connection) -> None:
    """Make the tables if they are missing; raises sqlite3.Error, InvalidSnapshot."""
    # Asked first: another process may make the tables meanwhile, and marks the file in the same transaction.
    is_empty = connection.execute("SELECT 1 FROM sqlite_master").fetchone() is None
    names = ("application_id", "user_version")
    application, written = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in names)
    connection.execute("PRAGMA synchronous = NORMAL")
    if application == _APPLICATION:
        if written != FORMAT:
            reason = f"it has format {written}, of another templcrawl; this one reads {FORMAT}"
            raise InvalidSnapshot(str(path), reason)
        return
    if not is_empty:
        raise InvalidSnapshot(str(path), "it is a database of something else")
    connection.execute("PRAGMA journal_mode = WAL")
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        for statement in _TABLES:
            connection.execute(statement)
