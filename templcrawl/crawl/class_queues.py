"""The requests of one slot, a first-in-first-out queue for each priority and class of links.

The class of a request is that of its link: the role and the directory that determine its value
(:mod:`templcrawl.algorithms.crawl_order.link_value`).  A queue of a class is a *bucket*.  ``pop`` looks at
the buckets of the highest priority alone, so that the priorities of the project always come first.  It takes
the bucket whose first request has the highest current value; among equals, the one that has waited longest.
Nothing is ever moved between buckets, and values go up as well as down.

How many buckets there are is up to :class:`~templcrawl.crawl.bucket_room.Room`.  If there is no room for
the class of a request, it shares a bucket with requests whose links had about the same value when they were
queued.  So a site with ever new directories delays no class that has paid.  If there is no room for that
either, or it has no class, it waits in the bucket that Scrapy's own queue has for its priority.  The value of
a bucket is that of the link of its first request, whatever the bucket is.  A link of a page has a class even
if its spider gave its request the meta of a start request.

The buckets of a site that is stopped (:mod:`templcrawl.crawl.site_log`) are held: they keep their
requests.  Start requests, requests without a class, and those of a priority above 0 are sent.

On disk a bucket is a queue like any other of Scrapy's, under a number that holds its priority and its class
(:func:`~templcrawl.crawl.jobs.job_queues.bucket_number`): a crawl that goes on, with templcrawl or without,
finds all.  What a killed crawl has fetched, but not yet stored, is found again in the files of the queues
that it was taken from.  So a queue that is empty stays open until the crawl ends; if there is no more room,
the one that is empty for longest is closed, which removes its files.  As with Scrapy's own queue, the first
request of a priority opens again what a killed crawl has left under that priority.  Without an order of
links all requests of a priority are in one bucket, and the queue is Scrapy's.

b buckets of a slot.  Cost: O(1) a push; a pop O(b), and one value for each bucket whose links were found on a
site that has learned since.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from math import log2
from pathlib import Path
from typing import Any

from queuelib.queue import LifoDiskQueue
from scrapy import Request
from scrapy.pqueues import QueueProtocol, ScrapyPriorityQueue

from templcrawl.crawl.bucket_room import VALUE_BUCKETS, Room
from templcrawl.crawl.jobs.job_queues import bucket_number, priority_of_queue
from templcrawl.crawl.link_order import LinkOrder, WaitingLink
from templcrawl.crawl.site_log import StoppedSites
from templcrawl.guard import guarded


@dataclass(slots=True)
class _Bucket:
    """A bucket that is not empty.

    since    arrival of its first request, where the request itself does not tell
    first    link of its first request; None until it is looked at
    value    of that link
    version  of the site that it was found on, when it was valued
    """

    queue: QueueProtocol
    since: int
    first: WaitingLink | None = None
    value: float = 1.0
    version: int = -1


class ClassQueues(ScrapyPriorityQueue):
    """The priority queue of a slot; to Scrapy each bucket is the queue of a priority.

    queues   number of a bucket -> its queue, as Scrapy's own methods expect it
    curprio  the highest priority, negated as Scrapy does
    """

    def __init__(
        self,
        *arguments: Any,
        order: LinkOrder | None,
        room: Room,
        stopped: StoppedSites | None = None,
        **names: Any,
    ) -> None:
        """Make or reopen the queues of a slot.

        order  what tells the class and the value of a link; None: as they came
        room   what other slots have left
        stopped  sites whose links are not sent; None: there are none
        """
        self._order = order
        self._room = room
        self._stopped = stopped or StoppedSites()
        self._held_at = -1
        self._levels: dict[int, dict[int, _Bucket]] = {}
        self._latest = 0
        super().__init__(*arguments, **names)

    def init_prios(self, startprios: Iterable[int]) -> None:
        """Reopen the buckets of a crawl that goes on."""
        for number in startprios:
            self._open(number, self.qfactory(number))
            if self._start_queue_cls and priority_of_queue(number) == number:
                queue = self._sqfactory(number)
                if queue:
                    self._start_queues[number] = queue
                else:
                    queue.close()
        self._update_curprio()

    def push(self, request: Request) -> None:
        """Queue a request in its bucket; raises ValueError if it cannot be written to a disk queue."""
        self._held_at = -1
        link = self._link_of(request)
        if link is None and self._start_queue_cls and request.meta.get("is_start_request", False):
            self._push_start(request)
            return
        number = self._number(self.priority(request), link)
        priority = priority_of_queue(number)
        level = self._levels.get(priority, {})
        bucket = level.get(number)
        if bucket is not None:
            bucket.queue.push(request)
            return
        if not level and number != priority and self._was_left(priority):
            self._open(priority, self.qfactory(priority))
        queue = self._room.take(self.key, number)
        if queue is None:
            queue = self.qfactory(number)
        try:
            queue.push(request)
        finally:
            bucket = self._open(number, queue)
        if bucket is not None and len(queue) == 1:
            bucket.first = link
            bucket.since = link.arrival if link is not None else self._latest

    def pop(self) -> Request | None:
        """Return the first request of the best bucket of the highest priority that may send one."""
        for priority in self._priorities():
            level = self._levels.get(priority)
            number = self._best(level) if level else None
            if level and number is not None:
                return self._take(level, number)
            queue = self._start_queues.get(priority)
            if queue:
                return self._take_start(priority, queue)
        return None

    def _priorities(self) -> Iterable[int]:
        """Return the priorities that may send a request, the highest first: one unless links are stopped."""
        if self._stopped.hosts:
            return sorted({*self._levels, *self._start_queues})
        return () if self.curprio is None else (self.curprio,)

    def peek(self) -> Request | None:
        """Return what ``pop`` would return now; raises NotImplementedError where queues cannot tell."""
        for priority in self._priorities():
            level = self._levels.get(priority)
            number = self._best(level) if level else None
            queue = level[number].queue if level and number is not None else self._start_queues.get(priority)
            if queue:
                return _peek(queue)
        return None

    def best_value(self) -> float:
        """Return the value of the link that ``pop`` takes next; 1 for a start request.  Cost: O(b)."""
        level = {} if self.curprio is None else self._levels.get(self.curprio, {})
        number = self._best(level) if level else None
        if number is None:
            return 1.0
        if len(level) == 1:
            self._judge(level[number])
        return level[number].value

    def is_held(self) -> bool:
        """Say whether none of the requests that wait may be sent.  Cost: O(b), then O(1) until one comes."""
        if self._held_at != self._stopped.version:
            if any(self._start_queues.values()) or not all(map(self._is_held, self._buckets())):
                return False
            self._held_at = self._stopped.version
        return True

    def held(self) -> int:
        """Return how many requests wait that may not be sent.  Cost: O(b)."""
        return sum(len(bucket.queue) for number, bucket in self._buckets() if self._is_held((number, bucket)))

    def _buckets(self) -> Iterator[tuple[int, _Bucket]]:
        return chain.from_iterable(level.items() for level in self._levels.values())

    def _is_held(self, bucket: tuple[int, _Bucket]) -> bool:
        """Say whether a bucket is one of links of a site that is stopped, which nobody has put forward."""
        number, waiting = bucket
        priority = priority_of_queue(number)
        if not self._stopped.hosts or priority == number or priority < 0:
            return False
        first = waiting.first or self._judge(waiting)
        return first.host in self._stopped.hosts

    def _take_start(self, priority: int, queue: QueueProtocol) -> Request | None:
        try:
            return queue.pop()
        finally:
            if not queue:
                del self._start_queues[priority]
                self._room.leave(self.key, f"{priority}s", queue)
                self._update_curprio()

    def close(self) -> list[int]:
        """Close all queues; return what they are to be reopened by."""
        self._room.left += sum(number != priority_of_queue(number) for number in self.queues)
        return super().close()

    def _push_start(self, request: Request) -> None:
        """Queue a start request: in the queue of its priority, or in the one that is empty but open."""
        priority = self.priority(request)
        if (queue := self._room.take(self.key, f"{priority}s")) is not None:
            self._start_queues[priority] = queue
        try:
            super().push(request)
        except ValueError:  # it cannot be written
            queue = self._start_queues.get(priority)
            if queue is not None and not queue:
                del self._start_queues[priority]
                queue.close()
            raise

    def _was_left(self, priority: int) -> bool:
        """Say whether a killed crawl has left the queue that Scrapy has for a priority."""
        is_open = (self.key, priority) in self._room
        return self._room.on_disk and not is_open and Path(self.key, str(priority)).exists()

    def _number(self, priority: int, link: WaitingLink | None) -> int:
        """Return the number of the bucket of a request: of its class or its value, if it may be opened."""
        if link is None or link.classes is None:
            return priority
        number = bucket_number(priority, link.classes.key)
        if number in self.queues or self._room.grants(len(self.queues), link.pages):
            return number
        number = bucket_number(priority, self._value_bucket(link))
        if number in self.queues or self._room.grants(len(self.queues), link.pages, for_value=True):
            return number
        return priority

    @guarded("valuing a link", lambda queues, link: VALUE_BUCKETS // 2)
    def _value_bucket(self, link: WaitingLink) -> int:
        """Return which of the buckets for like values is a link's; for 1, the average, the middle one."""
        value = self._order.value(link) if self._order is not None else 1.0
        power = round(2 * log2(value)) if value > 0 else -VALUE_BUCKETS
        return min(VALUE_BUCKETS - 1, max(0, VALUE_BUCKETS // 2 + power))

    def _open(self, number: int, queue: QueueProtocol) -> _Bucket | None:
        """Add a bucket with its queue, unless that is empty: then close it."""
        if not queue:
            queue.close()
            return None
        priority = priority_of_queue(number)
        self.queues[number] = queue
        self._room.left -= number != priority
        bucket = self._levels.setdefault(priority, {})[number] = _Bucket(queue, 0)
        if self.curprio is None or priority < self.curprio:
            self.curprio = priority
        return bucket

    def _take(self, level: dict[int, _Bucket], number: int) -> Request | None:
        bucket = level[number]
        bucket.first = None
        try:
            request = bucket.queue.pop()
        finally:
            if not bucket.queue:
                self._remove(level, number)
        if request is not None:
            self._report(request)
        return request

    def _remove(self, level: dict[int, _Bucket], number: int) -> None:
        priority = priority_of_queue(number)
        queue = level.pop(number).queue
        del self.queues[number]
        if not level:
            del self._levels[priority]
            self._update_curprio()
        self._room.left += number != priority
        self._room.leave(self.key, number, queue)

    def _update_curprio(self) -> None:
        self.curprio = min((*self._levels, *filter(self._start_queues.get, self._start_queues)), default=None)

    @guarded("choosing a request", lambda queues, level: next(iter(level)))
    def _best(self, level: dict[int, _Bucket]) -> int | None:
        """Return the bucket of the best link, of equal ones that which came first; None: all are held."""
        has_held = bool(self._stopped.hosts)
        if len(level) == 1 and not has_held:
            return next(iter(level))
        best, value, arrival = None, -1e9, 0
        source, version = "", 0
        for number, bucket in level.items():
            first = bucket.first
            if first is not None and first.source != source:
                source, version = first.source, self._version(first)
            if first is None or bucket.version != version:
                first = self._judge(bucket)
            if has_held and self._is_held((number, bucket)):
                continue
            if bucket.value > value or (bucket.value == value and first.arrival < arrival):
                best, value, arrival = number, bucket.value, first.arrival
        return best

    def _version(self, link: WaitingLink) -> int:
        """Return what changes whenever the value of a link may have changed."""
        return self._order.version(link.source) if self._order is not None and link.source else 0

    def _judge(self, bucket: _Bucket) -> WaitingLink:
        """Set the value of a bucket by its first request; return the link of that."""
        if bucket.first is None or (bucket.first.source and bucket.first.classes is None):
            request = None
            with suppress(Exception):  # a queue of the project's own, or a request that cannot be read
                request = _peek(bucket.queue)
            link = self._link_of(request) if request is not None else None
            bucket.first = link or WaitingLink(arrival=bucket.since)
        if self._order is not None:
            bucket.value = self._order.value(bucket.first)
        bucket.version = self._version(bucket.first)
        return bucket.first

    @guarded("telling the class of a request")
    def _link_of(self, request: Request) -> WaitingLink | None:
        return self._order.waiting_link(request) if self._order is not None else None

    @guarded("counting a request that has waited")
    def _report(self, request: Request) -> None:
        arrival = self._order.arrival(request) if self._order is not None else 0
        if self._order is not None and 0 < arrival < self._latest:
            self._order.report_waited(request)
        self._latest = max(self._latest, arrival)


def _peek(queue: Any) -> Request | None:
    """Return the first request of a queue; raises NotImplementedError or AttributeError if it cannot tell."""
    try:
        request: Request | None = queue.peek()
    finally:
        if isinstance(queue, LifoDiskQueue):  # before queuelib's pull request 92, a push would overwrite it
            queue.f.seek(0, os.SEEK_END)
    return request
