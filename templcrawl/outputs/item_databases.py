"""The databases that items go to: SQLite, which needs no server, and PostgreSQL.

``sqlite:///pages.sqlite`` is a file (``sqlite:////data/pages.sqlite`` one by its whole path), and
``postgresql://user:password@host/database`` a server.  Both have two tables, made if they are missing:

- ``items``: a row an item.  ``url``, ``leaf_id``, ``content_text`` and ``content_html`` repeat the item's
  fields of that name where those are text; ``item`` is the whole item as JSON
  (:func:`~templcrawl.outputs.items.json_text`).

Rows of ``items`` are only ever added, since several items may share a URL.  An item is stored once:
``digest``, a hash of its JSON text, is unique (cryptographic, lest a hostile site make its pages pass for
another's).  So a batch may be sent again, and a crawl that is run again adds only what is new or has changed.

*SQLite.*  If a file is removed or replaced while it is open, what is written to it is lost without an error.
So a batch counts only if the file is still there afterwards.

*PostgreSQL.*  Nothing waits for ever: a connection on which nothing has moved for ``_SILENCE`` seconds, since
the server is frozen or the network is down, is closed.  That is longer than the server itself lets a
statement run.  Its text has neither NUL nor lone surrogates: both become U+FFFD.

Cost: a transaction a batch.
"""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from templcrawl.errors import NOT_SHOWN, InvalidOption, load_extra
from templcrawl.files import identity
from templcrawl.page.text import storable

_SETTING = "TEMPLCRAWL_DATABASE"
_ACCEPTED = "sqlite:///FILE or postgresql://USER:PASSWORD@HOST/DATABASE"

_BUSY_SECONDS = 5.0  # that another writer of SQLite is waited for

_TEXTS = ("url", "leaf_id", "content_text", "content_html")
_COLUMNS = ", ".join(("digest", *_TEXTS, "item"))
_ONCE = "ON CONFLICT (digest) DO NOTHING"
_CHECK = f"INSERT INTO items ({_COLUMNS}) SELECT {_COLUMNS} FROM items WHERE 1 = 0 {_ONCE}"
_INSERT = f"INSERT INTO items ({_COLUMNS}) VALUES (%s, %s, %s, %s, %s, %s) {_ONCE}"


