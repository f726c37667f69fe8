"""Sites that are spent: one line in the log, and a stat; with ``TEMPLCRAWL_STOP`` their links are not sent.

A site is spent when its last pages have paid next to nothing
(:mod:`templcrawl.algorithms.crawl_order.link_value`).  That is logged once, and again only after the site has
recovered.  The last pages are those since the site had ``LAST_PAGES`` pages: a broad crawl of few pages a
host stores nothing here.  They are not saved: a job that is resumed looks at ``LAST_PAGES`` more pages of a
site.

A site that is *stopped* keeps its links in our queues (:mod:`templcrawl.crawl.class_queues`).  If
nothing else waits and nothing is in flight, the crawl ends with the reason ``templcrawl_stop``.  In a JOBDIR
the links stay: the job goes on with them.  If a page that was in flight makes the site recover, its links are
sent.

Cost: O(1) a page; O(queues of a slot) where something is logged.  Memory: 200 bytes a site.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sized
from dataclasses import dataclass, field
from typing import Protocol

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider
from scrapy.statscollectors import StatsCollector

from templcrawl.algorithms.crawl_order.link_value import LAST_PAGES, RecentPay
from templcrawl.crawl.settings import TemplcrawlSettings
from templcrawl.errors import pluralize
from templcrawl.guard import started
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.memory.lru_dict import LruDict
from templcrawl.memory.observation import Observation

logger = logging.getLogger(__name__)

FINISH_REASON = "templcrawl_stop"


@dataclass
class StoppedSites:
    """The sites whose links are not sent.

    hosts    of these sites
    version  how often they have changed
    """

    hosts: set[str] = field(default_factory=set)
    version: int = 0

    def set(self, host: str | None, *, is_stopped: bool) -> None:
        """Stop a site, or let its links be sent."""
        if host is not None and is_stopped != (host in self.hosts):
            self.hosts ^= {host}
            self.version += 1


class SlotQueues(Protocol):
    """A priority queue with a queue for each slot."""

    @property
    def pqueues(self) -> Mapping[str, Sized]:
        """Slot -> its queue."""

    def held(self) -> int:
        """Return how many requests may not be sent, since their site is stopped."""


class StopAdvice:
    """Logs and counts the sites of a crawl that are spent, and stops them if that is asked for.

    queues   our priority queues in which requests wait; none where the scheduler has others
    stopped  the sites that are stopped
    """

    def __init__(self, crawler: Crawler, settings: TemplcrawlSettings, memory: CrawlMemory) -> None:
        self._crawler = crawler
        self._memory = memory
        self._stops = settings.stop
        self._sites: LruDict[str, RecentPay] = LruDict(settings.memory.max_sites)
        self._left = 0
        self.queues: list[SlotQueues] = []
        self.stopped = StoppedSites()

    @property
    def _stats(self) -> StatsCollector:
        assert self._crawler.stats is not None
        return self._crawler.stats

    def count(self, observation: Observation, request: Request) -> None:
        """Count what a page has paid, and log whether its site is spent by now."""
        host = observation.page.host
        if observation.pay is None:
            return
        site = self._sites.touch(host)
        if site is None:
            if self._memory.page_count(host) < LAST_PAGES:
                return
            site = RecentPay()
            self.stopped.set(self._sites.set(host, site), is_stopped=False)
        was_spent, mean = site.is_spent, self._memory.links(host).mean_pay
        site.update(observation.pay, mean)
        if site.is_spent and not was_spent:
            self._log(host, site.share(mean), self.waiting(request))
        self.stopped.set(host, is_stopped=self._stops and site.is_spent)

    def waiting(self, request: Request) -> int | None:
        """Return how many requests wait in the slot of a request, None where our queues are not in use."""
        engine = started(lambda: self._crawler.engine)
        if engine is None or not self.queues:
            return None
        slot = engine.downloader.get_slot_key(request)
        return sum(len(queue.pqueues.get(slot, ())) for queue in self.queues)

    def _log(self, host: str, share: float, waiting: int | None) -> None:
        self._stats.inc_value("templcrawl/stop/advised")
        wait = "" if waiting is None else f"; {pluralize(waiting, 'link')} wait{'s' * (waiting == 1)}"
        logger.info(
            "%(host)s: the last %(pages)d pages brought %(share).0f %% of what its pages brought on "
            "average%(wait)s",
            {"host": host, "pages": LAST_PAGES, "share": 100 * share, "wait": wait},
            extra={"spider": self._crawler.spider},
        )

    def end(self) -> None:
        """End a crawl in which nothing waits but links of sites that are stopped; raises CloseSpider."""
        self._left = sum(queue.held() for queue in self.queues)
        if self._left:
            raise CloseSpider(FINISH_REASON)

    def close(self) -> None:
        """Log and count the links that were not sent when the crawl ended."""
        if self._left:
            self._stats.set_value("templcrawl/stop/skipped", self._left)
            logger.info(
                "templcrawl has left %(links)s of %(sites)s that brought next to nothing any more; "
                "a job goes on with them (see the setting TEMPLCRAWL_STOP)",
                {
                    "links": pluralize(self._left, "link"),
                    "sites": pluralize(len(self.stopped.hosts), "site"),
                },
                extra={"spider": self._crawler.spider},
            )
