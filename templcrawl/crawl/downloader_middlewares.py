"""The downloader middleware, which looks at requests and responses on their way.

Pages are read by the extension, when they have reached the engine.
"""

from __future__ import annotations

from scrapy import Request
from scrapy.http import Response

from templcrawl.crawl.extension import Component
from templcrawl.crawl.mark import mark_of
from templcrawl.guard import guarded


class ObserveMiddleware(Component):
    """Near 545: requests come after all that may refuse them; the response goes on as it is."""

    @guarded("counting a request")
    def process_request(self, request: Request) -> None:
        """Count a request that has waited."""
        if mark_of(request).get("step", 0) < 0:
            self._stats.inc_value("templcrawl/links/waited")

    @guarded("reading", lambda middleware, request, response: response)
    def process_response(self, request: Request, response: Response) -> Response:
        """Let a page be read early where a part of the crawl asks for that."""
        self._extension.receive_early(response, request)
        return response
