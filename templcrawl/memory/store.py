"""Store the memories of sites between runs.

What a crawl has learned from a site is the *state* of the site, a snapshot in bytes
(:mod:`templcrawl.memory.states`).  A state of another format is not read: the site is learned anew.

:class:`SqliteStore` has a row a site in a state file, and rows of its records
(:mod:`templcrawl.memory.record_rows`): of a job, of a store for later crawls
(:mod:`templcrawl.crawl.job.store_file`), or a temporary one.  At most ``limit`` sites: then each new one
evicts the one written longest ago, which is learned anew.  The state that all sites share (``ALL_SITES``) is
never evicted.  Cost: that of a row, some 0.2 ms for a state of 100 KB.
"""

from __future__ import annotations

import sqlite3

from templcrawl.errors import InvalidSnapshot
from templcrawl.memory.clusters import ALL_SITES
from templcrawl.memory.record_rows import REMOVE_ALL, RecordRows, make_rows
from templcrawl.memory.snapshots import Frozen, Snapshot, written
from templcrawl.memory.states import pack, unpack
from templcrawl.state_file import StateFile, StateLost

MAX_SITES = 100_000

# The number of a row grows with each writing: the smallest was written longest ago.
TABLE_NAME = "sites"
_TABLE = "CREATE TABLE IF NOT EXISTS sites (written INTEGER PRIMARY KEY, host TEXT UNIQUE, state BLOB)"
_STATE = "SELECT CAST(state AS BLOB) FROM sites WHERE host = ?"
_OLDEST = f"SELECT written, host FROM sites WHERE host != '{ALL_SITES}' ORDER BY written LIMIT 1"


class SqliteStore:
    """The states of sites in a state file, a row each.

    evicted  how many sites had to leave for others
    """

    def __init__(self, file: StateFile, *, limit: int = MAX_SITES) -> None:
        """Make the table if it is missing; raises InvalidSnapshot.

        limit  sites that it may have
        """
        self.evicted = 0
        self._file = file
        self._limit = limit
        file.make(_TABLE)
        make_rows(file)
        ((self._sites,),) = file.read(f"SELECT count(*) FROM sites WHERE host != '{ALL_SITES}'")

    def load(self, host: str) -> Snapshot | None:
        """Return the snapshot of a site, None if there is none; raises InvalidSnapshot."""
        state = self.read(host)
        return None if state is None else unpack(self._source(host), state)

    def save(self, host: str, frozen: Frozen) -> None:
        """Store the snapshot of a site; raises StateLost."""
        self.write(host, pack(written(frozen)))

    def _source(self, host: str) -> str:
        """Return the name of a site's state in errors."""
        return f"{self._file.path}, {host}"

    def read(self, host: str) -> bytes | None:
        """Return the state of a site, None if there is none; raises InvalidSnapshot if it cannot be read."""
        try:
            found = self._file.read(_STATE, (host,))
        except sqlite3.Error as error:
            raise InvalidSnapshot(self._source(host), f"it cannot be read: {error}") from error
        return found[0][0] if found else None

    def write(self, host: str, state: bytes) -> None:
        """Store the state of a site in the place of the earlier one; raises StateLost."""
        if self._file.lost is not None:
            raise StateLost from self._file.lost
        is_new = not self._file.read("SELECT 1 FROM sites WHERE host = ?", (host,))
        self._file.write("INSERT OR REPLACE INTO sites (host, state) VALUES (?, ?)", (host, state))
        self._sites += is_new and host != ALL_SITES
        if self._sites > self._limit:
            ((oldest, owner),) = self._file.read(_OLDEST)
            self._file.write("DELETE FROM sites WHERE written = ?", (oldest,))
            self._file.write(REMOVE_ALL, (owner,))
            self._sites -= 1
            self.evicted += 1

    def rows(self, owner: str, limit: int) -> RecordRows:
        """Return the records of an owner, so many at most: they are written at once, by the event loop."""
        return RecordRows(self._file, owner, limit)

    def commit(self) -> None:
        """Commit; after a crash each state is complete: the old one or the new one."""
        self._file.commit()
