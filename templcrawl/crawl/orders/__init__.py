"""The orders of ``TEMPLCRAWL_ORDER``: which of the requests that wait is fetched first.

An order is a class in a file of its own, loaded only where the setting names it
(:data:`templcrawl.crawl.options.ORDERS`).  What it knows of links it reads from the crawl's memory.  It also
says which slot of a queue is next: of those with the fewest requests in flight, in turns, as Scrapy's queue
does, unless it has turns of its own.  Our queues ask it through :class:`LinkOrder`, which survives errors.

In our queues a request waits with the others of its class, and the value of the class decides
(:mod:`templcrawl.crawl.frontier.slot_order`).  With a queue or a scheduler of the project's own, the value
becomes a step when the link is yielded, and a step is ``_STEP`` of Scrapy's priority.

s slots.  Cost: O(1); a turn O(s) where all slots are busy, O(log s) each time that one comes or goes.
"""

from __future__ import annotations

import logging
from bisect import bisect, bisect_left
from collections.abc import Awaitable, Callable, Mapping
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from templcrawl.algorithms.crawl_order.link_value import LOWEST_STEP, STARVED
from templcrawl.crawl.mark import mark_of, mark_step, source_of
from templcrawl.crawl.settings import TemplcrawlSettings
from templcrawl.crawl.waiting import OurQueues
from templcrawl.guard import guarded
from templcrawl.log import CrawlLogger, GuardedStats
from templcrawl.memory.crawl_memory import CrawlMemory
from templcrawl.memory.observation import Observation
from templcrawl.memory.sections import WaitingLink
from templcrawl.memory.site_links import SiteLinks

if TYPE_CHECKING:
    from scrapy.core.downloader import Downloader


_STEP = 10  # of Scrapy's priority: ten levels of a spider's own priorities fit between two steps


class Order:
    """The base of all orders; it is also the order ``off``: first in, first out.

    A request waits in the bucket of its class, first in first out.  The bucket whose first request has the
    highest value is next: a value may rise or fall while it waits.  With a queue of the project's own, a
    request is moved by a step of Scrapy's priority instead, once, when its link is found.

    All methods are called on the event loop and cost O(1).  Any may raise: then a request has no class, the
    value 1 and no step (:class:`~templcrawl.crawl.orders.LinkOrder`).

    held_below  links of a site that is stopped are held if their value is below it
    """

    held_below: ClassVar[float] = inf

    def __init__(
        self, crawler: Crawler, settings: TemplcrawlSettings, memory: CrawlMemory, queues: OurQueues
    ) -> None:
        """Store what an order may need of a crawl.

        queues  those in which its requests wait; an order may stop sites, whose links are not sent then
        """
        self.memory = memory
        self._no_links = SiteLinks(memory.options)

    @classmethod
    def sections(
        cls, crawler: Crawler, settings: TemplcrawlSettings, began: float
    ) -> Mapping[str, Mapping[str, Any]]:
        """Return the sections of the memory that the order needs: name -> its options.

        began  when the crawl began, in seconds since 1970
        """
        return {}

    def open(self, *, is_resumed: bool) -> None:
        """Begin before the crawl has started; raises InvalidOption.

        is_resumed  whether it goes on with a job
        """

    def links(self, host: str) -> SiteLinks:
        """Return the links of a site that is in memory; empty ones if it is not."""
        site = self.memory.peek(host)
        return self._no_links if site is None else site.links

    def class_of(self, url: str, source: str, request: Request | None = None) -> WaitingLink:
        """Return the link of a request, with the key of the bucket in which it waits.

        source   host of the page that it was found on, "" if no page led to it
        request  itself, if it is at hand
        """
        return WaitingLink(url)

    def value(self, link: WaitingLink) -> float:
        """Return the value of a link now; a request without a class has 1."""
        return 1.0

    def version(self, source: str) -> int:
        """Return a number that changes whenever values of the links found on a site may have changed."""
        return self.links(source).version

    def step(self, url: str, source: str) -> int:
        """Return the steps that a link found on a site is moved: forward above 0, back below."""
        return 0

    def turns(self, slots: Mapping[str, TurnSlot], downloader: Callable[[], Downloader]) -> FairTurns:
        """Return the object that chooses the next slot of a queue, and lets slots wait."""
        return FairTurns(slots, downloader)

    def page_observed(self, request: Request, response: Response, observation: Observation | None) -> None:
        """Note a response that the spider gets; without an observation it is not a page."""

    def close(self, reason: str) -> None:
        """Note why the crawl ends."""

    def finish(self) -> Awaitable[None] | None:
        """Store what is left once the crawl is closed."""


