"""The orders of ``TEMPLCRAWL_ORDER``: which of the requests that wait is fetched first.

An order is a class in a file of its own, loaded only where the setting names it
(:data:`templcrawl.crawl.options.ORDERS`).  What it knows of links it reads from the crawl's memory.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from templcrawl.crawl.orders.turns import FairTurns, TurnSlot
from templcrawl.crawl.our_queues import OurQueues
from templcrawl.crawl.settings import TemplcrawlSettings
from templcrawl.memory.crawl_memory import CrawlMemory
from templcrawl.memory.observation import Observation
from templcrawl.memory.site_links import SiteLinks
from templcrawl.memory.site_section import LinkClasses

if TYPE_CHECKING:
    from scrapy.core.downloader import Downloader


class WaitingLink(NamedTuple):
    """The link of a request that waits.

    source   host of the page that it was found on; "": no page led to it
    classes  what its value goes by; None: the order has none for it, or its site is not in memory
    host     host of its address
    """

    url: str
    source: str = ""
    classes: LinkClasses | None = None
    host: str = ""


class Order:
    """An order of requests; this one, ``off``, is that of their arrival.

    A request waits in the bucket of its class, first in first out.  The bucket whose first request has the
    highest value is next: a value may rise or fall while it waits.  With a queue of the project's own, a
    request is moved by a step of Scrapy's priority instead, once, when its link is found.

    All methods are called on the event loop and cost O(1).  Any may raise: then a request has no class, the
    value 1 and no step (:class:`~templcrawl.crawl.link_order.LinkOrder`).

    held_below  links of a site that is stopped are held if their value is below it
    """

    held_below: ClassVar[float] = inf

    def __init__(
        self, crawler: Crawler, settings: TemplcrawlSettings, memory: CrawlMemory, queues: OurQueues
    ) -> None:
        """Take what an order may need of a crawl.

        queues  those in which its requests wait; an order may stop sites, whose links are not sent then
        """
        self.memory = memory
        self._no_links = SiteLinks(memory.options)

    @classmethod
    def sections(
        cls, crawler: Crawler, settings: TemplcrawlSettings, began: float
    ) -> Mapping[str, Mapping[str, Any]]:
        """Return what the memory learns for it: name of a section of a site -> its options.

        began  when the crawl began, in seconds since 1970
        """
        return {}

    def open(self, *, is_resumed: bool) -> None:
        """Begin before the crawl has started; raises InvalidOption.

        is_resumed  whether it goes on with a job
        """

    def links(self, host: str) -> SiteLinks:
        """Return what is known of the links of a site; nothing if it is not in memory."""
        site = self.memory.peek(host)
        return self._no_links if site is None else site.links

    def class_of(self, url: str, source: str, request: Request | None = None) -> WaitingLink:
        """Return the link of a request, with the key of the bucket in which it waits.

        source   host of the page that it was found on, "" if no page led to it
        request  itself, if it is at hand
        """
        return WaitingLink(url)

    def value(self, link: WaitingLink) -> float:
        """Return what a link is worth now; 1 is that of a request without a class."""
        return 1.0

    def version(self, source: str) -> int:
        """Return what changes whenever values of the links found on a site may have changed."""
        return self.links(source).version

    def step(self, url: str, source: str) -> int:
        """Return how many steps a link found on a site goes forward; back where it is below 0."""
        return 0

    def turns(self, slots: Mapping[str, TurnSlot], downloader: Callable[[], Downloader]) -> FairTurns:
        """Return what says which slot of a queue is next, and which have to wait."""
        return FairTurns(slots, downloader)

    def page_observed(self, request: Request, response: Response, observation: Observation | None) -> None:
        """Note a response that the spider gets; without an observation it is no page."""

    def close(self, reason: str) -> None:
        """Note why the crawl ends."""

    def finish(self) -> Awaitable[None] | None:
        """Store what is left once the crawl is closed."""
