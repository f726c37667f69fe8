"""The spider middleware of ``TEMPLCRAWL_TARGETS``: it fetches the example pages first.

Each example is asked for before the spider's own start requests, and only learned from: pages of its leaf are
wanted from then on.  The spider does not see it.  These requests pass the dupefilter by and leave no trace in
it: the crawl fetches the page again where it finds its link, and yields its items then.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response
from scrapy.spidermiddlewares.base import BaseSpiderMiddleware
from twisted.python.failure import Failure

from templcrawl.crawl.extension import TemplateMemory
from templcrawl.guard import guarded, starting

logger = logging.getLogger(__name__)

PRIORITY = 1_000_000
"""Of the request for an example, above those of the project."""


class TargetExamplesMiddleware(BaseSpiderMiddleware):
    """Near 940: behind the middleware that marks links, since its requests are none."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._memory = TemplateMemory.of(crawler)

    @classmethod
    @starting
    def from_crawler(cls, crawler: Crawler) -> TargetExamplesMiddleware:
        """Attach to the crawl's memory; raises NotConfigured without it or without examples."""
        middleware = cls(crawler)
        if not middleware._memory.settings.target_pages:
            raise NotConfigured
        return middleware

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Yield a request for each example, then the spider's own."""
        for url in self._memory.settings.target_pages:
            yield Request(
                url,
                callback=self._learn,
                errback=self._report_failure,
                dont_filter=True,
                priority=PRIORITY,
                meta={"handle_httpstatus_all": True},
            )
        async for asked in super().process_start(start):
            yield asked

    @guarded("learning from an example", lambda middleware, response: None)
    def _learn(self, response: Response) -> None:
        """Mark the leaf of a response's page as wanted."""
        observation = self._memory.observation_of(response)
        if observation is None:
            self._report(response.url, f"it is no page (status {response.status})")
            return
        self._memory.memory.add_target(observation)
        self._memory.stats.inc_value("templcrawl/targets/examples")

    @guarded("reporting an example that was not read", lambda middleware, failure: None)
    def _report_failure(self, failure: Failure) -> None:
        self._report(failure.request.url, failure.getErrorMessage())  # type: ignore[attr-defined]

    def _report(self, url: str, reason: str) -> None:
        self._memory.stats.inc_value("templcrawl/targets/unread")
        logger.warning(
            "the example %(url)s of TEMPLCRAWL_TARGETS cannot be read: %(reason)s; pages like it are not "
            "looked for",
            {"url": url, "reason": reason},
            extra={"spider": self.crawler.spider},
        )
