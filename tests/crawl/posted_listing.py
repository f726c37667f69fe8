"""Crawl a listing that is paged by POST, twice into one archive:

python -m tests.crawl.posted_listing FOLDER
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Iterator
from typing import Any

from scrapy import FormRequest, Request
from scrapy.http import HtmlResponse, Response

from tests.crawl.small_crawls import Follow, crawl, in_this_process

LISTING = "http://small.example/listing"
PAGES = 7


class Listing:
    """Answers with the part of the listing that the form names, the first part without one."""

    def process_request(self, request: Request) -> Response:
        part = int(request.body.partition(b"=")[2] or 0)
        rows = "".join(f"<tr><td>row{part}x{n}<td>price{part * 31 + n}" for n in range(20))
        return HtmlResponse(request.url, body=f"<h1>Part {part}</h1><table>{rows}".encode(), encoding="utf-8")


class Paged(Follow):
    """Asks for every part, and for the last one twice."""

    async def start(self) -> AsyncIterator[Any]:
        yield Request(LISTING)
        for part in [*range(1, PAGES), PAGES - 1]:
            yield FormRequest(LISTING, formdata={"part": str(part)}, dont_filter=True)

    def parse(self, response: Any) -> Iterator[Any]:
        self.fetched.append(response.url)
        yield {"url": response.url}


async def crawl_twice(folder: str) -> list[dict[str, Any]]:
    settings = {
        "ADDONS": {"templcrawl.Addon": 500},
        "DOWNLOADER_MIDDLEWARES": {Listing: 940},
        "TEMPLCRAWL_ARCHIVE": folder,
    }
    return [await crawl(settings, Paged) for _ in range(2)]


if __name__ == "__main__":
    in_this_process(lambda: crawl_twice(sys.argv[1]))
