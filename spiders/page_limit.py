"""A downloader middleware that lets a crawl see as many pages as its spider asked for, and no more."""

from __future__ import annotations

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest, NotConfigured
from scrapy.http import HtmlResponse, Response
from scrapy.http.request import NO_CALLBACK


class PageLimit:
    """Drops the pages that were still on their way when the spider had its ``most_pages``.

    At 546 it stands before what learns from pages, so that as many are learned from as become items.
    """

    def __init__(self, most: int) -> None:
        self._left = most

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> PageLimit:
        """Take over the limit of the crawl's spider; raises NotConfigured where it has none."""
        most = getattr(crawler.spider, "most_pages", 0)
        if not most:
            raise NotConfigured
        return cls(most)

    def process_response(self, request: Request, response: Response) -> Response:
        """Return the response; raises IgnoreRequest for a page too many."""
        is_page = isinstance(response, HtmlResponse) and 200 <= response.status < 300
        if is_page and request.callback is not NO_CALLBACK:
            if not self._left:
                raise IgnoreRequest(f"more pages than the spider asked for: {response.url}")
            self._left -= 1
        return response
