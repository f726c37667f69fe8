"""One crawl for ``lab.bench.crawl_cost``, in a process of its own, without a network.

    python -m lab.bench.cost_crawl FILE SETTINGS

A download handler has the pages of a file in memory.  The spider extracts the links of each page, and follows
them from the first page of each host to whatever is a page of the file: a URL with ``index.html`` is one
without.  With the setting ``COST_FOLLOWS`` off it requests each page of the file, and follows nothing.

CPU is that of all threads of the process, from behind a page of another host (so start-up is left out) to the
end of the crawl.

Nothing here loads templcrawl.
"""

from __future__ import annotations

import asyncio
import json
import pickle
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from scrapy import Request, Spider, signals
from scrapy.crawler import AsyncCrawlerProcess, Crawler
from scrapy.http import HtmlResponse, Response
from scrapy.linkextractors import LinkExtractor

Pages = list[tuple[str, str]]
"""URL and HTML of each page."""

_WARM_UP = "http://warm-up.example/"
_QUIET = {
    "DOWNLOAD_HANDLERS": {"http": "lab.bench.cost_crawl.FromMemory", "https": None, "ftp": None, "s3": None},
    "LOG_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
}


class Cost(NamedTuple):
    """What a crawl cost: pages, and seconds of CPU in all and of observing."""

    pages: int
    seconds: float
    observing: float

    @property
    def each(self) -> float:
        """CPU milliseconds a page."""
        return 1000 * self.seconds / self.pages


class SpiderHandler:
    """Download handler whose spider has the answers."""

    lazy = True

    def __init__(self, spider: Any) -> None:
        self._spider = spider

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> SpiderHandler:
        return cls(crawler.spider)

    async def close(self) -> None:
        """Nothing is open."""


class FromMemory(SpiderHandler):
    """Answers with the pages of the spider."""

    async def download_request(self, request: Request) -> Response:
        await asyncio.sleep(0)
        return HtmlResponse(request.url, body=self._spider.bodies[request.url], encoding="utf-8")


class Reader(Spider):
    """Reads every page that links lead to.

    follows  whether it follows links
    """

    name = "reader"
    extractor = LinkExtractor()
    follows = True

    def __init__(self, pages: Pages) -> None:
        super().__init__()
        self.bodies = {url: html.encode("utf-8", "replace") for url, html in pages}
        self.bodies[_WARM_UP] = next(iter(self.bodies.values()))
        self.read = 0
        self.seconds = 0.0
        self._started = 0.0
        self._page_of = {_name(url): url for url, _ in pages}
        self._first = {url.split("/")[2]: url for url, _ in reversed(pages)}
        self._is_warm = asyncio.Event()

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Reader:
        spider = super().from_crawler(crawler, *args, **kwargs)
        spider.follows = crawler.settings.getbool("COST_FOLLOWS", True)
        crawler.signals.connect(spider.finish, signals.engine_stopped)
        return spider

    async def start(self) -> Any:
        yield Request(_WARM_UP, callback=self.begin)
        await self._is_warm.wait()
        for url in reversed((self._first if self.follows else self._page_of).values()):
            yield Request(url)

    def begin(self, response: Any) -> None:
        """Begin to measure: whatever a first page needs has been loaded."""
        self.extractor.extract_links(response)
        self._is_warm.set()
        self._started = time.process_time()

    def parse(self, response: Any) -> Iterator[Any]:
        self.read += 1
        yield {"url": response.url, "title": response.css("title::text").get()}
        for link in self.extractor.extract_links(response):
            url = self._page_of.get(_name(link.url))
            if url is not None and self.follows:
                yield Request(url)

    def finish(self) -> None:
        """Note what the crawl has cost; it has ended."""
        self.seconds = time.process_time() - self._started


def _name(url: str) -> str:
    """Return a URL without what differs between a link and the address of a page.

    >>> _name("http://a.example/b.html#c"), _name("http://a.example/b/index.html")
    ('a.example/b', 'a.example/b')
    """
    path = url.partition("#")[0].partition("://")[2]
    return path.removesuffix("index.html").removesuffix(".html").rstrip("/")


def main(path: str, settings: str) -> None:
    """Crawl the pages of a file, and print what it cost."""
    pages: Pages = pickle.loads(Path(path).read_bytes())
    process = AsyncCrawlerProcess({**_QUIET, **json.loads(settings)})
    crawler = process.create_crawler(Reader)
    process.crawl(crawler, pages)
    process.start()
    spider: Any = crawler.spider
    observing = crawler.stats.get_value("templcrawl/seconds", 0.0) if crawler.stats is not None else 0.0
    print(json.dumps([spider.read, spider.seconds, observing]))


if __name__ == "__main__":
    main(*sys.argv[1:])
