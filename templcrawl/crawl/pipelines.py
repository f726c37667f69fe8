"""Item pipelines: strip HTML that items carry, drop items of pages that repeat another or have not changed,
store every item in a database.

A pipeline never sees a response; what it needs must be in the item.  All are off until a setting or
the project switches them on, since they change or drop the user's own items.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem, NotConfigured
from scrapy.utils.asyncio import create_looping_call

from templcrawl.crawl.claims import filled_in
from templcrawl.crawl.extension import Component, CrawlExtension
from templcrawl.crawl.setting_values import PREFIX, switch
from templcrawl.crawl.settings import TemplcrawlSettings
from templcrawl.errors import InvalidOption, suggestion
from templcrawl.guard import LogErrors, guarded, starting
from templcrawl.log import GuardedStats
from templcrawl.memory.change_kinds import SAME, TEMPLATE_ONLY
from templcrawl.memory.crawl_memory import CrawlMemory
from templcrawl.outputs.item_databases import item_database
from templcrawl.outputs.item_values import field_value, json_text
from templcrawl.outputs.outbox import Outbox
from templcrawl.page.page import Page

if TYPE_CHECKING:
    from typing_extensions import Self

logger = logging.getLogger(__name__)

_SECONDS = 1.0  # between two commits of the outbox


class StripFieldsPipeline(Component):
    """Strips the template from HTML fields of items, by what earlier items of their host have in common.

    ``TEMPLCRAWL_STRIP_FIELDS`` names the fields.  Items of one host (by their field ``url``) share a
    memory of their own, apart from the crawl's, and each field another.
    """

    asked_by = "strip_fields"

    def __init__(self, extension: CrawlExtension) -> None:
        super().__init__(extension)
        self._memories = {name: CrawlMemory(self._memory.options) for name in self._settings.strip_fields}

    @guarded("stripping fields of an item", lambda pipeline, item: item)
    async def process_item(self, item: Any) -> Any:
        """Return the item with its HTML fields stripped."""
        adapter = ItemAdapter(item)
        url = str(field_value(adapter, "url") or "")
        for name, memory in self._memories.items():
            html = field_value(adapter, name)
            if isinstance(html, str) and html:
                with LogErrors(self.crawler, f"stripping the field {name} of {url}"):
                    page = Page(html, url, memory.options.limits)
                    adapter[name] = memory.observe(page).content_html
                    self._stats.inc_value("templcrawl/fields/stripped")
        return item


class ItemPipeline(Component):
    """A pipeline that goes by an answer about the page of an item.

    It is the item field that carries the answer, where ``TEMPLCRAWL_ITEM_FIELDS`` names one.
    """

    def _answer(self, item: Any, answer: str) -> tuple[Any, str]:
        """Return an answer about the page of an item, None if it is not known, and the page's address."""
        adapter = ItemAdapter(item)
        url = str(field_value(adapter, "url") or "")
        name = self._settings.item_fields.get(answer)
        if name is not None:
            return field_value(adapter, name), url
        observation = self._extension.item_pages.get(item)
        if observation is None:
            return None, url
        return self._extension.answer(observation, answer), observation.page.url


def skipped(value: object) -> bool | str:
    """Parse which items of unchanged pages are dropped."""
    try:
        return TEMPLATE_ONLY if value == TEMPLATE_ONLY else switch(value)
    except InvalidOption as error:
        near = suggestion([value], [TEMPLATE_ONLY])
        raise InvalidOption("", value, f"True, False or {TEMPLATE_ONLY!r}{near}") from error


