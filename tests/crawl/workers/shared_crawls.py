"""Several crawls of a process that share the pages of a small site, and perhaps what they learn of it.

    python -m tests.crawl.workers.shared_crawls SETTINGS CRAWLS [patient]

prints a line of JSON: for each crawl its items and stats.  The pages are shared out in turn; the first one
takes a while to come.  With "patient" every page is a site of its own, and a Redis that does not answer is
waited for longer than any test lasts.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Iterator
from typing import Any

from scrapy import Request, Spider
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.http import HtmlResponse, Response

from templcrawl.crawl.extension import TemplateMemory
from templcrawl.crawl.workers import redis_store, shared_sites

HOST = "shared.example"
PAGES = 40
MENU = "".join(f'<li><a href="/{number}">Page {number}</a></li>' for number in range(8))


def html_of(number: int) -> str:
    words = " ".join(f"word{number}x{count}" for count in range(40))
    if number // 2 % 2:
        rows = "".join(f"<tr><td>{words[:60]}<td>row {number} {row}" for row in range(4))
        return f"<title>{number}</title><ul>{MENU}</ul><table>{rows}</table><hr><b>Imprint</b>"
    return (
        f"<title>{number}</title><ul>{MENU}</ul><div><h1>Page {number}</h1><p>{words}</p></div>"
        "<div id=foot>Made by hand, all rights reserved</div>"
    )


class Answers:
    """Answers every request after a moment, the first one later."""

    async def process_request(self, request: Request) -> Response:
        number = int(request.url.rpartition("/")[2])
        await asyncio.sleep(0.02 if number else 0.5)
        body = html_of(number).encode()
        return HtmlResponse(request.url, body=body, encoding="utf-8")


class Some(Spider):
    """Fetches what it is given."""

    name = "some"
    host = HOST

    async def start(self) -> AsyncIterator[Request]:
        for number in self.numbers:  # type: ignore[attr-defined]
            yield Request(f"http://{self.host.format(number)}/{number}")

    def parse(self, response: Response) -> Iterator[Any]:
        item = {"url": response.url}
        self.made.append(item)  # type: ignore[attr-defined]
        yield item


def main(settings: dict[str, Any], crawls: int, *, is_patient: bool) -> None:
    if is_patient:
        redis_store._TIMEOUT = 10_000.0
        shared_sites._SECONDS_AT_CLOSE = 0.2
        Some.host = "site{}.example"
    process = AsyncCrawlerProcess(
        {
            "ADDONS": {"templcrawl.Addon": 500},
            "DOWNLOADER_MIDDLEWARES": {Answers: 940},
            "TELNETCONSOLE_ENABLED": False,
            "REMOTE_CONTROL_ENABLED": False,
            "CONCURRENT_REQUESTS": 1,
            "TEMPLCRAWL_ITEM_FIELDS": ["content_text", "leaf_id"],
            "LOG_LEVEL": "INFO",
            **settings,
        }
    )
    crawlers, made = [], []
    for first in range(crawls):
        crawlers.append(process.create_crawler(Some))
        made.append([])
        process.crawl(crawlers[-1], numbers=range(first, PAGES, crawls), made=made[-1])
    process.start()
    for crawler in crawlers:
        memory = TemplateMemory.of(crawler).memory
        crawler.stats.set_value("salt", memory.options.sample_salt)
    done = [[items, dict(crawler.stats.get_stats())] for items, crawler in zip(made, crawlers)]
    print(json.dumps(done, default=str))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]), int(sys.argv[2]), is_patient="patient" in sys.argv)
