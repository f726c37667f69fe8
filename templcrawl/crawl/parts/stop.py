"""Which sites are spent, and with ``TEMPLCRAWL_STOP`` are stopped.

*A site is spent* when its last pages have paid next to nothing
(:mod:`templcrawl.algorithms.crawl_order.link_value`).  That is logged once, and again only after the site has
recovered.  The last pages are those since the site had ``LAST_PAGES`` pages: a broad crawl of few pages a
host stores nothing here.  They are not saved: a job that is resumed looks at ``LAST_PAGES`` more pages of a
site.

The links of a *stopped* site stay in our queues (:mod:`templcrawl.crawl.frontier.slot_order`).  If nothing
else waits and nothing is in flight, the crawl ends with the reason ``templcrawl_stop``.  In a JOBDIR the
links stay: the job goes on with them.  If a page that was in flight makes the site recover, they are sent.

Cost: O(1) a page; O(queues of a slot) where something is logged.  Memory: 400 bytes a site.
"""

from __future__ import annotations

from scrapy import Request
from scrapy.exceptions import CloseSpider
from scrapy.http import Response

from templcrawl.algorithms.crawl_order.link_value import LAST_PAGES, RecentPay
from templcrawl.crawl.our_queues import FINISH_REASON
from templcrawl.crawl.part import Crawl, CrawlPart
from templcrawl.errors import pluralize
from templcrawl.memory.lru_dict import LruDict
from templcrawl.memory.observation import Observation


class SpentSites(CrawlPart):
    """Logs and counts the sites of a crawl that are spent, and stops them if that is asked for."""

    doing = "looking whether a site is spent"

    def __init__(self, crawl: Crawl) -> None:
        super().__init__(crawl)
        self._stopped, self._stops = self._queues.stopped, self._settings.stop
        self._sites: LruDict[str, RecentPay] = LruDict(self._settings.memory.max_sites)
        self._left = 0

    def page_observed(self, request: Request, response: Response, observation: Observation) -> None:
        """Count what a page has paid, and log whether its site is spent by now."""
        host = observation.page.host
        if observation.pay is None:
            return
        recent, site = self._sites.touch(host), self._memory.peek(host)
        if site is None:
            return
        if recent is None:
            if site.pages < LAST_PAGES:
                return
            recent = RecentPay()
            evicted = self._sites.set(host, recent)
            if self._stops:
                self._stopped.set(evicted, is_stopped=False)
        was_spent, mean = recent.is_spent, site.links.mean_pay
        recent.update(observation.pay, mean)
        if recent.is_spent and not was_spent:
            self._stats.inc_value("templcrawl/stop/advised")
            waiting = self._queues.waiting(request)
            self._log.info(
                "%s: the last %d pages brought %.0f %% of the new text that its pages brought on average%s",
                host,
                LAST_PAGES,
                100 * recent.share(mean),
                "" if waiting is None else f"; {pluralize(waiting, 'link')} wait{'s' * (waiting == 1)}",
            )
        if self._stops:
            self._stopped.set(host, is_stopped=recent.is_spent)

    def idle(self) -> None:
        """End a crawl in which nothing waits but links of sites that are stopped; raises CloseSpider."""
        self._left = self._queues.held()
        if self._left:
            raise CloseSpider(FINISH_REASON)

    def close(self, reason: str) -> None:
        """Log and count the links that were not sent when the crawl ended."""
        if self._left:
            self._stats.set_value("templcrawl/stop/skipped", self._left)
        if self._left and self._stops:
            self._log.info(
                "templcrawl did not fetch %s of %s, whose last pages brought next to no new text; with a "
                "JOBDIR the next run fetches them (see the setting TEMPLCRAWL_STOP)",
                pluralize(self._left, "link"),
                pluralize(len(self._stopped.hosts), "site"),
            )
