"""The spiders of ``lab.bench.beside``: two items a page, of two kinds; all links but a calendar's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from scrapy import Request, Spider
from scrapy.linkextractors import LinkExtractor


@dataclass
class Heading:
    """An item with declared fields, none of them ours."""

    url: str
    text: str


class PlainSpider(Spider):
    """Crawls a site.

    url   where it starts, an argument of the spider
    meta  of every request
    """

    name = "beside"
    url: str
    allowed_domains = ("127.0.0.1",)
    links = LinkExtractor(deny="/calendar/")
    meta: dict[str, Any] = {}  # noqa: RUF012

    async def start(self) -> Any:
        yield self.request(self.url)

    def request(self, url: str) -> Request:
        return Request(url, meta=dict(self.meta), callback=self.parse)

    def parse(self, response: Any) -> Iterator[Any]:
        path = response.url.partition("//")[2].partition("/")[2]
        yield Heading(path, response.css("h1::text").get(""))
        links = self.links.extract_links(response)
        yield {"url": path, "title": response.css("title::text").get(""), "links": len(links)}
        for link in links:
            yield self.request(link.url)


class RenderingSpider(PlainSpider):
    """Has Chromium fetch every page, and render it."""

    meta = {"playwright": True}  # noqa: RUF012
