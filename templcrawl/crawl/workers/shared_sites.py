"""A store that workers of a crawl share: each pushes its states of sites, and polls those of the others.

A new store implements :class:`SharedStore`: five methods, four counters.  It inherits its tests
(``tests/crawl/workers/shared_store_contract.py``).  Of a site it has at most ``MOST_STATES`` states, of
``MOST_BYTES`` each.  What other workers have written is not trusted: no state is unpacked further than to
``_MOST_UNPACKED`` times its size.

What a worker has learned is stored in a folder of its own, as without other workers: in its JOBDIR, or one
that is removed when the crawl ends.  Whenever a site is written there it is due to be exchanged: its state
is pushed to the shared store, and the states of the others are polled and merged (``SiteMemory.merge``); the
result waits in ``updates`` until the event loop applies it.

Only a thread of its own waits for the shared store; it runs while there is something to exchange.  The event
loop, and the thread that writes to the folder, name sites to it and go on.  It reads a state from the folder
when its turn has come, so that a site that was written twice meanwhile is pushed once.

While the shared store is unavailable the crawl continues alone: it is tried again after ``_PATIENCE`` seconds
at the earliest, and what could not be pushed is pushed then.  If it has lost everything, all is pushed
again.  What is wrong with one site there concerns that site alone: it is exchanged again when it is written
again.

Memory: the names of sites that are due; of a site that is in memory, what the others have learned of it,
merged within the limits of one worker; the fingerprints of all workers; ``_MOST_UNWRITTEN`` states that the
folder did not take.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from secrets import token_hex
from threading import Lock, Thread
from typing import Protocol, TypeVar

from templcrawl.errors import InvalidSnapshot, StoreUnavailable
from templcrawl.files import whole_file
from templcrawl.memory.clusters import merged_across_sites
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.memory.lru_dict import LruDict
from templcrawl.memory.options import MemoryOptions
from templcrawl.memory.site import SiteMemory
from templcrawl.memory.snapshot_values import Snapshot
from templcrawl.memory.store import ALL_SITES, SiteStore, unpack_state

T = TypeVar("T")

MOST_STATES = 32
MOST_BYTES = 2**23
_MOST_UNPACKED = 8
_ALWAYS_UNPACKED, _UNPACKED_ANYWAY = 2**20, 2**25  # a state is unpacked to the first, never beyond the second

_PATIENCE = 5.0
_SECONDS_AT_CLOSE = 5.0
_MOST_SECONDS_AT_CLOSE = 60.0
_MOST_UNWRITTEN = 32
_FINGERPRINT_BATCH = 8


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

    def push(self, host: str, state: bytes) -> None:
        """Store this worker's state of a site in the place of the earlier one; only count a too large one."""

    def poll(self, host: str) -> Iterator[bytes] | None:
        """Return the states of the other workers, None if they are the same as when they were read last."""

    def invalidate(self, host: str) -> None:
        """Treat all states of a site as new at the next poll."""

    def close(self) -> None:
        """Give the connection back."""


