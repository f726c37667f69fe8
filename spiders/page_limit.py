"""Emit as many pages as was asked for, and see no more: the spider for it, and a downloader middleware."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider, IgnoreRequest, NotConfigured
from scrapy.http import HtmlResponse, Response
from scrapy.http.request import NO_CALLBACK
from scrapy.linkextractors import LinkExtractor

from templcrawl.crawl.response_page import why_unread
from templcrawl.outputs.items import PageItem


class PagesSpider(Spider):
    """Emits pages and follows all links.

    pages           stop after so many pages; 0 for all
    deny_extensions of files that no link is followed to; None: those that Scrapy leaves out
    """

    def __init__(self, pages: str, deny_extensions: Sequence[str] | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.most_pages = int(pages)
        self._emitted = 0
        self._links = LinkExtractor(deny_extensions=deny_extensions)

    def parse(self, response: Response) -> Iterator[PageItem | Request]:
        """Yield the page as an item, and a request for each of its links."""
        if not isinstance(response, HtmlResponse):
            return
        self._emitted += 1
        yield self._item(response)
        if self._emitted == self.most_pages:
            raise CloseSpider("pages")
        for link in self._links.extract_links(response):
            yield response.follow(link)

    def _item(self, response: HtmlResponse) -> PageItem:
        """Return the item of a page; it has the whole page where a pipeline is to strip that."""
        if "html" not in self.settings.getlist("TEMPLCRAWL_STRIP_FIELDS"):
            return PageItem.of(response)
        return WholePageItem(**vars(PageItem.of(response)), html=response.text)


@dataclass
class WholePageItem(PageItem):
    """A page with its HTML, for ``TEMPLCRAWL_STRIP_FIELDS``."""

    html: str | None = None


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
        if not why_unread(response) and request.callback is not NO_CALLBACK:
            if not self._left:
                raise IgnoreRequest(f"more pages than the spider asked for: {response.url}")
            self._left -= 1
        return response
