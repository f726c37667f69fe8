"""Scrapy's two priority queues, with two habits added.

- A request is given its place when it enters the queue, and judged again when it leaves: if its link would
  get a lower place by now, it goes back in there.  It does not pass the dupefilter again.
- A new site starts slowly: while few of its pages have come back, one request is in flight.

Only requests that a page led to bear a mark and are judged; start requests never are.  At most
``_MOST`` requests are moved back in one ``pop``, since it runs on the event loop; an answer of
``None`` while requests wait is allowed by Scrapy's scheduler, which asks again after each response.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.core.scheduler import Scheduler
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.pqueues import DownloaderAwarePriorityQueue, ScrapyPriorityQueue
from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object

from templcrawl.components.extension import TemplateMemory

if TYPE_CHECKING:
    _Base = ScrapyPriorityQueue
else:
    _Base = object

_MOST = 100


class JudgesAgain(_Base):
    """Mixin over a priority queue whose ``push`` places requests and whose ``pop`` judges them again.

    Without the crawl's memory the queue is Scrapy's own.
    """

    def __init__(self, crawler: Crawler, *args: Any, **kwargs: Any) -> None:
        super().__init__(crawler, *args, **kwargs)
        self._memory: TemplateMemory | None = None
        with suppress(NotConfigured):
            self._memory = TemplateMemory.of(crawler)

    def push(self, request: Request) -> None:
        """Queue a request at its place."""
        if self._memory is not None:
            with self._memory.surviving("judging", request.url):
                self._memory.place(request)
        super().push(request)

    def pop(self) -> Request | None:
        """Return the next request that need not wait longer."""
        request = super().pop()
        for _ in range(_MOST):
            if request is None or not self._send_back(request):
                break
            request = super().pop()
        return request

    def _send_back(self, request: Request) -> bool:
        """Push a request again if its link has become template; a request that cannot be pushed is kept."""
        memory = self._memory
        if memory is None:
            return False
        with memory.surviving("judging again", request.url):
            if memory.place_again(request):
                self.push(request)
                memory.stats.inc_value("templcrawl/demoted/pop")
                return True
        return False

    def _holds(self, slot: str) -> bool:
        """Say whether a slot still starts slowly and has enough in flight."""
        engine = self.crawler.engine
        if self._memory is None or engine is None or not self._memory.slow_start.is_on(slot):
            return False
        downloader = engine.downloader
        active = sum(1 for request in downloader.active if downloader.get_slot_key(request) == slot)
        return self._memory.slow_start.holds(slot, active)


class TemplatePriorityQueue(JudgesAgain, ScrapyPriorityQueue):
    """Scrapy's strict priority queue over all hosts; the next request waits while its site starts slowly."""

    def pop(self) -> Request | None:
        """Return the next request, None while it has to wait for others of its site."""
        following = None
        with suppress(KeyError, NotImplementedError, AttributeError):
            following = self.peek()
        engine = self.crawler.engine
        if following and engine and self._holds(engine.downloader.get_slot_key(following)):
            return None
        return super().pop()


class TemplateDownloaderAwarePriorityQueue(JudgesAgain, DownloaderAwarePriorityQueue):  # type: ignore[misc]
    """Scrapy's default queue, fair between slots; slots that start slowly are passed over."""

    def pop(self) -> Request | None:
        """Return the next request of the slots that need not wait."""
        held = [slot for slot in self.pqueues if self._holds(slot)]
        hidden = {slot: self.pqueues.pop(slot) for slot in held}
        try:
            return super().pop()
        finally:
            self.pqueues.update(hidden)


REPLACEMENTS: dict[type, type] = {
    ScrapyPriorityQueue: TemplatePriorityQueue,
    DownloaderAwarePriorityQueue: TemplateDownloaderAwarePriorityQueue,
}
"""Scrapy's own queue -> the same with these habits."""


def queues_place(settings: BaseSettings) -> bool:
    """Say whether the scheduler of these settings uses one of our priority queues."""
    return issubclass(load_object(settings["SCHEDULER"]), Scheduler) and issubclass(
        load_object(settings["SCHEDULER_PRIORITY_QUEUE"]), JudgesAgain
    )
