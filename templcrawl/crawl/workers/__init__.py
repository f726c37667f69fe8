"""What several processes of one crawl share: a store of what each has learned, in a file or on a server.

A new store is a :class:`SharedStore` of five methods, and an address (:func:`shared_store`).  It inherits its
tests (``tests/crawl/workers/shared_store_contract.py``).  Of a site it has at most ``MOST_STATES`` states, of
``MOST_BYTES`` each.  What other workers have written is not trusted.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from secrets import token_hex
from typing import Any

from templcrawl.errors import InvalidSnapshot
from templcrawl.files import SQLITE_FORMS, sqlite_file
from templcrawl.memory.lru_dict import LruDict
from templcrawl.memory.snapshots import Text, pack, written
from templcrawl.memory.store import WORKER, SqliteStore

MOST_STATES = 32
MOST_BYTES = 2**23
_MOST_HOSTS = 100_000
ACCEPTED = f"{SQLITE_FORMS}, or redis://host:port/db?prefix=my-crawl"


class SharedStore(ABC):
    """A store of all workers of a crawl, as one of them has it.

    Each method raises StoreUnavailable if the store does not answer, and InvalidSnapshot if something else
    than a state is found in its place; that concerns its site alone.

    worker        the name of this worker, by which its states go
    commands      commands that were sent
    pushed_bytes  bytes of states that were pushed
    refused       states that were not pushed since they are too large
    unreadable    states of others that could not be read
    """

    def __init__(self, worker: str) -> None:
        self.worker = worker
        self.commands = self.pushed_bytes = self.refused = self.unreadable = 0
        self._polled: LruDict[str, Mapping[str, Any]] = LruDict(_MOST_HOSTS)  # site -> marks that were read

    @abstractmethod
    def negotiate(self, salt: int) -> tuple[int, str]:
        """Return the salt of the crawl, this one if there is none, and the generation of the store: a random
        name, which differs from the earlier one if the store has lost all that was pushed.
        """

    def reload(self, host: str) -> bytes | None:
        """Return, at once and on the event loop, this worker's state of a site as an earlier crawl has pushed
        it, None if there is none at hand.
        """
        return None

    def push(self, host: str, state: bytes) -> None:
        """Store this worker's state of a site in the place of the earlier one; only count a too large one."""
        if len(state) > MOST_BYTES:
            self.refused += 1
        else:
            self._write(host, state)
            self.pushed_bytes += len(state)

    def poll(self, host: str) -> Iterator[bytes] | None:
        """Return the states of the other workers, None if they are the same as when they were read last."""
        marks = {worker: mark for worker, mark in self._marks(host).items() if worker != self.worker}
        return None if marks == (self._polled.get(host) or {}) else self._states(host, marks)

    def _states(self, host: str, marks: Mapping[str, Any]) -> Iterator[bytes]:
        for worker in sorted(marks):
            state = self._read(host, worker)
            if state is not None:
                yield state
        self._polled[host] = marks

    @abstractmethod
    def _write(self, host: str, state: bytes) -> None: ...

    @abstractmethod
    def _marks(self, host: str) -> dict[str, Any]:
        """Return, of each worker that has a state of a site, what tells it from an earlier one."""

    @abstractmethod
    def _read(self, host: str, worker: str) -> bytes | None:
        """Return a state, None if there is none any more; count one that is too large, and do not read it."""

    def invalidate(self, host: str) -> None:
        """Treat all states of a site as new at the next poll."""
        self._polled.pop(host)

    @abstractmethod
    def close(self) -> None:
        """Give the connection back."""


def shared_store(address: str) -> Callable[[str | None], SharedStore]:
    """Return what opens the store of an address for a worker; raises InvalidOption.

    What is returned takes the name of the worker, None for one that no other has.  It raises InvalidOption,
    InvalidSnapshot, MissingExtra.
    """
    path = sqlite_file(address)
    if path is not None:
        from templcrawl.crawl.workers.sqlite_store import SharedSqliteStore

        return partial(SharedSqliteStore, path)
    from templcrawl.crawl.workers.redis_store import RedisStore, store_address

    store_address(address)
    return lambda worker: RedisStore(address, worker or token_hex(8))


def read_salt(text: str, otherwise: int) -> int:
    """Return the salt that was stored, or another one where that is none."""
    digits = text[:20]
    is_salt = digits.isascii() and digits.isdigit() and int(digits) < 2**64
    return int(digits) if is_salt else otherwise


def worker_name(own: SqliteStore) -> str:
    """Return the name of a worker, drawn by chance, kept in its file; raises StateLost."""
    with suppress(InvalidSnapshot):  # of another format, or damaged: as if there were none
        if (kept := own.load(WORKER)) is not None:
            return kept.text("name")
    name = token_hex(8)
    own.write(WORKER, pack(written({"name": Text(name)})))
    own.commit()
    return name
