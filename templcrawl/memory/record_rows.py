"""Records of a site as rows of a state file: read one by one, and written as they change.

They take the place of a :class:`~templcrawl.memory.key_tables.RecordTable` where a site has a store.  Memory
holds the keys alone, in the order in which they were set.  A row is durable with the next commit of the file;
of one that is lost (:mod:`templcrawl.state_file`) only what was committed is known.

The table is called by the format of the memory: records of another one leave with their table.

Cost: 20 us a record; O(keys) when a site is read.  Memory: some 100 bytes a key.
"""

from __future__ import annotations

import sqlite3
from contextlib import suppress

from templcrawl.memory.key_tables import LruDict
from templcrawl.memory.snapshots import FORMAT, Section
from templcrawl.page.arrays import signed
from templcrawl.state_file import StateFile, StateLost

_NAME = "records_"
TABLE = f"{_NAME}{FORMAT}"
# The number of a row grows with each writing; the index has all that is read when a site is.
_MADE = (
    f"CREATE TABLE IF NOT EXISTS {TABLE} (written INTEGER PRIMARY KEY, owner TEXT, key INTEGER, record BLOB)",
    f"CREATE UNIQUE INDEX IF NOT EXISTS {TABLE}_by_key ON {TABLE} (owner, key)",
)
_OTHERS = (
    f"SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB '{_NAME}*' AND name != '{TABLE}'"
)
_KEYS = f"SELECT key FROM {TABLE} WHERE owner = ? ORDER BY written"
_RECORD = f"SELECT record FROM {TABLE} WHERE owner = ? AND key = ?"
_PUT = f"INSERT OR REPLACE INTO {TABLE} (owner, key, record) VALUES (?, ?, ?)"
_REMOVE = f"DELETE FROM {TABLE} WHERE owner = ? AND key = ?"
REMOVE_ALL = f"DELETE FROM {TABLE} WHERE owner = ?"


def make_rows(file: StateFile) -> None:
    """Make the table in a file, and remove those of other formats; raises InvalidSnapshot."""
    for statement in (*(f"DROP TABLE {name}" for (name,) in file.read(_OTHERS)), *_MADE):
        file.make(statement)


class RecordRows(Section):
    """Key -> byte string, of one owner; at most ``limit``."""

    def __init__(self, file: StateFile, owner: str, limit: int) -> None:
        """Read the keys; none if the file cannot be read."""
        self._file, self._owner = file, owner
        self._keys: LruDict[int, bool] = LruDict(limit)
        with suppress(sqlite3.Error):
            for (key,) in file.read(_KEYS, (owner,)):
                self._keys[key % 2**64] = True

    def __len__(self) -> int:
        return len(self._keys)

    def __contains__(self, key: int) -> bool:
        return key in self._keys

    def get(self, key: int) -> bytes:
        """Return a record, b"" if there is none."""
        with suppress(sqlite3.Error):
            for (record,) in self._file.read(_RECORD, self._row(key)) if key in self._keys else ():
                return bytes(record)
        return b""

    def __setitem__(self, key: int, record: bytes) -> None:
        """Set a record, as the one set last; it is not known if the file takes no more."""
        with suppress(StateLost):
            self._file.write(_PUT, (*self._row(key), record))
            self._keys[key] = True

    def pop(self, key: int) -> None:
        """Remove a record, if it is there."""
        if self._keys.pop(key):
            with suppress(StateLost):
                self._file.write(_REMOVE, self._row(key))

    def has_room(self, size: int) -> bool:
        """Return whether there is room for one more, of so many bytes."""
        return len(self._keys) < self._keys.limit

    def least_recent(self) -> int:
        """Return the key that was set longest ago."""
        return self._keys.least_recent()

    def _row(self, key: int) -> tuple[str, int]:
        return self._owner, signed(key)
