"""The downloader middlewares: one learns from every page, one moves template links of foreign schedulers."""

from __future__ import annotations

import logging

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import HtmlResponse, Response
from scrapy.http.request import NO_CALLBACK

from templcrawl.crawl.extension import TemplateMemory
from templcrawl.crawl.link_order import QueueMark, plain_mark
from templcrawl.crawl.priority_queues import has_our_queues
from templcrawl.crawl.setting_values import PREFIX
from templcrawl.errors import InvalidOption
from templcrawl.guard import guarded, starting
from templcrawl.memory.observation import Observation

logger = logging.getLogger(__name__)


class ObserveMiddleware:
    """Learns from every HTML page as it arrives; the response goes on as it is.

    Near 545: after redirects, retries and decompression, before anything of the spider's.
    """

    def __init__(self, memory: TemplateMemory) -> None:
        self._memory = memory
        self.crawler = memory.crawler

    @classmethod
    @starting
    def from_crawler(cls, crawler: Crawler) -> ObserveMiddleware:
        """Attach to the crawl's memory; raises NotConfigured without it, InvalidOption for a callback."""
        memory = TemplateMemory.of(crawler)
        for name in memory.settings.page_kinds.values():
            if not callable(getattr(crawler.spider, name, None)):
                accepted = "names of methods that the spider has"
                raise InvalidOption(f"{PREFIX}PAGE_KINDS", dict(memory.settings.page_kinds), accepted)
        return cls(memory)

    @guarded("counting a request", lambda middleware, request: None)
    def process_request(self, request: Request) -> None:
        """Count a request that has waited; fetch what other workers have learned of its site."""
        self._memory.prefetch(request)
        mark = plain_mark(request)
        if mark is not None and mark.get("step", 0) < 0:
            self._memory.stats.inc_value("templcrawl/links/waited")

    @guarded("reading a page", lambda middleware, request, response: response)
    def process_response(self, request: Request, response: Response) -> Response:
        """Learn from a page."""
        if (
            isinstance(response, HtmlResponse)
            and 200 <= response.status < 300
            and request.callback is not NO_CALLBACK
        ):
            with self._memory.surviving("reading", response.url):
                observation = self._memory.observe(request, response)
                self._route(request, observation)
        return response

    def _route(self, request: Request, observation: Observation) -> None:
        """Let the callback of its kind get a page, where its request names none."""
        name = self._memory.settings.page_kinds.get(observation.page_kind or "")
        if name is not None and request.callback is None:
            request.callback = getattr(self.crawler.spider, name)


class RequeueMiddleware:
    """Sends a queued request back to the scheduler, once, if its link has become template meanwhile.

    For schedulers that do not use our priority queues.  Near 60: after the offsite check, before
    robots.txt, cache and delays.  The request passes the dupefilter by on its way back, which is
    undone when it returns.
    """

    def __init__(self, memory: TemplateMemory) -> None:
        self._memory = memory
        self.crawler = memory.crawler

    @classmethod
    @starting
    def from_crawler(cls, crawler: Crawler) -> RequeueMiddleware:
        """Attach to the crawl's memory; raises NotConfigured where the queues themselves judge again."""
        memory = TemplateMemory.of(crawler)
        if not memory.orders_links or has_our_queues(crawler.settings):
            raise NotConfigured
        if memory.settings.stop:
            logger.error("TEMPLCRAWL_STOP stops no site: SCHEDULER_PRIORITY_QUEUE is not templcrawl's")
        return cls(memory)

    @guarded("judging a request again", lambda middleware, request: None)
    def process_request(self, request: Request) -> Request | None:
        """Return the request to have it queued again, None to let it go on."""
        mark = QueueMark.of(request)
        if mark is None or not mark.requeued:
            return self._send_back(request)
        request.dont_filter = False
        mark._replace(requeued=False).put(request)
        return None

    def _send_back(self, request: Request) -> Request | None:
        again = request.copy()
        if not self._memory.link_order.lower(again):
            return None
        self._memory.stats.inc_value("templcrawl/demoted/requeue")
        mark = QueueMark.of(again)
        if mark is not None and not again.dont_filter:
            again.dont_filter = True
            mark._replace(requeued=True).put(again)
        return again
