"""One worker, in a process of its own: ``python -m lab.bench.workers.crawl FOLDER NUMBER OPTIONS``.

It takes requests from scrapy-redis' queue, answers them from the files of the plan, writes a line for each
page as soon as it is observed, and its stats when it is done.
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import time
from collections.abc import AsyncIterator, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from scrapy import Request, Spider, signals
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.exceptions import DontCloseSpider
from scrapy.http import HtmlResponse, Response
from scrapy_redis.dupefilter import RFPDupeFilter

from lab.bench.workers.sites import PLAN
from lab.sites.fixed_salt import FIXED_SALT
from templcrawl.crawl.checkpoints import Checkpoints
from templcrawl.crawl.extension import TemplateMemory

FOLDER, NUMBER = Path(sys.argv[1]), sys.argv[2]
IDLE = 3.0


class Options(NamedTuple):
    """How a worker works.

    queue    address of the Redis that has the queue
    store    address of the Redis that has the memory, None: the worker learns alone
    order    the order of the crawl
    delay    seconds before each answer
    seconds  between checkpoints
    """

    queue: str
    store: str | None
    order: str = "adaptive"
    delay: float = 0.02
    seconds: float = 2.0


@cache
def _plan() -> dict[str, Any]:
    plan: dict[str, Any] = json.loads((FOLDER / PLAN).read_text(encoding="utf-8"))
    return plan


def _page(url: str) -> str | None:
    behind: str | None = _plan()["aliases"].get(url.partition("#")[0])
    return behind


class SamePages(RFPDupeFilter):  # type: ignore[misc]
    """Takes all addresses of a page for one."""

    def request_fingerprint(self, request: Request) -> str:
        """Return the address of the page."""
        return _page(request.url) or request.url


class Files:
    """Answers every request from a file."""

    def __init__(self, delay: float) -> None:
        self._delay = delay

    @classmethod
    def from_crawler(cls, crawler: Any) -> Files:
        """Take the delay of the settings."""
        return cls(crawler.settings["WORKER_DELAY"])

    async def process_request(self, request: Request) -> Response:
        """Return the page behind an address."""
        await asyncio.sleep(self._delay)
        body = Path(_plan()["files"][_page(request.url)]).read_bytes()
        return HtmlResponse(request.url, body=body)


class Follow(Spider):
    """Follows every link that leads to a page of the plan."""

    name = "follow"
    idle_since = 0.0
    lines: TextIO

    @classmethod
    def from_crawler(cls, crawler: Any, *args: Any, **kwargs: Any) -> Follow:
        """Stay while other workers may still find something."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.wait, signals.spider_idle)
        spider.lines = (FOLDER / f"{NUMBER}.jsonl").open("w", encoding="utf-8", buffering=1)
        return spider

    async def start(self) -> AsyncIterator[Request]:
        """Begin with the first page of each site, unless another worker has."""
        for url in _plan()["starts"]:
            yield Request(url)

    def wait(self) -> None:
        """Go on until nothing has come for a while."""
        now = time.monotonic()
        self.idle_since = self.idle_since or now
        if now - self.idle_since < IDLE:
            raise DontCloseSpider

    def parse(self, response: Response) -> Iterator[Request]:
        """Write a line, and follow the links."""
        self.idle_since = 0.0
        observation = TemplateMemory.of(self.crawler).observation_of(response)
        if observation is None:
            return
        line = {
            "url": _page(response.url),
            "key": observation.page.key,
            "worker": NUMBER,
            "at": time.time(),
            "known": observation.pages_known,
            "leaf_id": observation.leaf_id,
            "text": observation.content_text,
        }
        self.lines.write(json.dumps(line) + "\n")
        for url in dict.fromkeys(observation.page.links.urls):
            if _page(url) is not None:
                yield Request(url)


def _timed(slices: list[float]) -> None:
    """Take the CPU time of what the exchange does on the event loop, Python's garbage collection left out."""
    write_slice, collected, since = Checkpoints._write_slice, [0.0], [0.0]

    def collect(phase: str, info: object) -> None:
        now = time.thread_time()
        if phase == "start":
            since[0] = now
        else:
            collected[0] += now - since[0]

    def timed(self: Checkpoints) -> None:
        began, before = time.thread_time(), collected[0]
        write_slice(self)
        slices.append(time.thread_time() - began - collected[0] + before)

    gc.callbacks.append(collect)
    Checkpoints._write_slice = timed  # type: ignore[method-assign]


def main(options: Options) -> None:
    """Crawl until the queue stays empty."""
    slices = [0.0]
    _timed(slices)
    settings: dict[str, Any] = {
        "ADDONS": {"templcrawl.Addon": 500},
        "SCHEDULER": "scrapy_redis.scheduler.Scheduler",
        "DUPEFILTER_CLASS": f"{SamePages.__module__}.{SamePages.__qualname__}",
        "REDIS_URL": options.queue,
        "SCHEDULER_PERSIST": True,
        "DOWNLOADER_MIDDLEWARES": {Files: 940},
        "WORKER_DELAY": options.delay,
        "TELNETCONSOLE_ENABLED": False,
        "REMOTE_CONTROL_ENABLED": False,
        "CONCURRENT_REQUESTS": 4,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 4,
        "LOG_LEVEL": "WARNING",
        "LOG_FILE": str(FOLDER / f"{NUMBER}.log"),
        "TEMPLCRAWL_ORDER": options.order,
        "TEMPLCRAWL_CHECKPOINT_SECONDS": options.seconds,
    }
    if options.store is not None:
        settings["TEMPLCRAWL_STORE"] = options.store
    else:
        settings |= FIXED_SALT
    process = AsyncCrawlerProcess(settings)
    crawler = process.create_crawler(Follow)
    process.crawl(crawler)
    process.start()
    stats = dict(crawler.stats.get_stats()) if crawler.stats else {}
    stats["slice"] = max(slices)
    (FOLDER / f"{NUMBER}.stats").write_text(json.dumps(stats, default=str), encoding="utf-8")


if __name__ == "__main__":
    main(Options(**json.loads(sys.argv[3])))
