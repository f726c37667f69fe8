"""An item pipeline that stores every item in a PostgreSQL database.

::

    ITEM_PIPELINES = {"templcrawl.outputs.postgresql.PostgresqlPagesPipeline": 900}
    TEMPLCRAWL_POSTGRESQL_DSN = "host=db.example dbname=crawl user=crawler"

One row a URL, in the table ``items``, which is made if it is missing: a later item of a URL takes the place
of an earlier one; items without the text field ``url`` are all kept, equal ones once.  The columns ``url``,
``leaf_id``, ``content_text`` and ``content_html`` repeat the item's fields of that name where those are
text; ``item`` is the whole item as JSON (see :func:`~templcrawl.outputs.items.json_text`).

:mod:`templcrawl.outputs.item_batches` documents how items are buffered, and what happens to items that cannot
be stored.  While the server is unavailable, ten batches of items are buffered; further
items are in ``postgresql-<database>.unstored.jsonl``, in the JOBDIR or the working directory.  A crawl whose
server is unavailable at the start does not start.

*The table.*  ``key`` is a hash of the item's URL, or of the item where it has none, and unique: a later
item of a URL takes the place of an earlier one, an equal one changes nothing.  (URLs may be longer than
what an index takes.)

A batch is copied into a temporary table (``COPY``) and put into ``items`` from there, in one transaction.  It
may be repeated: where a connection breaks as a batch is committed, it is unknown whether it was.

Each batch connects again to a server that was unavailable, or that has refused a batch for another reason
than its rows: the session may be that of a replica.  A table that was dropped is made again.

Nothing waits for ever: not the connection, not a statement, and not the client.  Where nothing has moved for
``_SILENCE`` seconds, since the server is frozen or the network is down, a thread shuts the socket of the
connection, and the batch has failed.  That is longer than the server itself lets a statement run.

Text goes to the server as UTF-8, so that a letter that its database does not have is its refusal of one row.
PostgreSQL's text has neither NUL nor lone surrogates: both become U+FFFD, in the JSON too, lest its operators
fail on such a row.
"""

from __future__ import annotations

import hashlib
import logging
import re
import socket
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.utils.job import job_dir

from templcrawl.errors import NOT_SHOWN, InvalidOption, MissingExtra
from templcrawl.memory.page_types import TypedLeaf
from templcrawl.outputs.item_batches import BATCH_ITEMS, BatchedItems, Inserted, ItemRow

if TYPE_CHECKING:
    from typing_extensions import Self

_SETTING = "TEMPLCRAWL_POSTGRESQL_DSN"
_NAMED = re.compile(r'"([^"]*)"')
_ODD = re.compile(r"[^\w.-]")


class PostgresqlPagesPipeline(BatchedItems):
    """Stores items in the PostgreSQL database that a connection string names.

    dsn  the connection string; what is logged and kept beside it has the name of the database alone
    """

    database = "postgresql"
    dsn = ""

    @classmethod
    def _from_settings(cls, crawler: Crawler) -> Self:
        dsn = crawler.settings.get(_SETTING)
        if not dsn:
            raise NotConfigured
        folder = Path(job_dir(crawler.settings) or "")
        store = str(folder / _store_name(dsn))
        pipeline = cls(store, batch=BATCH_ITEMS, stats=crawler.stats)
        pipeline.dsn = dsn
        return pipeline

    def _open_table(self) -> PostgresqlTable:
        try:
            return PostgresqlTable(self.dsn)
        except load_psycopg().Error as error:
            reason = " ".join(str(error).split())
            accepted = f"a database where PostgreSQL can keep the table items ({reason})"
            raise InvalidOption(_SETTING, NOT_SHOWN, accepted) from error


def _store_name(dsn: str) -> str:
    """Return what a database is called, without its password.  Raises InvalidOption, MissingExtra."""
    psycopg = load_psycopg()
    try:
        named = psycopg.conninfo.conninfo_to_dict(dsn)
    except psycopg.Error as error:
        wrong = _NAMED.sub(_without_values, str(error).strip())
        accepted = f"a connection string or URI of PostgreSQL ({wrong})"
        raise InvalidOption(_SETTING, NOT_SHOWN, accepted) from None
    return "postgresql-" + _ODD.sub("_", str(named.get("dbname") or named.get("user") or "items"))