class SkipUnchangedPipeline(ItemPipeline):
    """Drops items of pages that have not changed since they were last read.

    ``TEMPLCRAWL_SKIP_UNCHANGED = True`` drops those of pages that are the same, which is certain;
    ``"template only"`` also those of pages whose content is, by the judgement of a detector.  Where an item
    field carries ``changed``, items without it are never dropped.
    """

    asked_by = "skip_unchanged"

    def __init__(self, extension: CrawlExtension) -> None:
        super().__init__(extension)
        self._dropped = {SAME, self._settings.skip_unchanged} - {True}

    @guarded("looking whether an item is of a page that has changed", lambda pipeline, item: item)
    async def process_item(self, item: Any) -> Any:
        """Return the item, or raise DropItem if its page has not changed."""
        changed, url = self._answer(item, "changed")
        if changed in self._dropped:
            self._stats.inc_value("templcrawl/items/unchanged")
            raise DropItem(f"its page has not changed: {url}", log_level="DEBUG")
        return item


class NearDuplicatesPipeline(ItemPipeline):
    """Drops items of pages whose content repeats an earlier page of their site, exactly or nearly.

    On with ``TEMPLCRAWL_DROP_NEAR_DUPLICATES = True``.  Where an item field carries ``near_duplicate``, items
    without it are never dropped.
    """

    asked_by = "drop_near_duplicates"

    @guarded("looking whether an item is of a page that repeats another", lambda pipeline, item: item)
    async def process_item(self, item: Any) -> Any:
        """Return the item, or raise DropItem if its page repeats another."""
        repeats, url = self._answer(item, "near_duplicate")
        if repeats is True:
            self._stats.inc_value("templcrawl/items/near_duplicates")
            raise DropItem(f"its page repeats an earlier one: {url}", log_level="DEBUG")
        return item


class DatabasePipeline:
    """Stores every item in the database that ``TEMPLCRAWL_DATABASE`` names, as a URL.

    Each item is written to an outbox at once (:mod:`templcrawl.outputs.outbox`): no database slows a crawl.
    What is wrong in the setting keeps a crawl from starting; a server that is away at the start does not.

    Stats, below ``templcrawl/database/``: ``stored``, ``duplicates`` (ignored), ``refused`` (items that the
    database does not take), ``errors`` (batches that failed, and items without a JSON form), ``waiting``
    (items that are left in the outbox at the close) and ``lost``.
    """

    _outbox: Outbox | None = None

    def __init__(self, crawler: Crawler, url: str) -> None:
        """Connect once; raises InvalidOption, MissingExtra."""
        self.crawler = crawler
        self._database = item_database(url)
        error = self._database.check()
        self._database.close()
        if error is not None:
            logger.warning(
                "%s cannot be reached, and items wait until it can: %s", self._database.name, error
            )

    @classmethod
    @starting
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build the pipeline; raises NotConfigured where the settings name no database, InvalidOption."""
        url = TemplcrawlSettings.from_settings(crawler.settings).database
        if url is None:
            raise NotConfigured
        return cls(crawler, filled_in(crawler, f"{PREFIX}DATABASE", url))

    @guarded("opening the outbox")
    def open_spider(self) -> None:
        """Begin to store items, with those that an earlier crawl has left."""
        job = None
        with suppress(NotConfigured):
            job = CrawlExtension.running_in(self.crawler).job
        self._outbox = Outbox(self._database, job.file if job is not None else None, self._count)
        self._commits = create_looping_call(self._commit)
        self._commits.start(_SECONDS, now=False)

    @guarded("storing an item", lambda pipeline, item: item)
    def process_item(self, item: Any) -> Any:
        """Write ``item`` to the outbox, and return it unchanged."""
        try:
            text = json_text(item)
        except Exception:
            logger.exception("An item of %s has no JSON form and is not stored", type(item))
            self._count("errors", 1)
            self._count("lost", 1)
            return item
        if self._outbox is not None:
            self._outbox.put(text)
        return item

    @guarded("closing a database")
    async def close_spider(self) -> None:
        """Store what is left; what the database does not take waits for the next crawl."""
        if self._outbox is not None:
            if self._commits.running:
                self._commits.stop()
            await self._outbox.close()

    def _commit(self) -> None:
        if self._outbox is not None:
            with LogErrors(self.crawler, "writing the outbox"):
                self._outbox.commit()

    def _count(self, stat: str, number: int) -> None:
        if number:
            GuardedStats(self.crawler).inc_value(f"templcrawl/database/{stat}", number)
