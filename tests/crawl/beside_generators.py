"""Crawls beside a spider middleware of the project that is a plain generator; run as a program of its own.

    python -m tests.crawl.beside_generators

prints a JSON object: name of the middleware, way of templcrawl -> what was fetched and emitted by a
spider that fails at the end of each page, and how much an endless callback yielded until it saw its items.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from itertools import product
from typing import Any

from tests.crawl.crawls import ADDON
from tests.crawl.small_crawls import Follow, Recorder, crawl, in_this_process

MOST = 10_000
WAYS: dict[str, dict[str, Any]] = {"without": {}, "with": ADDON, "holding": {**ADDON, "TEMPLCRAWL_HOLD": 3}}


class Plain:
    """A plain generator alone."""

    def process_spider_output(self, response: Any, result: Any) -> Iterator[Any]:
        yield from result


class Both(Plain):
    """A plain generator, with the other form that Scrapy asks for."""

    async def process_spider_output_async(self, response: Any, result: Any) -> AsyncIterator[Any]:
        async for output in result:
            yield output


class Failing(Follow):
    """Fails at the end of each page."""

    def parse(self, response: Any) -> Iterator[Any]:
        yield from super().parse(response)
        raise ValueError("at the end of a page")


class Endless(Follow):
    """Yields items until it sees that some have passed the pipelines."""

    yielded = 0

    def parse(self, response: Any) -> Iterator[Any]:
        while not Recorder.urls and Endless.yielded < MOST:
            Endless.yielded += 1
            yield {"url": response.url}


async def run_all() -> dict[str, Any]:
    """Return name of each crawl -> what it did."""
    results = {}
    for middleware, (ours, more) in product((Plain, Both), WAYS.items()):
        settings = {"SPIDER_MIDDLEWARES": {middleware: 500}, **more}
        Endless.yielded = 0
        await crawl(settings, Endless)
        done = await crawl(settings, Failing)
        results[f"{middleware.__name__}, {ours}"] = {**done, "yielded": Endless.yielded}
    return results


if __name__ == "__main__":
    in_this_process(run_all)
