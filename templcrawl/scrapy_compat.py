"""Differences between the releases and reactors of Scrapy, and access to what has no public interface.

Cost: O(1) a call.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Set
from typing import Any, ParamSpec, TypeVar

from scrapy import Request, exceptions
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.utils.asyncio import is_asyncio_available
from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.sitemap import sitemap_urls_from_robots

_P = ParamSpec("_P")
_R = TypeVar("_R")

# What a download that is given up raises; nothing where Scrapy has no such class, as 2.14.
CANCELLED: Any = getattr(exceptions, "DownloadCancelledError", ())


def started(get: Callable[[], _R]) -> _R | None:
    """Return an object of a crawler, None before the start (where Scrapy may raise RuntimeError)."""
    try:
        return get()
    except RuntimeError:
        return None


def robots_sitemaps(robots: bytes, url: str) -> list[str]:
    """Return the sitemaps that a robots.txt names; Scrapy 2.14 takes its text, later releases its bytes."""
    try:
        return [*sitemap_urls_from_robots(robots, url)]
    except TypeError:
        return [*sitemap_urls_from_robots(robots.decode(errors="replace"), url)]


def spider_name(crawler: Crawler) -> str:
    """Return the name of the spider of a crawl."""
    return str(getattr(crawler.spider or crawler.spidercls, "name", None) or "")


async def in_thread(function: Callable[_P, _R], *args: _P.args, **kwargs: _P.kwargs) -> _R:
    """Return what a function returns, or raise what it raises, without blocking the event loop."""
    if is_asyncio_available():
        return await asyncio.to_thread(function, *args, **kwargs)
    from twisted.internet.threads import deferToThread  # it installs a reactor

    return await maybe_deferred_to_future(deferToThread(function, *args, **kwargs))


def in_progress(crawler: Crawler) -> Set[Request]:
    """Return the requests that the engine of a crawl has begun and not ended."""
    engine = started(lambda: crawler.engine)
    slot = engine._slot if engine is not None else None  # there is no public way to ask
    return slot.inprogress if slot is not None else frozenset()


def waiting_requests(crawler: Crawler) -> int:
    """Return how many requests of a crawl wait."""
    engine = started(lambda: crawler.engine)
    slot = engine._slot if engine is not None else None
    return len(slot.scheduler) if slot is not None else 0  # type: ignore[arg-type]


class OutputObserver:
    """A spider middleware that looks at each output and yields it unchanged, in plain and in async form.

    From 2.16 on, Scrapy asks for the asynchronous form alone.  Before, it asks for the plain form behind a
    plain callback; for a plain middleware it collects all output of a page that comes in the other form.
    """

    def look_at(self, output: Any, response: Response) -> None:
        """Look at an output of the page; must be guarded."""
        raise NotImplementedError

    def end_of(self, response: Response) -> None:
        """Note that all output of the page was yielded; must be guarded."""

    def process_spider_output(self, response: Response, result: Iterable[Any]) -> Iterator[Any]:
        """Pass on what a plain callback gives."""
        for output in result:
            self.look_at(output, response)
            yield output
        self.end_of(response)

    async def process_spider_output_async(
        self, response: Response, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        """Pass on what any callback gives."""
        async for output in result:
            self.look_at(output, response)
            yield output
        self.end_of(response)
