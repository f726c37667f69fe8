"""A store that the workers of a crawl share.

A new store implements :class:`SharedStore`: six methods, four counters.  It inherits its tests
(``tests/crawl/workers/shared_store_contract.py``).  Of a site it has at most ``MOST_STATES`` states, of
``MOST_BYTES`` each.  What other workers have written is not trusted.
"""

from __future__ import annotations

from collections.abc import Iterator
from secrets import token_hex
from typing import Protocol

from templcrawl.memory.snapshots import Text, pack, written
from templcrawl.memory.store import WORKER, SqliteStore

MOST_STATES = 32
MOST_BYTES = 2**23


class SharedStore(Protocol):
    """A store of all workers of a crawl, as one of them has it.

    Each method raises StoreUnavailable if the store does not answer, and InvalidSnapshot if something else
    than a state is found in its place; that concerns its site alone.

    commands      commands that were sent
    pushed_bytes  bytes of states that were pushed
    refused       states that were not pushed since they are too large
    unreadable    states of others that could not be read
    """

    commands: int
    pushed_bytes: int
    refused: int
    unreadable: int

    def negotiate(self, salt: int) -> tuple[int, str]:
        """Return the salt of the crawl, this one if there is none, and the generation of the store: a random
        name, which differs from the earlier one if the store has lost all that was pushed.
        """

    def reload(self, host: str) -> bytes | None:
        """Return, at once and on the event loop, this worker's state of a site as an earlier crawl has pushed
        it, None if there is none at hand.
        """

    def push(self, host: str, state: bytes) -> None:
        """Store this worker's state of a site in the place of the earlier one; only count a too large one."""

    def poll(self, host: str) -> Iterator[bytes] | None:
        """Return the states of the other workers, None if they are the same as when they were read last."""

    def invalidate(self, host: str) -> None:
        """Treat all states of a site as new at the next poll."""

    def close(self) -> None:
        """Give the connection back."""


def worker_name(own: SqliteStore) -> str:
    """Return the name of a worker, drawn by chance, kept in its file; raises StateLost, InvalidSnapshot."""
    kept = own.load(WORKER)
    if kept is not None:
        return kept.text("name")
    name = token_hex(8)
    own.write(WORKER, pack(written({"name": Text(name)})))
    own.commit()
    return name
