"""Hold back the items of a site's first pages until its templates have been learned.

A site's first pages are judged by little evidence.  With ``TEMPLCRAWL_HOLD = N`` their items are buffered
until the site has more than N pages.  Then they are filled again by the new evidence, and released in the
order in which they came.  Items that are still buffered when the crawl ends, by itself or by a signal, are
released before the item pipelines close.

The buffer has at most ``MAX_ITEMS`` items, of pages of ``MAX_CHARACTERS`` in all, and one more of each page
that Scrapy is processing.  When it is full, the items of the site that has been buffered longest are
released; if all sites are being released, the page waits (backpressure).  The same applies if the buffered
items may be the last ones before ``CLOSESPIDER_ITEMCOUNT``: Scrapy counts an item once the pipelines have
processed it.

Memory: a buffered page takes some 20 bytes a character with all that was computed of it, so 160 MB at most.

Two components: a spider middleware next to the engine, behind all others, takes items out of the
stream; the item processor lets the rest go when the spider closes.
"""

from __future__ import annotations

from collections import Counter, deque
from itertools import chain
from typing import Any, NamedTuple

from itemadapter import ItemAdapter
from scrapy import Request, signals
from scrapy.exceptions import NotConfigured
from scrapy.http import Response
from scrapy.pipelines import ItemPipelineManager
from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.misc import load_object
from twisted.internet.defer import Deferred

from templcrawl.crawl.extension import Component, TemplateMemory
from templcrawl.errors import InvalidOption
from templcrawl.guard import Surviving, Withholding, guarded
from templcrawl.memory.observation import Observation
from templcrawl.outputs.items import field_value

MAX_ITEMS = 1_000
MAX_CHARACTERS = 8_000_000


class HeldItem(NamedTuple):
    """A buffered item.

    response     what it was made of
    observation  the observation of its page at that time
    is_early     whether its site has few pages
    released     fired once it is released
    """

    item: Any
    response: Response
    observation: Observation
    is_early: bool
    released: Deferred[None]


