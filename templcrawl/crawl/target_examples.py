"""The spider middleware of ``TEMPLCRAWL_TARGETS``, which fetches the example pages first.

Each example is asked for before the spider's own start requests, and only learned from: pages of its leaf are
wanted from then on.  The spider does not see it.  These requests pass the dupefilter by and leave no trace in
it: the crawl fetches the page again where it finds its link, and yields its items then.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator
from typing import Any

from scrapy import Request, Spider
from scrapy.http import Response
from twisted.python.failure import Failure

from templcrawl.crawl.extension import Component
from templcrawl.guard import guarded

_EXAMPLES_FIRST = 1_000_000  # priority of the request for an example, above those of the project


class TargetExamplesMiddleware(Component):
    """Near position 940: behind the middleware that marks links, since examples are not links."""

    asked_by = "target_pages"

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Yield a request for each example, then the spider's own."""
        for example in self._examples():
            yield example
        async for asked in start:
            yield asked

    def process_start_requests(self, start_requests: Iterable[Any], spider: Spider) -> Iterator[Any]:
        """Add the requests before Scrapy 2.16, where a middleware of the project has this method alone."""
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
        site = self._memory.open(observation.page.host)
        site.add_example(observation)
        self._memory.renew_values(site)
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
