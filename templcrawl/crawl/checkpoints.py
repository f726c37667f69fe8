"""Saving what was learned during the crawl: frozen on the event loop, written by a thread.

:class:`BackgroundStore` takes frozen snapshots; one thread builds, packs and writes them in their order, so
that an older snapshot of a site never takes the place of a newer one.  :class:`Checkpoints` gives it what has
changed, at intervals, in slices: sites are frozen for ``_SLICE`` seconds (one site at least), then the event
loop continues.  The thread never calls the loop: the loop checks at the next slice what was written.  So it
is the same with every reactor, and without one.

At the close all of it is written before the handler of ``spider_closed`` returns.

Where workers share a store, :class:`Exchange` applies what comes from the others in the same slices.  A site
is fetched when the first request is sent to it.  It is exchanged after its first page, then each time its
pages have grown by half, at each checkpoint where it has changed, and at the close: often at the start, and
seldom later.

Cost on the loop: O(1) a page; of what comes from others one site at a time, a few milliseconds for its
sample.  Memory: the copies of ``_MAX_PENDING`` sites, at most.  If sites are evicted faster than they can be
written, the loop waits until the oldest is written.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.utils.asyncio import create_looping_call

from templcrawl.errors import pluralize
from templcrawl.guard import GuardedStats, Surviving, report_error
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.memory.lru_dict import LruDict
from templcrawl.memory.snapshot_parts import Frozen
from templcrawl.memory.snapshot_values import Snapshot
from templcrawl.memory.store import ALL_SITES, SnapshotStore
from templcrawl.page.addresses import host_of
from templcrawl.threads import in_thread

if TYPE_CHECKING:
    from templcrawl.crawl.workers.shared_sites import SharedSites

logger = logging.getLogger(__name__)

_SLICE = 0.01
_PAUSE = 0.01
_AHEAD = 4
_MAX_PENDING = 32


class _PendingSnapshot(NamedTuple):
    """A snapshot that is being written, or will be."""

    host: str
    frozen: Frozen
    written: Future[None]


class BackgroundStore:
    """A store whose writing is done by a thread.

    on_written  called on the loop: for what host a snapshot was written, or why it could not be
    """

    def __init__(self, store: SnapshotStore) -> None:
        self.on_written: Callable[[str, BaseException | None], None] = lambda host, error: None
        self._store = store
        self._thread = ThreadPoolExecutor(1, "templcrawl-store")
        self._queue: deque[_PendingSnapshot] = deque()
        self._latest: dict[str, Frozen] = {}

    @property
    def pending(self) -> int:
        """How many snapshots are queued."""
        return len(self._queue)

    def load(self, host: str) -> Snapshot | None:
        """Return the latest snapshot of a site, None if there is none; raises InvalidSnapshot."""
        frozen = self._latest.get(host)
        return self._store.load(host) if frozen is None else frozen()

    def save(self, host: str, frozen: Frozen) -> None:
        """Queue a snapshot to be written, behind earlier ones."""
        while self.pending >= _MAX_PENDING:
            self._collect_oldest()
        self._latest[host] = frozen
        written = self._thread.submit(self._store.save, host, frozen)
        self._queue.append(_PendingSnapshot(host, frozen, written))

    def collect(self) -> None:
        """Report what has been written by now."""
        while self._queue and self._queue[0].written.done():
            self._collect_oldest()

    def _collect_oldest(self) -> None:
        host, frozen, written = self._queue.popleft()
        error = written.exception()
        if self._latest.get(host) is frozen:
            del self._latest[host]
        self.on_written(host, error)

    def wait(self) -> None:
        """Wait until all snapshots are written, and report them."""
        while self._queue:
            self._collect_oldest()

    def close(self) -> None:
        """Wait until all is written, and end the thread."""
        self.wait()
        self._thread.shutdown()


class Checkpoints:
    """Writes what has changed in the memory of a crawl, at intervals and at the close.

    A failure is logged once until a write succeeds, counted each time, and tried again.
    """

    def __init__(
        self, crawler: Crawler, memory: CrawlMemory, store: BackgroundStore, exchange: Exchange | None = None
    ) -> None:
        """Take the memory of a crawl, the store that it has, and the exchange with other workers, if any."""
        self._crawler = crawler
        self._memory = memory
        self._store = store
        self._exchange = exchange
        self._changed: deque[str] = deque()
        self._is_failing = False
        self._is_open = False
        store.on_written = self._see_to_written

    def open(self, seconds: float) -> None:
        """Begin to write, every so many seconds."""
        self._slices = create_looping_call(self._write_slice)
        self._interval = create_looping_call(self._begin)
        self._is_open = True
        self._interval.start(seconds, now=False)
        if self._exchange is not None:
            self._exchange.report()

    def count_page(self, host: str) -> None:
        """Begin to exchange a site where enough of its pages have come since."""
        if self._exchange is not None and self._exchange.times.is_due(host) and self._is_open:
            self._changed.append(host)
            self._start_slices()

    def prefetch(self, request: Request) -> None:
        """Fetch the remote state of the site that a request is sent to, if it is the first."""
        if self._exchange is not None and self._is_open:
            host = host_of(request.url)
            if self._exchange.times.is_new(host):
                self._exchange.sites.fetch(host)
                self._start_slices()

    def _start_slices(self) -> None:
        if not self._slices.running:
            self._slices.start(_PAUSE, now=False)

    def _begin(self) -> None:
        """Begin to write what has changed by now, unless that is under way."""
        if self._exchange is not None:
            self._exchange.sites.resend()
        if not self._slices.running:
            self._changed.extend(self._memory.changed())
            self._slices.start(_PAUSE)

    def _write_slice(self) -> None:
        self._store.collect()
        until = time.perf_counter() + _SLICE
        while self._changed and self._store.pending < _AHEAD and time.perf_counter() < until:
            self._write(self._changed.popleft())
        self._apply_updates(until)
        sites = self._exchange.sites if self._exchange is not None else None
        is_exchanging = sites is not None and (sites.is_busy or sites.updates)
        if not self._changed and not self._store.pending and not is_exchanging:
            self._slices.stop()

    def _apply_updates(self, until: float) -> None:
        if self._exchange is not None:
            while self._exchange.sites.errors:
                error = self._exchange.sites.errors.popleft()
                report_error(self._crawler, error, "exchanging sites with other workers")
            with Surviving(self._crawler, "applying updates of other workers"):
                self._exchange.apply(until)
            self._exchange.report()

    def _write(self, host: str) -> None:
        with Surviving(self._crawler, f"saving {host}"):
            self._memory.save_site(host)

    def _see_to_written(self, host: str, error: BaseException | None) -> None:
        """Count a site that was written, or see to one that could not be."""
        stats = GuardedStats(self._crawler)
        if error is None:
            stats.inc_value("templcrawl/sites/saved", int(host != ALL_SITES))
            self._is_failing = False
            return
        self._memory.mark_unsaved(host)
        self._changed.clear()
        if self._is_failing:
            stats.inc_value(f"templcrawl/errors/{type(error).__name__}")
            return
        self._is_failing = True
        report_error(self._crawler, error, f"saving {host}")

    def close(self) -> None:
        """Write all that has changed; it is on the disk when this returns."""
        for call in (self._interval, self._slices) if self._is_open else ():
            if call.running:
                call.stop()
        self._store.wait()
        for host in self._memory.changed():
            self._write(host)
        self._store.close()

    @property
    def is_shared(self) -> bool:
        """Whether what is learned is exchanged with other workers."""
        return self._exchange is not None

    async def close_exchange(self) -> None:
        """Push the rest to the other workers, as long as they accept it, without blocking the event loop."""
        if self._exchange is not None:
            await self._exchange.close()
            self._apply_updates(float("inf"))


class ExchangeTimes:
    """When a site is fetched, and exchanged between checkpoints."""

    def __init__(self, most_sites: int) -> None:
        self._due: LruDict[str, tuple[int, int]] = LruDict(most_sites)

    def is_due(self, host: str) -> bool:
        """Count a page of a site; return whether the site is to be exchanged now."""
        pages, due = self._due.touch(host) or (0, 1)
        pages += 1
        is_due = pages >= due
        self._due[host] = pages, pages + max(1, pages // 2) if is_due else due
        return is_due

    def is_new(self, host: str) -> bool:
        """Return whether a site is new here, and expected: a request is sent to it."""
        is_new = host not in self._due
        if is_new:
            self._due[host] = 0, 1
        return is_new


class Exchange:
    """Between a shared store and the memory of a crawl.

    times  when sites are exchanged between checkpoints
    """

    def __init__(self, memory: CrawlMemory, sites: SharedSites, stats: GuardedStats) -> None:
        self.sites = sites
        self._memory = memory
        self._stats = stats
        self.times = ExchangeTimes(memory.options.max_sites)
        self._is_unavailable = False
        self._has_logged_broken = False
        sites.negotiate(memory.options.sample_salt or 0)

    def apply(self, until: float) -> None:
        """Apply what has come from the others until a time, one update at least."""
        while self.sites.updates:
            self.sites.updates.popleft()(self._memory)
            if time.perf_counter() >= until:
                break

    def report(self) -> None:
        """Report stats, and log once if the store is unavailable, and when it is back."""
        sites, shared = self.sites, self.sites.shared
        for name, value in (
            ("templcrawl/store/exchanges", sites.exchanges),
            ("templcrawl/store/unavailable", sites.failures),
            ("templcrawl/store/commands", shared.commands),
            ("templcrawl/store/bytes", shared.pushed_bytes),
            ("templcrawl/store/unreadable", shared.unreadable),
            ("templcrawl/store/refused", shared.refused),
        ):
            self._stats.set_value(name, value)
        reason = sites.unavailable
        if reason is not None and not self._is_unavailable:
            logger.warning(
                "templcrawl continues alone, %(why)s; what it learns is pushed to the other workers once "
                "that is back (logged once; see the stat templcrawl/store/unavailable)",
                {"why": reason},
            )
        elif reason is None and self._is_unavailable:
            logger.info("templcrawl shares what it learns with the other workers again")
        self._is_unavailable = reason is not None
        if sites.broken is not None and not self._has_logged_broken:
            self._has_logged_broken = True
            logger.warning(
                "templcrawl leaves a site that is shared with other workers to this one alone: %(why)s "
                "(logged once; see the stat templcrawl/store/unreadable)",
                {"why": sites.broken},
            )

    async def close(self) -> None:
        """Push what is left, as long as it is accepted, without blocking the event loop."""
        unpushed = await in_thread(self.sites.close)
        if unpushed:
            self._stats.set_value("templcrawl/store/not_given", unpushed)
            logger.warning(
                "templcrawl has not pushed %(sites)s to the other workers: the shared store does not answer",
                {"sites": pluralize(unpushed, "site")},
            )
