"""Saving what was learned during the crawl: frozen and written on the event loop, packed by a thread.

:class:`BackgroundStore` takes frozen snapshots; one thread builds and packs them in their order, and the
event loop writes what is packed, since the file has one writer.  A newer snapshot of a site takes the place
of one that is not written.  :class:`Checkpoints` gives it what has changed, at intervals, in slices: for
``_SLICE`` seconds states are written, and sites frozen (one each at least), then the event loop continues.
What a slice has written it commits.  The thread never calls the loop: the loop checks at the next slice what
was packed.  So it is the same with every reactor, and without one.

At the close all of it is written before the handler of ``spider_closed`` returns.

Where workers share a store, what comes from the others is applied in the same slices.  A site is fetched when
the first request is sent to it.  It is exchanged after its first page, then each time its pages have grown by
half, at each checkpoint where it has changed, and at the close: often at the start, and seldom later.

Cost on the loop: O(1) a page; of what comes from others one site at a time, a few milliseconds for its
sample.  Memory: the copies of ``_MAX_PENDING`` sites, at most.  If sites are evicted faster than they can be
packed, the loop waits until the oldest is packed.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.utils.asyncio import create_looping_call

from templcrawl.errors import pluralize
from templcrawl.guard import CrawlLogger, GuardedStats, Surviving, in_thread, report_error
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.memory.lru_dict import LruDict
from templcrawl.memory.snapshots import Frozen, Snapshot, pack, written
from templcrawl.memory.store import ACROSS, SiteStore
from templcrawl.page.addresses import host_of
from templcrawl.state_file import StateLost

if TYPE_CHECKING:
    from templcrawl.crawl.workers.shared_sites import SharedSites

_SLICE = 0.01
_PAUSE = 0.01
_AHEAD = 4
_MAX_PENDING = 32


class BackgroundStore:
    """A store whose states are built and packed by a thread, and written by the event loop.

    on_written  called for what host a state was written, or why it could not be
    """

    def __init__(self, store: SiteStore) -> None:
        self.on_written: Callable[[str, Exception | None], None] = lambda host, error: None
        self._store = store
        self._thread = ThreadPoolExecutor(1, "templcrawl-store")
        self._is_uncommitted = False
        self._queue: dict[str, tuple[Frozen, Future[bytes]]] = {}  # the oldest first

    @property
    def pending(self) -> int:
        """How many snapshots are queued."""
        return len(self._queue)

    @property
    def is_busy(self) -> bool:
        """Whether anything is queued, or written and not committed."""
        return bool(self._queue) or self._is_uncommitted

    def load(self, host: str) -> Snapshot | None:
        """Return the latest snapshot of a site, None if there is none; raises InvalidSnapshot."""
        queued = self._queue.get(host)
        return self._store.load(host) if queued is None else written(queued[0])

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
            self._store.write(host, packed.result())
        except Exception as raised:
            error = raised
        del self._queue[host]
        self._is_uncommitted = True
        self.on_written(host, error)

    def commit(self) -> None:
        """Make durable what was written; what is queued is not."""
        self._is_uncommitted = False
        self._store.commit()

    def close(self) -> None:
        """Write and commit all that is queued, and end the thread."""
        while self._queue:
            self._write_oldest()
        self.commit()
        self._thread.shutdown()


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


class Checkpoints:
    """Writes what has changed in the memory of a crawl, at intervals and at the close.

    A failure is logged once, and counted each time.
    """

    def __init__(
        self, crawler: Crawler, memory: CrawlMemory, store: BackgroundStore, shared: SharedSites | None = None
    ) -> None:
        """Take the memory of a crawl, the store that it has, and what other workers share with it, if any."""
        self._crawler = crawler
        self._stats, self._log = GuardedStats(crawler), CrawlLogger(__name__, crawler)
        self._memory = memory
        self._store = store
        self._shared = shared
        self._times = ExchangeTimes(memory.options.max_sites)
        self._changed: deque[str] = deque()
        self._others: dict[str, Callable[[], Frozen]] = {}
        self._has_failed = self._is_open = self._was_unavailable = False
        store.on_written = self._count_written
        if shared is not None:
            shared.negotiate(memory.options.sample_salt or 0)

    def add(self, name: str, freeze: Callable[[], Frozen]) -> Snapshot | None:
        """Write something else at each checkpoint, too.

        Return what an earlier run has written of it, None if there is none; raises InvalidSnapshot.
        """
        self._others[name] = freeze
        return self._store.load(name)

    def open(self, seconds: float) -> None:
        """Begin to write, every so many seconds."""
        self._slices = create_looping_call(self._write_slice)
        self._interval = create_looping_call(self._begin)
        self._is_open = True
        self._memory.on_evicted.append(lambda site: self._start_slices())
        self._interval.start(seconds, now=False)
        self._report()

    def count_page(self, host: str) -> None:
        """Begin to exchange a site where enough of its pages have come since."""
        if self._shared is not None and self._times.is_due(host) and self._is_open:
            self._changed.append(host)
            self._start_slices()

    def prefetch(self, request: Request) -> None:
        """Fetch the remote state of the site that a request is sent to, if it is the first."""
        if self._shared is not None and self._is_open and self._times.is_new(host := host_of(request.url)):
            self._shared.fetch(host)
            self._start_slices()

    def _start_slices(self) -> None:
        if self._is_open and not self._slices.running:
            self._slices.start(_PAUSE, now=False)

    def _begin(self) -> None:
        """Begin to write what has changed by now, unless that is under way."""
        if self._shared is not None:
            self._shared.resend()
        if not self._slices.running:
            self._changed.extend([*self._memory.changed(), *self._others])
            self._slices.start(_PAUSE)

    def _write_slice(self) -> None:
        until = time.perf_counter() + _SLICE
        with Surviving(self._crawler, "writing a checkpoint"):
            self._store.collect()
        while self._changed and self._store.pending < _AHEAD and time.perf_counter() < until:
            self._freeze(self._changed.popleft())
        self._apply_updates(until)
        is_exchanging = self._shared is not None and (self._shared.is_busy or self._shared.updates)
        if not self._changed and not self._store.is_busy and not is_exchanging:
            self._slices.stop()

    def _apply_updates(self, until: float) -> None:
        """Apply what has come from other workers until a time, one update at least."""
        if self._shared is None:
            return
        while self._shared.errors:
            error = self._shared.errors.popleft()
            report_error(self._crawler, error, "exchanging sites with other workers")
        with Surviving(self._crawler, "applying updates of other workers"):
            while self._shared.updates:
                self._shared.updates.popleft()(self._memory)
                if time.perf_counter() >= until:
                    break
        self._report()

    def _report(self) -> None:
        """Set the stats; log once if the store is unavailable, when it is back, and if a site is left out."""
        if (sites := self._shared) is None:
            return
        for name, value in (
            ("templcrawl/store/exchanges", sites.exchanges),
            ("templcrawl/store/unavailable", sites.failures),
            ("templcrawl/store/commands", sites.shared.commands),
            ("templcrawl/store/bytes", sites.shared.pushed_bytes),
            ("templcrawl/store/unreadable", sites.shared.unreadable),
            ("templcrawl/store/refused", sites.shared.refused),
        ):
            self._stats.set_value(name, value)
        reason = sites.unavailable
        if reason is not None and not self._was_unavailable:
            self._log.warning(
                "templcrawl continues alone, %s; what it learns is pushed to the other workers once "
                "that is back (logged once; see the stat templcrawl/store/unavailable)",
                reason,
            )
        elif reason is None and self._was_unavailable:
            self._log.info("templcrawl shares what it learns with the other workers again")
        self._was_unavailable = reason is not None
        if sites.broken is not None:
            self._log.once(
                logging.WARNING,
                "broken",
                "templcrawl leaves a site that is shared with other workers to this one alone: %s "
                "(logged once; see the stat templcrawl/store/unreadable)",
                sites.broken,
            )

    def _freeze(self, host: str) -> None:
        with Surviving(self._crawler, f"saving {host}"):
            if host in self._others:
                self._store.save(host, self._others[host]())
            else:
                self._memory.save_site(host)

    def _count_written(self, host: str, error: Exception | None) -> None:
        if error is None:
            self._stats.inc_value("templcrawl/sites/saved", int(host not in ACROSS))
            return
        is_lost = isinstance(error, StateLost)  # it was logged when it was
        report_error(self._crawler, error, f"saving {host}", is_known=self._has_failed or is_lost)
        self._has_failed |= not is_lost

    def close(self) -> None:
        """Write all that has changed; it is on the disk when this returns."""
        for call in (self._interval, self._slices) if self._is_open else ():
            if call.running:
                call.stop()
        self._is_open = False
        for host in [*self._memory.changed(), *self._others]:
            self._freeze(host)
        self._store.close()

    @property
    def is_shared(self) -> bool:
        """Whether what is learned is exchanged with other workers."""
        return self._shared is not None

    async def close_exchange(self) -> None:
        """Push the rest to the other workers, as long as they accept it, without blocking the event loop."""
        if self._shared is None:
            return
        unpushed = await in_thread(self._shared.close)
        if unpushed:
            self._stats.set_value("templcrawl/store/not_given", unpushed)
            self._log.warning(
                "templcrawl has not pushed %s to the other workers: the shared store does not answer",
                pluralize(unpushed, "site"),
            )
        self._apply_updates(float("inf"))
