"""Links that look endless: one line in the log for each class of links, and a stat.

The rule is :mod:`templcrawl.algorithms.crawl_order.endless`.  It asks how many links wait, so it needs our
queues, and an order that fetches first what pays.

Cost: O(1) a page; O(classes of a page) if it pays next to nothing.  Memory: that of the rule, for the sites
with such pages.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from scrapy.crawler import Crawler

from templcrawl.algorithms.crawl_order.endless import POOR_SHARE, EndlessClasses
from templcrawl.components.settings import TemplcrawlSettings
from templcrawl.errors import pluralize
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.memory.lru_dict import LruDict
from templcrawl.memory.observation import Observation

logger = logging.getLogger(__name__)


class TrapLog:
    """Logs and counts the classes of links that look endless."""

    def __init__(self, crawler: Crawler, settings: TemplcrawlSettings, memory: CrawlMemory) -> None:
        self._crawler = crawler
        self._memory = memory
        self._is_ordered = settings.policy.by_class
        self._sites: LruDict[str, EndlessClasses] = LruDict(settings.memory.max_sites)

    def count(self, observation: Observation, waiting: Callable[[], int | None]) -> None:
        """Count a page for the classes of the links that led to it.

        waiting  returns how many requests wait in its slot, None where our queues are not in use
        """
        page = observation.page
        if not self._is_ordered or observation.pay is None:
            return
        mean = self._memory.mean_pay(page.host)
        if observation.pay >= POOR_SHARE * mean:
            return
        site, links_wait = self._memory.get_site(page.host), waiting()
        if site is None or links_wait is None:
            return
        classes = self._sites.touch(page.host)
        if classes is None:
            classes = self._sites[page.host] = EndlessClasses()
        found = classes.update(site.links.class_records(page), mean=mean, waiting=links_wait)
        if found is None:
            return
        assert self._crawler.stats is not None
        self._crawler.stats.inc_value("templcrawl/links/endless")
        logger.info(
            "links like %(url)s look endless: %(pages)s that such links led to brought %(words)s beyond the "
            "first 20 of each, and %(links)s wait (logged once for such links)",
            {
                "url": page.url,
                "pages": pluralize(found.pages, "page"),
                "words": pluralize(found.words, "new word"),
                "links": pluralize(links_wait, "link"),
            },
            extra={"spider": self._crawler.spider},
        )
