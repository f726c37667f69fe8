"""The requests of a queue that wait: in memory, or as rows of the file of a job.

The requests of a slot, a priority and a class of links are a *bucket*: the first in is the first out.  Which
bucket is next is for others to say (:mod:`templcrawl.crawl.slot_order`).

*Rows* keep nothing in memory but how many wait in a bucket, and the number of the last that was taken there.
The numbers of rows grow, and a row stays until its page is done (:mod:`templcrawl.crawl.jobs.job`), so what
waits is what comes behind that number.  After a kill, or a clean end, each row that is left waits again.  The
fingerprint that let a request in is written beside it, in the same transaction.

Where the rest of the queue fails, ``pop_any`` takes what waits, in the order of arrival.  It shares nothing
with ``pop``, lest both fail.

b buckets.  Cost: O(1) in memory; O(log n) a row, some 20 us with its pickling; ``pop_any`` in memory O(b).
Memory: O(b), and the requests that are not rows.
"""

from __future__ import annotations

import pickle
import sqlite3
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any, TypeAlias

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.utils.request import request_from_dict

from templcrawl.crawl.jobs.taken_requests import TakenRequests
from templcrawl.crawl.link_order import WaitingLink, source_of
from templcrawl.guard import GuardedStats, Surviving, report_error
from templcrawl.state_file import StateFile, StateLost

PLAIN, START = 0, 1  # the classes of requests that have no class of links, and of start requests
UNSEEN = -1  # arrival of a first request that nobody has looked at
NO_LINK = WaitingLink("")

_INSERT = "INSERT INTO requests VALUES (?, ?, ?, ?, ?, ?, ?)"
_INSERT_SEEN = "INSERT INTO seen VALUES (?)"
_BUCKETS = "SELECT slot, priority, class, count(*) FROM requests GROUP BY slot, priority, class"
_OF_BUCKET = (
    "FROM requests WHERE slot = ? AND priority = ? AND class = ? AND number > ? ORDER BY number LIMIT 1"
)
_FIRST = f"SELECT number, url, source {_OF_BUCKET}"
_NEXT = f"SELECT number, body {_OF_BUCKET}"
_ANY = "SELECT number, body FROM requests WHERE number > ? ORDER BY number LIMIT 1"


@dataclass(slots=True, eq=False)
class Bucket:
    """The requests of a slot, a priority and a class.

    priority  as Scrapy negates it: the lowest goes first
    key       of the class, 64 bits with a sign, or ``PLAIN`` or ``START``
    size      how many wait
    last      number of the last row that was taken
    queue     arrival, request, and number in the job (0 without one), of those in memory

    What :mod:`templcrawl.crawl.slot_order` knows of it:

    arrival  of its first request, a number that grows from request to request
    first    the link of that
    value    of that link
    version  of the site that the link was found on, when it was valued
    entry    in the line of its level: its value, negated; its arrival; its key
    """

    slot: str
    priority: int
    key: int
    size: int = 0
    last: int = 0
    queue: deque[tuple[int, Request, int]] = field(default_factory=deque)
    arrival: int = UNSEEN
    first: WaitingLink = NO_LINK
    value: float = 1.0
    version: int = -1
    entry: tuple[float, int, int] | None = None


class RequestsInMemory:
    """Requests that wait in memory.

    size     how many there are
    buckets  those in which requests wait
    """

    def __init__(self, taken: TakenRequests | None) -> None:
        """Begin with none; ``taken`` is of the job: what cannot be written to its file waits here."""
        self._taken = taken
        self._arrivals = count(1)
        self.size = 0
        self.buckets: dict[Bucket, None] = {}

    def push(self, bucket: Bucket, request: Request) -> int:
        """Let a request wait; return its arrival."""
        number = self._taken.wait_unwritten(request) if self._taken is not None else 0
        arrival = next(self._arrivals)
        bucket.queue.append((arrival, request, number))
        bucket.size += 1
        self.size += 1
        self.buckets[bucket] = None
        return arrival

    def first(self, bucket: Bucket) -> tuple[int, str, str] | None:
        """Return arrival, URL and source (:func:`source_of`) of what ``pop`` takes next."""
        if not bucket.queue:
            return None
        arrival, request, _ = bucket.queue[0]
        return arrival, request.url, source_of(request)

    def pop(self, bucket: Bucket) -> tuple[Request | None, int]:
        """Take the first request of a bucket; return it and its arrival."""
        arrival, request, number = bucket.queue.popleft()
        bucket.size -= 1
        self.size -= 1
        if not bucket.queue:
            del self.buckets[bucket]
        if self._taken is not None and number:
            self._taken.take(request, number)
        return request, arrival

    def pop_any(self) -> Request | None:
        """Take the request that has waited longest, wherever; from then on ``size`` is not kept."""
        bucket = min(self.buckets, key=lambda bucket: bucket.queue[0][0], default=None)
        if bucket is None:
            return None
        _, request, number = bucket.queue.popleft()
        if not bucket.queue:
            del self.buckets[bucket]
        if self._taken is not None and number:
            self._taken.take(request, number)
        return request


