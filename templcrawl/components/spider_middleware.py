"""The spider middleware: items gain what was found of their page, requests gain their place in the queue."""

from __future__ import annotations

import logging
from typing import Any

from itemadapter import ItemAdapter
from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.spidermiddlewares.base import BaseSpiderMiddleware

from templcrawl.components.extension import TemplateMemory
from templcrawl.components.marks import QueueMark
from templcrawl.components.priority_queues import queues_place
from templcrawl.page.separation import Separation

logger = logging.getLogger(__name__)


class TemplateSpiderMiddleware(BaseSpiderMiddleware):
    """Near 950: nearest to the spider, the only place that sees an item and its response together."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._memory = TemplateMemory.of(crawler)
        self._fields = self._memory.settings.item_fields
        self._warned: set[type] = set()
        self._queues_place = queues_place(crawler.settings)

    def get_processed_request(self, request: Request, response: Response | None) -> Request:
        """Mark a link with the site that it was found on; start requests stay as they are.

        Our queues give it its place, after the dupefilter; for any other it has its place from here.
        """
        separation = self._memory.separation_of(response) if response is not None else None
        if separation is not None and self._memory.orders_links:
            QueueMark(request.url, separation.page.host, 0).put(request)
            if not self._queues_place:
                with self._memory.surviving("judging", request.url):
                    self._memory.place(request)
        return request

    def get_processed_item(self, item: Any, response: Response | None) -> Any:
        """Put the separation of its page into an item that has room for it."""
        separation = self._memory.separation_of(response) if response is not None else None
        if separation is not None and self._fields and ItemAdapter.is_item(item):
            with self._memory.surviving("stripping an item of", separation.page.url):
                self._fill(item, separation)
        return item

    def _fill(self, item: Any, separation: Separation) -> None:
        """Fill the fields that are missing or empty; what the spider has set stays."""
        adapter = ItemAdapter(item)
        declared = ItemAdapter.get_field_names_from_class(type(item))
        targets = {
            answer: name for answer, name in self._fields.items() if declared is None or name in declared
        }
        try:
            for answer, name in targets.items():
                if adapter.get(name) in (None, ""):
                    adapter[name] = self._memory.answer(separation, answer)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            self._report_left_as_is(type(item), f"its fields cannot be set ({error})")
            return
        if targets:
            self._memory.stats.inc_value("templcrawl/items/stripped")
        else:
            wanted = ", ".join(self._fields.values())
            self._report_left_as_is(type(item), f"it has none of the fields {wanted}")

    def _report_left_as_is(self, item_class: type, why: str) -> None:
        """Count an item that gained nothing, and say it once for its class."""
        self._memory.stats.inc_value("templcrawl/items/left_as_is")
        if item_class not in self._warned:
            self._warned.add(item_class)
            logger.info(
                "templcrawl leaves items of %(item_class)s as they are: %(why)s "
                "(said once; see the setting TEMPLCRAWL_ITEM_FIELDS)",
                {"item_class": item_class.__qualname__, "why": why},
                extra={"spider": self.crawler.spider},
            )