class HoldMiddleware(Withholding, Component):
    """At 0, next to the engine: it sees items as they would go to the pipelines."""

    asked_by = "hold"

    def __init__(self, extension: TemplateMemory) -> None:
        """Take the parts of the crawl; raises InvalidOption, and NotConfigured where nothing is to wait."""
        super().__init__(extension)
        crawler = self.crawler
        self._pages = self._settings.hold
        if not self._settings.item_fields:
            raise NotConfigured
        if not issubclass(load_object(crawler.settings["ITEM_PROCESSOR"]), HoldingItemProcessor):
            raise InvalidOption(
                "TEMPLCRAWL_HOLD",
                self._pages,
                "0, or ITEM_PROCESSOR must be templcrawl.crawl.hold.HoldingItemProcessor or a subclass",
            )
        for name in ("CLOSESPIDER_PAGECOUNT_NO_ITEM", "CLOSESPIDER_TIMEOUT_NO_ITEM"):
            if crawler.settings.getint(name):
                accepted = f"0 with {name}: no item is scraped while all are held"
                raise InvalidOption("TEMPLCRAWL_HOLD", self._pages, accepted)
        self._item_limit = crawler.settings.getint("CLOSESPIDER_ITEMCOUNT")
        self._scraped = self._in_pipelines = 0
        self.held: dict[str, deque[HeldItem]] = {}  # whatever fails: what is here is released at the close
        self._buffered_items = Counter[Observation]()
        self._characters = 0  # of their pages
        self._releasing: set[str] = set()
        crawler.signals.connect(self.count_scraped, signals.item_scraped)

    def count_scraped(self) -> None:
        """Count an item that the pipelines have taken."""
        self._scraped += 1

    @guarded("holding an item of")
    def hold(self, output: Any, response: Response) -> HeldItem | None:
        """Buffer an item of a site's first pages, and those behind it; fill others by what is known now."""
        observation = self._extension.observation_of(response)
        if observation is None or isinstance(output, Request):
            return None
        host = observation.page.host
        is_early = observation.pages_known < self._pages and self._has_few_pages(host)
        held = HeldItem(output, response, observation, is_early, Deferred())
        if not is_early and host not in self.held:
            self._refill(held)
            return None
        self._keep(held)
        self.held.setdefault(host, deque()).append(held)  # last: what is here was taken out of the stream
        return held

    @guarded("releasing items")
    async def make_room(self, held: HeldItem) -> None:
        """Release items while the buffer is full, or may hold the last ones before the crawl's limit.

        Behind the first pages of a site: release its items, in their order.
        """
        if not held.is_early:
            await self._release(held.observation.page.host)
            if not held.released.called:
                await maybe_deferred_to_future(held.released)  # another call releases it
            return
        self._stats.inc_value("templcrawl/items/held")
        while items := self._buffered_items.total():
            are_last = 0 < self._item_limit <= self._scraped + self._in_pipelines + items
            if not are_last and items <= MAX_ITEMS and self._characters <= MAX_CHARACTERS:
                return
            idle_host = next((host for host in self.held if host not in self._releasing), None)
            if idle_host is not None:
                await self._release(idle_host)
            else:
                await maybe_deferred_to_future(
                    next(buffered[0].released for buffered in self.held.values() if buffered)
                )

    @guarded("releasing items")
    async def end_page(self, response: Response) -> None:
        """Release the items of a site that has enough pages."""
        observation = self._extension.observation_of(response)
        if observation is not None and not self._has_few_pages(observation.page.host):
            await self._release(observation.page.host)

    async def release_all(self) -> None:
        """Release every buffered item."""
        for host in list(self.held):
            await self._release(host)

    def _has_few_pages(self, host: str) -> bool:
        return self._memory.page_count(host) <= self._pages

    def _keep(self, held: HeldItem) -> None:
        job = self._extension.job
        if job is not None:
            kept = job.taken.keep(held.response.request)
            held.released.addBoth(lambda _: job.taken.release(kept))
        self._characters += len(held.observation.page.text) * (held.observation not in self._buffered_items)
        self._buffered_items[held.observation] += 1

    async def _release(self, host: str) -> None:
        """Release the items of a site, one after the other, unless another call does.

        Where that fails, the others wait for the next call; no page waits for them any longer.
        """
        if host not in self.held or host in self._releasing:
            return
        self._releasing.add(host)
        buffered = self.held[host]
        try:
            while buffered:
                await self._release_first(buffered)
            del self.held[host]
        finally:
            self._releasing.discard(host)
            for held in buffered:
                if not held.released.called:
                    held.released.callback(None)

    async def _release_first(self, buffered: deque[HeldItem]) -> None:
        held = buffered[0]
        self._refill(held)
        buffered.popleft()
        self._buffered_items[held.observation] -= 1
        if not self._buffered_items[held.observation]:
            del self._buffered_items[held.observation]
            self._characters -= len(held.observation.page.text)
        self._in_pipelines += 1
        try:
            await self.crawler.engine.scraper.start_itemproc_async(held.item, response=held.response)
        finally:
            self._in_pipelines -= 1
            if not held.released.called:
                held.released.callback(None)

    def _refill(self, held: HeldItem) -> None:
        """Fill the fields of an early page again, except those that were changed since."""
        item, earlier = held.item, held.observation
        if earlier.pages_known >= self._pages:
            return
        extension = self._extension
        with Surviving(self.crawler, f"judging again {earlier.page.url}"):
            adapter = ItemAdapter(item)
            reclassified = self._memory.reclassify(earlier)
            for name, field in self._settings.item_fields.items():
                value = field_value(adapter, field, default=...)
                if value is not ... and value == extension.answer(earlier, name):
                    adapter[field] = extension.answer(reclassified, name)


async def _close_plainly(processor: HoldingItemProcessor) -> None:
    crawler: Any = processor.crawler
    middleware = crawler.get_spider_middleware(HoldMiddleware)
    for held in [*chain.from_iterable(middleware.held.values())] if middleware else ():
        await crawler.engine.scraper.start_itemproc_async(held.item, response=held.response)
    await ItemPipelineManager.close_spider_async(processor)


class HoldingItemProcessor(ItemPipelineManager):
    """Scrapy's item processor, which releases all held items before the pipelines close."""

    @guarded("releasing held items", _close_plainly)
    async def close_spider_async(self) -> None:
        """Release the items, then close the pipelines."""
        middleware = self.crawler and self.crawler.get_spider_middleware(HoldMiddleware)
        if middleware:
            await middleware.release_all()
        await _close_plainly(self)