class RequestRows:
    """Requests that wait as rows of the file of a job: at first those that an earlier run has left.

    What was pushed since the last commit is in memory, too: if the file is lost, ``on_lost`` gets it.

    size     how many there are
    buckets  those in which requests wait
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
        self.buckets: dict[Bucket, None] = {Bucket(*row): None for row in file.read(_BUCKETS)}
        self.size = sum(bucket.size for bucket in self.buckets)
        self._uncommitted: dict[int, tuple[Bucket, Request]] = {}
        file.on_commit.append(self._uncommitted.clear)
        file.on_lost.append(self._save_uncommitted)

    def push(self, bucket: Bucket, request: Request) -> int:
        """Let a request wait; return its arrival.  Raises ValueError if it cannot be written."""
        if not isinstance(request.priority, int):
            raise ValueError("its priority is not an integer: it could be written, but not made again")
        try:
            body = pickle.dumps(request.to_dict(spider=self._crawler.spider), protocol=4)
        except Exception as error:  # of what the project has put into it
            raise ValueError(str(error)) from error
        number = self._number + 1
        place = bucket.slot, bucket.priority, bucket.key
        fingerprint = self._taken.fingerprint_of(request)
        try:
            self._file.write(_INSERT, (number, *place, request.url, source_of(request), body))
            if fingerprint is not None:
                self._file.write(_INSERT_SEEN, (fingerprint,))
        except StateLost as error:
            raise ValueError(f"it cannot be written: {error.__cause__}") from error
        self._number = number  # it is written: from here on nothing of ours is called, since that may fail
        if not bucket.size:
            bucket.last = number - 1  # rows before it were taken, and are not done
        bucket.size += 1
        self.size += 1
        self.buckets[bucket] = None
        self._uncommitted[number] = bucket, request
        return number

    def first(self, bucket: Bucket) -> tuple[int, str, str] | None:
        """Return the same, None if it is lost."""
        return self._row(_FIRST, bucket)

    def pop(self, bucket: Bucket) -> tuple[Request | None, int]:
        """Take the first request of a bucket; return it and its arrival.

        It is None if it is lost, or cannot be made: its callback may be gone, and its row stays.
        """
        row = self._row(_NEXT, bucket)
        if row is None:
            return None, 0
        number, body = row
        bucket.last = number
        self._forget(bucket, 1)
        self._uncommitted.pop(number, None)
        try:
            request = request_from_dict(pickle.loads(body), spider=self._crawler.spider)
        except Exception as error:
            if self._has_failed:
                GuardedStats(self._crawler).inc_value(f"templcrawl/errors/{type(error).__name__}")
            else:
                self._has_failed = True
                report_error(self._crawler, error, "reading a request that waits, and stays (logged once)")
            return None, number
        self._taken.take(request, number)
        return request, number

    def _row(self, query: str, bucket: Bucket) -> Any:
        """Return what is selected of the first row of a bucket; if none is there, they are lost."""
        rows = []
        with suppress(sqlite3.Error):  # the file says that it is lost
            rows = self._file.read(query, (bucket.slot, bucket.priority, bucket.key, bucket.last))
        if not rows:
            self._forget(bucket, bucket.size)
        return rows[0] if rows else None

    def pop_any(self) -> Request | None:
        """Take the request that has waited longest, wherever; from then on ``size`` is not kept."""
        while rows := self._file.read(_ANY, (self._any,)):
            self._any, body = rows[0]
            if not self._taken.has(self._any):
                self._uncommitted.pop(self._any, None)
                with Surviving(self._crawler, "reading a request that waits"):  # pop may have failed there
                    request = request_from_dict(pickle.loads(body), spider=self._crawler.spider)
                    self._taken.take(request, self._any)
                    return request
        return None

    def _save_uncommitted(self, error: Exception) -> None:
        for bucket, request in self._uncommitted.values():
            self._forget(bucket, 1)
            self._on_lost(request)
        self._uncommitted.clear()

    def _forget(self, bucket: Bucket, rows: int) -> None:
        """Count rows no longer that are not there any more."""
        rows = min(rows, bucket.size)
        bucket.size -= rows
        self.size -= rows
        if not bucket.size:
            self.buckets.pop(bucket, None)


WaitingRequests: TypeAlias = RequestsInMemory | RequestRows
