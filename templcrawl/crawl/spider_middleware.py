"""The spider middleware: it adds answers about their page to items, and a step in the queue to requests.

Only fields that the project names in ``TEMPLCRAWL_ITEM_FIELDS`` are filled: in any dict, and in an item of a
class that declares them.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

from itemadapter import ItemAdapter
from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from templcrawl.crawl.extension import AnswerValue, TemplateMemory
from templcrawl.crawl.link_order import QueueMark
from templcrawl.crawl.priority_queues import has_our_queues
from templcrawl.guard import each_output, guarded, starting
from templcrawl.memory.observation import Observation

logger = logging.getLogger(__name__)

_EMPTY = (None, "")


class TemplateSpiderMiddleware:
    """Near 950: nearest to the spider, the only place that sees an item and its response together."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self._memory = TemplateMemory.of(crawler)
        self._fields = self._memory.settings.item_fields
        self._logged: set[object] = set()
        self._filled: WeakKeyDictionary[Observation, int] = WeakKeyDictionary()
        self._orders_links = self._memory.orders_links
        self._has_our_queues = has_our_queues(crawler.settings)

    @classmethod
    @starting
    def from_crawler(cls, crawler: Crawler) -> TemplateSpiderMiddleware:
        """Attach to the crawl's memory; raises NotConfigured without it."""
        return cls(crawler)

    @each_output("marking a request")
    def process_spider_output(self, response: Response) -> Callable[[Any], None] | None:
        """Mark the links of a page that was observed, and fill its items."""
        observation = self._memory.observation_of(response)
        return partial(self._add, observation) if observation is not None else None

    def _add(self, observation: Observation, output: Any) -> None:
        """Mark a link with the site that it was found on, or fill an item.

        Our queues give the link its step, after the dupefilter; for any other it has its step from here.  A
        page that is asked for again keeps the step that it had.
        """
        if not isinstance(output, Request):
            if self._fields and ItemAdapter.is_item(output):
                self.fill_item(output, observation)
        elif self._orders_links:
            QueueMark.put_new(output, observation.page.host)
            if not self._has_our_queues:
                self._memory.link_order.give_step(output)

    @guarded("filling an item", lambda middleware, item, observation: None)
    def fill_item(self, item: Any, observation: Observation) -> None:
        """Put the observation of its page into an item."""
        adapter = ItemAdapter(item)
        targets = self._targets(item, adapter)
        answers = {name: self._memory.answer(observation, answer) for answer, name in targets.items()}
        self._fill(adapter, answers)
        if answers:
            self._count_filled(observation)

    def _targets(self, item: Any, adapter: ItemAdapter) -> Mapping[str, str]:
        """Return answer -> field, of the fields that an item has room for and that are empty."""
        declared = ItemAdapter.get_field_names_from_class(type(item))
        targets = {k: name for k, name in self._fields.items() if declared is None or name in declared}
        if not targets:
            self._report_unchanged(
                type(item), f"it has none of the fields {', '.join(self._fields.values())}"
            )
        return {answer: name for answer, name in targets.items() if adapter.get(name) in _EMPTY}

    def _fill(self, adapter: ItemAdapter, answers: Mapping[str, AnswerValue]) -> None:
        """Set fields of an item."""
        try:
            for name, value in answers.items():
                adapter[name] = value
        except Exception as error:  # the item's own: it takes no such field
            self._report_unchanged(type(adapter.item), f"its fields cannot be set ({error})")
        else:
            if answers:
                self._memory.stats.inc_value("templcrawl/items/stripped")

    def _count_filled(self, observation: Observation) -> None:
        """Log once that a page yields several items that are filled."""
        self._filled[observation] = self._filled.get(observation, 0) + 1
        if self._filled[observation] == 2:
            self._log_once(
                "several",
                "templcrawl puts the text of %(url)s into each of the several items that the page yields "
                "(logged once; see the setting TEMPLCRAWL_ITEM_FIELDS)",
                {"url": observation.page.url},
            )

    def _report_unchanged(self, item_class: type, why: str) -> None:
        """Count an item that gained nothing, and log it once for its class."""
        self._memory.stats.inc_value("templcrawl/items/left_as_is")
        self._log_once(
            item_class,
            "templcrawl leaves items of %(item_class)s as they are: %(why)s "
            "(logged once; see the setting TEMPLCRAWL_ITEM_FIELDS)",
            {"item_class": item_class.__qualname__, "why": why},
        )

    def _log_once(self, about: object, message: str, arguments: Mapping[str, str]) -> None:
        if about not in self._logged:
            self._logged.add(about)
            logger.info(message, arguments, extra={"spider": self.crawler.spider})
