"""The requests of a queue that wait: in memory, or as rows of the file of a job.

Requests wait at *places*: a slot, a priority and a class of links.  At a place the first in is the first out.
Which place is next is for others to say (:mod:`templcrawl.crawl.slot_order`).

*Rows* keep nothing in memory but how many wait at a place, and the number of the last that was taken there.
The numbers of rows grow, and a row stays until its page is done (:mod:`templcrawl.crawl.jobs.job`), so what
waits is what comes behind that number.  After a kill, or a clean end, each row that is left waits again.  The
fingerprint that let a request in is written beside it, in the same transaction.

s places.  Cost: O(1) in memory; O(log n) a row, some 20 us with its pickling.  Memory: O(s), and the requests
that are not rows.
"""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Callable, Mapping
from itertools import count
from typing import NamedTuple, Protocol

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.utils.request import request_from_dict

from templcrawl.crawl.jobs.taken_requests import TakenRequests
from templcrawl.crawl.link_order import source_of
from templcrawl.guard import GuardedStats, Surviving, report_error
from templcrawl.state_file import StateFile, StateLost

PLAIN, START = 0, 1  # the classes of requests that have no class of links, and of start requests

_INSERT = "INSERT INTO requests VALUES (?, ?, ?, ?, ?, ?, ?)"
_INSERT_SEEN = "INSERT INTO seen VALUES (?)"
_PLACES = "SELECT slot, priority, class, count(*) FROM requests GROUP BY slot, priority, class"
_OF_PLACE = (
    "FROM requests WHERE slot = ? AND priority = ? AND class = ? AND number > ? ORDER BY number LIMIT 1"
)
_FIRST = f"SELECT number, url, source {_OF_PLACE}"
_NEXT = f"SELECT number, body {_OF_PLACE}"
_ANY = "SELECT number, body FROM requests WHERE number > ? ORDER BY number LIMIT 1"


class Place(NamedTuple):
    """Where a request waits.

    priority    as Scrapy negates it: the lowest goes first
    class_key   of its link, 64 bits with a sign, or ``PLAIN`` or ``START``
    """

    slot: str
    priority: int
    class_key: int


class FirstRequest(NamedTuple):
    """The request at a place that is next.

    arrival  a number that grows from request to request
    source   host of the page that its link was found on, "" if no page led to it
    """

    arrival: int
    url: str
    source: str


class TakenRequest(NamedTuple):
    """What was taken from a place.

    request  None if it cannot be read, or there is none
    left     how many requests are left there
    """

    request: Request | None
    arrival: int
    left: int


class WaitingRequests(Protocol):
    """Requests that wait.

    size  how many there are
    """

    size: int

    @property
    def buckets(self) -> int:
        """At how many places requests wait."""

    def places(self) -> Mapping[Place, int]:
        """Return the places where requests of an earlier run of the job wait, each with their number."""

    def push(self, place: Place, request: Request) -> int:
        """Let a request wait; return its arrival.  Raises ValueError if it cannot be written."""

    def first(self, place: Place) -> FirstRequest | None:
        """Return what ``pop`` takes from a place next."""

    def pop(self, place: Place) -> TakenRequest:
        """Take the first request of a place."""

    def pop_any(self) -> Request | None:
        """Take the request that has waited longest, wherever."""


class RequestsInMemory:
    """Requests that wait in memory.

    taken  those of the job that are under way: what cannot be written to its file waits here
    """

    def __init__(self, taken: TakenRequests | None) -> None:
        self._taken = taken
        self._arrivals = count(1)
        self._queues: dict[Place, deque[tuple[int, Request]]] = {}
        self.size = 0

    @property
    def buckets(self) -> int:
        """At how many places requests wait."""
        return len(self._queues)

    def places(self) -> Mapping[Place, int]:
        """Return the places where requests of an earlier run wait: none."""
        return {}

    def push(self, place: Place, request: Request) -> int:
        """Let a request wait; return its arrival."""
        if self._taken is not None:
            self._taken.wait_unwritten(request)
        arrival = next(self._arrivals)
        self._queues.setdefault(place, deque()).append((arrival, request))
        self.size += 1
        return arrival

    def first(self, place: Place) -> FirstRequest | None:
        """Return what ``pop`` takes from a place next."""
        queue = self._queues.get(place)
        return FirstRequest(queue[0][0], queue[0][1].url, source_of(queue[0][1])) if queue else None

    def pop(self, place: Place) -> TakenRequest:
        """Take the first request of a place."""
        queue = self._queues.get(place)
        if not queue:
            return TakenRequest(None, 0, 0)
        arrival, request = queue.popleft()
        self.size -= 1
        if not queue:
            del self._queues[place]
        if self._taken is not None:
            self._taken.take_unwritten(request)
        return TakenRequest(request, arrival, len(queue))

    def pop_any(self) -> Request | None:
        """Take the request that has waited longest, wherever."""
        if not self._queues:
            self.size = 0
            return None
        place = min(self._queues, key=lambda place: self._queues[place][0][0])
        _, request = self._queues[place].popleft()
        if not self._queues[place]:
            del self._queues[place]
        if self._taken is not None:
            self._taken.take_unwritten(request)
        return request


