"""Crawl a site with Scrapy in each order, one request in flight or several, in one process.

Pages come from a download handler of the benchmark: every address of the site works as written, and no
request can leave the process.  With several requests in flight an answer takes a while: lognormal, ``DELAY``
seconds in the median, the same for a page in every crawl.

The spider follows the links that lead to pages, each page's in document order.  It extracts the links of
each page as spiders do, so that the CPU times are those of whole crawls.  What counts as an order is the
settings of the crawl; ``patches`` are for variants that have no setting.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple
from unittest.mock import patch

from scrapy import Request, Spider
from scrapy.exceptions import CloseSpider
from scrapy.http import HtmlResponse, Response
from scrapy.linkextractors import LinkExtractor

from lab.bench.cost_crawl import SpiderHandler
from lab.bench.order.linked_sites import Crawlable
from lab.sites.fixed_salt import FIXED_SALT

DELAY, SPREAD = 0.05, 0.5
"""Median of the seconds before an answer, and standard deviation of their logarithm."""

_ADDON = {"ADDONS": {"templcrawl.Addon": 500}, **FIXED_SALT}
_QUIET = {
    "COOKIES_ENABLED": False,
    "DOWNLOAD_HANDLERS": {
        **dict.fromkeys(("http", "https"), "lab.bench.order.crawls.Saved"),
        **dict.fromkeys(("ftp", "s3")),
    },
    "LOG_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
    "RETRY_ENABLED": False,
    "ROBOTSTXT_OBEY": False,
    "TELNETCONSOLE_ENABLED": False,
}


@dataclass(frozen=True)
class Order:
    """A way to order a crawl.

    settings  of the crawl
    patches   import path -> what stands there during the crawl
    """

    settings: Mapping[str, Any]
    patches: Mapping[str, Any] = field(default_factory=dict)


_FIFO = {
    "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
    "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
}
ORDERS: dict[str, Order] = {
    "lifo": Order({}),
    "fifo": Order(_FIFO),
    "fifo again": Order(_FIFO),
    "template": Order({**_ADDON, "TEMPLCRAWL_ORDER": "template"}),
    "adaptive": Order({**_ADDON, "TEMPLCRAWL_ORDER": "adaptive"}),
}
"""Name -> a way to order a crawl; the first three are Scrapy without templcrawl.

Of several requests in flight it is chance which one comes back first: "fifo again" shows how much of a
difference is that alone.
"""
BASELINE = "fifo"
RIVALS = ("lifo", "fifo")
"""Last in first out, which is Scrapy's default, and first in first out."""


def order_of_targets(examples: Iterable[str]) -> Order:
    """Return the order that fetches pages like some examples first."""
    return Order({**_ADDON, "TEMPLCRAWL_ORDER": "targets", "TEMPLCRAWL_TARGETS": [*examples]})


class Crawl(NamedTuple):
    """What a crawl did.

    pages       addresses of its responses, in the order in which they came
    failed      responses that were no page
    seconds     CPU time of its thread
    stats       templcrawl's
    relevances  what a focused crawl took each page for, from 0 to 1; None of other crawls
    """

    pages: list[str]
    failed: int
    seconds: float
    stats: dict[str, float]
    relevances: list[float | None]


class Follow(Spider):
    """Follows the links of a site until there are none, or ``budget`` responses have come."""

    name = "follow"
    custom_settings = {"HTTPERROR_ALLOW_ALL": True}  # noqa: RUF012

    def __init__(self, site: Crawlable, budget: float, *, delayed: bool) -> None:
        super().__init__()
        self.allowed_domains = [site.host.partition(":")[0]]
        self.came: list[str] = []
        self.relevances: list[float | None] = []
        self.failed = 0
        self.site, self.delayed, self._budget = site, delayed, budget
        self._extractor: Any = LinkExtractor()

    async def start(self) -> Any:
        """Ask for the start page."""
        yield Request(self.site.start)

    def parse(self, response: Response) -> Iterator[Request]:
        """Note a page, and ask for its links."""
        if len(self.came) >= self._budget:
            raise CloseSpider("budget")
        if response.status != 200:
            self.failed += 1
            return
        self.came.append(response.url)
        self.relevances.append(response.meta.get("templcrawl", {}).get("relevance"))
        if len(self.came) >= self._budget:
            raise CloseSpider("budget")
        self._extractor.extract_links(response)
        yield from map(Request, self.site.links(response.url))


class Saved(SpiderHandler):
    """Download handler that answers with the pages of the spider's site."""

    async def download_request(self, request: Request) -> Response:
        """Return a page, with status 404 where there is none."""
        delay = Random(request.url).lognormvariate(math.log(DELAY), SPREAD) if self._spider.delayed else 0.0
        await asyncio.sleep(delay)
        html = self._spider.site.html(request.url)
        status = 200 if html is not None else 404
        return HtmlResponse(request.url, status=status, body=html or "", encoding="utf-8")


async def crawl(site: Crawlable, order: Order, in_flight: int, budget: float = math.inf) -> Crawl:
    """Crawl a site once; a reactor must be running."""
    from scrapy.crawler import AsyncCrawlerRunner

    runner = AsyncCrawlerRunner(
        {
            **_QUIET,
            "CONCURRENT_REQUESTS": in_flight,
            "CONCURRENT_REQUESTS_PER_DOMAIN": in_flight,
            **order.settings,
        }
    )
    with ExitStack() as stack:
        for target, value in order.patches.items():
            stack.enter_context(patch(target, value))
        crawler = runner.create_crawler(Follow)
        started = time.thread_time()
        await runner.crawl(crawler, site, budget, delayed=in_flight > 1)
        seconds = time.thread_time() - started
    assert crawler.stats is not None
    assert isinstance(crawler.spider, Follow)
    stats = {
        name: value
        for name, value in crawler.stats.get_stats().items()
        if name.startswith("templcrawl/") and isinstance(value, (int, float))
    }
    spider = crawler.spider
    return Crawl(spider.came, spider.failed, seconds, stats, spider.relevances)


class Job(NamedTuple):
    """One crawl to do: of a site, in an order, with so many requests in flight."""

    site: Crawlable
    order: Order
    in_flight: int
    budget: float = math.inf


def run_crawls(jobs: Iterable[Job]) -> list[Crawl]:
    """Do crawls one after the other in this process, which can do so only once."""
    from scrapy.utils.defer import deferred_from_coro
    from scrapy.utils.reactor import install_reactor

    install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")
    from twisted.internet import reactor as installed

    reactor: Any = installed

    done: list[Crawl] = []
    errors: list[Any] = []

    async def every() -> None:
        done.extend([await crawl(*job) for job in jobs])

    def start() -> None:
        deferred_from_coro(every()).addErrback(errors.append).addBoth(lambda _: reactor.stop())

    reactor.callWhenRunning(start)
    reactor.run()
    for error in errors:
        error.raiseException()
    return done


def in_new_process(function: Any, *arguments: Any) -> Any:
    """Call a function of a module in a process of its own, and return what it returned."""
    from multiprocessing import get_context

    with get_context("spawn").Pool(1) as pool:
        return pool.apply(function, arguments)
