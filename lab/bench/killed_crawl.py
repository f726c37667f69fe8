"""The crawl that :mod:`lab.bench.kills` kills; run as a program of its own.

    python -m lab.bench.killed_crawl FOLDER PAGES DATABASE

goes on with the crawl of a folder, with every kind of sink: feeds in local files (JSON lines, CSV), feeds
that are stored at their end (Parquet, and one that is sent elsewhere), a database, an archive.  Without a
database ("none") it is Scrapy alone, with the local feeds.  Pages come from memory.  Each fetch is a line of
``fetched.log`` at once.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import IO, Any

from scrapy import Request, Spider
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.extensions.feedexport import BlockingFeedStorage
from scrapy.http import HtmlResponse, Response

HOSTS = 4
IN_FLIGHT = 16
BATCH = 50
JSON_LINES, CSV, PARQUET, SENT = "items.jsonl", "items.csv", "parquet", "sent"


def url_of(number: int) -> str:
    """Return the address of a page."""
    return f"http://host{number % HOSTS}.example/{number}"


class Site:
    """Answers every request from memory, and writes down that it has."""

    async def process_request(self, request: Request) -> Response:
        """Return a page: a menu that is on all pages of its host, links and words that are not."""
        await asyncio.sleep(0.004)
        number = int(request.url.rpartition("/")[2])
        with open("fetched.log", "a") as log:  # noqa: PTH123
            log.write(f"{os.getpid()} {number}\n")
        pages = int(sys.argv[2])
        menu = "".join(f'<li><a href="{url_of(page)}">{page}</a></li>' for page in range(20))
        near = {*((factor * number + 1) % pages for factor in (2, 3, 5)), (number + 1) % pages}
        links = "".join(f'<p>See <a href="{url_of(page)}">page {page}</a>' for page in sorted(near))
        words = " ".join(f"word{number}x{count}" for count in range(40))
        html = (
            f"<title>{number}</title><ul>{menu}</ul><h1>{number}</h1><p>{words}</p>{links}<div>Imprint</div>"
        )
        return HtmlResponse(request.url, body=html.encode(), encoding="utf-8")


class Sent(BlockingFeedStorage):
    """A storage that has a feed only when it is whole, as S3 and FTP do."""

    def __init__(self, uri: str, *, feed_options: object = None) -> None:
        self._path = Path(uri.removeprefix("sent:"))

    def _store_in_thread(self, file: IO[bytes]) -> None:
        file.seek(0)
        part = self._path.with_suffix(".part")
        with part.open("wb") as target:
            shutil.copyfileobj(file, target)
        part.replace(self._path)


class Follow(Spider):
    """Follows every link, and makes an item of every page."""

    name = "follow"

    async def start(self) -> AsyncIterator[Any]:
        """Begin with one page."""
        yield Request(url_of(0))

    def parse(self, response: Any) -> Iterator[Any]:
        """Yield an item and the links."""
        yield {"url": response.url, "html": response.text}
        yield from response.follow_all(css="a")


def settings_of(database: str) -> dict[str, Any]:
    """Return the settings of a crawl in the current folder."""
    local = {JSON_LINES: {"format": "jsonlines"}, CSV: {"format": "csv"}}
    settings: dict[str, Any] = {
        "JOBDIR": "job",
        "DOWNLOADER_MIDDLEWARES": {Site: 940},
        "TELNETCONSOLE_ENABLED": False,
        "REMOTE_CONTROL_ENABLED": False,
        "CONCURRENT_REQUESTS": IN_FLIGHT,
        "LOG_LEVEL": "ERROR",
        "FEEDS": local,
    }
    if database == "none":
        return settings
    batches = "%(batch_time)s-%(batch_id)d"
    return {
        **settings,
        "ADDONS": {"templcrawl.Addon": 500},
        "TEMPLCRAWL_DATABASE": database,
        "TEMPLCRAWL_ARCHIVE": "archive",
        "FEED_STORAGES": {"sent": Sent},
        "FEEDS": {
            **local,
            f"{PARQUET}/{batches}.parquet": {"format": "parquet", "batch_item_count": BATCH},
            f"sent:{SENT}/{batches}.jsonl": {"format": "jsonlines", "batch_item_count": BATCH},
        },
    }


def _crawl(folder: str, database: str) -> None:
    os.chdir(folder)
    Path(SENT).mkdir(exist_ok=True)
    process = AsyncCrawlerProcess(settings_of(database))
    crawler = process.create_crawler(Follow)
    process.crawl(crawler)
    process.start()
    stats = crawler.stats.get_stats() if crawler.stats else {}
    Path("stats.json").write_text(json.dumps(stats, default=str))


if __name__ == "__main__":
    if sys.argv[3] != "none":
        from templcrawl.crawl import crawl_archive

        crawl_archive.PART_PAGES = BATCH  # type: ignore[attr-defined]
    _crawl(sys.argv[1], sys.argv[3])
