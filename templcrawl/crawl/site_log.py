"""What a crawl says of its sites: which are spent, which of their links look endless or generated, and whose
pages need a browser.

*A site is spent* when its last pages have paid next to nothing
(:mod:`templcrawl.algorithms.crawl_order.link_value`).  That is logged once, and again only after the site has
recovered.  The last pages are those since the site had ``LAST_PAGES`` pages: a broad crawl of few pages a
host stores nothing here.  They are not saved: a job that is resumed looks at ``LAST_PAGES`` more pages of a
site.

With ``TEMPLCRAWL_STOP`` a spent site is *stopped*: its links stay in our queues
(:mod:`templcrawl.crawl.frontier.slot_order`).  If nothing else waits and nothing is in flight, the crawl ends
with the reason ``templcrawl_stop``.  In a JOBDIR the links stay: the job goes on with them.  If a page that
was in flight makes the site recover, its links are sent.

*Traps* go by the two rules of :mod:`templcrawl.algorithms.crawl_order.traps`.  That of endless links asks how
many links wait and so needs our queues.  Both are measured behind an order that fetches first what pays, and
are logged there alone: one line for each class of links, and a stat.  A trap whose pages are of one leaf is
logged once, also if links of several classes lead to it.

*Pages that need a browser* have scripts, and next to no text that other pages of the site do not have.  A
site with nearly all pages of this kind is logged once, early or at the close.  On none of the saved sites are
more than a third of the pages like this.

Cost: O(1) a page; O(queues of a slot) where something is logged; O(classes of a page) if it pays next to
nothing, or leads on; O(forms) if it has next to no text.  Memory: 400 bytes a site, and that of the rules; a
number for each class and leaf that was logged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider

from templcrawl.algorithms.crawl_order.link_value import LAST_PAGES, RecentPay
from templcrawl.algorithms.crawl_order.traps import POOR_SHARE, EndlessClasses
from templcrawl.crawl.settings import PAY_ORDERS, TemplcrawlSettings
from templcrawl.crawl.stopped_sites import StoppedSites
from templcrawl.errors import pluralize
from templcrawl.guard import CrawlLogger, GuardedStats, started
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.memory.lru_dict import LruDict
from templcrawl.memory.observation import Observation
from templcrawl.memory.site import SiteMemory
from templcrawl.page.tokens import START

_LITTLE_TEXT = 100  # characters of content that are next to none
_NEARLY_ALL = 0.8  # of the pages of a site
_EARLY_PAGES = 20  # after so many pages a site is logged before the close
MAX_BARE_SITES = 10  # sites with a line of their own

FINISH_REASON = "templcrawl_stop"


class StopAdvice:
    """Logs and counts the sites of a crawl that are spent, and stops them if that is asked for.

    queues   our priority queues in which requests wait; none where the scheduler has others
    stopped  the sites that are stopped
    """

    def __init__(self, crawler: Crawler, settings: TemplcrawlSettings, memory: CrawlMemory) -> None:
        self._crawler = crawler
        self._stats, self._log = GuardedStats(crawler), CrawlLogger(__name__, crawler)
        self._memory = memory
        self._stops = settings.stop
        self._sites: LruDict[str, RecentPay] = LruDict(settings.memory.max_sites)
        self._left = 0
        self.queues: list[Any] = []  # of TemplatePriorityQueue, which knows this class
        self.stopped = StoppedSites()

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
            evicted = self._sites.set(host, site)
            if self._stops:
                self.stopped.set(evicted, is_stopped=False)
        was_spent, mean = site.is_spent, self._memory.links(host).mean_pay
        site.update(observation.pay, mean)
        if site.is_spent and not was_spent:
            self._stats.inc_value("templcrawl/stop/advised")
            waiting = self.waiting(request)
            self._log.info(
                "%s: the last %d pages brought %.0f %% of the new text that its pages brought on average%s",
                host,
                LAST_PAGES,
                100 * site.share(mean),
                "" if waiting is None else f"; {pluralize(waiting, 'link')} wait{'s' * (waiting == 1)}",
            )
        if self._stops:
            self.stopped.set(host, is_stopped=site.is_spent)

    def waiting(self, request: Request) -> int | None:
        """Return how many requests wait in the slot of a request, None where our queues are not in use."""
        engine = started(lambda: self._crawler.engine)
        if engine is None or not self.queues:
            return None
        slot = engine.downloader.get_slot_key(request)
        waiting: int = sum(queue.waiting(slot) for queue in self.queues)
        return waiting

    def end(self) -> None:
        """End a crawl in which nothing waits but links of sites that are stopped; raises CloseSpider."""
        self._left = sum(queue.held() for queue in self.queues)
        if self._left:
            raise CloseSpider(FINISH_REASON)

    def close(self) -> None:
        """Log and count the links that were not sent when the crawl ended."""
        if self._left:
            self._stats.set_value("templcrawl/stop/skipped", self._left)
        if self._left and self._stops:
            self._log.info(
                "templcrawl did not fetch %s of %s, whose last pages brought next to no new text; with a "
                "JOBDIR the next run fetches them (see the setting TEMPLCRAWL_STOP)",
                pluralize(self._left, "link"),
                pluralize(len(self.stopped.hosts), "site"),
            )


class TrapLog:
    """Logs and counts the classes of links that look endless, and those that look generated."""

    def __init__(self, crawler: Crawler, settings: TemplcrawlSettings, memory: CrawlMemory) -> None:
        self._stats, self._log = GuardedStats(crawler), CrawlLogger(__name__, crawler)
        self._memory = memory
        self._is_ordered = settings.order in PAY_ORDERS
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
            self._stats.inc_value("templcrawl/pages/generated")
            if not self._has_logged(observation, generated):
                self._stats.inc_value("templcrawl/links/generated")
                self._log.info(
                    "links like %s look generated: the pages behind them have new words, but no link that an "
                    "earlier page has. They are fetched after all other links (logged once for such links)",
                    observation.page.url,
                )
        elif observation.pay < POOR_SHARE * site.links.mean_pay:
            self._count_poor(observation, site, waiting())

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


@dataclass
class _SitePages:
    """The pages of a site, how many of them are bare, and whether that was logged."""

    pages: int = 0
    bare: int = 0
    is_logged: bool = False

    @property
    def is_bare(self) -> bool:
        return self.bare > 0 and self.bare >= _NEARLY_ALL * self.pages


class BarePages:
    """Logs and counts *bare* pages, which have scripts and next to no text: a browser assembles them."""

    def __init__(self, crawler: Crawler, settings: TemplcrawlSettings) -> None:
        self._stats, self._log = GuardedStats(crawler), CrawlLogger(__name__, crawler)
        self._sites: LruDict[str, _SitePages] = LruDict(settings.memory.max_sites)
        self._logged = 0

    def count(self, observation: Observation) -> None:
        """Count a page; log its site if it has many pages, nearly all of them bare."""
        host = observation.page.host
        site = self._sites.touch(host)
        if site is None:
            site = self._sites[host] = _SitePages()
        site.pages += 1
        if _is_bare(observation):
            site.bare += 1
            self._stats.inc_value("templcrawl/pages/without_text")
            if site.pages >= _EARLY_PAGES and site.is_bare and not site.is_logged:
                self._warn(host, site)

    def close(self) -> None:
        """Log the other sites of this kind, those with most pages first."""
        found = [(host, site) for host, site in self._sites.items() if site.is_bare and not site.is_logged]
        for host, site in sorted(found, key=lambda of_site: -of_site[1].bare):
            self._warn(host, site)
        if self._logged > MAX_BARE_SITES:
            self._log.warning(
                "%s more have scripts and next to no text on nearly all pages (the stat "
                "templcrawl/pages/without_text counts the pages)",
                pluralize(self._logged - MAX_BARE_SITES, "site"),
            )

    def _warn(self, host: str, site: _SitePages) -> None:
        site.is_logged = True
        self._logged += 1
        if self._logged <= MAX_BARE_SITES:
            self._log.warning(
                "%s: %d of its %d pages have scripts and next to no text of their own. A browser probably "
                "assembles them: render them first, such as with scrapy-playwright (see the recipe for pages "
                "that a browser assembles)",
                host,
                site.bare,
                site.pages,
            )


def _is_bare(observation: Observation) -> bool:
    tokens = observation.page.tokens
    if observation.text_lengths[0] >= _LITTLE_TEXT or tokens.truncated:
        return False
    scripts = (form for form in tokens.forms_named("script") if tokens.form_kinds[form] == START)
    return any("json" not in tokens.text_of(form).lower() for form in scripts)  # data is no program
