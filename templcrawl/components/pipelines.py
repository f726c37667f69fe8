"""Item pipelines: strip HTML that items themselves carry, and drop items that nearly repeat another.

A pipeline never sees a response; what it needs must be in the item.  Both are off until a setting or
the project switches them on, since they change or drop the user's own items.
"""

from __future__ import annotations

from typing import Any

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem, NotConfigured

from templcrawl.algorithms.shingles import combine, sketch, term_hashes
from templcrawl.components.extension import TemplateMemory
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.memory.known_texts import KnownTexts
from templcrawl.page.page import Page


class StripFieldsPipeline:
    """Strips the template from HTML fields of items, by what earlier items of their host have in common.

    ``TEMPLCRAWL_STRIP_FIELDS`` names the fields.  Items of one host (``TEMPLCRAWL_URL_FIELD``) share a
    memory of their own, apart from the crawl's, and each field another.
    """

    def __init__(self, memory: TemplateMemory) -> None:
        self._memory = memory
        settings = memory.settings
        if not settings.strip_fields:
            raise NotConfigured
        self._known = {name: CrawlMemory(settings.memory) for name in settings.strip_fields}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> StripFieldsPipeline:
        """Attach to the crawl; raises NotConfigured while no field is named."""
        return cls(TemplateMemory.of(crawler))

    async def process_item(self, item: Any) -> Any:
        """Return the item with its HTML fields stripped."""
        adapter = ItemAdapter(item)
        url = str(adapter.get(self._memory.settings.url_field) or "")
        for name, known in self._known.items():
            html = adapter.get(name)
            if isinstance(html, str) and html:
                with self._memory.surviving(f"stripping the field {name} of", url):
                    page = Page(html, url, self._memory.settings.memory.limits)
                    adapter[name] = known.observe(page).content_html
                    self._memory.stats.inc_value("templcrawl/fields/stripped")
        return item


class NearDuplicatesPipeline:
    """Drops items whose stripped text nearly repeats that of an earlier item.

    On with ``TEMPLCRAWL_DROP_NEAR_DUPLICATES = True``.  Items without text are never dropped.
    """

    def __init__(self, memory: TemplateMemory) -> None:
        self._memory = memory
        settings = memory.settings
        if not settings.drop_near_duplicates or "content_text" not in settings.item_fields:
            raise NotConfigured
        self._field = settings.item_fields["content_text"]
        self._texts = KnownTexts(limit=settings.memory.max_sketches)
        self._items = 0

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> NearDuplicatesPipeline:
        """Attach to the crawl; raises NotConfigured while the setting is off."""
        return cls(TemplateMemory.of(crawler))

    async def process_item(self, item: Any) -> Any:
        """Return the item, or raise DropItem if it nearly repeats another."""
        adapter = ItemAdapter(item)
        text = adapter.get(self._field)
        url = str(adapter.get(self._memory.settings.url_field) or "")
        repeats = None
        if isinstance(text, str) and text:
            with self._memory.surviving("comparing the text of", url):
                found = sketch(combine(term_hashes(text.split())))
                self._items += 1
                repeats = self._texts.near_duplicate(self._items, found)
                if repeats is None:
                    self._texts.add(self._items, found)
        if repeats is not None:
            self._memory.stats.inc_value("templcrawl/items/near_duplicates")
            raise DropItem(f"its text nearly repeats that of an earlier item: {url}", log_level="DEBUG")
        return item
