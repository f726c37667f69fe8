"""The middlewares of the order ``changes``: they tell :class:`~templcrawl.crawl.recrawl.Recrawl` what passes.

Cost: O(1) a request, a link or a page.
"""

from __future__ import annotations

from typing import Any

from scrapy import Request
from scrapy.http import Response

from templcrawl.crawl.extension import Component, CrawlExtension
from templcrawl.crawl.mark import mark_link
from templcrawl.crawl.recrawl import Recrawl
from templcrawl.guard import guarded
from templcrawl.scrapy_compat import OutputObserver


class _OfRecrawl(Component):
    asked_by = "recrawls"

    def __init__(self, extension: CrawlExtension) -> None:
        super().__init__(extension)
        self._recrawl: Recrawl = extension.order.recrawl  # type: ignore[attr-defined]


class RecrawlDownloaderMiddleware(_OfRecrawl):
    """Near position 544, behind every middleware that may refuse a request: makes requests conditional."""

    def process_request(self, request: Request) -> None:
        """Make the request for a known page a conditional one; raises IgnoreRequest for one to leave out."""
        self._recrawl.ask(request)

    def process_response(self, request: Request, response: Response) -> Response:
        """Pass a response on; raises IgnoreRequest for a page that has not been modified."""
        self._recrawl.refuse_unchanged(request, response)
        return response


class SignalsMiddleware(_OfRecrawl):
    """Near position 546: reads sitemaps and feeds of a site before its links are known."""

    asked_by = "reads_signals"

    @guarded("reading sitemaps")
    async def process_request(self, request: Request) -> None:
        """Read the sitemaps of a site before its first page is asked for."""
        await self._recrawl.signals.begin(request)

    @guarded("reading feeds", lambda middleware, request, response: response)
    async def process_response(self, request: Request, response: Response) -> Response:
        """Read the feeds that one of the first pages of a site names."""
        await self._recrawl.signals.read_feeds(response)
        return response


class RecrawlSpiderMiddleware(OutputObserver, _OfRecrawl):
    """Near position 951, next to the spider: notes the page of each link."""

    @guarded("noting a link")
    def look_at(self, output: Any, response: Response) -> None:
        """Note a link, and mark it with the page that it is on."""
        if isinstance(output, Request):
            observation = self._extension.observation_of(response)
            parent = self._recrawl.links.note_link(output, response, observation)
            if observation is not None:
                mark_link(output, observation.page.host, parent)

    def end_of(self, response: Response) -> None:
        """Note that all links of a page were seen."""
        self._recrawl.links.end_links(response)