def item_database(url: str) -> ItemDatabase:
    """Return the database of a URL; raises InvalidOption, MissingExtra."""
    scheme, _, rest = url.partition("://")
    if scheme in ("postgresql", "postgres"):
        return PostgresqlDatabase(url)
    if scheme == "sqlite" and rest.startswith("/") and rest[1:] not in ("", ":memory:"):
        return SqliteDatabase(rest[1:])
    raise InvalidOption(_SETTING, NOT_SHOWN if "@" in url else url, _ACCEPTED)


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
    _make_table: Callable[[Any], None]  # makes the table items, where it is missing, by a cursor
    _connection: Any = None

    def check(self) -> Exception | None:
        """Connect; return why that fails for now.  Raises InvalidOption where it always will."""
        with self._transaction():
            return None

    def insert(self, items: Sequence[str]) -> tuple[int, dict[int, str]]:
        """Insert items, as JSON text; those that are refused cost no other.

        Returns how many are new, and number of a refused item -> why.  Raises an error of the database, and
        some are stored then.
        """
        return self._insert([self._row(item) for item in items], 0)

    def _insert(self, rows: Sequence[Sequence[Any]], first: int) -> tuple[int, dict[int, str]]:
        try:
            with self._transaction() as cursor:
                cursor.executemany(_INSERT.replace("%s", self._mark), rows)
                return cursor.rowcount, {}
        except self._refusals as error:
            if len(rows) == 1:
                return 0, {first: " ".join(str(error).split())}
        middle = len(rows) // 2
        stored, refused = self._insert(rows[:middle], first)
        more, others = self._insert(rows[middle:], first + middle)
        return stored + more, {**refused, **others}

    def close(self) -> None:
        """Close the connection."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(Exception):
                connection.close()

    def _row(self, item: str) -> Sequence[Any]:
        fields = json.loads(item)
        fields = fields if isinstance(fields, dict) else {}  # pairs, where two names read alike
        texts = (fields.get(name) for name in _TEXTS)
        cells = [storable(text) if isinstance(text, str) else None for text in texts]
        return hashlib.blake2b(item.encode(), digest_size=16).digest(), *cells, item

    @contextmanager
    def _transaction(self) -> Iterator[Any]:
        """Give a cursor, and commit at the end; close after an error that is not about a row."""
        is_new = self._connection is None
        try:
            connection = self._connection = self._connect() if is_new else self._connection
            with self._cursor(connection) as cursor:
                if is_new:
                    self._make_table(cursor)
                    cursor.execute(_CHECK)
                yield cursor
        except BaseException as error:
            if is_new or not isinstance(error, self._refusals):
                self.close()
            raise


_SQLITE_TABLE = """
CREATE TABLE IF NOT EXISTS items (
    key INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE,
    url text, leaf_id text, content_text text, content_html text,
    item TEXT NOT NULL, stored_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
)"""


class SqliteDatabase(ItemDatabase):
    """A file of SQLite; its folder is made if it is missing."""

    _mark = "?"
    _refusals = (sqlite3.DataError, sqlite3.IntegrityError, OverflowError, ValueError)

    def __init__(self, path: str) -> None:
        self.name, self.outbox = path, Path(f"{path}.outbox")
        self._path = Path(path)

    def check(self) -> Exception | None:
        """Open the file; raises InvalidOption."""
        try:
            return super().check()
        except (OSError, ValueError, sqlite3.Error) as error:
            accepted = f"a file where SQLite can keep the table items ({error})"
            raise InvalidOption(_SETTING, f"sqlite:///{self.name}", accepted) from error

    def _connect(self) -> sqlite3.Connection:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self._path, timeout=_BUSY_SECONDS, check_same_thread=False)
        with suppress(sqlite3.Error):  # what is no database is said by the next statement
            connection.execute("PRAGMA page_size = 8192")  # of a new file: items of 5 KB cost a quarter less
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
        self._file = identity(self._path)
        return connection

    def _make_table(self, cursor: sqlite3.Cursor) -> None:
        cursor.execute(_SQLITE_TABLE)
        cursor.execute("CREATE INDEX IF NOT EXISTS items_url ON items (url)")

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
_LOCK = "SELECT pg_advisory_xact_lock(hashtext('templcrawl.items'))"  # crawls may make the table at once
_POSTGRESQL_TABLE = """
CREATE TABLE items (
    key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, digest bytea NOT NULL UNIQUE,
    url text, leaf_id text, content_text text, content_html text,
    item json NOT NULL, stored_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS items_url ON items USING hash (url)"""  # a tree takes no URL of over 2,700 bytes

# An escape of JSON; its group is what PostgreSQL's text does not have.
_ESCAPE = re.compile(r"\\(?:ud[89ab]..\\ud[c-f]..|(u0000|ud[89a-f]..)|.)")
_ODD = re.compile(r"[^\w.-]")


class PostgresqlDatabase(ItemDatabase):
    """A database of a PostgreSQL server, which may be away."""

    def __init__(self, url: str) -> None:
        """Read the URL; raises InvalidOption, MissingExtra."""
        self._psycopg = psycopg = load_extra("psycopg", "items in PostgreSQL", "postgresql")
        try:
            self._parameters = {**_CONNECTION, **psycopg.conninfo.conninfo_to_dict(url)}
        except psycopg.Error:  # its text may hold a part of the password
            raise InvalidOption(_SETTING, NOT_SHOWN, _ACCEPTED) from None
        named = self._parameters.get("dbname") or self._parameters.get("user") or "items"
        self.name = f"PostgreSQL's database {named}"
        self.outbox = Path(f"templcrawl-{_ODD.sub('_', str(named))}.outbox")
        raised = (psycopg.errors.ProgramLimitExceeded, psycopg.errors.RaiseException)
        self._refusals = (psycopg.DataError, psycopg.IntegrityError, *raised)

    def check(self) -> Exception | None:
        """Connect; return why the server takes nothing.  Raises InvalidOption for a table of another kind."""
        try:
            return super().check()
        except self._psycopg.ProgrammingError as error:
            accepted = f"a database where PostgreSQL can keep the table items ({error})"
            raise InvalidOption(_SETTING, NOT_SHOWN, accepted) from error
        except self._psycopg.Error as error:
            return cast("Exception", error)

    def _row(self, item: str) -> Sequence[Any]:
        return super()._row(plain_json(item))

    def _connect(self) -> Any:
        connection = self._watched.connect(**self._parameters, autocommit=True, client_encoding="utf8")
        connection.execute(_SESSION)
        return connection

    def _make_table(self, cursor: Any) -> None:
        cursor.execute(_LOCK)
        if cursor.execute("SELECT to_regclass('items')").fetchone() == (None,):  # to make it takes a right
            cursor.execute(_POSTGRESQL_TABLE)

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


def plain_json(text: str) -> str:
    r"""Return JSON text with U+FFFD for what PostgreSQL's text does not have.

    >>> print(plain_json(r'["\u0000", "\\u0000", "\ud83d\ude00", "\ud83d"]'))
    ["\ufffd", "\\u0000", "\ud83d\ude00", "\ufffd"]
    """
    return _ESCAPE.sub(lambda match: "\\ufffd" if match[1] else match[0], text)
