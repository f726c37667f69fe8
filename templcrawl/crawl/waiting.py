"""The requests that wait in our queues, in buckets, in memory; and our queues as parts and orders see them.

The requests of a slot, a priority and a class of links are a *bucket*: the first in is the first out, or any
is, where the key of the class is odd: a sample has to be drawn.  Which bucket is next is for others to say
(:mod:`templcrawl.crawl.frontier.slot_order`).  Those of a job wait as rows of its file
(:mod:`templcrawl.crawl.job.requests`).

b buckets.  Cost: O(1); ``pop_any`` O(b).
"""

from __future__ import annotations

from collections import deque
from collections.abc import MutableMapping
from dataclasses import dataclass, field
from itertools import count
from random import Random
from typing import Protocol

from scrapy import Request
from scrapy.crawler import Crawler

from templcrawl.crawl.mark import source_of
from templcrawl.memory.sections import WaitingLink
from templcrawl.scrapy_compat import started

PLAIN, START = 0, 1  # the classes of requests that have no class of links, and of start requests


@dataclass(slots=True, eq=False)
class Bucket:
    """The requests of a slot, a priority and a class.

    priority  as Scrapy negates it: the lowest goes first
    key       of the class, 64 bits with a sign, or ``PLAIN`` or ``START``
    size      how many wait
    first     of the first: arrival, a number that grows from request to request; URL; source (``source_of``)
    queue     of those in memory: arrival, request, number in the job (0 without one), source
    numbers   of rows, where any may be the first

    What :mod:`templcrawl.crawl.frontier.slot_order` knows of the first: its link, the value of that, the
    version of the site that it was found on when it was valued (-1: it was not), and its entry in the line of
    its level.
    """

    slot: str
    priority: int
    key: int
    size: int = 0
    first: tuple[int, str, str] = (0, "", "")
    queue: deque[tuple[int, Request, int, str]] = field(default_factory=deque)
    numbers: list[int] = field(default_factory=list)
    link: WaitingLink = WaitingLink("")  # noqa: RUF009 (it cannot be changed)
    value: float = 1.0
    version: int = -1
    entry: tuple[float, int, int] | None = None

    @property
    def is_shuffled(self) -> bool:
        """True if its requests leave in any order; then ``first`` is one of them."""
        return bool(self.key & 1) and self.key != START


class WaitingRequests(Protocol):
    """Requests that wait.

    size     how many there are
    buckets  those in which requests wait
    """

    size: int
    buckets: MutableMapping[Bucket, None]

    def push(self, bucket: Bucket, request: Request) -> None:
        """Add a request to a bucket; raises ValueError if it cannot wait there."""

    def pop(self, bucket: Bucket) -> Request | None:
        """Pop the first request of a bucket; None if it is lost."""

    def pop_any(self) -> Request | None:
        """Pop the request that has waited longest in any bucket; from then on ``size`` is not kept."""


class UnwrittenRequests(Protocol):
    """The requests of a job that its file does not take: they have numbers below 0, and wait in memory."""

    def wait_unwritten(self, request: Request) -> int:
        """Return the number of a request that has to wait."""

    def note_taken(self, request: Request, number: int) -> None:
        """Note that a request leaves the queue."""


class RequestsInMemory:
    """Requests that wait in memory."""

    def __init__(self, taken: UnwrittenRequests | None) -> None:
        """Begin with none; ``taken`` is of the job: what cannot be written to its file waits here."""
        self._taken = taken
        self._arrivals = count(1)
        self._chance = Random()
        self.size = 0
        self.buckets: MutableMapping[Bucket, None] = {}

    def push(self, bucket: Bucket, request: Request) -> None:
        """Add a request to a bucket."""
        number = self._taken.wait_unwritten(request) if self._taken is not None else 0
        arrival, source = next(self._arrivals), source_of(request)
        if not bucket.queue:
            bucket.first = arrival, request.url, source
        bucket.queue.append((arrival, request, number, source))
        bucket.size += 1
        self.size += 1
        self.buckets[bucket] = None

    def pop(self, bucket: Bucket) -> Request | None:
        """Pop the first request of a bucket."""
        if bucket.is_shuffled:
            bucket.queue.rotate(-self._chance.randrange(len(bucket.queue)))
        _, request, number, _ = bucket.queue.popleft()
        bucket.size -= 1
        self.size -= 1
        if bucket.queue:
            arrival, first, _, source = bucket.queue[0]
            bucket.first = arrival, first.url, source
        else:
            del self.buckets[bucket]
        if self._taken is not None and number:
            self._taken.note_taken(request, number)
        return request

    def pop_any(self) -> Request | None:
        """Pop the request that has waited longest in any bucket; from then on ``size`` is not kept."""
        bucket = min(self.buckets, key=lambda bucket: bucket.queue[0][0], default=None)
        if bucket is None:
            return None
        _, request, number, _ = bucket.queue.popleft()
        if not bucket.queue:
            del self.buckets[bucket]
        if self._taken is not None and number:
            self._taken.note_taken(request, number)
        return request


# What Scrapy's queue goes by.
QUEUE_SETTINGS = (
    "SCHEDULER",
    "SCHEDULER_PRIORITY_QUEUE",
    "SCHEDULER_MEMORY_QUEUE",
    "SCHEDULER_DISK_QUEUE",
    "SCHEDULER_START_MEMORY_QUEUE",
    "SCHEDULER_START_DISK_QUEUE",
)
# What Scrapy writes down of our queue, and of one of a job that has ended: its own want a list or an object,
# or what is false (crawl/job/job_owner.py).
QUEUE_STATE, ENDED_STATE = 1, 0
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
    """The queues of ours in a crawl: each registers itself; empty if the scheduler uses another queue.

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
