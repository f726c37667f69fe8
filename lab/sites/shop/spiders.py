"""Spiders of the kinds that users write."""

from __future__ import annotations

import os
import re
from collections.abc import AsyncIterator, Iterator
from typing import Any
from urllib.parse import quote, unquote

from scrapy import Request, Spider
from scrapy.http import Response
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule, SitemapSpider

from lab.sites.shop.items import KINDS
from lab.sites.shop.recorders import record_response
from templcrawl import InvalidOption, content

BASE = os.environ.get("SHOP_URL", "")


class Plain(Spider):
    """Follows all links but the calendar's, and yields an item of each kind for each page."""

    name = "plain"
    allowed_domains = ("127.0.0.1",)

    async def start(self) -> AsyncIterator[Request]:
        yield Request(BASE, dont_filter=True)

    def parse(self, response: Response) -> Iterator[Any]:
        record_response(response)
        yield {"url": response.url, "title": response.css("title::text").get()}
        for kind in KINDS:
            yield kind(url=response.url)
        for link in LinkExtractor(deny="/calendar/").extract_links(response):
            yield Request(link.url)


class Selecting(Spider):
    """Follows all links but the calendar's; selects headings and links in the content alone."""

    name = "selecting"
    allowed_domains = ("127.0.0.1",)
    start_urls = (BASE,)

    def parse(self, response: Response) -> Iterator[Any]:
        inside = content(response)
        links = inside.css("a::attr(href)").getall()
        whole = response.css("a::attr(href)").getall()
        heads = inside.css("h1::text").getall()
        yield {"url": response.url, "heads": heads, "links": links, "all_links": whole}
        try:
            content(response.replace(url=response.url))
        except InvalidOption as error:
            yield {"url": response.url, "error": str(error)}
        for link in LinkExtractor(deny="/calendar/").extract_links(response):
            yield Request(link.url)


class Rules(CrawlSpider):
    """Follows links by rules."""

    name = "rules"
    allowed_domains = ("127.0.0.1",)
    start_urls = (BASE,)
    rules = (
        Rule(LinkExtractor(allow="/shop/product-"), callback="parse_stall"),
        Rule(LinkExtractor(allow="/shop/|/manual/"), follow=True),
    )

    def parse_stall(self, response: Response) -> Iterator[Any]:
        record_response(response)
        yield {"url": response.url}


class Map(SitemapSpider):
    """Follows a site map."""

    name = "map"
    allowed_domains = ("127.0.0.1",)
    sitemap_urls = (f"{BASE}sitemap.xml",)

    def parse(self, response: Response) -> Iterator[Any]:
        record_response(response)
        yield {"url": response.url}


class Hostile(Spider):
    """Visits what the front page names, without parsing what it finds."""

    name = "hostile"
    allowed_domains = ("127.0.0.1",)

    async def start(self) -> AsyncIterator[Request]:
        yield Request(BASE)

    def parse(self, response: Response) -> Iterator[Any]:
        """Yield an item, and of the front page the requests."""
        if "templcrawl" in response.meta:
            yield {"url": unquote(response.url), "truncated": response.meta["templcrawl"]["truncated"]}
        if response.url == BASE:
            for path in re.findall("href='([^']*)'", response.text):
                yield Request(response.urljoin(quote(path)))
