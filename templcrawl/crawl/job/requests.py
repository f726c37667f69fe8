"""The requests of a job: those that wait as rows of its file, and those that are under way.

A request waits (:class:`RequestRows`), is *taken* when it leaves the queue, has *ended* when Scrapy has
dropped it from what is in progress, and is *done*, so that its row may go, once nothing *keeps* it
(:class:`TakenRequests`).

b buckets, p requests in progress.  Cost: O(log n) a row, some 20 us with its pickling; ``collect`` O(p).
Memory: O(b + p), and what is kept.
"""

from __future__ import annotations

import pickle
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, MutableMapping, Sequence
from contextlib import suppress
from itertools import count
from random import Random
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.utils.request import request_from_dict

from templcrawl.crawl.mark import source_of
from templcrawl.crawl.waiting import Bucket
from templcrawl.guard import LogErrors, guarded, report_error
from templcrawl.scrapy_compat import in_progress
from templcrawl.state_file import StateFile, StateLost

TABLES = (
    """CREATE TABLE IF NOT EXISTS requests (
        number INTEGER PRIMARY KEY, slot TEXT, priority, class INTEGER, url TEXT, source TEXT, body BLOB
    )""",
    "CREATE INDEX IF NOT EXISTS places ON requests (slot, priority, class)",
    "CREATE TABLE IF NOT EXISTS seen (fingerprint BLOB)",
)
_INSERT, _INSERT_SEEN = "INSERT INTO requests VALUES (?, ?, ?, ?, ?, ?, ?)", "INSERT INTO seen VALUES (?)"
# Of the row with the least number, as SQLite has it for columns beside a min().
_BUCKETS = """SELECT slot, priority, class, count(*), min(number), url, source
    FROM requests GROUP BY slot, priority, class"""
# The next row, and the one behind it.
_NEXT = """SELECT number, url, source, body FROM requests
    WHERE slot = ? AND priority = ? AND class = ? AND number >= ? ORDER BY number LIMIT 2"""
_ROW = "SELECT number, url, source, body FROM requests WHERE number = ?"
_NUMBERS = "SELECT number FROM requests WHERE slot = ? AND priority = ? AND class = ?"
_ANY = "SELECT number, body FROM requests WHERE number > ? ORDER BY number LIMIT 1"


