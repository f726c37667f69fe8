"""Stores in a folder, as a job has them, and what else may lie there."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from templcrawl.errors import InvalidSnapshot
from templcrawl.memory.crawl_memory import MemoryListener
from templcrawl.memory.snapshots import Numbers, Snapshot, written
from templcrawl.memory.states import pack, unpack
from templcrawl.memory.store import MAX_SITES, SqliteStore
from templcrawl.state_file import JOB_FILE, StateFile


class Unreadable(MemoryListener):
    """A listener that keeps what could not be read."""

    def __init__(self) -> None:
        self.errors = list[InvalidSnapshot]()

    def site_unreadable(self, error: InvalidSnapshot) -> None:
        self.errors.append(error)


def store_in(folder: Path, *, limit: int = MAX_SITES) -> SqliteStore:
    """Open the store of a job."""
    return SqliteStore(StateFile(folder / JOB_FILE), limit=limit)


def saved_snapshots(path: Path, *hosts: str) -> Iterator[tuple[str, Snapshot]]:
    """Yield what a state file has committed of these hosts, or of all."""
    if not path.is_file():
        return
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT host, state FROM sites ORDER BY host").fetchall()
    yield from ((host, unpack(host, state)) for host, state in rows if not hosts or host in hosts)


def saved_in(folder: Path, host: str) -> Snapshot | None:
    """Return what a job has committed of a site."""
    return dict(saved_snapshots(folder / JOB_FILE, host)).get(host)


def stored_state(folder: Path, host: str) -> bytes:
    """Return the bytes of a state that a job has committed."""
    with closing(sqlite3.connect(folder / JOB_FILE)) as connection:
        ((state,),) = connection.execute("SELECT state FROM sites WHERE host = ?", (host,)).fetchall()
    assert isinstance(state, bytes)
    return state


def put_state(folder: Path, host: str, state: object) -> None:
    """Put anything into the place of a state, while no store is open for writing."""
    with closing(sqlite3.connect(folder / JOB_FILE)) as connection, connection:
        connection.execute("INSERT OR REPLACE INTO sites (host, state) VALUES (?, ?)", (host, state))


def plain(**numbers: int) -> Snapshot:
    """Return a snapshot of a number in each column."""
    return written({name: Numbers([number]) for name, number in numbers.items()})


def state(**numbers: int) -> bytes:
    """Return the same as it is stored."""
    return pack(plain(**numbers))
