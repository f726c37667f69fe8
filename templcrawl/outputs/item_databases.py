"""The databases that items and changes of pages go to: SQLite, which needs no server, and PostgreSQL.

``sqlite:pages.sqlite``, or a path, is a file (:func:`~templcrawl.files.sqlite_file`), and
``postgresql://user:password@host/database`` a server.  Each table (:mod:`templcrawl.outputs.stored_tables`)
is made if it is missing.  Rows are only ever added, since several items may share a URL, and each is stored
once.  So a batch may be sent again, and a crawl that is run again adds only what is new or has changed.

Cost: a transaction a batch, which waits for the disk; sent apart, O(log n) transactions a refused item.
"""

from __future__ import annotations

import json
import re
import sqlite3
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import cached_property
from pathlib import Path
from secrets import token_hex
from typing import Any, cast

from templcrawl.errors import NOT_SHOWN, InvalidOption, load_extra
from templcrawl.files import SQLITE_FORMS, identity, make_folder_of, sqlite_file
from templcrawl.outputs.item_values import plain_json
from templcrawl.outputs.stored_tables import ITEMS, StoredTable

_SETTING = "TEMPLCRAWL_DATABASE"
_ACCEPTED = f"{SQLITE_FORMS}, or postgresql://USER:PASSWORD@HOST/DATABASE"

_BUSY_SECONDS = 5.0  # that another writer of SQLite is waited for


class _TakenBack(Exception):
    """Rolls a transaction back."""


def item_database(url: str, table: StoredTable = ITEMS, *, setting: str = _SETTING) -> ItemDatabase:
    """Return the database of a URL, for a table; raises InvalidOption of a setting, MissingExtra."""
    if is_postgresql(url):
        return PostgresqlDatabase(url, table, setting)
    if (path := sqlite_file(url)) is not None:
        return SqliteDatabase(path, url, table, setting)
    raise InvalidOption(setting, NOT_SHOWN if "@" in url else url, _ACCEPTED)


def is_postgresql(url: str) -> bool:
    """Return whether a URL is that of a PostgreSQL database."""
    return url.startswith(("postgresql://", "postgres://"))


def _outbox(table: StoredTable) -> str:
    """Return the suffix of the file in which rows of a table wait."""
    return "outbox" if table == ITEMS else f"{table.name}.outbox"


