"""A spider whose callback asks for what templcrawl has observed, by scrapy-poet."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import attrs
from scrapy import Request, Spider
from scrapy.http import Response
from web_poet import WebPage

from lab.sites.shop.spiders import BASE
from templcrawl.memory.observation import Observation
from templcrawl.page.separation import Separation


@attrs.define
class Article(WebPage):
    """A page object that needs the separation of its page."""

    separation: Separation

    @property
    def text(self) -> str:
        return self.separation.content_text


class Asking(Spider):
    """Asks for an observation and for a page object with a separation."""

    name = "asking"

    async def start(self) -> AsyncIterator[Request]:
        for path in ("news/article-1.html", "news/article-2.html", "sitemap.xml"):
            yield Request(BASE + path, callback=self.parse_page)

    def parse_page(self, response: Response, observation: Observation, article: Article) -> Iterator[Any]:
        yield {
            "url": response.url,
            "leaf_id": observation.leaf_id,
            "text": observation.content_text,
            "text_of_article": article.text,
        }
