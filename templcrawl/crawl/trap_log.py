"""Links that look endless or generated: one line in the log for each class of links, and a stat.

The rules are :mod:`templcrawl.algorithms.crawl_order.traps`, which asks how many links wait and so needs
our queues, and :mod:`templcrawl.algorithms.crawl_order.traps`.  Both are measured behind an order that
fetches first what pays, and are logged there alone.  A trap whose pages are of one leaf is logged once, also
if links of several classes lead to it.

Cost: O(1) a page; O(classes of a page) if it pays next to nothing, or leads on.  Memory: that of the rules,
for the sites with such pages; a number for each class and leaf that was logged.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping

from scrapy.crawler import Crawler

from templcrawl.algorithms.crawl_order.traps import POOR_SHARE, EndlessClasses
from templcrawl.crawl.settings import TemplcrawlSettings
from templcrawl.errors import pluralize
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.memory.lru_dict import LruDict
from templcrawl.memory.observation import Observation
from templcrawl.memory.site import SiteMemory

logger = logging.getLogger(__name__)


class TrapLog:
    """Logs and counts the classes of links that look endless, and those that look generated."""

    def __init__(self, crawler: Crawler, settings: TemplcrawlSettings, memory: CrawlMemory) -> None:
        self._crawler = crawler
        self._memory = memory
        self._is_ordered = settings.policy.by_pay
        self._endless: LruDict[str, EndlessClasses] = LruDict(settings.memory.max_sites)
        self._logged: LruDict[str, set[int | str]] = LruDict(settings.memory.max_sites)

    def count(self, observation: Observation, waiting: Callable[[], int | None]) -> None:
        """Count a page for the classes of the links that led to it.

        waiting  returns how many requests wait in its slot, None where our queues are not in use
        """
        site = self._memory.get_site(observation.page.host)
        if not self._is_ordered or observation.pay is None or site is None:
            return
        generated = site.links.generated_classes(observation.page) if observation.leads_on else []
        if generated:
            self._count_generated(observation, generated)
        elif observation.pay < POOR_SHARE * site.links.mean_pay:
            self._count_poor(observation, site, waiting())

    def _count_generated(self, observation: Observation, generated: Iterable[int]) -> None:
        """Count a page that leads on, of classes that look generated."""
        self._count("templcrawl/pages/generated")
        if not self._has_logged(observation, generated):
            self._log(
                "templcrawl/links/generated",
                "links like %(url)s look generated: pages that such links led to have new words, but no link "
                "that an earlier page has; such links wait for all others (logged once for such links)",
                {"url": observation.page.url},
            )

    def _count_poor(self, observation: Observation, site: SiteMemory, waiting: int | None) -> None:
        """Count a page that pays next to nothing."""
        classes = self._endless.touch(site.host)
        if waiting is None:
            return
        if classes is None:
            classes = self._endless[site.host] = EndlessClasses()
        records, mean = site.links.class_records(observation.page), site.links.mean_pay
        found = classes.update(records, mean=mean, waiting=waiting)
        if found is not None and not self._has_logged(observation):
            self._log(
                "templcrawl/links/endless",
                "links like %(url)s look endless: %(pages)s that such links led to brought %(words)s beyond "
                "the first 20 of each, and %(links)s wait (logged once for such links)",
                {
                    "url": observation.page.url,
                    "pages": pluralize(found.pages, "page"),
                    "words": pluralize(found.words, "new word"),
                    "links": pluralize(waiting, "link"),
                },
            )

    def _has_logged(self, observation: Observation, classes: Iterable[int] = ()) -> bool:
        """Return whether the leaf of a page or one of its classes was logged; from now on they all were."""
        host = observation.page.host
        names: set[int | str] = {*classes, *([observation.leaf_id] if observation.leaf_id else [])}
        logged = self._logged.touch(host)
        if logged is None:
            logged = self._logged[host] = set()
        has_logged = not logged.isdisjoint(names)
        logged |= names
        return has_logged

    def _log(self, stat: str, message: str, values: Mapping[str, str]) -> None:
        self._count(stat)
        logger.info(message, values, extra={"spider": self._crawler.spider})

    def _count(self, stat: str) -> None:
        assert self._crawler.stats is not None
        self._crawler.stats.inc_value(stat)
