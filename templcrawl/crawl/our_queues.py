"""Our priority queues of a crawl, seen from outside: how many requests wait, and those of which sites may not
be sent.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from scrapy import Request
from scrapy.crawler import Crawler

from templcrawl.scrapy_compat import started

# What Scrapy's queue goes by.
QUEUE_SETTINGS = (
    "SCHEDULER",
    "SCHEDULER_PRIORITY_QUEUE",
    "SCHEDULER_MEMORY_QUEUE",
    "SCHEDULER_DISK_QUEUE",
    "SCHEDULER_START_MEMORY_QUEUE",
    "SCHEDULER_START_DISK_QUEUE",
)
FINISH_REASON = "templcrawl_stop"  # of a crawl in which only links of stopped sites wait


@dataclass
class StoppedSites:
    """The sites whose links are not sent.

    hosts    of these sites
    version  how often they have changed
    """

    hosts: set[str] = field(default_factory=set)
    version: int = 0

    def set(self, host: str | None, *, is_stopped: bool) -> None:
        """Stop a site, or let its links be sent."""
        if host is not None and is_stopped != (host in self.hosts):
            self.hosts ^= {host}
            self.version += 1


class OurQueue(Protocol):
    """One of our priority queues."""

    def waiting(self, slot: str) -> int:
        """Return how many requests wait in a slot."""

    def held(self) -> int:
        """Return how many requests may not be sent, since their site is stopped."""


class OurQueues:
    """Our queues, each of which adds itself; none where the scheduler has others.

    stopped  the sites whose links they keep
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._queues: list[OurQueue] = []
        self.stopped = StoppedSites()

    def add(self, queue: OurQueue) -> None:
        """Add a queue."""
        self._queues.append(queue)

    def waiting(self, request: Request) -> int | None:
        """Return how many requests wait in the slot of a request, None without our queues."""
        engine = started(lambda: self._crawler.engine)
        if engine is None or not self._queues:
            return None
        slot = engine.downloader.get_slot_key(request)
        return sum(queue.waiting(slot) for queue in self._queues)

    def held(self) -> int:
        """Return how many requests may not be sent.  Cost: O(buckets)."""
        return sum(queue.held() for queue in self._queues)