class ItemDatabase:
    """A database; used by one thread at a time.  It connects when it is used, and again after an error.

    name    what it is called in the log, without a password
    outbox  where items wait for it in a crawl without a JOBDIR
    """

    name: str
    outbox: Path

    _mark = "%s"  # a parameter of a statement
    _refusals: tuple[type[Exception], ...]  # errors that are about a row
    _connect: Callable[[], Any]
    _cursor: Callable[[Any], Any]  # connection -> a context, the cursor of a transaction
    _make_table: Callable[[Any], None]  # makes the table, where it is missing, by a cursor
    _connection: Any = None

    def __init__(self, table: StoredTable, setting: str) -> None:
        """Store the table; ``setting`` names the database."""
        self._table, self._setting = table, setting

    def check(self) -> Exception | None:
        """Connect; return the reason of a temporary failure.  Raises InvalidOption for a permanent one."""
        with self._transaction():
            return None

    def insert(self, items: Sequence[str], *, apart: bool = False) -> tuple[int, dict[int, str]]:
        """Insert items, as JSON text; a refused item does not affect the others.

        Some errors are about a row by their class, and the batch is halved.  Any other may be: of a trigger,
        an index on an expression, a slow statement.  A batch that is sent *apart* is halved whatever the
        error, and an item that fails alone is refused if the database takes another, of the batch or made for
        the purpose and taken back.  Errors of the database as a whole (it is away, full, locked) refuse no
        item.

        apart  whether an item may be refused for any error
        Returns how many are new, and number of a refused item -> why.  Raises an error of the database, and
        some are stored then.
        """
        stored, refused = 0, dict[int, str]()
        is_taking, last = not apart, None
        parts = [range(len(items))]
        while parts:
            part = parts.pop()
            try:
                stored += self._store([items[number] for number in part])
                is_taking = True
            except Exception as error:
                is_about_a_row = isinstance(error, self._refusals)
                if not is_about_a_row and (not apart or self._is_passing(error)):
                    raise
                middle = len(part) // 2
                if middle:
                    parts += [part[middle:], part[:middle]]
                    continue
                refused[part[0]] = " ".join(str(error).split()) or type(error).__name__
                last = last if is_about_a_row else error
        if last is not None and not is_taking:
            self._take_another(last)
        return stored, refused

    def _store(self, items: Sequence[str]) -> int:
        rows = [self._row(item) for item in items]
        with self._transaction() as cursor:
            cursor.executemany(self._table.insert(self._mark), rows)
            return int(cursor.rowcount)

    def _take_another(self, error: Exception) -> None:
        """Insert a harmless item and roll it back; raises ``error`` if even that is refused."""
        url = f"http://templcrawl.invalid/{token_hex(8)}"
        try:
            with self._transaction() as cursor:
                cursor.execute(self._table.insert(self._mark), self._row(json.dumps({"url": url})))
                raise _TakenBack
        except _TakenBack:
            return
        except Exception:
            raise error from None

    def _is_passing(self, error: Exception) -> bool:
        """Return whether an error is of the database as a whole, and may pass."""
        raise NotImplementedError

    def close(self) -> None:
        """Close the connection."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(Exception):
                connection.close()

    def _row(self, item: str) -> Sequence[Any]:
        return self._table.row(item)

    @contextmanager
    def _transaction(self) -> Iterator[Any]:
        """Yield a cursor, and commit at the end; close after an error that is not about a row."""
        is_new = self._connection is None
        try:
            connection = self._connection = self._connect() if is_new else self._connection
            with self._cursor(connection) as cursor:
                if is_new:
                    self._make_table(cursor)
                    cursor.execute(self._table.check)
                yield cursor
        except BaseException as error:
            if is_new or not isinstance(error, self._refusals):
                self.close()
            raise


# Errors of SQLite about a file, not about a row.
_SQLITE_PASSING = re.compile(
    "locked|busy|full|disk I/O|read-?only|unable to open|interrupted|out of memory|no such table"
    "|not a database|removed or replaced|schema has changed"
)


class SqliteDatabase(ItemDatabase):
    """A file of SQLite; its folder is made if it is missing and within the working directory.

    If a file is removed or replaced while it is open, what is written to it is lost without an error.  So a
    batch counts only if the file is still there afterwards.
    """

    _mark = "?"
    _refusals = (sqlite3.DataError, sqlite3.IntegrityError, OverflowError, ValueError)

    def _is_passing(self, error: Exception) -> bool:
        return isinstance(error, (OSError, MemoryError)) or bool(_SQLITE_PASSING.search(str(error)))

    def __init__(self, path: Path, url: str, table: StoredTable, setting: str) -> None:
        super().__init__(table, setting)
        self._url = url
        self.name, self.outbox = str(path), Path(f"{path}.{_outbox(table)}")
        self._path = path

    def check(self) -> Exception | None:
        """Open the file; raises InvalidOption."""
        try:
            return super().check()
        except (OSError, ValueError, sqlite3.Error) as error:
            accepted = f"a file where SQLite can keep the table {self._table.name} ({error})"
            raise InvalidOption(self._setting, self._url, accepted) from error

    def _connect(self) -> sqlite3.Connection:
        make_folder_of(self._path)
        connection = sqlite3.connect(self._path, timeout=_BUSY_SECONDS, check_same_thread=False)
        with suppress(sqlite3.Error):  # what is not a database is said by the next statement
            connection.execute("PRAGMA page_size = 8192")  # of a new file: items of 5 KB cost a quarter less
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")  # what is stored leaves the outbox for good
        self._file = identity(self._path)
        return connection

    def _make_table(self, cursor: sqlite3.Cursor) -> None:
        for statement in self._table.in_sqlite:
            cursor.execute(statement)

    @contextmanager
    def _cursor(self, connection: sqlite3.Connection) -> Iterator[sqlite3.Cursor]:
        with connection, closing(connection.cursor()) as cursor:
            yield cursor
        if identity(self._path) != self._file:
            raise sqlite3.OperationalError("it was removed or replaced: what was stored there is lost")


_SILENCE = 30.0
_CONNECTION = {
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "tcp_user_timeout": 30_000,
    "application_name": "templcrawl",
}
_SESSION = "SET statement_timeout = '25s'; SET lock_timeout = '20s'; SET synchronous_commit = on"
_LOCK = "SELECT pg_advisory_xact_lock(hashtext('templcrawl.items'))"  # crawls may make a table at once
# Classes of errors, and errors, that are about the server, the connection or another transaction.
_POSTGRESQL_PASSING = ("08", "25006", "28", "3D", "40", "53", "55P03", "57P", "58")

_ODD = re.compile(r"[^\w.-]")


class PostgresqlDatabase(ItemDatabase):
    """A database of a PostgreSQL server, which may be away.

    Nothing waits for ever: a connection on which nothing has moved for ``_SILENCE`` seconds, since the server
    is frozen or the network is down, is closed.  That is longer than the server itself lets a statement run.
    Its text has neither NUL nor lone surrogates: both become U+FFFD.
    """

    def __init__(self, url: str, table: StoredTable, setting: str) -> None:
        """Read the URL; raises InvalidOption, MissingExtra."""
        super().__init__(table, setting)
        self._psycopg = psycopg = load_extra("psycopg", "items in PostgreSQL", "postgresql")
        try:
            self._parameters = {**_CONNECTION, **psycopg.conninfo.conninfo_to_dict(url)}
        except psycopg.Error:  # its text may hold a part of the password
            raise InvalidOption(setting, NOT_SHOWN, _ACCEPTED) from None
        named = self._parameters.get("dbname") or self._parameters.get("user") or "items"
        self.name = f"PostgreSQL's database {named}"
        self.outbox = Path(f"templcrawl-{_ODD.sub('_', str(named))}.{_outbox(table)}")
        raised = (psycopg.errors.ProgramLimitExceeded, psycopg.errors.RaiseException)
        self._refusals = (psycopg.DataError, psycopg.IntegrityError, *raised)

    def check(self) -> Exception | None:
        """Connect; return why the server accepts nothing.  Raises InvalidOption for another kind of table."""
        try:
            return super().check()
        except self._psycopg.ProgrammingError as error:
            accepted = f"a database where PostgreSQL can keep the table {self._table.name} ({error})"
            raise InvalidOption(self._setting, NOT_SHOWN, accepted) from error
        except self._psycopg.Error as error:
            return cast("Exception", error)

    def _row(self, item: str) -> Sequence[Any]:
        return super()._row(plain_json(item))

    def _is_passing(self, error: Exception) -> bool:
        if not isinstance(error, self._psycopg.Error):
            return isinstance(error, (OSError, MemoryError))
        return error.sqlstate is None or error.sqlstate.startswith(_POSTGRESQL_PASSING)

    def _connect(self) -> Any:
        connection = self._watched.connect(**self._parameters, autocommit=True, client_encoding="utf8")
        connection.execute(_SESSION)
        return connection

    def _make_table(self, cursor: Any) -> None:
        cursor.execute(_LOCK)
        find = f"SELECT to_regclass('{self._table.name}')"
        if cursor.execute(find).fetchone() == (None,):  # to make it takes a right
            cursor.execute(self._table.in_postgresql)

    @contextmanager
    def _cursor(self, connection: Any) -> Iterator[Any]:
        with connection.transaction(), connection.cursor() as cursor:
            yield cursor

    @cached_property
    def _watched(self) -> Any:
        """A class of connections that are closed where nothing has moved for too long."""
        psycopg = self._psycopg

        class Watched(psycopg.Connection):  # type: ignore[misc, name-defined, unused-ignore]
            def wait(self, steps: Any, *args: Any, **names: Any) -> Any:
                return super().wait(self._watch(steps), *args, **names)

            def _watch(self, steps: Any) -> Generator[Any, Any, Any]:
                moved_at, ready = time.monotonic(), None
                while True:
                    try:
                        wanted = steps.send(ready)
                    except StopIteration as end:
                        return end.value
                    ready = yield wanted
                    if ready:
                        moved_at = time.monotonic()
                    elif time.monotonic() > moved_at + _SILENCE:
                        self.pgconn.finish()
                        raise psycopg.OperationalError("it does not answer any more")

        return Watched
