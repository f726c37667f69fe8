"""Which request of a slot is next: its highest priority, then the class of links of the highest value.

The class of a request is that of its link: the role and the directory that determine its value
(:mod:`templcrawl.algorithms.crawl_order.link_value`).  The requests of a slot, a priority and a class are a
*bucket*, first in first out.  The highest priority that has a request comes first, so that the project's
priorities always do.  Of its buckets that one is next whose first request has the highest current value; of
equal ones that whose first request has waited longest.  Values go up as well as down, and nothing is ever
moved between buckets.  Requests without a class are of average value, 1.  Start requests, which Scrapy keeps
apart, come behind all others of their priority.

Buckets of a site that has learned since are valued again, ``MOST_VALUED`` of a priority at a time.  If there
are more of them, they are valued in turn: one that has risen is seen a few requests later.  There are at most
``MOST_BUCKETS`` of them in a queue; a class for which there is no room shares the bucket of the requests
without one, and the value of a bucket is that of its first request, whatever bucket it is.

The buckets of a site that is stopped (:mod:`templcrawl.crawl.site_log`) are held: they keep their requests.
Start requests, requests without a class, and those of a priority above 0 are sent.

Where the class or the value of a link cannot be told (:class:`~templcrawl.crawl.link_order.LinkOrder`
guards both), the request has no class, or the value is 1.

b buckets of a priority.  Cost: O(1) a push; a choice O(min(b, ``MOST_VALUED``) log b), or O(1) if nothing
was learned since the last one.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from itertools import islice
from typing import TypeAlias

from scrapy import Request

from templcrawl.crawl.link_order import LinkOrder, WaitingLink
from templcrawl.crawl.site_log import StoppedSites
from templcrawl.crawl.waiting_requests import PLAIN, START, Place, WaitingRequests

MOST_VALUED = 256
MOST_BUCKETS = 20_000  # some 1 KB each
_UNSEEN = -1  # arrival of the first request of a bucket, before it is looked at
_NO_LINK = WaitingLink("")
_Entry: TypeAlias = tuple[float, int, int]
_SIGN = 1 << 63  # SQLite's integers have one


@dataclass(slots=True, eq=False)
class _Bucket:
    """The requests of a slot, a priority and a class; at least one.

    arrival  of its first request
    first    the link of that
    value    of that link
    version  of the site that the link was found on, when it was valued
    entry    in the line of its level: its value, negated; its arrival; its key
    """

    key: int
    size: int = 0
    arrival: int = _UNSEEN
    first: WaitingLink = _NO_LINK
    value: float = 1.0
    version: int = -1
    entry: _Entry | None = None


@dataclass(slots=True)
class _Level:
    """The buckets of a priority.

    fresh     by class, those whose first request has not been looked at
    turns     all buckets but that of start requests, in the order in which they are valued again; and former
              ones, which are empty
    line      heap of entries; those that are no longer a bucket's stay until they are first
    revision  of all values, when the last choice was made
    """

    buckets: dict[int, _Bucket] = field(default_factory=dict)
    fresh: dict[int, _Bucket] = field(default_factory=dict)
    turns: deque[_Bucket] = field(default_factory=deque)
    line: list[_Entry] = field(default_factory=list)
    revision: int = -1


class SlotOrder:
    """The order of the requests of a slot; ``len`` is how many there are.

    order    tells class and value of links
    stopped  sites whose links are not sent
    waiting  where the requests wait
    """

    def __init__(self, slot: str, order: LinkOrder, stopped: StoppedSites, waiting: WaitingRequests) -> None:
        """Begin with no request."""
        self._slot = slot
        self._order, self._stopped, self._waiting = order, stopped, waiting
        self._levels: dict[int, _Level] = {}
        self._priorities: list[int] = []  # of the levels, in order
        self._size = self._latest = 0
        self._held_at = -1

    def __len__(self) -> int:
        return self._size

    @property
    def priority(self) -> int | None:
        """The highest priority, negated as Scrapy does; None without a request."""
        return self._priorities[0] if self._priorities else None

    def place_of(self, request: Request, link: WaitingLink, *, starts_apart: bool) -> Place:
        """Return where a request has to wait.

        starts_apart  whether start requests do; a link is none, even with a copy of a start request's meta
        """
        priority = -request.priority
        if not link.source:
            is_start = starts_apart and request.meta.get("is_start_request", False)
            return Place(self._slot, priority, START if is_start else PLAIN)
        key = (link.classes.key ^ _SIGN) - _SIGN if link.classes is not None else PLAIN
        level = self._levels.get(priority)
        has_room = self._waiting.buckets < MOST_BUCKETS or (level is not None and key in level.buckets)
        return Place(self._slot, priority, key if has_room else PLAIN)

    def add(self, place: Place, arrival: int, link: WaitingLink) -> None:
        """Add a request behind the others of a place."""
        bucket = self._add(place, 1)
        if bucket.size == 1:
            bucket.arrival, bucket.first = arrival, link

    def resume(self, place: Place, waiting: int) -> None:
        """Add the requests that an earlier run of the job has left at a place."""
        self._add(place, waiting)

    def _add(self, place: Place, waiting: int) -> _Bucket:
        level = self._levels.get(place.priority)
        if level is None:
            level = self._levels[place.priority] = _Level()
            insort(self._priorities, place.priority)
        bucket = level.buckets.get(place.class_key)
        if bucket is None:
            bucket = level.buckets[place.class_key] = _Bucket(place.class_key)
            if place.class_key != START:
                level.fresh[bucket.key] = bucket
                level.turns.append(bucket)
        bucket.size += waiting
        self._size += waiting
        self._held_at = -1
        return bucket

    def take(self, place: Place, left: int, arrival: int = 0) -> bool:
        """Take away the first request of a place; return whether one that came later was taken before it.

        left     how many are still there
        arrival  of the request, 0 if it is not counted
        """
        level = self._levels[place.priority]
        bucket = level.buckets[place.class_key]
        self._size -= bucket.size - left
        bucket.size, bucket.arrival = left, _UNSEEN
        if not left:
            self._remove(place.priority, level, bucket)
        elif bucket.key != START:
            level.fresh[bucket.key] = bucket
        has_waited = 0 < arrival < self._latest
        self._latest = max(self._latest, arrival)
        return has_waited

    def next(self) -> Place | None:
        """Return where the next request waits; None if none may be sent."""
        for priority in [*self._priorities]:
            level = self._levels[priority]
            bucket = self._best(priority, level) or level.buckets.get(START)
            if bucket is not None:
                return Place(self._slot, priority, bucket.key)
        return None

    def best_value(self) -> float:
        """Return the value of the link that is next in the highest priority; 1 for a start request."""
        priority = self.priority
        level = self._levels[priority] if priority is not None else _Level()
        bucket = self._best(priority or 0, level)
        if bucket is not None and len(level.buckets) == 1:  # nobody had to value it to choose it
            self._judge(priority or 0, level, bucket)
        return bucket.value if bucket is not None else 1.0

    def is_held(self) -> bool:
        """Say whether none of the requests may be sent.  Cost: O(b), then O(1) until one comes."""
        stopped = self._stopped
        if not stopped.hosts:
            return False
        if self._held_at != stopped.version and all(
            self._is_held(priority, bucket) for priority, bucket in self._buckets()
        ):
            self._held_at = stopped.version
        return self._held_at == stopped.version

    def held(self) -> int:
        """Return how many of the requests may not be sent.  Cost: O(b)."""
        return sum(bucket.size for priority, bucket in self._buckets() if self._is_held(priority, bucket))

    def _buckets(self) -> Iterator[tuple[int, _Bucket]]:
        for priority, level in [*self._levels.items()]:
            for bucket in [*level.buckets.values()]:
                if bucket.arrival == _UNSEEN and bucket.key != START:
                    self._judge(priority, level, bucket)
                if bucket.size:
                    yield priority, bucket

    def _is_held(self, priority: int, bucket: _Bucket) -> bool:
        """Say whether a bucket is one of links of a site that is stopped, which nobody has put forward."""
        if bucket.key in (PLAIN, START) or priority < 0:
            return False
        return bucket.first.host in self._stopped.hosts

    def _best(self, priority: int, level: _Level) -> _Bucket | None:
        """Return the bucket of the best link, of equal ones that which came first; None: all are held."""
        if len(level.buckets) == 1 and not self._stopped.hosts:
            return next((bucket for key, bucket in level.buckets.items() if key != START), None)
        for key in [*islice(level.fresh, MOST_VALUED)]:
            self._judge(priority, level, level.fresh.pop(key))
        if level.revision < 0 or self._order.revision() != level.revision:
            self._value_again(priority, level)
        held, best = [], None
        while level.line and best is None:
            bucket = level.buckets.get(level.line[0][-1])
            if bucket is None or bucket.entry is not level.line[0]:
                heappop(level.line)
            elif self._is_held(priority, bucket):
                held.append(heappop(level.line))
            else:
                best = bucket
        for entry in held:
            heappush(level.line, entry)
        return best

    def _value_again(self, priority: int, level: _Level) -> None:
        """Value the buckets again whose site has learned since: ``MOST_VALUED`` of them at most."""
        versions: dict[str, int] = {}
        looked_at = min(len(level.turns), MOST_VALUED)
        level.revision = self._order.revision() if looked_at == len(level.turns) else -1
        for _ in range(looked_at):
            bucket = level.turns.popleft()
            if not bucket.size:
                continue
            level.turns.append(bucket)
            source = bucket.first.source
            if source not in versions:
                versions[source] = self._order.version(source)
            if bucket.version != versions[source]:
                self._judge(priority, level, bucket)

    def _judge(self, priority: int, level: _Level, bucket: _Bucket) -> None:
        """Look at the first request of a bucket, and value it."""
        if not bucket.size:
            return
        if bucket.arrival == _UNSEEN or (bucket.first.source and bucket.first.classes is None):
            first = self._waiting.first(Place(self._slot, priority, bucket.key))
            if first is None:  # what was not committed when the file was lost
                self.take(Place(self._slot, priority, bucket.key), 0)
                return
            bucket.arrival = first.arrival
            bucket.first = self._order.waiting_link(first.url, first.source)
        bucket.value = self._order.value(bucket.first)
        bucket.version = self._order.version(bucket.first.source)
        entry = -bucket.value, bucket.arrival, bucket.key
        if entry != bucket.entry:
            bucket.entry = entry
            heappush(level.line, entry)
            if len(level.line) > 2 * len(level.buckets) + MOST_VALUED:
                level.line = [bucket.entry for bucket in level.turns if bucket.size and bucket.entry]
                heapify(level.line)

    def _remove(self, priority: int, level: _Level, bucket: _Bucket) -> None:
        del level.buckets[bucket.key]
        level.fresh.pop(bucket.key, None)
        if not level.buckets:
            del self._levels[priority], self._priorities[bisect_left(self._priorities, priority)]
        elif len(level.turns) > 2 * len(level.buckets) + MOST_VALUED:
            level.turns = deque(bucket for bucket in level.turns if bucket.size)
