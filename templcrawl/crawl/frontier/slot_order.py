"""Choose the next request of a slot: by priority, then by the value of its class of links.

The class of a request is that of its link, as the order tells it (:mod:`templcrawl.crawl.orders`). The
requests of a slot, a priority and a class are a *bucket* (:mod:`templcrawl.crawl.waiting`), first in first
out, or in any order. The highest priority that has a request comes first, so that the project's priorities
always do. Of its buckets that one is next whose first request has the highest current value; of equal ones
that whose first request has waited longest. Values go up as well as down, and nothing is ever moved between
buckets.

b buckets of a priority.  Cost: O(1) a push, O(log b) into an empty bucket; a choice O(min(b, ``MAX_VALUED``)
log b), or O(1) if nothing was learned since the last one.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from math import inf

from scrapy import Request

from templcrawl.crawl.orders import LinkOrder
from templcrawl.crawl.waiting import PLAIN, START, Bucket, WaitingRequests
from templcrawl.memory.sections import WaitingLink

MAX_VALUED = 256
# In a queue. A class for which there is no room shares the bucket of the requests without one, and the value
# of a bucket is that of its first request, whatever bucket it is.
MAX_BUCKETS = 20_000  # some 1 KB each
_SIGN, _KEYS = 1 << 63, (1 << 64) - 1  # SQLite's integers have a sign


@dataclass(slots=True)
class _Level:
    """The buckets of a priority, by class.

    turns     all buckets in the order in which they are valued again; and former ones, which are empty
    line      heap of entries; those that are no longer a bucket's stay until they are first
    revision  of all values, when the last choice was made; -1 if some are not known
    """

    buckets: dict[int, Bucket] = field(default_factory=dict)
    turns: deque[Bucket] = field(default_factory=deque)
    line: list[tuple[float, int, int]] = field(default_factory=list)
    revision: int = -1


class SlotOrder:
    """The order of the requests of a slot.

    Requests without a class are of average value, 1. Start requests, which Scrapy keeps apart, come behind
    all others of their priority.  Where the class or the value of a link cannot be told
    (:class:`~templcrawl.crawl.orders.LinkOrder` guards both), the request has no class, or the value is 1.

    order    tells class and value of links, and which are held
    waiting  where the requests wait
    """

    def __init__(self, slot: str, order: LinkOrder, waiting: WaitingRequests) -> None:
        """Begin with no request."""
        self._slot, self._order, self._waiting = slot, order, waiting
        self._levels: dict[int, _Level] = {}
        self._priorities: list[int] = []  # of the levels, in order
        self._latest = 0
        self._held_at = -1

    @property
    def priority(self) -> int | None:
        """The highest priority, negated as Scrapy does; None without a request."""
        return self._priorities[0] if self._priorities else None

    def size(self) -> int:
        """Return how many requests wait.  Cost: O(buckets)."""
        return sum(bucket.size for level in self._levels.values() for bucket in level.buckets.values())

    def bucket_of(self, request: Request, link: WaitingLink, *, starts_apart: bool) -> Bucket:
        """Return the bucket in which a request has to wait.

        starts_apart  whether start requests do; a link is none, even with a copy of a start request's meta
        """
        priority = -request.priority
        level = self._levels.get(priority)
        buckets = level.buckets if level is not None else {}
        key = PLAIN
        if not link.source and starts_apart and request.meta.get("is_start_request", False):
            key = START
        elif link.key is not None:
            key = ((link.key << 1 & _KEYS | link.is_known) ^ _SIGN) - _SIGN
            if key not in buckets and len(self._waiting.buckets) >= MAX_BUCKETS:
                key = PLAIN
        return buckets.get(key) or Bucket(self._slot, priority, key)

    def add_bucket(self, bucket: Bucket, link: WaitingLink | None = None) -> None:
        """Add the bucket in which a request waits now.

        link  that of the request; None in a job that goes on: those of all buckets at once are too many
        """
        self._held_at = -1
        level = self._levels.get(bucket.priority)
        if level is None:
            level = self._levels[bucket.priority] = _Level()
            insort(self._priorities, bucket.priority)
        if bucket.key in level.buckets:
            return
        level.buckets[bucket.key] = bucket
        level.turns.append(bucket)
        if link is not None:
            self._judge(level, bucket, link)
        else:
            self._line_up(level, bucket)

    def note_left(self, bucket: Bucket, arrival: int = 0) -> bool:
        """Note that the first request of a bucket has left; return whether it has overtaken an older one.

        arrival  of the request, 0 if it is not counted
        """
        level = self._levels[bucket.priority]
        bucket.version = -1
        if bucket.size and len(level.buckets) == 1:
            level.revision = -1  # it is valued once it has to be chosen
        elif bucket.size:
            self._judge(level, bucket)
        else:
            del level.buckets[bucket.key]
            if not level.buckets:
                del self._levels[bucket.priority]
                del self._priorities[bisect_left(self._priorities, bucket.priority)]
            elif len(level.turns) > 2 * len(level.buckets) + MAX_VALUED:
                level.turns = deque(bucket for bucket in level.turns if bucket.size)
        has_waited = 0 < arrival < self._latest
        self._latest = max(self._latest, arrival)
        return has_waited

    def next(self) -> Bucket | None:
        """Return the bucket of the next request; None if none may be sent."""
        for priority in [*self._priorities]:
            bucket = self._best(self._levels[priority])
            if bucket is not None:
                return bucket
        return None

    def best_value(self) -> float:
        """Return the value of the link that is next in the highest priority; 1 for a start request."""
        level = self._levels[self._priorities[0]] if self._priorities else _Level()
        bucket = self._best(level)
        if bucket is not None and len(level.buckets) == 1:  # nobody had to value it to choose it
            self._judge(level, bucket)
        return bucket.value if bucket is not None else 1.0  # that of start requests is 1, too

    def is_held(self) -> bool:
        """Return whether none of the requests may be sent.  Cost: O(b), then O(1) until one comes."""
        holding = self._order.holding
        if holding and self._held_at != holding and all(map(self._is_held, self._buckets())):
            self._held_at = holding
        return self._held_at == holding

    def held(self) -> int:
        """Return how many of the requests may not be sent.  Cost: O(b)."""
        return sum(bucket.size for bucket in self._buckets() if self._is_held(bucket))

    def _buckets(self) -> Iterator[Bucket]:
        for level in self._levels.values():
            for bucket in level.buckets.values():
                if bucket.version < 0:
                    self._judge(level, bucket)
                yield bucket

    def _is_held(self, bucket: Bucket) -> bool:
        """Return whether the links of a bucket are held and have no raised priority.

        Held buckets (:class:`~templcrawl.crawl.orders.LinkOrder`) keep their requests.  Start requests,
        requests without a class, and those of a priority above 0 are sent.
        """
        is_link = bucket.key not in (PLAIN, START) and bucket.priority >= 0
        return is_link and self._order.holds(bucket.link, bucket.value)

    def _best(self, level: _Level) -> Bucket | None:
        """Return the bucket of the best link; ties go to the first that came. None: all are held."""
        if len(level.buckets) == 1 and not self._order.holding:
            return next(iter(level.buckets.values()))
        if level.revision < 0 or self._order.revision() != level.revision:
            self._value_again(level)
        held, best = [], None
        while level.line and best is None:
            bucket = level.buckets.get(level.line[0][-1])
            if bucket is None or bucket.entry is not level.line[0]:
                heappop(level.line)
            elif self._is_held(bucket):
                held.append(heappop(level.line))
            else:
                best = bucket
        for entry in held:
            heappush(level.line, entry)
        return best

    def _value_again(self, level: _Level) -> None:
        """Revalue the buckets whose site has learned since; at most ``MAX_VALUED`` of them.

        A bucket is valued when another request is its first; the only one of a priority is not, until there
        are others.  Buckets of a site that has learned since, and those that a job goes on with, are valued
        in turn if there are more: one that has risen is seen a few requests later.
        """
        versions: dict[str, int] = {}
        looked_at = min(len(level.turns), MAX_VALUED)
        level.revision = self._order.revision() if looked_at == len(level.turns) else -1
        for _ in range(looked_at):
            bucket = level.turns.popleft()
            if not bucket.size:
                continue
            level.turns.append(bucket)
            source = bucket.link.source
            if source not in versions:
                versions[source] = self._order.version(source)
            if bucket.version != versions[source]:
                self._judge(level, bucket)

    def _judge(self, level: _Level, bucket: Bucket, link: WaitingLink | None = None) -> None:
        """Value the first request of a bucket; ``link`` is its link, None if that was not looked at."""
        has_class = bucket.link.key is not None
        is_known = bucket.version >= 0 and (has_class or not bucket.link.source)
        is_known |= has_class and bucket.is_shuffled
        if link is not None or not is_known:  # its site may be in memory now
            bucket.link = link or self._order.waiting_link(*bucket.first[1:])
        if bucket.key != START:
            bucket.value = self._order.value(bucket.link)
        bucket.version = self._order.version(bucket.link.source)
        self._line_up(level, bucket)

    def _line_up(self, level: _Level, bucket: Bucket) -> None:
        value = bucket.value if bucket.key != START else -inf  # behind all others
        entry = -value, bucket.first[0], bucket.key
        if entry != bucket.entry:
            bucket.entry = entry
            heappush(level.line, entry)
            if len(level.line) > 2 * len(level.buckets) + MAX_VALUED:
                level.line = [bucket.entry for bucket in level.turns if bucket.size and bucket.entry]
                heapify(level.line)
