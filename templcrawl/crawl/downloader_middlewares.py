"""The downloader middlewares, which look at requests and responses on their way.

Pages are read by the extension, when they have reached the engine.
"""

from __future__ import annotations

from scrapy import Request
from scrapy.exceptions import NotConfigured
from scrapy.http import Response

from templcrawl.crawl.extension import Component, TemplateMemory
from templcrawl.crawl.mark import mark_of
from templcrawl.guard import guarded


class ObserveMiddleware(Component):
    """Near 545: requests come after all that may refuse them; the response goes on as it is."""

    @guarded("counting a request")
    def process_request(self, request: Request) -> None:
        """Count a request that has waited."""
        if self._extension.recrawl is not None:
            self._extension.recrawl.ask(request)
        if mark_of(request).get("step", 0) < 0:
            self._stats.inc_value("templcrawl/links/waited")

    @guarded("reading", lambda middleware, request, response: response)
    def process_response(self, request: Request, response: Response) -> Response:
        """Let a page be read early where a part of the crawl asks for that.

        Raises IgnoreRequest for a page that has not been modified since an earlier crawl.
        """
        if self._extension.recrawl is not None:
            self._extension.recrawl.refuse_unchanged(request, response)
        self._extension.receive_early(response, request)
        return response


class SignalsMiddleware(Component):
    """Near 546: what sitemaps and feeds say of a site that is crawled again is known before its links are."""

    asked_by = "recrawl_signals"

    def __init__(self, extension: TemplateMemory) -> None:
        """Take the signals of the crawl; raises NotConfigured where it has none."""
        super().__init__(extension)
        if extension.recrawl is None:
            raise NotConfigured
        self._signals = extension.recrawl.signals

    @guarded("reading sitemaps")
    async def process_request(self, request: Request) -> None:
        """Read the sitemaps of a site before its first page is asked for."""
        await self._signals.begin(request)

    @guarded("reading feeds", lambda middleware, request, response: response)
    async def process_response(self, request: Request, response: Response) -> Response:
        """Read the feeds that one of the first pages of a site names."""
        await self._signals.read_feeds(response)
        return response
