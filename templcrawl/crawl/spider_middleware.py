"""The spider middlewares: one adds answers about their page to items, and a step in the queue to requests;
the other, of ``TEMPLCRAWL_TARGETS``, fetches the example pages first.

Only fields that the project names in ``TEMPLCRAWL_ITEM_FIELDS`` are filled: in any dict, and in an item of a
class that declares them.

Each example is asked for before the spider's own start requests, and only learned from: pages of its leaf are
wanted from then on.  The spider does not see it.  These requests pass the dupefilter by and leave no trace in
it: the crawl fetches the page again where it finds its link, and yields its items then.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from typing import Any
from weakref import WeakKeyDictionary

from itemadapter import ItemAdapter
from scrapy import Request, Spider
from scrapy.http import Response
from twisted.python.failure import Failure

from templcrawl.crawl.extension import Component, TemplateMemory
from templcrawl.crawl.link_order import mark_link
from templcrawl.crawl.priority_queue import has_our_queue
from templcrawl.crawl.response_page import why_unread
from templcrawl.crawl.settings import QUEUE_SETTINGS
from templcrawl.guard import PassingOn, guarded
from templcrawl.memory.observation import Observation
from templcrawl.outputs.items import field_value

_EMPTY = (None, "")
_OF_QUEUES = (*QUEUE_SETTINGS, "CONCURRENT_REQUESTS_PER_IP")
_EXAMPLES_FIRST = 1_000_000  # priority of the request for an example, above those of the project


class TemplateSpiderMiddleware(PassingOn, Component):
    """Near 950: nearest to the spider, the only place that sees an item and its response together."""

    def __init__(self, extension: TemplateMemory) -> None:
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
        observation, recrawl = self._extension.observation_of(response), self._extension.recrawl
        parent = None
        if recrawl is not None and isinstance(output, Request):
            parent = recrawl.note_link(output, response, observation)
        if observation is None:
            why = why_unread(response)
            level = logging.DEBUG if why and isinstance(output, Request) else logging.INFO
            why = why or "ObserveMiddleware is switched off or has failed"
            self._log.once(
                level,
                (why, level),
                "templcrawl does not read %s, because %s (logged once for each reason)",
                response.url,
                why,
            )
        elif not isinstance(output, Request):
            if self._drops_items:
                self._extension.item_pages.add(output, observation)
            if self._fields and ItemAdapter.is_item(output):
                self._fill(output, observation)
        elif self._settings.order != "off":
            mark_link(output, observation.page.host, parent)
            if not self._has_our_queues:
                self._extension.link_order.give_step(output)

    def end_of(self, response: Response) -> None:
        """Note that all links of a page were seen."""
        if self._extension.recrawl is not None:
            self._extension.recrawl.end_links(response)

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


class TargetExamplesMiddleware(Component):
    """Near 940: behind the middleware that marks links, since its requests are none."""

    asked_by = "target_pages"

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Yield a request for each example, then the spider's own."""
        for example in self._examples():
            yield example
        async for asked in start:
            yield asked

    def process_start_requests(self, start_requests: Iterable[Any], spider: Spider) -> Iterator[Any]:
        """Do the same before Scrapy 2.16, where a middleware of the project has this method alone."""
        yield from self._examples()
        yield from start_requests

    def _examples(self) -> Iterator[Request]:
        for url in self._settings.target_pages:
            yield Request(
                url,
                callback=self._learn,
                errback=self._report_failure,
                dont_filter=True,
                priority=_EXAMPLES_FIRST,
                meta={"handle_httpstatus_all": True},
            )

    @guarded("learning from the example")
    def _learn(self, response: Response) -> None:
        observation = self._extension.observation_of(response)
        if observation is None:
            self._report(response.url, f"it is no page (status {response.status})")
            return
        self._memory.add_target(observation)
        self._stats.inc_value("templcrawl/targets/examples")

    @guarded("reporting an example that was not read")
    def _report_failure(self, failure: Failure) -> None:
        self._report(failure.request.url, failure.getErrorMessage())  # type: ignore[attr-defined]

    def _report(self, url: str, reason: str) -> None:
        self._stats.inc_value("templcrawl/targets/unread")
        self._log.warning(
            "The example %s of TEMPLCRAWL_TARGETS cannot be read (%s): pages like it do not go first",
            url,
            reason,
        )