class TurnSlot(Protocol):
    """The requests of a slot, as far as its turn depends on them."""

    @property
    def priority(self) -> int | None:
        """The highest priority, negated as Scrapy does; None without a request."""

    def best_value(self) -> float:
        """Return the value of the link that is next."""

    def is_held(self) -> bool:
        """Return whether none of the requests may be sent."""


class FairTurns:
    """The slots of a queue, by their names."""

    def __init__(self, slots: Mapping[str, TurnSlot], downloader: Callable[[], Downloader]) -> None:
        """Begin with some slots.

        slots       name -> slot, of those in which requests wait, now and later
        downloader  returns Scrapy's
        """
        self.slots, self.downloader = slots, downloader
        self._names = sorted(slots)  # that they can be searched
        self._last = ""

    def slot_changed(self, slot: str) -> None:
        """Note that a request has come to a slot or left it; a slot without requests is forgotten."""
        names = self._names
        place = bisect_left(names, slot)
        is_known = place < len(names) and names[place] == slot
        if is_known and slot not in self.slots:
            del names[place]
        elif not is_known and slot in self.slots:
            names.insert(place, slot)

    def next(self) -> str | None:
        """Return the slot whose turn it is; None if all have to wait."""
        busy, names = self.downloader().slots, self._names
        start = bisect(names, self._last)
        best, fewest = None, float("inf")
        for number in range(start, start + len(names)):
            name = names[number % len(names)]
            in_flight = len(busy[name].active) if name in busy else 0
            if in_flight < fewest and not self.must_wait(name):
                best, fewest = name, in_flight
                if not in_flight:
                    break
        self._last = best or self._last
        return best

    def must_wait(self, slot: str) -> bool:
        """Return whether nothing may be sent from a slot now."""
        return self.slots[slot].is_held()

    def sent(self, slot: str, request: Request, link: WaitingLink, value: float) -> None:
        """Note that a request, whose link has some value, has left the queue."""


class LinkOrder:
    """Guards the order of a crawl, and holds links of stopped sites; if the order fails, a link has no class.

    order  the order that the settings name
    """

    def __init__(self, crawler: Crawler, memory: CrawlMemory, order: Order, queues: OurQueues) -> None:
        self.crawler, self._stats, self._log = crawler, GuardedStats(crawler), CrawlLogger(__name__, crawler)
        self._memory, self.order, self._stopped = memory, order, queues.stopped

    # classes, for our queues

    @guarded("valuing links", lambda links: -1)
    def revision(self) -> int:
        """Return a number that changes whenever the value of any link may have; -1 if that is not known."""
        return self._memory.revision

    @guarded("valuing links", lambda links, source: 0)
    def version(self, source: str) -> int:
        """Return a number that changes whenever values of the links found on a site may have changed."""
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

    @property
    def holding(self) -> int:
        """A number that changes whenever other links may be held; 0 if none is held."""
        return self._stopped.version if self._stopped.hosts else 0

    def holds(self, link: WaitingLink, value: float) -> bool:
        """Return whether a link of some value is not sent: its site is stopped, and it is not worth more."""
        return link.host in self._stopped.hosts and value < self.order.held_below

    @guarded("reporting a link that has waited")
    def report_waited(self, request: Request) -> None:
        """Count a request that others have overtaken; log it once a site where such links pay nothing."""
        source = source_of(request)
        if not source or self.order.class_of(request.url, source).key is None:
            return
        self._stats.inc_value("templcrawl/links/waited")
        self._report_starved(request.url, source, self.order.step(request.url, source))

    # steps, for any other queue

    @guarded("ordering a request")
    def give_step(self, request: Request) -> None:
        """Change the priority of a marked request by what is known of its link, once."""
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
