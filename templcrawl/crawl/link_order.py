"""The order of a crawl, guarded, as our queues ask it; and the steps of requests in any other queue.

In our queues a request waits with the others of its class, and the value of the class decides
(:mod:`templcrawl.crawl.frontier.slot_order`).  With a queue or a scheduler of the project's own, the value
becomes a step when the link is yielded, and a step is ``_STEP`` of Scrapy's priority.

Cost: O(1) a request.
"""

from __future__ import annotations

import logging

from scrapy import Request
from scrapy.crawler import Crawler

from templcrawl.algorithms.crawl_order.link_value import LOWEST_STEP, STARVED
from templcrawl.crawl.mark import mark_of, mark_step, source_of
from templcrawl.crawl.orders import Order, WaitingLink
from templcrawl.guard import guarded
from templcrawl.log import CrawlLogger, GuardedStats
from templcrawl.memory.crawl_memory import CrawlMemory

_STEP = 10  # of Scrapy's priority: ten levels of a spider's own priorities fit between two steps


class LinkOrder:
    """The order of requests by what is known of their links; where it fails, a link is of no class.

    order        the order that the settings name
    held_below   as the order has it
    """

    def __init__(self, crawler: Crawler, memory: CrawlMemory, order: Order) -> None:
        self.crawler, self._stats, self._log = crawler, GuardedStats(crawler), CrawlLogger(__name__, crawler)
        self._memory, self.order, self.held_below = memory, order, order.held_below

    # classes, for our queues

    @guarded("valuing links", lambda links: -1)
    def revision(self) -> int:
        """Return what changes whenever the value of any link may have changed; -1 if that is not known."""
        return self._memory.revision

    @guarded("valuing links", lambda links, source: 0)
    def version(self, source: str) -> int:
        """Return what changes whenever values of the links found on a site may have changed."""
        return self.order.version(source)

    @guarded("telling the class of a link", lambda links, url, source, request=None: WaitingLink(url))
    def waiting_link(self, url: str, source: str, request: Request | None = None) -> WaitingLink:
        """Return the link of a request; without classes where links do not go by them.

        source   host of the page that it was found on, "" if no page led to it
        request  itself, if it is at hand
        """
        return self.order.class_of(url, source, request)

    @guarded("valuing a link", lambda links, link: 1.0)
    def value(self, link: WaitingLink) -> float:
        """Return the value of a link as known now."""
        return self.order.value(link)

    @guarded("reporting a link that has waited")
    def report_waited(self, request: Request) -> None:
        """Count a request that others have overtaken; log it once a site where such links pay nothing."""
        source = source_of(request)
        if not source or self.order.class_of(request.url, source).classes is None:
            return
        self._stats.inc_value("templcrawl/links/waited")
        self._report_starved(request.url, source, self.order.step(request.url, source))

    # steps, for any other queue

    @guarded("ordering a request")
    def give_step(self, request: Request) -> None:
        """Move a marked request that was not moved yet by what is known of its link."""
        mark = mark_of(request)
        if not mark or mark.get("step"):
            return
        step = self.order.step(request.url, mark["source"])
        if not step:
            return
        request.priority += step * _STEP
        mark_step(request, step)
        if step < 0:
            self._stats.inc_value("templcrawl/demoted/enqueue")
        self._report_starved(request.url, mark["source"], step)

    def _report_starved(self, url: str, host: str, step: int) -> None:
        links = self.order.links(host)
        if step > LOWEST_STEP or links.value(links.classes(url)) >= STARVED:
            return
        self._stats.inc_value("templcrawl/links/starved")
        self._log.once(
            logging.INFO,
            host,
            "templcrawl fetches links like %s after all others of %s, because the pages behind them had next "
            "to no new text (logged once a site; see the stat templcrawl/links/starved)",
            url,
            host,
        )
