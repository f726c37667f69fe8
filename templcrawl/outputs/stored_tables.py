"""The tables of a database that a crawl adds rows to: items, and changes of pages.

A row has a whole JSON object, ``item``, and separate text columns for some of its fields.  ``digest`` is a
hash of the JSON text.  It is unique, so each row is stored once; and cryptographic, so that no hostile site
can make its pages pass for those of another.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from templcrawl.page.text import storable

_ONCE = "ON CONFLICT (digest) DO NOTHING"


class StoredTable(NamedTuple):
    """A table.

    texts  fields that have columns of their own, the address among them
    """

    name: str
    texts: tuple[str, ...]

    @property
    def _columns(self) -> str:
        return ", ".join(("digest", *self.texts, "item"))

    @property
    def check(self) -> str:
        """A statement that fails where the table is another one."""
        return (
            f"INSERT INTO {self.name} ({self._columns}) "
            f"SELECT {self._columns} FROM {self.name} WHERE 1 = 0 {_ONCE}"
        )

    def insert(self, mark: str) -> str:
        """Return the statement that adds a row; ``mark`` stands for a value."""
        marks = ", ".join([mark] * (len(self.texts) + 2))
        return f"INSERT INTO {self.name} ({self._columns}) VALUES ({marks}) {_ONCE}"

    def row(self, item: str) -> Sequence[Any]:
        """Return the values of a row, of its JSON text."""
        fields = json.loads(item)
        fields = fields if isinstance(fields, dict) else {}  # pairs, where two names read alike
        texts = (fields.get(name) for name in self.texts)
        cells = [storable(text) if isinstance(text, str) else None for text in texts]
        return hashlib.blake2b(item.encode(), digest_size=16).digest(), *cells, item

    @property
    def in_sqlite(self) -> tuple[str, str]:
        """The statements that make it in SQLite."""
        texts = ", ".join(f"{name} text" for name in self.texts)
        return (
            (
                f"CREATE TABLE IF NOT EXISTS {self.name} (key INTEGER PRIMARY KEY, "
                f"digest BLOB NOT NULL UNIQUE, {texts}, item TEXT NOT NULL, "
                "stored_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')))"
            ),
            f"CREATE INDEX IF NOT EXISTS {self.name}_url ON {self.name} (url)",
        )

    @property
    def in_postgresql(self) -> str:
        """The statements that make it in PostgreSQL; a tree takes no URL of over 2,700 bytes."""
        texts = ", ".join(f"{name} text" for name in self.texts)
        return (
            f"CREATE TABLE {self.name} (key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, "
            f"digest bytea NOT NULL UNIQUE, {texts}, item json NOT NULL, "
            "stored_at timestamptz NOT NULL DEFAULT now());"
            f"CREATE INDEX IF NOT EXISTS {self.name}_url ON {self.name} USING hash (url)"
        )


ITEMS = StoredTable("items", ("url", "leaf_id", "content_text", "content_html"))
CHANGES = StoredTable("changes", ("url", "change", "at", "content_hash", "why"))
