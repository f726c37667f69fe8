"""The process of a crawl that :mod:`lab.bench.crawl` starts: download handler and spider; not run by hand.

    python -m lab.bench.crawling FOLDER

A *stall* is how late a call came that was due every ``TICK`` seconds: so long was the event loop busy with
something else.  Its CPU is much less on a machine that was busy with others.  A crawl begins to count behind
a page of another host, the *warm-up*, so that what a process does but once is left out.

Nothing here loads templcrawl: the crawl takes it, if its settings ask for it.
"""

from __future__ import annotations

import asyncio
import json
import pickle
import resource
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from scrapy import Request, Spider, signals
from scrapy.crawler import AsyncCrawlerProcess, Crawler, CrawlerProcess
from scrapy.exceptions import CloseSpider
from scrapy.http import Headers, HtmlResponse, Response
from scrapy.linkextractors import LinkExtractor
from scrapy.responsetypes import responsetypes
from scrapy.utils.misc import load_object

from lab.bench.crawl import Job
from lab.sites.server import is_unmodified

WARM_UP = "http://warm-up.example/"
_WARM_PAGE = b"<html><head><title>Warm-up</title></head><body>%b</body></html>" % b"".join(
    b"<div class=part><h2>Part %d</h2><p>Some words of it, <a href=/%d>and a link</a></p></div>"
    % (number, number)
    for number in range(40)
)
TICK = 0.005
_QUIET: dict[str, Any] = {
    "DOWNLOAD_HANDLERS": {
        **dict.fromkeys(("http", "https"), "lab.bench.crawling.FromSite"),
        **dict.fromkeys(("ftp", "s3")),
    },
    "LOG_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
}


class FromSite:
    """Download handler that answers with the pages of the spider's site."""

    lazy = True

    def __init__(self, spider: Any) -> None:
        self._spider = spider

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> FromSite:
        return cls(crawler.spider)

    async def download_request(self, request: Request) -> Response:
        spider: Follow = self._spider
        if request.url == WARM_UP:
            return HtmlResponse(WARM_UP, body=_WARM_PAGE, encoding="utf-8")
        await asyncio.sleep(spider.job.server.delay(request.url))
        spider.events({"request": request.url})
        body, status, content_type, given = spider.job.site.answer(request.url)
        if given and is_unmodified(request.headers.to_unicode_dict().get, given):
            body, status = b"", 304
        headers = Headers({"Content-Type": content_type, **given})
        kind = responsetypes.from_args(headers=headers, url=request.url, body=body)
        return kind(request.url, status=status, headers=headers, body=body)

    async def close(self) -> None:
        """Nothing is open."""


class Follow(Spider):
    """Makes an item of each page of a site, and follows its links."""

    name = "follow"
    custom_settings = {"HTTPERROR_ALLOW_ALL": True}  # noqa: RUF012
    extractor = LinkExtractor()

    def __init__(self, job: Job, events: Callable[[Mapping[str, Any]], None]) -> None:
        super().__init__()
        self.job, self.events = job, events
        self.figures: dict[str, float] = {}
        self._came = 0
        self._is_warm = asyncio.Event()
        self._tick: asyncio.TimerHandle | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Follow:
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.finish, signals.engine_stopped)
        return spider

    async def start(self) -> Any:
        if self.job.warm_up:
            yield Request(WARM_UP, callback=self.warmed_up)
            await self._is_warm.wait()
        self._started, self._cpu = time.monotonic(), time.process_time()
        self._stall, self._stall_cpu = 0.0, 0.0
        self._next_tick()
        for url in self.job.site.start:
            yield Request(url)

    def warmed_up(self, response: Response) -> None:
        response.css("title::text").get()
        self.extractor.extract_links(response)  # type: ignore[arg-type]
        self._is_warm.set()

    def parse(self, response: Response) -> Iterator[Any]:
        if self._came >= self.job.budget:
            raise CloseSpider("budget")
        site = self.job.site
        event = {"response": response.url, "status": response.status, "at": time.time()}
        self.events({**event, **site.note(response, self.crawler)})
        if response.status != 200:
            return
        self._came += 1
        if self._came >= self.job.budget:
            raise CloseSpider("budget")
        yield site.item(response)
        if isinstance(response, HtmlResponse):
            found = [link.url for link in self.extractor.extract_links(response)]
            yield from map(Request, site.links(response, found))

    def finish(self) -> None:
        """Note what the crawl took; it has ended."""
        self._note_stall()
        self.figures = {
            "seconds": time.monotonic() - self._started,
            "cpu": time.process_time() - self._cpu,
            "stall": self._stall,
            "stall_cpu": self._stall_cpu,
            "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000,
        }

    def _note_stall(self) -> None:
        if self._tick is None:
            return
        late = asyncio.get_running_loop().time() - self._tick.when()
        if late > self._stall:
            self._stall, self._stall_cpu = late, time.thread_time() - self._tick_cpu

    def _next_tick(self) -> None:
        self._note_stall()
        self._tick_cpu = time.thread_time()
        self._tick = asyncio.get_running_loop().call_later(TICK, self._next_tick)


def main(folder: str) -> None:
    job: Job = pickle.loads(Path(folder, "job").read_bytes())
    if job.began is not None:
        clock, ahead = time.time, job.began - time.time()
        time.time = lambda: clock() + ahead
    with Path(folder, "events").open("w", encoding="utf-8", buffering=1) as file:

        def events(event: Mapping[str, Any]) -> None:
            file.write(json.dumps(event, default=str) + "\n")

        in_flight = dict.fromkeys(("CONCURRENT_REQUESTS", "CONCURRENT_REQUESTS_PER_DOMAIN"), job.concurrency)
        settings = {**_QUIET, **in_flight, **job.settings}
        has_asyncio = "TWISTED_REACTOR" not in settings
        process = (AsyncCrawlerProcess if has_asyncio else CrawlerProcess)(settings)
        spider = load_object(job.spider)
        crawler = process.create_crawler(spider)
        ours = {"job": job, "events": events} if issubclass(spider, Follow) else {}
        process.crawl(crawler, **{**ours, **job.arguments})
        process.start()
        figures = getattr(crawler.spider, "figures", {})
        if ours and not figures:
            sys.exit("the crawl has failed; with LOG_ENABLED it says why")
        events({"stats": crawler.stats.get_stats() if crawler.stats else {}, **figures})


if __name__ == "__main__":
    from lab.bench import crawling  # Scrapy knows the spider under this name

    crawling.main(*sys.argv[1:])
