"""What the workers of a crawl share: each pushes its states of sites, and polls those of the others.

What a worker has learned is stored in a file of its own, as without other workers: in its JOBDIR, or one
that is removed when the crawl ends.  Whenever a site is committed there it is due to be exchanged: its state
is pushed to the shared store, and the states of the others are polled and merged (``SiteMemory.merge``); the
result waits in ``updates`` until the event loop applies it.  What is not in the file is what this worker has
pushed in an earlier crawl, if the shared store has that at hand.

Only a thread of its own waits for the shared store; it runs while there is something to exchange.  The event
loop names sites to it and goes on.  The thread reads a state from the file when its turn has come, so that a
site that was written twice meanwhile is pushed once.

While the shared store is unavailable the crawl continues alone: it is tried again after ``_PATIENCE`` seconds
at the earliest, and what could not be pushed is pushed then.  If it has lost everything, all is pushed
again.  What is wrong with one site there concerns that site alone: it is exchanged again when it is written
again.

Memory: the names of sites that are due; of a site that is in memory, what the others have learned of it,
merged within the limits of one worker; the fingerprints of all workers.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from threading import Lock, Thread
from typing import TypeVar

from templcrawl.algorithms.crawl_order.focus import RelevanceRecord
from templcrawl.crawl.workers import SharedStore, shared_store, worker_name
from templcrawl.errors import InvalidOption, InvalidSnapshot, StoreUnavailable
from templcrawl.memory.clusters import AcrossSites
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.memory.options import MemoryOptions
from templcrawl.memory.site import SiteMemory
from templcrawl.memory.snapshots import Snapshot, unpack
from templcrawl.memory.store import ALL_SITES, ITEMS, WORKER, SiteStore, SqliteStore

T = TypeVar("T")

_OWN = (ITEMS, WORKER)  # what is not exchanged

_PATIENCE = 5.0
_SECONDS_AT_CLOSE = 5.0
_MOST_SECONDS_AT_CLOSE = 60.0
_FINGERPRINT_BATCH = 8


def share(address: str, own: SqliteStore, options: MemoryOptions, *, has_job: bool) -> SharedSites:
    """Return the store of a worker that shares what it writes by the store of an address.

    has_job  whether the worker goes on with a job, and so has a name for good
    Raises InvalidOption, MissingExtra.
    """
    try:
        shared = shared_store(address)(worker_name(own) if has_job else None)
    except InvalidOption as error:
        raise InvalidOption("TEMPLCRAWL_STORE", address, error.accepted) from error
    except InvalidSnapshot as error:
        raise InvalidOption("TEMPLCRAWL_STORE", address, f"another file ({error.reason})") from error
    return SharedSites(own, shared, options)


class SharedSites(SiteStore):
    """The store of a worker, and what comes of the states of the others.

    updates      the changes that the event loop applies to the memory, in this order
    errors       errors of ours that the thread met
    exchanges    how often a state was pushed and the others polled
    failures     how often the shared store did not answer
    unavailable  why it does not answer, None while it does
    broken       what was found in the place of something of ours, last; None before
    """

    def __init__(self, own: SqliteStore, shared: SharedStore, options: MemoryOptions) -> None:
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
        self._generation = ""
        self._fingerprints: set[bytes] = set()
        self._reloaded: set[str] = set()
        self._pushed: dict[str, None] = {}
        # Of both threads, under the lock; a site that is due has a new mark each time that it is written.
        self._lock = Lock()
        self._thread: Thread | None = None
        self._is_to_negotiate = False
        self._expected: dict[str, None] = {}
        self._uncommitted: dict[str, object] = {}
        self._unpushed: dict[str, object] = {}
        self._is_asked = self._is_closing = self._is_over = False
        self._retry_at = 0.0

    # what the event loop calls: none of it waits for the shared store

    def source(self, host: str) -> str:
        """Return what an error calls this worker's state of a site."""
        return self._own.source(host)

    def read(self, host: str) -> bytes | None:
        """Return this worker's state of a site; raises InvalidSnapshot."""
        self._reloaded.add(host)
        state = self._own.read(host)
        return self.shared.reload(host) if state is None and host not in _OWN else state

    def write(self, host: str, state: bytes) -> None:
        """Store this worker's state of a site, to be exchanged once it is committed; raises StateLost."""
        self._own.write(host, state)
        if host not in _OWN:
            self._uncommitted[host] = object()

    def commit(self) -> None:
        """Make durable what was written, and let it be exchanged."""
        self._own.commit()
        with self._lock:
            self._unpushed.update(self._uncommitted)
            self._uncommitted.clear()
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
            self._is_asked = True
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
            return len(self._unpushed)

    # what the thread does

    def _work(self) -> None:
        while (task := self._next()) is not None:
            self._attempt(task)
        if self._is_closing:
            self._attempt(self.shared.close)

    def _next(self) -> Callable[[], None] | None:
        """Return the next task: a site whose first page is being fetched comes before all others."""
        with self._lock:
            if not self._is_asked or self._is_over or time.monotonic() < self._retry_at:
                self._expected.clear()
            elif self._is_to_negotiate:
                return self._negotiate
            elif self._expected:
                host = next(iter(self._expected))
                del self._expected[host]
                return partial(self._poll, host, expected=True)
            elif self._unpushed:
                return partial(self._exchange, *next(iter(self._unpushed.items())))
            self._thread = None  # whoever asks from now on begins another
            return None

    def _attempt(self, task: Callable[[], None]) -> None:
        """Do a task; if the shared store does not answer, nothing else is done until it is asked again."""
        try:
            task()
        except StoreUnavailable as error:
            self.failures += 1
            self.unavailable = error
            self._is_asked, self._is_to_negotiate = False, True
            self._retry_at = time.monotonic() + _PATIENCE
        except InvalidSnapshot as error:
            self.shared.unreadable += 1
            self.broken = error
        except Exception as error:
            self.errors.append(error)

    def _negotiate(self) -> None:
        """Negotiate a salt, and see whether the shared store has lost what had been pushed."""
        self._is_to_negotiate = False
        salt, generation = self.shared.negotiate(self._salt)
        self.unavailable = None
        if generation != self._generation:
            self._generation = generation
            with self._lock:
                self._unpushed = {**dict.fromkeys(self._pushed, object()), **self._unpushed}
        if salt != self._salt:
            self._salt = salt
            self.updates.append(lambda memory: memory.resample(salt))

    def _exchange(self, host: str, mark: object) -> None:
        """Push a site that is due, and poll it; unless the shared store is away, it is not due any more."""
        is_due = False
        try:
            if (state := self._own.read_committed(host)) is not None:
                self._push(host, state)
        except StoreUnavailable:
            is_due = True
            raise
        finally:
            with self._lock:
                if not is_due and self._unpushed.get(host) is mark:  # it was not written meanwhile
                    del self._unpushed[host]

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
            remote = SiteMemory(host, options)
            read = partial(SiteMemory.from_snapshot, options=options, host=host)
            remote.merge(self._read(host, states, read))
            self.updates.append(partial(CrawlMemory.set_remote, host=host, remote=remote, expected=expected))

    def _read(self, host: str, states: Iterable[bytes], read: Callable[[Snapshot], T]) -> Iterator[T]:
        """Yield what is read of the states of other workers, one at a time; count those that cannot be."""
        for state in states:
            try:
                yield read(unpack(f"{host} of another worker", state))
            except InvalidSnapshot:
                self.shared.unreadable += 1

    def _merge_all_sites(self, states: Iterable[bytes]) -> None:
        fingerprints, judged = set[bytes](), RelevanceRecord()
        for across in self._read(ALL_SITES, states, AcrossSites.of):
            fingerprints.update(across.fingerprints)
            pages, relevance = across.judged
            judged = RelevanceRecord(judged.pages + pages, judged.relevance + relevance)
        ordered = sorted(fingerprints - self._fingerprints)
        self._fingerprints |= fingerprints
        for first in range(0, max(1, len(ordered)), _FINGERPRINT_BATCH):
            some = ordered[first : first + _FINGERPRINT_BATCH]
            set_remote = partial(CrawlMemory.set_remote_all_sites, fingerprints=some, relevance=judged)
            self.updates.append(set_remote)