class SharedSites(SiteStore):
    """The store of a worker, and what comes of the states of the others.

    updates      the changes that the event loop applies to the memory, in this order
    errors       errors of ours that the thread met
    exchanges    how often a state was pushed and the others polled
    failures     how often the shared store did not answer
    unavailable  why it does not answer, None while it does
    broken       what was found in the place of something of ours, last; None before
    """

    def __init__(self, own: SiteStore, shared: SharedStore, options: MemoryOptions) -> None:
        """Share what is written to a store.

        own      where this worker stores what it has learned
        options  how it learns; the workers negotiate the salt
        """
        self.shared = shared
        self.updates: deque[Callable[[CrawlMemory], None]] = deque()
        self.errors: deque[Exception] = deque()
        self.exchanges = self.failures = 0
        self.unavailable: StoreUnavailable | None = None
        self.broken: InvalidSnapshot | None = None
        self._own = own
        self._options = options
        self._salt = 0
        self._fingerprints: set[bytes] = set()
        self._reloaded: set[str] = set()
        self._pushed: dict[str, None] = {}
        self._generation = ""
        self._retry_at = 0.0
        self._lock = Lock()
        self._thread: Thread | None = None
        self._is_due = self._is_closing = self._is_over = self._is_to_negotiate = False
        self._expected: dict[str, None] = {}
        self._unpushed: dict[str, None] = {}
        self._pushing: str | None = None
        self._unwritten: LruDict[str, bytes] = LruDict(_MOST_UNWRITTEN)

    # what the event loop and the thread of the folder call: none of it waits for the shared store

    def source(self, host: str) -> str:
        """Return what an error calls this worker's state of a site."""
        return self._own.source(host)

    def read(self, host: str) -> bytes | None:
        """Return this worker's state of a site; raises InvalidSnapshot."""
        self._reloaded.add(host)
        return self._own.read(host)

    def write(self, host: str, state: bytes) -> None:
        """Store this worker's state of a site, and let it be exchanged; raises OSError, InvalidSnapshot."""
        is_written = False
        try:
            self._own.write(host, state)
            is_written = True
        finally:
            with self._lock:
                self._unwritten.pop(host)
                if not is_written:
                    self._unwritten[host] = state
                self._unpushed[host] = None
            self.resend()

    def negotiate(self, salt: int) -> None:
        """Let the workers negotiate a salt: this one if there is none yet."""
        self._salt = salt
        self._is_to_negotiate = True
        self.resend()

    def fetch(self, host: str) -> None:
        """Poll a site before its first page is here; not while the shared store is unavailable."""
        with self._lock:
            self._expected[host] = None
        self.resend()

    def resend(self) -> None:
        """Begin to exchange what is due, unless that is under way."""
        with self._lock:
            self._is_due = True
            if self._thread is None and not self._is_over:
                self._thread = Thread(target=self._work, name="templcrawl-workers", daemon=True)
                self._thread.start()

    @property
    def is_busy(self) -> bool:
        """Whether the thread is at work."""
        return self._thread is not None

    def wait(self, seconds: float | None = None) -> None:
        """Wait until the thread has done what it can, for so long at most."""
        if (thread := self._thread) is not None:
            thread.join(seconds)

    def close(self) -> int:
        """Push what is left, as long as some of it is taken; return how many sites could not be pushed."""
        self._is_closing = True
        self._retry_at = 0.0
        self.resend()
        until = time.monotonic() + _MOST_SECONDS_AT_CLOSE
        before = -1
        while self.is_busy and self.exchanges != before and time.monotonic() < until:
            before = self.exchanges
            self.wait(_SECONDS_AT_CLOSE)
        self._is_over = True
        with self._lock:
            return len({*self._unpushed, self._pushing} - {None})

    # what the thread does

    def _work(self) -> None:
        while self._take_turn():
            while (job := self._next()) is not None and self._guarded(job):
                pass
        if self._is_closing:
            self._guarded(self.shared.close)

    def _take_turn(self) -> bool:
        """Return whether anything has become due since the last turn; the thread ends if not."""
        with self._lock:
            is_due, self._is_due = self._is_due and not self._is_over, False
            if not is_due:
                self._thread = None
            return is_due

    def _next(self) -> Callable[[], None] | None:
        """Return the next task: a site whose first page is being fetched comes before all others."""
        with self._lock:
            if time.monotonic() < self._retry_at or self._is_over:
                self._expected.clear()
                return None
            if self._is_to_negotiate:
                return self._negotiate
            for host in self._expected:
                del self._expected[host]
                return partial(self._poll, host, expected=True)
            for host in self._unpushed:
                return partial(self._exchange, host)
        return None

    def _guarded(self, job: Callable[[], None]) -> bool:
        """Do a task; return whether the shared store has answered."""
        try:
            job()
        except StoreUnavailable as error:
            self.failures += 1
            self.unavailable = error
            self._retry_at = time.monotonic() + _PATIENCE
            return False
        except InvalidSnapshot as error:
            self.shared.unreadable += 1
            self.broken = error
        except Exception as error:
            self.errors.append(error)
        return True

    def _negotiate(self) -> None:
        """Negotiate a salt, and see whether the shared store has lost what had been pushed."""
        self._is_to_negotiate = False
        try:
            salt, generation = self.shared.negotiate(self._salt)
        except StoreUnavailable:
            self._is_to_negotiate = True
            raise
        self.unavailable = None
        if generation != self._generation:
            self._generation = generation
            with self._lock:
                self._unpushed = {**self._pushed, **self._unpushed}
        if salt != self._salt:
            self._salt = salt
            self.updates.append(lambda memory: memory.resample(salt))

    def _exchange(self, host: str) -> None:
        with self._lock:
            self._pushing = host
            del self._unpushed[host]
            state = self._unwritten.get(host)
        try:
            state = state or self._own.read(host)
            if state is not None:
                self._push(host, state)
        except StoreUnavailable:
            with self._lock:
                self._unpushed[host] = None
            raise
        finally:
            self._pushing = None

    def _push(self, host: str, state: bytes) -> None:
        with suppress(InvalidSnapshot):  # what is stored there is no salt: each worker goes on by its own
            self._negotiate()
        if host in self._reloaded:
            self._reloaded.discard(host)
            self.shared.invalidate(host)
        self.shared.push(host, state)
        self._pushed[host] = None
        self._poll(host)
        self.exchanges += 1

    def _poll(self, host: str, *, expected: bool = False) -> None:
        states = self.shared.poll(host)
        self.unavailable = None
        if states is not None and host == ALL_SITES:
            self._merge_all_sites(states)
        elif states is not None:
            options = replace(self._options, sample_salt=self._salt)
            read = partial(SiteMemory.from_snapshot, options=options, host=host)
            remote = SiteMemory(host, options)
            remote.merge(list(self._readable(host, states, read)))
            self.updates.append(partial(CrawlMemory.set_remote, host=host, remote=remote, expected=expected))

    def _readable(self, host: str, states: Iterable[bytes], read: Callable[[Snapshot], T]) -> Iterator[T]:
        """Yield what is read of the states of other workers, and count those that cannot be read."""
        for state in states:
            try:
                yield read(unpack_remote(f"{host} of another worker", state))
            except (InvalidSnapshot, ValueError):
                self.shared.unreadable += 1

    def _merge_all_sites(self, states: Iterable[bytes]) -> None:

        def valid(snapshot: Snapshot) -> Snapshot:
            merged_across_sites([snapshot])
            return snapshot

        read = list(self._readable(ALL_SITES, states, valid))
        fingerprints, relevance = merged_across_sites(read)
        ordered = [fingerprint for fingerprint in fingerprints if fingerprint not in self._fingerprints]
        self._fingerprints.update(ordered)
        for first in range(0, max(1, len(ordered)), _FINGERPRINT_BATCH):
            some = ordered[first : first + _FINGERPRINT_BATCH]
            set_remote = partial(CrawlMemory.set_remote_all_sites, fingerprints=some, relevance=relevance)
            self.updates.append(set_remote)


def unpack_remote(source: str, state: bytes) -> Snapshot:
    """Return the snapshot that a state of another worker holds; raises InvalidSnapshot."""
    most = min(_UNPACKED_ANYWAY, max(_ALWAYS_UNPACKED, _MOST_UNPACKED * len(state)))
    return unpack_state(source, state, most=most)


def worker_name(folder: Path) -> str:
    """Return the name of a worker: drawn by chance, and kept in its folder."""
    path = folder / "worker"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with whole_file(path) as file:
            file.write(token_hex(8).encode())
    return path.read_text(encoding="ascii").strip()
