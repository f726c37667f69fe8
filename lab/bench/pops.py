"""What it costs to take the next request from the queue of a crawl of many hosts, with requests in flight.

A part of ``python -m lab.bench.broad``; imported, not run.

A crawl by Scrapy is brought to where so many requests are in flight, one a host, and each of so many slots
has two requests in the queue; up to half of the slots have a request in flight.  Then requests are taken
from the scheduler and put back, untimed, and the crawl is left there.  Scrapy's default queue, fair between
slots, beside the add-on's (and that of an older checkout), each in a process of its own.

Nothing here loads templcrawl.  Cost: ``MOST_POPS`` pops or ``LONGEST`` seconds a queue, and 0.1 ms a slot to
fill it.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import mean
from typing import Any

from scrapy import Request, Spider

from lab.bench.crawl import Job, Running, Site

FEWEST_POPS, MOST_POPS = 3, 1_000
LONGEST = 2.0


def pop_cost(settings: Mapping[str, Any], slots: int, in_flight: int, checkout: Path | None) -> float:
    """Return CPU milliseconds of a pop."""
    job = Job(
        Site(),
        {**settings, "DOWNLOAD_HANDLERS": {"http": Unanswered, "https": None, "ftp": None, "s3": None}},
        concurrency=in_flight,
        spider="lab.bench.pops.Popper",
        arguments={"slots": slots, "in_flight": in_flight},
    )
    with Running(job, checkout) as running:
        return float(running.wait().errors.splitlines()[-1])


class Unanswered:
    """Download handler that never answers."""

    lazy = True

    def __init__(self) -> None:
        self._never = asyncio.Event()

    async def download_request(self, request: Request) -> Any:
        await self._never.wait()

    async def close(self) -> None:
        """Nothing is open."""


class Popper(Spider):
    """Takes requests from the queue of its own crawl, and prints what that cost."""

    name = "popper"
    slots: int
    in_flight: int

    async def start(self) -> Any:
        engine = self.crawler.engine
        assert engine is not None
        shared = min(self.in_flight, self.slots // 2)
        for number in range(self.in_flight):
            yield Request(f"http://{'h' if number < shared else 'f'}{number}.example/first")
        while len(engine.downloader.active) < self.in_flight:
            await asyncio.sleep(0.01)
        slot: Any = engine._slot
        print(self._milliseconds(slot.scheduler), flush=True)
        os._exit(0)  # The requests in flight have no end, and those in the queue would take the crawl hours.

    def _milliseconds(self, scheduler: Any) -> float:
        for step in range(2):
            for number in range(self.slots):
                scheduler.enqueue_request(Request(f"http://h{number}.example/{step}"))
        spent: list[float] = []
        deadline = time.monotonic() + LONGEST
        while len(spent) < MOST_POPS and (len(spent) < FEWEST_POPS or time.monotonic() < deadline):
            started = time.thread_time()
            request = scheduler.next_request()
            spent.append(time.thread_time() - started)
            assert request is not None
            scheduler.enqueue_request(request.replace(dont_filter=True))
        return 1000 * mean(spent)
