"""``focus``: links by how promising they are for the topic of the crawl, over all sites.

Source: :mod:`templcrawl.algorithms.crawl_order.focus`.

The best request over all slots comes first, however busy its slot is.  The first ``FIRST`` requests of a site
go ``FEW`` at a time: its first page queues all of the menu, and if that is in flight before other pages have
come, there is nothing left to order.

s slots.  Cost: O(log s) each time that a request of a slot comes or goes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from heapq import heappop, heappush
from itertools import count
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from scrapy import Request
from scrapy.crawler import Crawler

from templcrawl.algorithms.crawl_order.focus import RelevanceRecord, TopicRecord
from templcrawl.crawl.orders import FairTurns, Order, TurnSlot
from templcrawl.crawl.settings import TemplcrawlSettings
from templcrawl.crawl.topic import Topic
from templcrawl.crawl.waiting import OurQueues
from templcrawl.memory.crawl_memory import CrawlMemory
from templcrawl.memory.key_tables import LruDict
from templcrawl.memory.sections import WaitingLink
from templcrawl.memory.site import SiteMemory
from templcrawl.memory.topic_links import RELEVANCE, TopicLinks
from templcrawl.page.addresses import host_of

if TYPE_CHECKING:
    from scrapy.core.downloader import Downloader

FIRST, FEW = 30, 2
_MAX_NEW = 10_000  # slots whose requests are counted
_STEPS = 100  # between no promise and all of it


class FocusOrder(Order):
    """The order of the promise of links, in [0, 1]."""

    section: ClassVar[str] = "topic"

    def __init__(
        self, crawler: Crawler, settings: TemplcrawlSettings, memory: CrawlMemory, queues: OurQueues
    ) -> None:
        """Store the memory of the crawl."""
        super().__init__(crawler, settings, memory, queues)
        self._promises = Promises(memory)

    @classmethod
    def sections(
        cls, crawler: Crawler, settings: TemplcrawlSettings, began: float
    ) -> Mapping[str, Mapping[str, Any]]:
        """Ask the memory to store the relevance around links."""
        return {cls.section: {"names": Topic(crawler, settings).names}}

    def class_of(self, url: str, source: str, request: Request | None = None) -> WaitingLink:
        """Return the link of a request, in the class of its pagelet, its directory, and the topic."""
        if not source:
            return WaitingLink(url)
        site = self.memory.load(source)
        if site is None:
            return WaitingLink(url, source, host_of(url))
        return _topic_of(site).classes(site.links, url, source)

    def value(self, link: WaitingLink) -> float:
        """Return the promise of a link."""
        if not link.source:
            return 1.0
        url = link.url if link.key is not None else ""
        return self._promises.promise_of(link.source, link.target, url)

    def version(self, source: str) -> int:
        """Return a number that changes with every page: a page credits pagelets of all sites."""
        return self.memory.revision

    def step(self, url: str, source: str) -> int:
        """Return 0 for a link without promise to 100 for one that keeps all it can."""
        return round(_STEPS * self.value(self.class_of(url, source)))

    def turns(self, slots: Mapping[str, TurnSlot], downloader: Callable[[], Downloader]) -> BestTurns:
        """Return the object that chooses slots by their best request."""
        return BestTurns(slots, downloader, self.memory)


class Promises:
    """How promising links are, by what the memory of a crawl has learned."""

    def __init__(self, memory: CrawlMemory) -> None:
        self._memory, self._nothing = memory, SiteMemory("", memory.options)

    def promise_of(self, source: str, target: int, url: str) -> float:
        """Return how promising a link of a site is.

        target, url  key of its address, and its address
        """
        site, linked_site = (self._memory.peek(host) or self._nothing for host in (source, host_of(url)))
        mean = RelevanceRecord(*self._memory.sums.get(RELEVANCE, ())).mean
        topic = TopicRecord(mean, _topic_of(linked_site).directory(url))
        return _topic_of(site).promise(site.links, target, topic)


def _topic_of(site: SiteMemory) -> TopicLinks:
    topic = site.get(TopicLinks)
    assert topic is not None
    return topic


# Priority of the best request of a slot, the lowest first; value of its link in hundredths, negated; when the
# slot got in line; the slot.
_InLine: TypeAlias = tuple[int, int, int, str]


class BestTurns(FairTurns):
    """Slots queued by their best request.

    A slot stands in line by the priority of its best request, of equal ones by the value of the link of that,
    and takes turns with slots where both are equal.  It is valued when a request of it is queued, when its
    turn comes, and when a request leaves.  What has risen meanwhile, by pages that brought it no new link, is
    seen then.
    """

    def __init__(
        self, slots: Mapping[str, TurnSlot], downloader: Callable[[], Downloader], memory: CrawlMemory
    ) -> None:
        super().__init__(slots, downloader)
        self._memory = memory
        self._line: list[_InLine] = []  # a heap; entries that have become untrue stay until their turn
        self._entries: dict[str, _InLine] = {}  # slot -> its true entry
        self._turns = count()
        self._sent: LruDict[str, int] = LruDict(_MAX_NEW)  # new slot -> how many of its requests were sent
        self._full: set[str] = set()

    def slot_changed(self, slot: str) -> None:
        """Queue a slot by the priority and the value of its best request."""
        self._line_up(slot)

    def _line_up(self, slot: str) -> _InLine | None:
        """Queue a slot; return its entry."""
        order = self.slots.get(slot)
        if order is None or order.priority is None:
            self._entries.pop(slot, None)
            return None
        rank = order.priority, -round(100 * order.best_value())
        entry = self._entries.get(slot)
        if entry is None or entry[:2] != rank:
            entry = self._entries[slot] = (*rank, next(self._turns), slot)
            heappush(self._line, entry)
        return entry

    def next(self) -> str | None:
        """Return the slot whose turn it is, and dequeue it until it changes; None if all have to wait."""
        if self._full:
            downloader = self.downloader()
            in_flight = Counter(map(downloader.get_slot_key, downloader.active))
            self._full &= {slot for slot, requests in in_flight.items() if requests >= FEW}
        if not self._line:
            self._entries.clear()
            for slot in self.slots:
                self._line_up(slot)
        waiting, best = [], None
        while self._line and best is None:
            entry = heappop(self._line)
            slot = entry[-1]
            if self._entries.get(slot) is not entry or self._line_up(slot) is not entry:
                continue  # it has fallen, or risen, since it was valued
            if self.must_wait(slot):
                waiting.append(entry)
            else:
                best = slot
                del self._entries[best]
        for entry in waiting:
            heappush(self._line, entry)
        return best

    def must_wait(self, slot: str) -> bool:
        """Return whether a slot is full, or nothing may be sent from it."""
        return slot in self._full or super().must_wait(slot)

    def sent(self, slot: str, request: Request, link: WaitingLink, value: float) -> None:
        """Count the requests of a new site."""
        sent = self._sent[slot] = (self._sent.touch(slot) or 0) + 1
        site = self._memory.peek(host_of(request.url)) if sent < FIRST else None
        if sent < FIRST and (site is None or site.pages < FIRST):
            self._full.add(slot)
