"""Hold back the items of a site's first pages until more is known of its templates.

A site's first pages are judged with little to go by.  With ``TEMPLCRAWL_HOLD = N`` their items wait
until the site has more than N pages, are filled again by what is known then, and go on in the order
they came.  What still waits when the crawl ends, by itself or by a signal, goes on before the item
pipelines close.

At most ``MAX_ITEMS`` wait, of pages of ``MAX_CHARACTERS`` in all, and one more of each page that Scrapy
has in hand.  Beyond that the site goes on that has waited longest and does not go on yet; where all do, the
page waits (backpressure).  So it is where what waits may be the last items that ``CLOSESPIDER_ITEMCOUNT``
asks for: Scrapy counts an item once the pipelines have taken it.

Memory: a page that waits takes some 20 bytes a character with all that was worked out of it, so 160 MB at
most.

Two components: a spider middleware next to the engine, behind all others, takes items out of the
stream; the item processor lets the rest go when the spider closes.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import AsyncIterator
from typing import Any, NamedTuple

from itemadapter import ItemAdapter
from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response
from scrapy.pipelines import ItemPipelineManager
from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.misc import load_object
from twisted.internet.defer import Deferred

from templcrawl.components.extension import TemplateMemory
from templcrawl.errors import InvalidOption
from templcrawl.guard import guarded, passing_on, starting
from templcrawl.memory.observation import Observation

MAX_ITEMS = 1_000
MAX_CHARACTERS = 8_000_000
_CLOSING_WITHOUT_ITEMS = ("CLOSESPIDER_PAGECOUNT_NO_ITEM", "CLOSESPIDER_TIMEOUT_NO_ITEM")


class HeldItem(NamedTuple):
    """An item that waits.

    response    what it was made of
    observation  what was found of its page then
    gone        fired once it has gone on
    """

    item: Any
    response: Response
    observation: Observation
    gone: Deferred[None]


class HoldMiddleware:
    """At 0, next to the engine: it sees items as they would go to the pipelines."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self._memory = TemplateMemory.of(crawler)
        self._pages = self._memory.settings.hold
        if not self._pages or not self._memory.settings.item_fields:
            raise NotConfigured
        if not issubclass(load_object(crawler.settings["ITEM_PROCESSOR"]), HoldingItemProcessor):
            raise InvalidOption(
                "TEMPLCRAWL_HOLD",
                self._pages,
                "0, or ITEM_PROCESSOR must be templcrawl.components.hold.HoldingItemProcessor or a subclass",
            )
        idle = [name for name in _CLOSING_WITHOUT_ITEMS if crawler.settings.getint(name)]
        if idle:
            raise InvalidOption(
                "TEMPLCRAWL_HOLD", self._pages, f"0 with {idle[0]}: no item comes while all wait"
            )
        self._wanted = crawler.settings.getint("CLOSESPIDER_ITEMCOUNT")
        self._scraped = self._going = 0
        self._held: dict[str, deque[HeldItem]] = {}
        self._items_of = Counter[Observation]()
        self._characters = 0
        self._releasing: set[str] = set()

    @classmethod
    @starting
    def from_crawler(cls, crawler: Crawler) -> HoldMiddleware:
        """Attach to the crawl; raises InvalidOption, and NotConfigured where nothing is to wait."""
        middleware = cls(crawler)
        crawler.signals.connect(middleware.count_scraped, signals.item_scraped)
        return middleware

    def count_scraped(self) -> None:
        """Count an item that the pipelines have taken."""
        self._scraped += 1

    @passing_on("holding items")
    async def process_spider_output(
        self, response: Response, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        """Take the items of a site's first pages out of the stream; let them go when enough is known."""
        observation = self._memory.observation_of(response)
        if observation is None:
            async for output in result:
                yield output
            return
        host = observation.page.host
        async for output in result:
            if isinstance(output, Request):
                yield output
                continue
            held = HeldItem(output, response, observation, Deferred())
            if self._is_early(observation):
                await self._hold(host, held)
            elif host in self._held:
                await self._line_up(host, held)
            else:
                self._fill_again(held)
                yield output
        if not self._waits(host):
            await self._release(host)

    async def release_all(self) -> None:
        """Let every item go that still waits."""
        for host in list(self._held):
            await self._release(host)

    def _is_early(self, observation: Observation) -> bool:
        """Say whether an item of a page is to wait.

        Where that cannot be told it does not: an error would lose an item that is taken and not yet held.
        """
        with self._memory.surviving("holding items", observation.page.url):
            if observation.pages_known < self._pages and self._waits(observation.page.host):
                return True
        return False

    def _waits(self, host: str) -> bool:
        """Say whether too little is known of this site."""
        return self._memory.memory.pages_to_go_by(host) <= self._pages

    async def _hold(self, host: str, held: HeldItem) -> None:
        self._held.setdefault(host, deque()).append(held)
        self._count(held.observation, 1)
        self._memory.stats.inc_value("templcrawl/items/held")
        while self._is_full():
            resting = next((host for host in self._held if host not in self._releasing), None)
            if resting is not None:
                await self._release(resting)
            else:
                await maybe_deferred_to_future(
                    next(waiting[0].gone for waiting in self._held.values() if waiting)
                )

    def _is_full(self) -> bool:
        """Say whether more waits than may, or what waits may be the last items that are wanted."""
        items = self._items_of.total()
        are_last = 0 < self._wanted <= self._scraped + self._going + items and items > 0
        return are_last or items > MAX_ITEMS or self._characters > MAX_CHARACTERS

    def _count(self, observation: Observation, items: int) -> None:
        """Count the items of a page that wait, and its characters if any do."""
        waited = observation in self._items_of
        self._items_of[observation] += items
        if not self._items_of[observation]:
            del self._items_of[observation]
        self._characters += ((observation in self._items_of) - waited) * len(observation.page.text)

    async def _line_up(self, host: str, held: HeldItem) -> None:
        """Let an item go behind those that wait; return when it has gone, whoever lets it."""
        self._held[host].append(held)
        self._count(held.observation, 1)
        await self._release(host)
        if not held.gone.called:
            await maybe_deferred_to_future(held.gone)

    async def _release(self, host: str) -> None:
        """Let the items of a site go, one after the other, if nobody is about it.

        Where that fails, the others wait for the next call; no page waits for them any longer.
        """
        if host not in self._held or host in self._releasing:
            return
        self._releasing.add(host)
        waiting = self._held[host]
        try:
            while waiting:
                await self._let_go(waiting.popleft())
            del self._held[host]
        finally:
            self._releasing.discard(host)
            for held in waiting:
                _fire(held.gone)

    async def _let_go(self, held: HeldItem) -> None:
        self._count(held.observation, -1)
        self._going += 1
        try:
            self._fill_again(held)
            scraper = self.crawler.engine.scraper
            await scraper.start_itemproc_async(held.item, response=held.response)
        finally:
            self._going -= 1
            _fire(held.gone)

    def _fill_again(self, held: HeldItem) -> None:
        """Fill the fields of an early page anew that still are as they were filled."""
        item, _, earlier, _ = held
        if earlier.pages_known >= self._pages:
            return
        memory = self._memory
        with memory.surviving("judging again", earlier.page.url):
            adapter = ItemAdapter(item)
            now = memory.memory.reclassify(earlier)
            for answer, name in memory.settings.item_fields.items():
                if name in adapter and adapter[name] == memory.answer(earlier, answer):
                    adapter[name] = memory.answer(now, answer)


def _fire(gone: Deferred[None]) -> None:
    if not gone.called:
        gone.callback(None)


class HoldingItemProcessor(ItemPipelineManager):
    """Scrapy's item processor, which lets all items go that still wait before the pipelines close."""

    @guarded("letting held items go", ItemPipelineManager.close_spider_async)
    async def close_spider_async(self) -> None:
        """Let the items go, then close the pipelines."""
        middleware = self.crawler and self.crawler.get_spider_middleware(HoldMiddleware)
        try:
            if middleware:
                await middleware.release_all()
        finally:
            await super().close_spider_async()
