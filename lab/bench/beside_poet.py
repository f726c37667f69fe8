"""The spider of ``lab.bench.beside`` with page objects, for scrapy-poet."""

# mypy: allow-subclassing-any, allow-untyped-decorators
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scrapy import Request
from scrapy.http import Response
from web_poet import WebPage, field

from lab.bench.beside_spiders import Heading, PlainSpider


class HeadingPage(WebPage[Heading]):
    """What a page's heading is."""

    @field
    def url(self) -> str:
        return str(self.response.url).partition("//")[2].partition("/")[2]

    @field
    def text(self) -> str:
        return str(self.css("h1::text").get(""))


class PoetSpider(PlainSpider):
    """Has a page object make one of the items."""

    def request(self, url: str) -> Request:
        return Request(url, callback=self.parse_page)

    async def parse_page(self, response: Response, page: HeadingPage) -> Any:
        yield await page.to_item()
        for output in self._others(response):
            yield output

    def _others(self, response: Response) -> Iterator[Any]:
        return (output for output in self.parse(response) if not isinstance(output, Heading))