class RequestRows:
    """Requests that wait as rows of the file of a job.

    What was pushed since the last commit is in memory, too: if the file is lost, ``on_lost`` gets it.
    """

    def __init__(
        self, crawler: Crawler, file: StateFile, taken: TakenRequests, on_lost: Callable[[Request], None]
    ) -> None:
        self._crawler = crawler
        self._file, self._taken = file, taken
        self._on_lost = on_lost
        self._number = file.read("SELECT max(number) FROM requests")[0][0] or 0
        self._any = 0
        self._has_failed = False
        self._last: dict[Place, int] = {}
        self._sizes: dict[Place, int] = {Place(*place): waiting for *place, waiting in file.read(_PLACES)}
        self.size = sum(self._sizes.values())
        self._uncommitted: dict[int, tuple[Place, Request]] = {}
        file.on_commit.append(self._uncommitted.clear)
        file.on_lost.append(self._save_uncommitted)

    @property
    def buckets(self) -> int:
        """At how many places requests wait."""
        return len(self._sizes)

    def places(self) -> Mapping[Place, int]:
        """Return the places where requests of an earlier run wait, each with their number."""
        return self._sizes

    def push(self, place: Place, request: Request) -> int:
        """Let a request wait; return its arrival."""
        if not isinstance(request.priority, int):
            raise ValueError("its priority is not an integer: it could be written, but not made again")
        try:
            body = pickle.dumps(request.to_dict(spider=self._crawler.spider), protocol=4)
        except Exception as error:  # of what the project has put into it
            raise ValueError(str(error)) from error
        number = self._number + 1
        fingerprint = self._taken.fingerprint_of(request)
        try:
            self._file.write(_INSERT, (number, *place, request.url, source_of(request), body))
            if fingerprint is not None:
                self._file.write(_INSERT_SEEN, (fingerprint,))
        except StateLost as error:
            raise ValueError(f"it cannot be written: {error.__cause__}") from error
        self._number = number
        self.size += 1
        waiting = self._sizes.get(place, 0)
        self._sizes[place] = waiting + 1
        if not waiting:
            self._last[place] = number - 1
        self._uncommitted[number] = place, request
        return number

    def first(self, place: Place) -> FirstRequest | None:
        """Return what ``pop`` takes from a place next."""
        rows = self._file.read(_FIRST, (*place, self._last.get(place, 0)))
        if not rows:  # they were never committed
            self._forget(place, self._sizes.get(place, 0))
        return FirstRequest(*rows[0]) if rows else None

    def pop(self, place: Place) -> TakenRequest:
        """Take the first request of a place."""
        request, left = None, self._sizes.pop(place, 0)
        last = self._last.pop(place, 0)
        rows = self._file.read(_NEXT, (*place, last)) if left else ()
        if rows:
            last, body = rows[0]
            left -= 1
            request = self._take(last, body)
        else:  # they were never committed
            self.size -= left
            left = 0
        if left:
            self._sizes[place], self._last[place] = left, last
        return TakenRequest(request, last, left)

    def pop_any(self) -> Request | None:
        """Take the request that has waited longest, wherever."""
        while rows := self._file.read(_ANY, (self._any,)):
            self._any, body = rows[0]
            if not self._taken.has(self._any):
                self.size -= 1
                self._uncommitted.pop(self._any, None)
                with Surviving(self._crawler, "reading a request that waits"):  # _take may have failed
                    request = request_from_dict(pickle.loads(body), spider=self._crawler.spider)
                    self._taken.take(request, self._any)
                    return request
        self.size = 0
        return None

    def _take(self, number: int, body: bytes) -> Request | None:
        """Take a row, and return its request; None if it cannot be made: its row stays for later."""
        self.size -= 1
        self._uncommitted.pop(number, None)
        try:
            request = request_from_dict(pickle.loads(body), spider=self._crawler.spider)
        except Exception as error:  # its callback may be gone
            if self._has_failed:
                GuardedStats(self._crawler).inc_value(f"templcrawl/errors/{type(error).__name__}")
            else:
                self._has_failed = True
                report_error(self._crawler, error, "reading a request that waits, and stays (logged once)")
            return None
        self._taken.take(request, number)
        return request

    def _save_uncommitted(self, error: Exception) -> None:
        for place, request in self._uncommitted.values():
            self._forget(place, 1)
            self._on_lost(request)
        self._uncommitted.clear()

    def _forget(self, place: Place, rows: int) -> None:
        """Count rows no longer that are not there any more."""
        left = self._sizes.pop(place, 0)
        self.size -= min(rows, left)
        if left > rows:
            self._sizes[place] = left - rows
