"""Saving what was learned during the crawl: frozen and written on the event loop, packed by a thread.

:class:`BackgroundStore` takes frozen snapshots; one thread builds and packs them in their order, and the
event loop writes what is packed, since the file has one writer.  A newer snapshot of a site takes the place
of one that is not written.  :class:`Checkpoints` gives it what has changed, at intervals, in slices: for
``_SLICE`` seconds states are written, and sites frozen (one each at least), then the event loop continues.
What a slice has written it commits.  The thread never calls the loop: the loop checks at the next slice what
was packed.  So it is the same with every reactor, and without one.

At the close all of it is written before the handler of ``spider_closed`` returns.

Memory: the copies of ``_MAX_PENDING`` sites, at most.  If sites are evicted faster than they can be
packed, the loop waits until the oldest is packed.
"""

from __future__ import annotations

import time
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor

from scrapy.crawler import Crawler
from scrapy.utils.asyncio import create_looping_call

from templcrawl.guard import LogErrors, report_error
from templcrawl.log import GuardedStats
from templcrawl.memory.clusters import ALL_SITES
from templcrawl.memory.crawl_memory import CrawlMemory
from templcrawl.memory.snapshots import Frozen, Snapshot, written
from templcrawl.memory.states import pack
from templcrawl.memory.store import SqliteStore
from templcrawl.state_file import StateFile, StateLost

SECONDS = 60.0  # between two writings of what has changed
_SLICE = 0.01
_PAUSE = 0.01
_AHEAD = 4
_MAX_PENDING = 32


class BackgroundStore(SqliteStore):
    """A store whose states are built and packed by a thread, and written by the event loop."""

    def __init__(self, file: StateFile) -> None:
        super().__init__(file)
        self._thread = ThreadPoolExecutor(1, "templcrawl-store")
        self._is_uncommitted = False
        self._queue: dict[str, tuple[Frozen, Future[bytes]]] = {}  # the oldest first
        self._outcomes = list[tuple[str, Exception | None]]()

    @property
    def pending(self) -> int:
        """How many snapshots are queued."""
        return len(self._queue)

    @property
    def is_busy(self) -> bool:
        """True if anything is queued, or written and not committed."""
        return bool(self._queue) or self._is_uncommitted

    def load(self, host: str) -> Snapshot | None:
        """Return the latest snapshot of a site, None if there is none; raises InvalidSnapshot."""
        queued = self._queue.get(host)
        return super().load(host) if queued is None else written(queued[0])

    def save(self, host: str, frozen: Frozen) -> None:
        """Queue a snapshot to be written, in the place of an earlier one of the site."""
        _, earlier = self._queue.pop(host, (None, None))
        if earlier is not None:
            earlier.cancel()
        while self.pending >= _MAX_PENDING:
            self._write_oldest()
        self._queue[host] = frozen, self._thread.submit(lambda: pack(written(frozen)))

    def collect(self) -> None:
        """Commit what the last call has written, or write what is packed by now, for ``_SLICE`` seconds."""
        if self._is_uncommitted:
            self.commit()
            return
        until = time.perf_counter() + _SLICE
        while self._queue and next(iter(self._queue.values()))[1].done() and time.perf_counter() <= until:
            self._write_oldest()

    def _write_oldest(self) -> None:
        host, (_, packed) = next(iter(self._queue.items()))
        error = None
        try:
            self.write(host, packed.result())
        except Exception as raised:
            error = raised
        del self._queue[host]
        self._is_uncommitted = True
        self._outcomes.append((host, error))

    def outcomes(self) -> list[tuple[str, Exception | None]]:
        """Return (host, error or None) for each state that was to be written since the last call."""
        told, self._outcomes = self._outcomes, []
        return told

    def commit(self) -> None:
        """Make durable what was written; what is queued is not."""
        self._is_uncommitted = False
        super().commit()

    def close(self) -> None:
        """Write and commit all that is queued, and end the thread."""
        while self._queue:
            self._write_oldest()
        self.commit()
        self._thread.shutdown()


class Checkpoints:
    """Writes what has changed in the memory of a crawl, at intervals and at the close.

    A failure is logged once, and counted each time.
    """

    def __init__(self, crawler: Crawler, memory: CrawlMemory, store: BackgroundStore) -> None:
        """Save a memory of a crawl to a store."""
        self._crawler = crawler
        self._stats = GuardedStats(crawler)
        self._memory = memory
        self._store = store
        self._changed: deque[str] = deque()
        self._has_failed = self._is_open = False

    def open(self, seconds: float | None = None) -> None:
        """Begin to write at intervals, of ``SECONDS`` by default."""
        self._slices = create_looping_call(self._write_slice)
        self._interval = create_looping_call(self._begin)
        self._is_open = True
        self._interval.start(seconds or SECONDS, now=False)

    def begin_slices(self) -> None:
        """Write what is queued: a site has left the memory."""
        if self._is_open and not self._slices.running:
            self._slices.start(_PAUSE, now=False)

    def _begin(self) -> None:
        """Begin a checkpoint of all changes so far, unless one is in progress."""
        if not self._slices.running:
            self._changed.extend(self._memory.changed())
            self._slices.start(_PAUSE)

    def _write_slice(self) -> None:
        until = time.perf_counter() + _SLICE
        with LogErrors(self._crawler, "writing a checkpoint"):
            self._store.collect()
        self._count_written()
        while self._changed and self._store.pending < _AHEAD and time.perf_counter() < until:
            self._freeze(self._changed.popleft())
        if not self._changed and not self._store.is_busy:
            self._slices.stop()

    def _freeze(self, host: str) -> None:
        with LogErrors(self._crawler, f"saving {host}"):
            self._memory.save_site(host)
        self._count_written()

    def _count_written(self) -> None:
        for host, error in self._store.outcomes():
            if error is None:
                self._stats.inc_value("templcrawl/sites/saved", int(host != ALL_SITES and "\n" not in host))
                continue
            is_lost = isinstance(error, StateLost)  # it was logged when it was
            report_error(self._crawler, error, f"saving {host}", is_known=self._has_failed or is_lost)
            self._has_failed |= not is_lost

    def close(self) -> None:
        """Write all that has changed; it is on the disk when this returns."""
        for call in (self._interval, self._slices) if self._is_open else ():
            if call.running:
                call.stop()
        self._is_open = False
        for host in self._memory.changed():
            self._freeze(host)
        self._store.close()
        self._count_written()