class TakenRequests:
    """The requests of a job that were taken and are not done, by their number.

    When a request has ended, its callback has ended, and the item pipelines have what it yielded.  It is kept
    by

    - an item of its page that has not yet arrived: in a feed that is stored at its end, or in an archive;
    - a request that its page led to and that cannot be written to the file.  Which page that was is not
      known, so all that are in progress are kept until it is done.

    A request that cannot be written has a number, too, below 0, and no row.  Its fingerprint is written when
    it is done: until then its page would be fetched again after a kill, and has to lead to it again.

    done  rows that may be deleted, once the feeds are flushed
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self._taken: dict[Request, int] = {}
        self._numbers: set[int] = set()
        self._kept: Counter[int] = Counter()
        self._ended: set[int] = set()
        self.done: list[int] = []
        self._fingerprints: list[bytes] = []  # of requests without a row that are done
        self._let_in: tuple[Request, bytes] | None = None
        self._below_0 = count(-1, -1)
        # Number of a request that cannot be written -> the pages that are kept, its fingerprint.
        self._waits_for: dict[int, tuple[Iterable[int], bytes | None]] = {}

    def let_in(self, request: Request, fingerprint: bytes) -> None:
        """Note the fingerprint of the request that the dupefilter has just let in."""
        self._let_in = request, fingerprint

    @guarded("looking how a request was let in")
    def fingerprint_of(self, request: Request) -> bytes | None:
        """Return the fingerprint of the request that was just let in, None if another one was."""
        return self._let_in[1] if self._let_in is not None and self._let_in[0] is request else None

    @guarded("noting a request that leaves the queue")
    def note_taken(self, request: Request, number: int) -> None:
        """Note that a request leaves the queue."""
        self._taken[request] = number
        self._numbers.add(number)

    def has(self, number: int) -> bool:
        """Return whether the request of a row is in progress."""
        return number in self._numbers

    @guarded("keeping the page of a request that cannot be written", lambda *_: 0)
    def wait_unwritten(self, request: Request) -> int:
        """Keep the pages in progress until an unwritable request is done; return the number of that."""
        number = self._taken.get(request, 0)
        if number in self._waits_for:  # it goes back to the queue
            del self._taken[request]
        else:
            number = next(self._below_0)
            self._waits_for[number] = self.keep(None), self.fingerprint_of(request)
        return number

    @guarded("keeping a page", lambda *_: ())
    def keep(self, request: Request | None) -> Sequence[int]:
        """Keep the page of a request; return the numbers by which to release it.

        If no such request was taken, since a middleware has replaced it, all that are in progress are kept.
        """
        number = self._taken.get(request) if request is not None else None
        if number is not None:
            kept = [number]
        else:
            kept = [self._taken[each] for each in in_progress(self.crawler) if each in self._taken]
        self._kept.update(kept)
        return kept

    @guarded("releasing a page")
    def release(self, kept: Iterable[int]) -> None:
        """Release pages that were kept."""
        numbers = [*kept]
        while numbers:
            number = numbers.pop()
            self._kept[number] -= 1
            if self._kept[number] <= 0:
                del self._kept[number]
                if number in self._ended:
                    self._ended.discard(number)
                    numbers += self._finish(number)

    def collect(self) -> None:
        """Collect the requests that have ended since the last call."""
        for request in self._taken.keys() - in_progress(self.crawler):
            number = self._taken.pop(request)
            if number in self._kept:
                self._ended.add(number)
            else:
                self.release(self._finish(number))

    def delete_done(self, file: StateFile) -> None:
        """Delete the rows of what is done; raises StateLost."""
        if self.done or self._fingerprints:
            file.write("DELETE FROM requests WHERE number = ?", *zip(self.done))
            file.write(_INSERT_SEEN, *zip(self._fingerprints))
            self._numbers.difference_update(self.done)
            self.done.clear()
            self._fingerprints.clear()

    def _finish(self, number: int) -> Iterable[int]:
        """Note that a request is done; return the pages that were kept for it."""
        if number > 0:
            self.done.append(number)
            return ()
        self._numbers.discard(number)
        pages, fingerprint = self._waits_for.pop(number)
        if fingerprint is not None:
            self._fingerprints.append(fingerprint)
        return pages


class RequestRows:
    """Requests that wait as rows of the file of a job: at first those that an earlier run has left.

    Nothing of them is in memory but how many wait in a bucket, and the link of the first.  The numbers of
    rows grow, and a row stays until its page is done, so what waits is what comes behind the last that was
    taken.  After a kill, or a clean end, each row that is left waits again.  The fingerprint that let a
    request in is written beside it, in the same transaction.

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
        self.buckets: MutableMapping[Bucket, None] = {}
        self._chance = Random()
        for slot, priority, key, size, *first in file.read(_BUCKETS):
            bucket = Bucket(slot, priority, key, size, tuple(first))
            if bucket.is_shuffled:
                bucket.numbers = [number for (number,) in file.read(_NUMBERS, (slot, priority, key))]
            self.buckets[bucket] = None
        self.size = sum(bucket.size for bucket in self.buckets)
        self._uncommitted: dict[int, tuple[Bucket, Request]] = {}
        file.on_commit.append(self._uncommitted.clear)
        file.on_lost.append(self._save_uncommitted)

    def push(self, bucket: Bucket, request: Request) -> None:
        """Add a request to a bucket; raises ValueError if it cannot be written."""
        if not isinstance(request.priority, int):
            raise ValueError("its priority is not an integer: the request could be stored, but not restored")
        try:
            body = pickle.dumps(request.to_dict(spider=self._crawler.spider), protocol=4)
        except Exception as error:  # of what the project has put into it
            raise ValueError(str(error)) from error
        number, source = self._number + 1, source_of(request)
        row = number, bucket.slot, bucket.priority, bucket.key, request.url, source, body
        fingerprint = self._taken.fingerprint_of(request)
        try:
            self._file.write(_INSERT, row)
            if fingerprint is not None:
                self._file.write(_INSERT_SEEN, (fingerprint,))
        except StateLost as error:
            raise ValueError(f"it cannot be written: {error.__cause__}") from error
        self._number = number  # it is written: from here on nothing of ours is called, since that may fail
        if not bucket.size:  # rows before it were taken, and are not done
            bucket.first = number, request.url, source
        if bucket.is_shuffled:
            bucket.numbers.append(number)
        bucket.size += 1
        self.size += 1
        self.buckets[bucket] = None
        self._uncommitted[number] = bucket, request

    def pop(self, bucket: Bucket) -> Request | None:
        """Pop the first request of a bucket; None if it is lost, or cannot be made: then its row stays."""
        rows = []
        with suppress(sqlite3.Error):  # the file says that it is lost
            rows = self._any_of(bucket) if bucket.is_shuffled else self._next_of(bucket)
        if not rows:
            self._forget(bucket, bucket.size)
            return None
        number, _, _, body = rows[0]
        self._uncommitted.pop(number, None)
        self._forget(bucket, 1 if rows[1:] or bucket.numbers else bucket.size)
        if rows[1:]:
            bucket.first = rows[1][:3]
        try:
            request = request_from_dict(pickle.loads(body), spider=self._crawler.spider)
        except Exception as error:
            doing = "reading a request that waits, and stays (logged once)"
            report_error(self._crawler, error, doing, is_known=self._has_failed)
            self._has_failed = True
            return None
        self._taken.note_taken(request, number)
        return request

    def _next_of(self, bucket: Bucket) -> list[Any]:
        return self._file.read(_NEXT, (bucket.slot, bucket.priority, bucket.key, bucket.first[0]))

    def _any_of(self, bucket: Bucket) -> list[Any]:
        numbers = bucket.numbers
        place = self._chance.randrange(len(numbers))
        numbers[place], numbers[-1] = numbers[-1], numbers[place]
        return self._file.read(_ROW, (numbers.pop(),))

    def pop_any(self) -> Request | None:
        """Pop the request that has waited longest in any bucket; from then on ``size`` is not kept.

        It serves where the rest of the queue fails, and shares nothing with ``pop``, so that not both fail.
        """
        while rows := self._file.read(_ANY, (self._any,)):
            self._any, body = rows[0]
            if not self._taken.has(self._any):
                self._uncommitted.pop(self._any, None)
                with LogErrors(self._crawler, "reading a request that waits"):  # pop may have failed there
                    request = request_from_dict(pickle.loads(body), spider=self._crawler.spider)
                    self._taken.note_taken(request, self._any)
                    return request
        return None

    def _save_uncommitted(self, error: Exception) -> None:
        for bucket, request in self._uncommitted.values():
            self._forget(bucket, 1)
            self._on_lost(request)
        self._uncommitted.clear()

    def _forget(self, bucket: Bucket, rows: int) -> None:
        """Correct the counts after rows were lost."""
        rows = min(rows, bucket.size)
        bucket.size -= rows
        self.size -= rows
        if not bucket.size:
            self.buckets.pop(bucket, None)
