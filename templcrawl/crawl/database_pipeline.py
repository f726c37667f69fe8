"""The item pipeline that stores every item in a database.

::

    TEMPLCRAWL_DATABASE = "sqlite:///pages.sqlite"  # or "postgresql://user:password@host/database"

Each item is written to an outbox at once (:mod:`templcrawl.outputs.outbox`): no database slows a crawl.  What
is wrong in the setting keeps a crawl from starting; a server that is away at the start does not.

Stats, below ``templcrawl/database/``: ``stored``, ``duplicates`` (ignored), ``refused`` (items that the
database does not take), ``errors`` (batches that failed, and items without a JSON form), ``waiting`` (items
that are left in the outbox at the close) and ``lost``.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import create_looping_call

from templcrawl.crawl.extension import TemplateMemory
from templcrawl.crawl.settings import TemplcrawlSettings
from templcrawl.guard import GuardedStats, Surviving, guarded, starting
from templcrawl.outputs.item_databases import item_database
from templcrawl.outputs.items import json_text
from templcrawl.outputs.outbox import Outbox

if TYPE_CHECKING:
    from typing_extensions import Self

logger = logging.getLogger(__name__)

_SECONDS = 1.0  # between two commits of the outbox


class DatabasePipeline:
    """Stores items in the database that ``TEMPLCRAWL_DATABASE`` names."""

    _outbox: Outbox | None = None

    def __init__(self, crawler: Crawler, url: str) -> None:
        """Connect once; raises InvalidOption, MissingExtra."""
        self.crawler = crawler
        self._database = item_database(url)
        error = self._database.check()
        self._database.close()
        if error is not None:
            logger.warning("%s is not available now, and its items wait: %s", self._database.name, error)

    @classmethod
    @starting
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build the pipeline; raises NotConfigured where the settings name no database, InvalidOption."""
        url = TemplcrawlSettings.from_settings(crawler.settings).database
        if url is None:
            raise NotConfigured
        return cls(crawler, url)

    @guarded("opening the outbox")
    def open_spider(self) -> None:
        """Begin to store items, with those that an earlier crawl has left."""
        job = None
        with suppress(NotConfigured):
            job = TemplateMemory.of(self.crawler).job
        self._outbox = Outbox(self._database, job.file if job is not None else None, self._count)
        self._commits = create_looping_call(self._commit)
        self._commits.start(_SECONDS, now=False)

    @guarded("storing an item", lambda pipeline, item: item)
    def process_item(self, item: Any) -> Any:
        """Write ``item`` to the outbox, and hand it on as it is."""
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
            with Surviving(self.crawler, "writing the outbox"):
                self._outbox.commit()

    def _count(self, stat: str, number: int) -> None:
        if number:
            GuardedStats(self.crawler).inc_value(f"templcrawl/database/{stat}", number)
