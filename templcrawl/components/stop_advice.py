"""Sites that are spent: one line in the log, and a stat.

A site is spent when its last pages have paid next to nothing
(:mod:`templcrawl.algorithms.crawl_order.stop_rule`).  That is logged once, and again only after the site has
recovered.  The last pages are those since the site had ``LAST_PAGES`` pages: a broad crawl of few pages a
host stores nothing here.  They are not saved: a job that is resumed looks at ``LAST_PAGES`` more pages of a
site.

Cost: O(1) a page; O(queues of a slot) where something is logged.  Memory: 200 bytes a site.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sized
from typing import Protocol

from scrapy import Request
from scrapy.crawler import Crawler

from templcrawl.algorithms.crawl_order.stop_rule import LAST_PAGES, RecentPay
from templcrawl.components.settings import TemplcrawlSettings
from templcrawl.errors import pluralize
from templcrawl.guard import started
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.memory.lru_dict import LruDict
from templcrawl.memory.observation import Observation

logger = logging.getLogger(__name__)


class SlotQueues(Protocol):
    """A priority queue with a queue for each slot."""

    @property
    def pqueues(self) -> Mapping[str, Sized]:
        """Slot -> its queue."""


class StopAdvice:
    """Logs and counts the sites of a crawl that are spent.

    queues  our priority queues in which requests wait; none where the scheduler has others
    """

    def __init__(self, crawler: Crawler, settings: TemplcrawlSettings, memory: CrawlMemory) -> None:
        self._crawler = crawler
        self._memory = memory
        self._sites: LruDict[str, RecentPay] = LruDict(settings.memory.max_sites)
        self.queues: list[SlotQueues] = []

    def count(self, observation: Observation, request: Request) -> None:
        """Count what a page has paid, and log whether its site is spent by now."""
        host = observation.page.host
        if observation.pay is None:
            return
        site = self._sites.touch(host)
        if site is None:
            if self._memory.page_count(host) < LAST_PAGES:
                return
            site = self._sites[host] = RecentPay()
        was_spent, mean = site.is_spent, self._memory.mean_pay(host)
        site.update(observation.pay, mean)
        if site.is_spent and not was_spent:
            self._log(host, site.share(mean), self._waiting(request))

    def _waiting(self, request: Request) -> int | None:
        """Return how many requests wait in the slot of a request, None where our queues are not in use."""
        engine = started(lambda: self._crawler.engine)
        if engine is None or not self.queues:
            return None
        slot = engine.downloader.get_slot_key(request)
        return sum(len(queue.pqueues.get(slot, ())) for queue in self.queues)

    def _log(self, host: str, share: float, waiting: int | None) -> None:
        assert self._crawler.stats is not None
        self._crawler.stats.inc_value("templcrawl/stop/advised")
        wait = "" if waiting is None else f"; {pluralize(waiting, 'link')} wait{'s' * (waiting == 1)}"
        logger.info(
            "%(host)s: the last %(pages)d pages brought %(share).0f %% of what its pages brought on "
            "average%(wait)s",
            {
                "host": host,
                "pages": LAST_PAGES,
                "share": 100 * share,
                "wait": wait,
            },
            extra={"spider": self._crawler.spider},
        )
