"""The JOBDIR of a crawl: its lock, and the file from which the crawl goes on after a kill.

``<JOBDIR>/templcrawl.sqlite`` (:mod:`templcrawl.state_file`) holds the requests that are not done, the
fingerprints of those that the dupefilter has let in, and what other parts of a crawl keep there.  It is
committed every ``_COMMIT_SECONDS``.  Before that the feeds in local files are flushed, then the requests are
deleted that are done (:mod:`templcrawl.crawl.job.requests`).  So a kill at any moment leaves each page either
done, with its items and its links, or to be fetched again.

*The lock* lies beside the file, and dies with its process.  A second crawl on the same JOBDIR is refused:
each would fetch what the other has under way.

Cost: O(requests in progress, and feeds) a commit.
"""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path
from weakref import WeakValueDictionary

from scrapy.crawler import Crawler
from scrapy.utils.asyncio import create_looping_call

from templcrawl.crawl.job import feed_files, feeds
from templcrawl.crawl.job.job_owner import ENDED_STATE, QUEUE_STATE, is_ours
from templcrawl.crawl.job.requests import TABLES, TakenRequests
from templcrawl.errors import InvalidOption
from templcrawl.files import FileLock, holder, whole_file
from templcrawl.guard import LogErrors, report_error
from templcrawl.state_file import JOB_FILE, StateFile, StateLost

_COMMIT_SECONDS = 0.5

_TABLE = "CREATE TABLE IF NOT EXISTS crawl (began INTEGER, ended INTEGER)"


# JOBDIR -> the job of this process that had it last.
_jobs: WeakValueDictionary[str, Job] = WeakValueDictionary()


class Job:
    """A JOBDIR that is locked until it is closed, or the process ends.

    file        its state
    began       when its first run began, in seconds since 1970; a crawl that has ended begins anew
    is_resumed  whether this is a later run
    taken       which of its requests are under way, and which are done
    is_open     whether its crawl has begun
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
            self.file.make(*TABLES, feed_files.TABLE, _TABLE)
            if is_ours(folder) is None:  # whoever removes the queue of a job wants to begin anew
                for table in ("requests", "seen", "feeds"):
                    self.file.write(f"DELETE FROM {table}", ())
            feed_files.refuse(crawler, self.file)
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
        self.is_resumed = ended is None
        if ended is not None:
            began = max(int(time.time()), ended + 1)  # later than whatever the crawl before has read
            self.file.write("DELETE FROM crawl", ())
            self.file.write("INSERT INTO crawl VALUES (?, NULL)", (began,))
            self.file.commit()  # if the start fails, nobody may find the file locked
        return int(began)

    def mark(self, state: int = QUEUE_STATE) -> None:
        """Mark the job as one that our queue has begun; raises OSError."""
        queue = Path(self._folder, "requests.queue")
        queue.mkdir(exist_ok=True)
        with whole_file(queue / "active.json") as file:
            file.write(b"%d" % state)

    def open(self) -> None:
        """Begin to commit."""
        self.is_open = True
        self._commits = create_looping_call(self.commit)
        self._commits.start(_COMMIT_SECONDS, now=False)
        self._feeds.open()

    def commit(self) -> None:
        """Flush the feeds, delete the requests that are done, and make durable what was written."""
        with LogErrors(self._crawler, f"writing {self.file.path}"), suppress(StateLost):  # that is reported
            self.taken.collect()
            if not self.file.is_moving and self._feeds.flush():  # the thread would take it along, unsynced
                self.taken.delete_done(self.file)
        self.file.commit()

    def close(self) -> None:
        """Commit a last time, and let another crawl begin; all feeds and archives are closed by then."""
        if self.is_open and self._commits.running:
            self._commits.stop()
        with LogErrors(self._crawler, f"closing {self.file.path}"), suppress(StateLost):
            self.file.wait()
            self._feeds.end()
        self.commit()
        with LogErrors(self._crawler, f"closing {self.file.path}"), suppress(StateLost):
            over = "UPDATE crawl SET ended = ? WHERE NOT EXISTS (SELECT 1 FROM requests)"
            self.file.write(over, (int(time.time()),))
            is_over = self.file.read("SELECT ended FROM crawl")[0][0] is not None
            if self.file.commit() and is_over and is_ours(self._folder):
                self.mark(ENDED_STATE)
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
