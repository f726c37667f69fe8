"""The middlewares: they read a page early, add answers about their page to items, and steps to requests.

Pages are read by the extension, when they have reached the engine.  Only fields that the project names in
``TEMPLCRAWL_ITEM_FIELDS`` are filled: in any dict, and in an item of a class that declares them.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any
from weakref import WeakKeyDictionary

from itemadapter import ItemAdapter
from scrapy import Request
from scrapy.http import Response

from templcrawl.crawl.extension import Component, CrawlExtension
from templcrawl.crawl.frontier.priority_queue import has_our_queue
from templcrawl.crawl.mark import mark_link, mark_of
from templcrawl.crawl.response_page import why_unread
from templcrawl.crawl.waiting import QUEUE_SETTINGS
from templcrawl.guard import guarded
from templcrawl.memory.observation import Observation
from templcrawl.outputs.item_values import field_value
from templcrawl.scrapy_compat import OutputObserver

_EMPTY = (None, "")
_OF_QUEUES = (*QUEUE_SETTINGS, "CONCURRENT_REQUESTS_PER_IP")


class ObserveMiddleware(Component):
    """Near position 545: after every middleware that may refuse a request; responses pass unchanged."""

    @guarded("counting a request")
    def process_request(self, request: Request) -> None:
        """Count a request that has waited."""
        if mark_of(request).get("step", 0) < 0:
            self._stats.inc_value("templcrawl/links/waited")

    @guarded("reading", lambda middleware, request, response: response)
    def process_response(self, request: Request, response: Response) -> Response:
        """Read the page early if a part of the crawl asks for that."""
        self._extension.receive_early(response, request)
        return response


class TemplateSpiderMiddleware(OutputObserver, Component):
    """Near position 950, next to the spider: the only place that sees an item with its response."""

    def __init__(self, extension: CrawlExtension) -> None:
        super().__init__(extension)
        self._fields = self._settings.item_fields
        self._drops_items = self._settings.skip_unchanged or self._settings.drop_near_duplicates
        self._filled: WeakKeyDictionary[Observation, int] = WeakKeyDictionary()
        self._has_our_queues = has_our_queue(self.crawler.settings)
        if self._settings.order != "off" and not self._has_our_queues:
            self._report_queue()

    def _report_queue(self) -> None:
        settings = self.crawler.settings
        named = [f"{name} is {settings[name]}" for name in _OF_QUEUES if settings.getpriority(name)]
        self._log.info(
            "templcrawl does not replace the queue (%s), and orders links by changing their priority",
            ", ".join(named) or "the job was begun with it",
        )
        if self._settings.stop:
            self._log.error("TEMPLCRAWL_STOP has no effect: the queue is not templcrawl's")

    @guarded("marking a request or filling an item")
    def look_at(self, output: Any, response: Response) -> None:
        """Mark the links of a page that was observed, and fill its items.

        Our queues give a link its step, after the dupefilter; for any other it has its step from here.  A
        page that is asked for again keeps the step that it had.
        """
        observation = self._extension.observation_of(response)
        if observation is None:
            why = why_unread(response)
            level = logging.DEBUG if why and isinstance(output, Request) else logging.INFO
            why = why or "reading it has failed"
            self._log.once(
                level,
                (why, level),
                "templcrawl does not read %s, because %s (logged once for each reason)",
                response.url,
                why,
            )
        elif not isinstance(output, Request):
            if self._drops_items:
                self._extension.item_pages.note(output, observation)
            if self._fields and ItemAdapter.is_item(output):
                self._fill(output, observation)
        elif self._settings.order != "off":
            mark_link(output, observation.page.host)
            if not self._has_our_queues:
                self._extension.link_order.give_step(output)

    def _fill(self, item: Any, observation: Observation) -> None:
        adapter = ItemAdapter(item)
        targets = self._targets(item, adapter)
        answers = {name: self._extension.answer(observation, answer) for answer, name in targets.items()}
        if not answers:
            return
        try:
            for name, value in answers.items():
                adapter[name] = value
        except Exception as error:  # the item's own: it takes no such field
            self._report_unchanged(type(item), f"its fields cannot be set ({error})")
        else:
            self._stats.inc_value("templcrawl/items/stripped")
        self._filled[observation] = self._filled.get(observation, 0) + 1
        if self._filled[observation] == 2:
            self._log.once(
                logging.INFO,
                "several",
                "The page %s yields several items, and each of them gets the text of the whole page (logged "
                "once; see the setting TEMPLCRAWL_ITEM_FIELDS)",
                observation.page.url,
            )

    def _targets(self, item: Any, adapter: ItemAdapter) -> Mapping[str, str]:
        """Return answer -> field, of the fields that an item has room for and that are empty."""
        declared = ItemAdapter.get_field_names_from_class(type(item))
        targets = {k: name for k, name in self._fields.items() if declared is None or name in declared}
        if not targets:
            self._report_unchanged(
                type(item), f"the class declares none of the fields {', '.join(self._fields.values())}"
            )
        return {answer: name for answer, name in targets.items() if field_value(adapter, name) in _EMPTY}

    def _report_unchanged(self, item_class: type, why: str) -> None:
        self._stats.inc_value("templcrawl/items/left_as_is")
        self._log.once(
            logging.WARNING,
            item_class,
            "Items of %s gain nothing from TEMPLCRAWL_ITEM_FIELDS: %s (logged once)",
            item_class.__qualname__,
            why,
        )
