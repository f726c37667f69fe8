"""Report spent sites and traps; with ``TEMPLCRAWL_STOP``, stop spent sites.

*A site is spent* when its last pages have paid next to nothing, *a trap* is a class of links that looks
endless (both :mod:`templcrawl.algorithms.crawl_order.traps`) or generated
(:mod:`templcrawl.algorithms.crawl_order.link_value`).

Cost: O(1) a page; O(classes of a page) if it pays next to nothing, or leads on; O(queues of a slot) where
something is logged.  Memory: 400 bytes a site, that of the rules, a number for each class and leaf logged.
"""

from __future__ import annotations

from collections.abc import Iterable

from scrapy import Request
from scrapy.exceptions import CloseSpider
from scrapy.http import Response

from templcrawl.algorithms.crawl_order.link_value import POOR_SHARE
from templcrawl.algorithms.crawl_order.traps import LAST_PAGES, EndlessClasses, RecentPay
from templcrawl.crawl.part import Crawl, CrawlPart
from templcrawl.crawl.waiting import FINISH_REASON
from templcrawl.errors import pluralize
from templcrawl.memory.key_tables import LruDict
from templcrawl.memory.observation import Observation
from templcrawl.memory.site import SiteMemory


class SpentSites(CrawlPart):
    """Logs and counts the sites of a crawl that are spent, and stops them if that is asked for.

    A spent site is logged once, and again only after it has recovered.  The last pages are those since the
    site had ``LAST_PAGES`` pages: a broad crawl of few pages a host stores nothing here.  They are not saved:
    a job that is resumed looks at ``LAST_PAGES`` more pages of a site.

    The links of a *stopped* site stay in our queues (:mod:`templcrawl.crawl.frontier.slot_order`).  If
    nothing else waits and nothing is in flight, the crawl ends with the reason ``templcrawl_stop``.  In a
    JOBDIR the links stay: the job goes on with them.  If a page that was in flight makes the site recover,
    they are sent.
    """

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
        recent.count_page(observation.pay, mean)
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


class TrapLog(CrawlPart):
    """Logs and counts the classes of links that look endless, and those that look generated.

    Whether a class looks endless needs to know how many links wait.  Both are measured behind an order that
    fetches first what pays, and are logged there alone: one line for each class of links, and a stat; once
    for the classes that lead to pages of one leaf.
    """

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
        found = classes.count_page(records, mean=mean, waiting=waiting)
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
        """Return whether the leaf of a page or one of its classes was logged; mark them all as logged."""
        host = observation.page.host
        names: set[int | str] = {*classes, *([observation.leaf_id] if observation.leaf_id else [])}
        logged = self._logged.touch(host)
        if logged is None:
            logged = self._logged[host] = set()
        has_logged = not logged.isdisjoint(names)
        logged |= names
        return has_logged