def _without_values(quoted: re.Match[str]) -> str:
    """Return what libpq quotes if it is a sign; anything else may be a part of the password."""
    return quoted[0] if quoted[1] in ("=", "]") else '"…"'


logger = logging.getLogger(__name__)

_PATIENCE_AT_END = 10.0
_SILENCE = 30.0
_PAUSE = 0.5
_CONNECTION = {
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "tcp_user_timeout": 30_000,
    "application_name": "templcrawl",
}
_SESSION = "SET statement_timeout = '25s'; SET lock_timeout = '20s'; SET synchronous_commit = on"

# An escape of JSON; its group is what PostgreSQL's text does not have.
_ESCAPE = re.compile(r"\\(?:ud[89ab]..\\ud[c-f]..|(u0000|ud[89a-f]..)|.)")

_LOCK = "SELECT pg_advisory_xact_lock(hashtext('templcrawl.items'))"
_IS_THERE = "SELECT to_regclass('items') IS NOT NULL"
_TABLE = """
CREATE TABLE items (
    key bytea PRIMARY KEY,
    digest bytea NOT NULL,
    url text,
    leaf_id text,
    content_text text,
    content_html text,
    item json NOT NULL,
    stored_at timestamptz NOT NULL DEFAULT now()
)"""
_INCOMING = """
CREATE TEMPORARY TABLE incoming (
    key bytea, digest bytea, url text, leaf_id text, content_text text, content_html text, item text
) ON COMMIT DELETE ROWS"""
_COPY = "COPY incoming FROM STDIN (FORMAT BINARY)"
_TYPES = ("bytea", "bytea", "text", "text", "text", "text", "text")
_INSERT = """
INSERT INTO items AS there (key, digest, url, leaf_id, content_text, content_html, item)
SELECT key, digest, url, leaf_id, content_text, content_html, item::json FROM incoming ORDER BY key
ON CONFLICT (key) DO UPDATE SET (digest, url, leaf_id, content_text, content_html, item, stored_at) = (
    excluded.digest, excluded.url, excluded.leaf_id, excluded.content_text, excluded.content_html,
    excluded.item, now()
) WHERE there.digest <> excluded.digest
RETURNING (xmax = 0)"""


def load_psycopg() -> Any:
    """Return psycopg; raises MissingExtra."""
    try:
        import psycopg
    except ImportError as error:
        raise MissingExtra("the PostgreSQL pipeline", "postgresql") from error
    return psycopg


