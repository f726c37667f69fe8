"""The crawl that :mod:`lab.bench.kills` kills; run as a program of its own.

python -m lab.bench.killed_crawl FOLDER [ours]
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

from scrapy import Request, Spider
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.http import HtmlResponse, Response

from templcrawl.crawl import crawl_archive
from templcrawl.outputs import outbox

PAGES = 120
HOSTS = 2
URLS = [f"http://host{number % HOSTS}.example/{number}" for number in range(PAGES)]
INTERVAL = 0.5
BATCH_ITEMS = 10
PART_PAGES = 10
CONCURRENT = 8


class Site:
    """Answers every request from memory, and writes down that it has."""

    async def process_request(self, request: Request) -> Response:
        """Return a page: a menu that is on all pages of its host, links and words that are not."""
        await asyncio.sleep(0.01)
        _write_down("fetched.log", request.url)
        number = URLS.index(request.url)
        menu = "".join(f'<li><a href="{url}">{url[-3:]}</a></li>' for url in URLS[: 6 * HOSTS : HOSTS])
        near = (URLS[(factor * number + 1) % PAGES] for factor in (2, 3, 5))
        links = "".join(
            f'<p>See <a href="{url}">page {url}</a>' for url in (*near, URLS[(number + 1) % PAGES])
        )
        words = " ".join(f"word{number}x{count}" for count in range(40))
        html = (
            f"<title>{number}</title><ul>{menu}</ul><h1>{number}</h1><p>{words}</p>{links}<div>Imprint</div>"
        )
        return HtmlResponse(request.url, body=html.encode(), encoding="utf-8")


class Noted:
    """A pipeline before the stores, which writes down what they are given."""

    async def process_item(self, item: Any) -> Any:
        """Write an item down."""
        _write_down("items.log", item["url"])
        return item


class Follow(Spider):
    """Follows every link, and makes an item of every page."""

    name = "follow"

    async def start(self) -> AsyncIterator[Any]:
        """Begin with one page."""
        yield Request(URLS[0])

    def parse(self, response: Any) -> Iterator[Any]:
        """Yield an item and the links."""
        yield {"url": response.url, "title": response.css("title::text").get()}
        yield from response.follow_all(css="a")


def _write_down(name: str, text: str) -> None:
    line = f"{time.monotonic():.6f} {text}\n".encode()
    descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(descriptor, line)
    os.close(descriptor)


def _crawl(folder: str, *, ours: bool) -> None:
    """Crawl in this process to the end."""
    os.chdir(folder)
    settings: dict[str, Any] = {
        "JOBDIR": "job",
        "DOWNLOADER_MIDDLEWARES": {Site: 940},
        "TELNETCONSOLE_ENABLED": False,
        "REMOTE_CONTROL_ENABLED": False,
        "CONCURRENT_REQUESTS": CONCURRENT,
        "LOG_LEVEL": "WARNING",
    }
    if ours:
        crawl_archive.PART_PAGES, outbox.BATCH_ITEMS = PART_PAGES, BATCH_ITEMS  # type: ignore[attr-defined]
        settings |= {
            "ADDONS": {"templcrawl.Addon": 500},
            "ITEM_PIPELINES": {Noted: 800},
            "TEMPLCRAWL_CHECKPOINT_SECONDS": INTERVAL,
            "TEMPLCRAWL_DATABASE": "sqlite:///out/items.sqlite",
            "TEMPLCRAWL_ARCHIVE": "out/archive",
            "FEEDS": {
                "out/feed-%(time)s-%(batch_id)d.parquet": {"format": "parquet", "batch_item_count": 20}
            },
        }
    process = AsyncCrawlerProcess(settings)
    crawler = process.create_crawler(Follow)
    process.crawl(crawler)
    process.start()
    stats = crawler.stats.get_stats() if crawler.stats else {}
    Path("stats.json").write_text(json.dumps(stats, default=str))


if __name__ == "__main__":
    _crawl(sys.argv[1], ours=sys.argv[2:] == ["ours"])
