"""The JOBDIR of a crawl: its lock, and the file from which the crawl goes on after a kill.

``<JOBDIR>/templcrawl.sqlite`` (:mod:`templcrawl.state_file`) holds the requests that are not done, the
fingerprints of those that the dupefilter has let in, and what other parts of a crawl keep there.  It is
committed every ``_COMMIT_SECONDS``.  Before that the feeds in local files are flushed, then the requests are
deleted that are done.  So a kill at any moment leaves each page either done, with its items and its links, or
to be fetched again.

A request is *taken* when it leaves the queue, and has *ended* when Scrapy has dropped it from what is in
progress: its callback has ended, and the item pipelines have what it yielded.  It is *done*, and its row may
go, once nothing *keeps* it:

- an item of its page that has not yet arrived: in a feed that is stored at its end, in an archive, or held
  back (``TEMPLCRAWL_HOLD``);
- a request that its page led to and that cannot be written to the file.  Which page that was is not known, so
  all that are in progress are kept until it is done.

A request that cannot be written has a number, too, below 0, and no row.  Its fingerprint is written when it
is done: until then its page would be fetched again after a kill, and has to lead to it again.

*Whose job.*  A job that Scrapy's own queue began goes on with that.  One that ours began is marked in
``requests.queue/active.json`` by a number, which Scrapy's own queues refuse: without templcrawl the crawl
does not start, and nothing that waits is lost.  Without the mark the queue begins anew: as with Scrapy's, one
may remove ``requests.queue`` to crawl again with what was learned.

*The lock* lies beside the file, and dies with its process.  A second crawl on the same JOBDIR is refused:
each would fetch what the other has under way.

p requests in progress.  Cost: O(1) a request; O(p, and feeds) a commit.  Memory: O(p), and a number for each
request that is kept.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from weakref import WeakValueDictionary

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.utils.asyncio import create_looping_call

from templcrawl.crawl import feeds
from templcrawl.crawl.requests import INSERT_SEEN, TABLES
from templcrawl.errors import InvalidOption
from templcrawl.files import FileLock, holder, whole_file
from templcrawl.guard import Surviving, guarded, in_progress, report_error
from templcrawl.state_file import JOB_FILE, StateFile, StateLost

QUEUE_STATE = 1  # what stands in active.json; Scrapy's own queues want a list or an object
_COMMIT_SECONDS = 0.5

_TABLE = "CREATE TABLE IF NOT EXISTS crawl (began INTEGER, ended INTEGER)"


def is_ours(folder: str) -> bool | None:
    """Return whether our queue began the job of a JOBDIR; None if no job has begun there."""
    queue = Path(folder, "requests.queue")
    mark = queue / "active.json"
    try:
        written = mark.read_bytes()
        is_cut = not written and [*queue.iterdir()] == [mark]  # killed as Scrapy wrote it anew
        return is_cut or bool(json.loads(written) == QUEUE_STATE)
    except (OSError, ValueError):
        has_begun = Path(folder, "requests.seen").exists() or (queue.is_dir() and any(queue.iterdir()))
        return False if has_begun else None


class TakenRequests:
    """The requests of a job that were taken and are not done, by their number.

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
    def take(self, request: Request, number: int) -> None:
        """Note that a request leaves the queue."""
        self._taken[request] = number
        self._numbers.add(number)

    def has(self, number: int) -> bool:
        """Say whether the request of a row was taken, and its row is still there."""
        return number in self._numbers

    @guarded("keeping the page of a request that cannot be written", lambda *_: 0)
    def wait_unwritten(self, request: Request) -> int:
        """Keep the pages that are in progress until a request is done that cannot be written to the file.

        Return its number.
        """
        number = self._taken.get(request, 0)
        if number in self._waits_for:  # it goes back to the queue
            del self._taken[request]
        else:
            number = next(self._below_0)
            self._waits_for[number] = self.keep(None), self.fingerprint_of(request)
        return number

    @guarded("keeping a page", lambda *_: ())
    def keep(self, request: Request | None) -> Sequence[int]:
        """Keep the page of a request; return what is to be released.

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
        """Let pages go that were kept once."""
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
        """Look which requests have ended since the last look."""
        under_way = in_progress(self.crawler)
        for request in [request for request in self._taken if request not in under_way]:
            number = self._taken.pop(request)
            if number in self._kept:
                self._ended.add(number)
            else:
                self.release(self._finish(number))

    def delete_done(self, file: StateFile) -> None:
        """Delete the rows of what is done; raises StateLost."""
        if self.done or self._fingerprints:
            file.write("DELETE FROM requests WHERE number = ?", *zip(self.done))
            file.write(INSERT_SEEN, *zip(self._fingerprints))
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


# JOBDIR -> the job of this process that had it last.
_jobs: WeakValueDictionary[str, Job] = WeakValueDictionary()


class Job:
    """A JOBDIR that is locked until it is closed, or the process ends.

    file     its state
    began    when its first run began, in seconds since 1970; a crawl that has ended begins anew
    taken    which of its requests are under way, and which are done
    is_open  whether its crawl has begun
    """

    is_open = False
    _lock: FileLock

    def __init__(self, crawler: Crawler, folder: str) -> None:
        """Lock a JOBDIR, and open its file; raises InvalidOption, InvalidSnapshot."""
        self._crawler = crawler
        self._folder = folder
        path = str(Path(folder).resolve())
        rival = _jobs.get(path)
        if rival is not None and not (rival.is_open or rival._crawler.crawling):  # its start has failed
            rival._lock.release()
        self._lock = _lock(folder)
        try:
            self.file = StateFile(Path(folder, JOB_FILE))
            self.file.make(*TABLES, feeds.TABLE, _TABLE)
            if is_ours(folder) is None:  # whoever removes the queue of a job wants to begin anew
                for table in ("requests", "seen", "feeds"):
                    self.file.write(f"DELETE FROM {table}", ())
            self.began = self._begin()
            if is_ours(folder):  # Scrapy reads what it may have left cut
                self.mark()
        except BaseException:
            self._lock.release()
            raise
        _jobs[path] = self
        doing = f"writing {self.file.path}, from which the job cannot go on now"
        self.file.on_lost.append(lambda error: report_error(crawler, error.with_traceback(None), doing))
        self.taken = TakenRequests(crawler)
        self._feeds = feeds.Feeds(crawler, self.taken, self.file)

    def _begin(self) -> int:
        rows = self.file.read("SELECT began, ended FROM crawl")
        began, ended = rows[0] if rows else (0, 0)
        if ended is not None:
            began = max(int(time.time()), ended + 1)  # later than whatever the crawl before has read
            self.file.write("DELETE FROM crawl", ())
            self.file.write("INSERT INTO crawl VALUES (?, NULL)", (began,))
            self.file.commit()  # if the start fails, nobody may find the file locked
        return int(began)

    def mark(self) -> None:
        """Mark the job as one that our queue has begun; raises OSError."""
        queue = Path(self._folder, "requests.queue")
        queue.mkdir(exist_ok=True)
        with whole_file(queue / "active.json") as file:
            file.write(b"%d" % QUEUE_STATE)

    def open(self) -> None:
        """Begin to commit."""
        self.is_open = True
        self._commits = create_looping_call(self.commit)
        self._commits.start(_COMMIT_SECONDS, now=False)
        self._feeds.open()

    def commit(self) -> None:
        """Flush the feeds, delete the requests that are done, and make durable what was written."""
        with Surviving(self._crawler, f"writing {self.file.path}"), suppress(StateLost):  # that is reported
            self.taken.collect()
            if self._feeds.flush():
                self.taken.delete_done(self.file)
        self.file.commit()

    def close(self) -> None:
        """Commit a last time, and let another crawl begin; all feeds and archives are closed by then."""
        if self.is_open and self._commits.running:
            self._commits.stop()
        with Surviving(self._crawler, f"closing {self.file.path}"), suppress(StateLost):
            self._feeds.end()
        self.commit()
        with Surviving(self._crawler, f"closing {self.file.path}"), suppress(StateLost):
            over = "UPDATE crawl SET ended = ? WHERE NOT EXISTS (SELECT 1 FROM requests)"
            self.file.write(over, (int(time.time()),))
        self.file.close()
        self._lock.release()


def _lock(folder: str) -> FileLock:
    path = Path(folder, "templcrawl.lock")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return FileLock(path)
    except BlockingIOError:
        by = f" (process {number})" if (number := holder(path)) else ""
        accepted = f"a folder of its own for each crawl: another crawl{by} is at work in it"
        raise InvalidOption("JOBDIR", folder, accepted) from None
    except OSError as error:
        raise InvalidOption("JOBDIR", folder, f"a folder that can be written to ({error})") from error
