"""A crawl with a JOBDIR: it has that to itself, and its queue is whole.

``<JOBDIR>/templcrawl/lock`` is locked while the crawl runs; the lock dies with its process, the file stays.
A second crawl on the same JOBDIR is refused: each would overwrite what the other has learned, and take its
requests for those of a crawl that was killed.  A crawl of this process whose start has failed
gives the lock up (:mod:`templcrawl.components.claims`).  The queue of another scheduler than Scrapy's is left
alone.

Cost: that of :mod:`templcrawl.components.killed_queues`.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from pathlib import Path

from queuelib.queue import FifoDiskQueue, FifoSQLiteQueue, LifoDiskQueue
from scrapy.core.scheduler import Scheduler
from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object
from scrapy.utils.request import request_from_dict

from templcrawl.components.claims import claim
from templcrawl.components.guard import surviving
from templcrawl.components.killed_queues import rebuild_queues, unread_queues, waiting_requests
from templcrawl.errors import InvalidOption
from templcrawl.locks import FileLock, holder
from templcrawl.wording import counted

logger = logging.getLogger(__name__)


class Job:
    """A JOBDIR that is locked until it is closed, or the process ends."""

    def __init__(self, crawler: Crawler, folder: str) -> None:
        """Lock a JOBDIR, and rebuild the queue that a kill has left; raises InvalidOption."""
        self._crawler = crawler
        self._folder = folder
        undone = claim(crawler, f"JOBDIR {Path(folder).resolve()}")
        self._lock = _lock(folder)
        if undone is not None:
            undone.callback(self._lock.release)
        self._waiting: int | None = None
        with surviving(crawler, f"rebuilding the queue of {folder}"):
            self._rebuild()

    def _rebuild(self) -> None:
        settings = self._crawler.settings
        if Scheduler not in load_object(settings["SCHEDULER"]).__mro__:  # issubclass asks for methods alone
            return
        self._waiting = waiting = rebuild_queues(self._folder, files_are_stacks=_are_stacks(settings))
        if waiting is not None:
            logger.warning(
                "The crawl of %(folder)s was killed: its queue was rebuilt, %(waiting)s; what was fetched "
                "since it began is fetched again",
                {"folder": self._folder, "waiting": counted(waiting, "request waits", "requests wait")},
            )
        if unread := unread_queues(self._folder):
            logger.warning(
                "%(queues)s in %(folder)s cannot be read, and Scrapy has not listed what waits there; it is "
                "left as it lies (first: %(first)s)",
                {
                    "queues": counted(len(unread), "queue", "queues"),
                    "folder": Path(self._folder, "requests.queue"),
                    "first": unread[0],
                },
            )

    def open(self) -> None:
        """Tell the dupefilter of the requests of a rebuilt queue: what it wrote of them may be lost."""
        if self._waiting is None:
            return
        if self._crawler.stats is not None:
            self._crawler.stats.set_value("templcrawl/queue/rebuilt", self._waiting)
        engine = self._crawler.engine
        scheduler = engine._slot.scheduler if engine is not None and engine._slot is not None else None
        if not isinstance(scheduler, Scheduler):
            return
        with surviving(self._crawler, f"telling the dupefilter of the queue of {self._folder}"):
            for plain in waiting_requests(self._folder):
                with suppress(ValueError):  # its callback is no longer there
                    request = request_from_dict(plain, spider=self._crawler.spider)
                    if not request.dont_filter:
                        scheduler.df.request_seen(request)

    def close(self) -> None:
        """Let others begin."""
        self._lock.release()


def _are_stacks(settings: BaseSettings) -> bool:
    """Say whether what is neither a folder nor a database in the queue of a job is a ``LifoDiskQueue``."""
    paths = [settings[f"SCHEDULER{start}_DISK_QUEUE"] for start in ("", "_START")]
    classes = [load_object(path) for path in paths if path]
    of_files = [queue for queue in classes if not issubclass(queue, (FifoDiskQueue, FifoSQLiteQueue))]
    return bool(of_files) and all(issubclass(queue, LifoDiskQueue) for queue in of_files)


def _lock(folder: str) -> FileLock:
    path = Path(folder, "templcrawl", "lock")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return FileLock(path)
    except BlockingIOError:
        by = f" (process {number})" if (number := holder(path)) else ""
        accepted = f"a folder of its own for each crawl: another crawl{by} is at work in it"
        raise InvalidOption("JOBDIR", folder, accepted) from None
    except OSError as error:
        raise InvalidOption("JOBDIR", folder, f"a folder that can be written to ({error})") from error
