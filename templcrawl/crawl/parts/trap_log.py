"""Which links look endless or generated, by the two rules of :mod:`templcrawl.algorithms.crawl_order.traps`.

That of endless links asks how many links wait and so needs our queues.  Both are measured behind an order
that fetches first what pays, and are logged there alone: one line for each class of links, and a stat.  A
trap whose pages are of one leaf is logged once, also if links of several classes lead to it.

Cost: O(1) a page; O(classes of a page) if it pays next to nothing, or leads on; O(queues of a slot) where
something is logged.  Memory: that of the rules; a number for each class and leaf that was logged.
"""

from __future__ import annotations

from collections.abc import Iterable

from scrapy import Request
from scrapy.http import Response

from templcrawl.algorithms.crawl_order.traps import POOR_SHARE, EndlessClasses
from templcrawl.crawl.part import Crawl, CrawlPart
from templcrawl.errors import pluralize
from templcrawl.memory.lru_dict import LruDict
from templcrawl.memory.observation import Observation
from templcrawl.memory.site import SiteMemory


class TrapLog(CrawlPart):
    """Logs and counts the classes of links that look endless, and those that look generated."""

    doing = "looking for traps"

    def __init__(self, crawl: Crawl) -> None:
        super().__init__(crawl)
        max_sites = self._settings.memory.max_sites
        self._endless: LruDict[str, EndlessClasses] = LruDict(max_sites)
        self._logged: LruDict[str, set[int | str]] = LruDict(max_sites)

    def page_observed(self, request: Request, response: Response, observation: Observation) -> None:
        """Count a page for the classes of the links that led to it."""
        site = self._memory.peek(observation.page.host)
        if observation.pay is None or site is None:
            return
        generated = site.links.generated_classes(observation.page) if observation.leads_on else []
        if generated:
            self._stats.inc_value("templcrawl/pages/generated")
            if not self._has_logged(observation, generated):
                self._stats.inc_value("templcrawl/links/generated")
                self._log.info(
                    "links like %s look generated: the pages behind them have new words, but no link that an "
                    "earlier page has. They are fetched after all other links (logged once for such links)",
                    observation.page.url,
                )
        elif observation.pay < POOR_SHARE * site.links.mean_pay:
            self._count_poor(observation, site, self._queues.waiting(request))

    def _count_poor(self, observation: Observation, site: SiteMemory, waiting: int | None) -> None:
        classes = self._endless.touch(site.host)
        if waiting is None:
            return
        if classes is None:
            classes = self._endless[site.host] = EndlessClasses()
        records, mean = site.links.class_records(observation.page), site.links.mean_pay
        found = classes.update(records, mean=mean, waiting=waiting)
        if found is not None and not self._has_logged(observation):
            self._stats.inc_value("templcrawl/links/endless")
            self._log.info(
                "links like %s look endless: %s behind such links brought %s beyond 20 a page, and %s wait "
                "(logged once for such links)",
                observation.page.url,
                pluralize(found.pages, "page"),
                pluralize(found.words, "new word"),
                pluralize(waiting, "link"),
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
