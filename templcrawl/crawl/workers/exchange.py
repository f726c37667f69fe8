"""Updates from the other workers of a crawl, applied on the event loop in slices, and counted.

A site is fetched when the first request is sent to it.  It is exchanged after its first page, then each
time its pages have grown by half, at each checkpoint where it has changed, and at the close: often at the
start, and seldom later.

Cost on the loop: O(1) a page; of what comes from others one site at a time, a few milliseconds for its
sample.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from templcrawl.crawl.workers.shared_sites import SharedSites
from templcrawl.errors import pluralize
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.memory.lru_dict import LruDict
from templcrawl.threads import in_thread

if TYPE_CHECKING:
    from scrapy.statscollectors import StatsCollector

logger = logging.getLogger(__name__)

_FIRST_GROWTH = 1


class ExchangeTimes:
    """When a site is fetched, and exchanged between checkpoints."""

    def __init__(self, most_sites: int) -> None:
        self._due: LruDict[str, tuple[int, int]] = LruDict(most_sites)

    def is_due(self, host: str) -> bool:
        """Count a page of a site; return whether the site is to be exchanged now."""
        pages, due = self._due.touch(host) or (0, 1)
        pages += 1
        is_due = pages >= due
        self._due[host] = pages, pages + max(_FIRST_GROWTH, pages // 2) if is_due else due
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

    def __init__(self, memory: CrawlMemory, sites: SharedSites, stats: StatsCollector) -> None:
        self.sites = sites
        self._memory = memory
        self._stats = stats
        self.times = ExchangeTimes(memory.options.max_sites)
        self._is_unavailable = False
        self._has_logged_broken = False
        sites.negotiate(memory.options.sample_salt or 0)

    @property
    def is_under_way(self) -> bool:
        """Whether anything is being exchanged, or has come and is not applied."""
        return self.sites.is_busy or bool(self.sites.updates)

    def errors(self) -> Iterator[Exception]:
        """Yield the errors of ours that were met."""
        while self.sites.errors:
            yield self.sites.errors.popleft()

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