class PostgresqlTable:
    """The table in the database that a connection string names."""

    def __init__(self, dsn: str) -> None:
        """Connect, and make the table or check it; raises psycopg.Error, MissingExtra."""
        self._psycopg = load_psycopg()
        self._dsn = dsn
        self._connection: Any = None
        self._connect()

    def _connect(self) -> None:
        absent = _absent(self._psycopg, self._dsn)
        connection = self._psycopg.connect(self._dsn, autocommit=True, client_encoding="utf8", **absent)
        try:
            with _shut_when_silent(connection) as moves:
                connection.execute(_SESSION)
                with connection.transaction():
                    connection.execute(_LOCK)
                    moves()
                    if not connection.execute(_IS_THERE).fetchone()[0]:
                        connection.execute(_TABLE)
                    connection.execute(_INCOMING)
                    connection.execute(_INSERT)
        except BaseException:
            connection.close()
            raise
        self._connection = connection

    def insert(self, rows: Sequence[ItemRow], *, at_end: bool = False) -> Inserted:
        """Insert rows; at the end wait for an unavailable server.  Raises psycopg.Error."""
        patience = time.monotonic() + (_PATIENCE_AT_END if at_end else 0.0)
        may_make = True
        while True:
            try:
                return self._insert(rows)
            except self._psycopg.errors.UndefinedTable:
                self.close()
                if not may_make:
                    raise
                may_make = False
                logger.error("the table items was dropped: it is made again; what was stored there is lost")
            except self._psycopg.Error as error:
                self.close()
                is_unavailable = isinstance(error, self._psycopg.OperationalError)
                if not is_unavailable or time.monotonic() > patience:
                    raise
                time.sleep(_PAUSE)

    def _insert(self, rows: Sequence[ItemRow]) -> Inserted:
        """Insert rows in a transaction; where one is refused, each half in one of its own."""
        if self._connection is None or self._connection.closed:
            self._connect()
        try:
            with (
                _shut_when_silent(self._connection) as moves,
                self._connection.transaction(),
                self._connection.cursor() as cursor,
            ):
                latest, replaced = _latest(rows)
                with cursor.copy(_COPY) as copy:
                    copy.set_types(_TYPES)
                    for key, row in latest.items():
                        copy.write_row((key, row.digest, *map(_without_nul, row[1:5]), plain_json(row.item)))
                        moves()
                new = [is_new for (is_new,) in cursor.execute(_INSERT).fetchall()]
        except (self._psycopg.DataError, self._psycopg.errors.ProgramLimitExceeded):
            if len(rows) == 1:
                return Inserted(0, 0, rows)
            middle = len(rows) // 2
            left, right = self._insert(rows[:middle]), self._insert(rows[middle:])
            return Inserted(
                left.stored + right.stored, left.replaced + right.replaced, [*left.refused, *right.refused]
            )
        return Inserted(sum(new), len(new) - sum(new) + replaced, ())

    def close(self) -> None:
        """Close the connection."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(self._psycopg.Error):
                connection.close()


_PAGE_TYPES = """
CREATE TABLE IF NOT EXISTS page_types (
    leaf_id text PRIMARY KEY, page_type text NOT NULL, pages bigint NOT NULL, kind text
)"""
_INSERT_PAGE_TYPE = """
INSERT INTO page_types VALUES (%s, %s, %s, %s)
ON CONFLICT (leaf_id) DO UPDATE SET (page_type, pages, kind) = (
    excluded.page_type, excluded.pages, excluded.kind
)"""


def store_page_types(dsn: str, leaves: Iterable[TypedLeaf]) -> None:
    """Insert the page types of leaves in the place of earlier ones; raises psycopg.Error, MissingExtra."""
    psycopg = load_psycopg()
    with psycopg.connect(dsn, client_encoding="utf8", **_absent(psycopg, dsn)) as connection:
        connection.execute(f"{_SESSION}; {_PAGE_TYPES}")
        with connection.cursor() as cursor:
            rows = ((_without_nul(leaf_id), _without_nul(name), *rest) for leaf_id, name, *rest in leaves)
            cursor.executemany(_INSERT_PAGE_TYPE, rows)


@contextmanager
def _shut_when_silent(connection: Any) -> Iterator[Callable[[], None]]:
    """Give what is to be called as things move on a connection; where they do not, its socket is shut.

    What waits for the server meanwhile raises psycopg.OperationalError then.  Cost: a thread.
    """
    done, moved_at = Event(), time.monotonic()
    lent = socket.socket(fileno=connection.fileno())
    try:
        shared = lent.dup()  # its number stays its own, whenever the connection is closed
    finally:
        lent.detach()

    def moves() -> None:
        nonlocal moved_at
        moved_at = time.monotonic()

    def watch() -> None:
        while not done.wait(max(0.0, moved_at + _SILENCE - time.monotonic())):
            if time.monotonic() >= moved_at + _SILENCE:
                with suppress(OSError):
                    shared.shutdown(socket.SHUT_RDWR)
                return

    thread = Thread(target=watch, name="templcrawl-postgresql", daemon=True)
    thread.start()
    try:
        yield moves
    finally:
        done.set()
        thread.join()
        shared.close()


def _absent(psycopg: Any, dsn: str) -> dict[str, Any]:
    named = psycopg.conninfo.conninfo_to_dict(dsn)
    return {name: value for name, value in _CONNECTION.items() if name not in named}


def _latest(rows: Sequence[ItemRow]) -> tuple[dict[bytes, ItemRow], int]:
    latest: dict[bytes, ItemRow] = {}
    replaced = 0
    for row in rows:
        before = latest.get(_key(row))
        replaced += before is not None and before.digest != row.digest
        latest[_key(row)] = row
    return latest, replaced


def _key(row: ItemRow) -> bytes:
    return row.digest if row.url is None else hashlib.blake2b(row.url.encode(), digest_size=16).digest()


def plain_json(text: str) -> str:
    r"""Return JSON text with U+FFFD for what PostgreSQL's text does not have.

    >>> print(plain_json(r'["\u0000", "\\u0000", "\ud83d\ude00", "\ud83d"]'))
    ["\ufffd", "\\u0000", "\ud83d\ude00", "\ufffd"]
    """
    return _ESCAPE.sub(lambda match: match[0] if match[1] is None else "\\ufffd", text)


def _without_nul(text: str | None) -> str | None:
    return None if text is None else text.replace("\0", "\ufffd")
