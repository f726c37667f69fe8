"""The downloader middlewares: one learns from every page, one moves template links of foreign schedulers.

What is learned from is what the spider gets: other middlewares may make the HTML, or replace the request.
"""

from __future__ import annotations

from scrapy import Request
from scrapy.exceptions import NotConfigured
from scrapy.http import Response

from templcrawl.algorithms.page_kinds.kinds import LEAST_CONFIDENCE
from templcrawl.crawl.extension import Component, TemplateMemory
from templcrawl.crawl.link_order import mark_of
from templcrawl.crawl.priority_queue import has_our_queue
from templcrawl.crawl.setting_values import PREFIX, confidences
from templcrawl.crawl.settings import QUEUE_SETTINGS
from templcrawl.errors import InvalidOption
from templcrawl.guard import guarded
from templcrawl.outputs.answers import META_KEY

_OF_QUEUES = (*QUEUE_SETTINGS, "CONCURRENT_REQUESTS_PER_IP")


class ObserveMiddleware(Component):
    """Learns from every HTML page that the spider gets; the response goes on as it is.

    Near 545: requests come after all that may refuse them.  A response is read when it has reached the
    engine, so it is what all other middlewares have made of it.
    """

    def __init__(self, extension: TemplateMemory) -> None:
        """Take the parts of the crawl.

        Raises InvalidOption for a callback that the spider has not, and for a wrong ``least_confidence``.
        """
        super().__init__(extension)
        callbacks = self._settings.page_kinds
        for name in callbacks.values():
            if not callable(getattr(self.crawler.spider, name, None)):
                accepted = f"names of methods that the spider has; it has no method {name!r}"
                raise InvalidOption(f"{PREFIX}PAGE_KINDS", dict(callbacks), accepted)
        own = confidences(getattr(self.crawler.spider, "least_confidence", {}))
        self._least_confidence = {**LEAST_CONFIDENCE, **own}
        extension.on_received.append(self.read)

    @guarded("counting a request")
    def process_request(self, request: Request) -> None:
        """Count a request that has waited."""
        if self._extension.recrawl is not None:
            self._extension.recrawl.ask(request)
        if mark_of(request).get("step", 0) < 0:
            self._stats.inc_value("templcrawl/links/waited")

    @guarded("reading", lambda middleware, request, response: response)
    def process_response(self, request: Request, response: Response) -> Response:
        """Read a page early where its kind chooses its callback: other middlewares may go by that.

        Raises IgnoreRequest for a page that has not been modified since an earlier crawl.
        """
        if self._extension.recrawl is not None:
            self._extension.recrawl.refuse_unchanged(request, response)
        if self._settings.page_kinds:
            self.read(request, response)
        return response

    @guarded("reading")
    def read(self, request: Request, response: Response) -> None:
        """Learn from a page, unless that was done before, and choose its callback if its kind is sure."""
        observation = self._extension.read(request, response)
        kind = observation.kind if observation is not None else None
        if kind is not None and kind.confidence >= self._least_confidence.get(kind.name, 0.0):
            name = self._settings.page_kinds.get(kind.name)
            if name is not None and request.callback is None:
                request.callback = getattr(self.crawler.spider, name)


class RequeueMiddleware(Component):
    """Sends a queued request back to the scheduler, once, if its link has become template meanwhile.

    For schedulers that do not use our priority queues.  Near 60: after the offsite check, before
    robots.txt, cache and delays.  The request passes the dupefilter by on its way back, which is
    undone when it returns.
    """

    def __init__(self, extension: TemplateMemory) -> None:
        """Take the parts of the crawl; raises NotConfigured where the queues themselves judge again."""
        super().__init__(extension)
        if self._settings.order == "off" or has_our_queue(self.crawler.settings):
            raise NotConfigured
        settings = self.crawler.settings
        named = [f"{name} is {settings[name]}" for name in _OF_QUEUES if settings.getpriority(name)]
        self._log.info(
            "templcrawl does not replace the queue (%s), and orders links by changing their priority",
            ", ".join(named) or "the job was begun with it",
        )
        if self._settings.stop:
            self._log.error("TEMPLCRAWL_STOP has no effect: the queue is not templcrawl's")

    @guarded("judging again")
    def process_request(self, request: Request) -> Request | None:
        """Return the request to have it queued again, None to let it go on."""
        mark = mark_of(request)
        if mark.get("requeued"):
            request.dont_filter = False
            request.meta[META_KEY] = {name: value for name, value in mark.items() if name != "requeued"}
            return None
        again = request.copy()
        if not self._extension.link_order.lower(again):
            return None
        self._stats.inc_value("templcrawl/demoted/requeue")
        if not again.dont_filter:
            again.dont_filter = True
            again.meta[META_KEY] = {**mark_of(again), "requeued": True}
        return again
