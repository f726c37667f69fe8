"""The downloader middleware, which learns from every page.

What is learned from is what the spider gets: other middlewares may make the HTML, or replace the request.
"""

from __future__ import annotations

from scrapy import Request
from scrapy.http import Response

from templcrawl.algorithms.page_kinds.kinds import LEAST_CONFIDENCE
from templcrawl.crawl.extension import Component, TemplateMemory
from templcrawl.crawl.link_order import mark_of
from templcrawl.crawl.setting_values import PREFIX, confidences
from templcrawl.errors import InvalidOption
from templcrawl.guard import guarded


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
