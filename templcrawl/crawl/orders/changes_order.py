"""``changes``: new links in the order ``adaptive``, then known pages by whether they may have changed.

What is known of earlier crawls is in :mod:`templcrawl.crawl.recrawl`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from templcrawl.algorithms.crawl_order.link_value import STARVED
from templcrawl.algorithms.crawl_order.revisits import FIRST, MAX_VALUE
from templcrawl.crawl.orders import FairTurns, TurnSlot
from templcrawl.crawl.orders.adaptive_order import AdaptiveOrder
from templcrawl.crawl.recrawl import Recrawl
from templcrawl.crawl.settings import TemplcrawlSettings
from templcrawl.crawl.waiting import OurQueues
from templcrawl.memory.crawl_memory import CrawlMemory
from templcrawl.memory.observation import Observation
from templcrawl.memory.sections import WaitingLink
from templcrawl.page.addresses import host_of

if TYPE_CHECKING:
    from scrapy.core.downloader import Downloader


class ChangesOrder(AdaptiveOrder):
    """The order of a crawl that is run again.

    recrawl  what earlier crawls say of its pages
    """

    held_below: ClassVar[float] = FIRST

    def __init__(
        self, crawler: Crawler, settings: TemplcrawlSettings, memory: CrawlMemory, queues: OurQueues
    ) -> None:
        """Store what the crawl knows; it stops the sites that are not worth more requests."""
        super().__init__(crawler, settings, memory, queues)
        self.recrawl = Recrawl(crawler, settings, memory, queues)

    @classmethod
    def sections(
        cls, crawler: Crawler, settings: TemplcrawlSettings, began: float
    ) -> Mapping[str, Mapping[str, Any]]:
        """Let the pages be stored as they were read, and when they were read and had changed."""
        return {"changes": {}, "visits": {"began": int(1_000 * began)}}

    def open(self, *, is_resumed: bool) -> None:
        """Begin the file of changes, if there is one."""
        self.recrawl.begin_lines(is_resumed=is_resumed)

    def class_of(self, url: str, source: str, request: Request | None = None) -> WaitingLink:
        """Return the link of a request; that to a known page is in the class of what decides its value."""
        host = host_of(url)
        link = super().class_of(url, source or host)
        return link if link.key is None else self.recrawl.links.classes(link, request)

    def value(self, link: WaitingLink) -> float:
        """Return the value of a known page, or of a new link, which is the higher one if it pays."""
        if link.key is None:
            return 1.0
        known = self.recrawl.links.value(link)
        if known is not None:
            return known
        value = super().value(link)
        return value + MAX_VALUE if value >= STARVED else value

    def version(self, source: str) -> int:
        """Return a number that changes whenever the value of a new or known page may have changed."""
        known = self.recrawl.links.version(source)
        return super().version(source) if known is None else known

    def turns(self, slots: Mapping[str, TurnSlot], downloader: Callable[[], Downloader]) -> FairTurns:
        """Return the object that chooses slots; poor links wait for pages that may lead to better ones."""
        return _PatientTurns(slots, downloader, self.recrawl)

    def page_observed(self, request: Request, response: Response, observation: Observation | None) -> None:
        """Count the outcome of a request."""
        self.recrawl.count(request, response, observation)

    def close(self, reason: str) -> None:
        """Log which known pages were not read."""
        self.recrawl.close(reason)

    async def finish(self) -> None:
        """End the file of changes, or the table."""
        await self.recrawl.finish()


class _PatientTurns(FairTurns):
    def __init__(
        self, slots: Mapping[str, TurnSlot], downloader: Callable[[], Downloader], recrawl: Recrawl
    ) -> None:
        super().__init__(slots, downloader)
        self._recrawl = recrawl

    def slot_changed(self, slot: str) -> None:
        super().slot_changed(slot)
        if slot not in self.slots:
            self._recrawl.links.leading.forget(slot)

    def must_wait(self, slot: str) -> bool:
        if super().must_wait(slot):
            return True
        order = self.slots[slot]
        is_link = order.priority is not None and order.priority >= 0  # nobody has put it forward
        return is_link and self._recrawl.links.must_wait(slot, order.best_value)

    def sent(self, slot: str, request: Request, link: WaitingLink, value: float) -> None:
        self._recrawl.links.note_sent(slot, request, link, value)
