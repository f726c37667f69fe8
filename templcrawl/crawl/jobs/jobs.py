"""The JOBDIR and the files that a crawl has to itself, and the repair of its queue.

``<JOBDIR>/templcrawl/lock`` is locked while the crawl runs; the lock dies with its process, the file stays.
A second crawl on the same JOBDIR is refused: each would overwrite what the other has learned, and take its
requests for those of a crawl that was killed.  A crawl of this process whose start has failed gives the lock
up.  The queue of another scheduler than Scrapy's is left alone.

*Among the crawls of its process* a name is a crawl's from its start until its spider is closed.  A crawl
whose start has failed has nothing: what it had is undone when another crawl asks for it.

In names of files ``%(name)s`` is the name of the spider, ``%(time)s`` when the crawl began, and ``%(...)s``
any attribute of the spider, as in Scrapy's ``FEEDS``.  Two crawls that would write to one target at a time
are refused, and so is a crawl that would overwrite what another spider of the process has written.

Cost: that of :mod:`templcrawl.crawl.jobs.killed_queues`, and O(crawls of the process that have not ended).
"""

from __future__ import annotations

import logging
from contextlib import ExitStack, suppress
from datetime import datetime, timezone
from os.path import abspath
from pathlib import Path
from weakref import WeakKeyDictionary

from queuelib.queue import FifoDiskQueue, FifoSQLiteQueue, LifoDiskQueue
from scrapy import Spider, signals
from scrapy.core.scheduler import Scheduler
from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object
from scrapy.utils.request import request_from_dict

from templcrawl.crawl.jobs.killed_queues import repair_queues, waiting_requests
from templcrawl.errors import InvalidOption, pluralize
from templcrawl.files import FileLock, holder
from templcrawl.guard import Surviving
from templcrawl.memory.lru_dict import LruDict

logger = logging.getLogger(__name__)


class Job:
    """A JOBDIR that is locked until it is closed, or the process ends."""

    def __init__(self, crawler: Crawler, folder: str) -> None:
        """Lock a JOBDIR, and rebuild the queue that a kill has left; raises InvalidOption."""
        self._crawler = crawler
        self._folder = folder
        undone = claim(crawler, f"JOBDIR {Path(folder).resolve()}")
        self._was_killed = bool(holder(_lock_path(folder)))
        self._lock = _lock(folder)
        if undone is not None:
            undone.callback(self._lock.release)
        self._waiting: int | None = None
        with Surviving(crawler, f"rebuilding the queue of {folder}"):
            self._rebuild()

    def _rebuild(self) -> None:
        settings = self._crawler.settings
        if Scheduler not in load_object(settings["SCHEDULER"]).__mro__:  # issubclass asks for methods alone
            return
        repaired = repair_queues(
            self._folder, files_are_stacks=_are_stacks(settings), was_killed=self._was_killed
        )
        self._waiting = repaired.waiting
        if repaired.waiting is not None:
            logger.warning(
                "The crawl of %(folder)s was killed: its queue was rebuilt, %(waiting)s; what was fetched "
                "since it began is fetched again",
                {
                    "folder": self._folder,
                    "waiting": pluralize(repaired.waiting, "request waits", "requests wait"),
                },
            )
        if unread := repaired.unread:
            logger.warning(
                "%(queues)s in %(folder)s cannot be read, and Scrapy has not listed what waits there; it is "
                "left as it lies (first: %(first)s)",
                {
                    "queues": pluralize(len(unread), "queue", "queues"),
                    "folder": Path(self._folder, "requests.queue"),
                    "first": unread[0],
                },
            )

    def open(self) -> None:
        """Add the requests of a rebuilt queue to the dupefilter: what it wrote of them may be lost."""
        if self._waiting is None:
            return
        if self._crawler.stats is not None:
            self._crawler.stats.set_value("templcrawl/queue/rebuilt", self._waiting)
        engine = self._crawler.engine
        scheduler = engine._slot.scheduler if engine is not None and engine._slot is not None else None
        if not isinstance(scheduler, Scheduler):
            return
        with Surviving(self._crawler, f"adding to the dupefilter the queue of {self._folder}"):
            for plain in waiting_requests(self._folder):
                with suppress(ValueError):  # its callback is no longer there
                    request = request_from_dict(plain, spider=self._crawler.spider)
                    if not request.dont_filter:
                        scheduler.df.request_seen(request)

    def close(self) -> None:
        """Release the lock, so that another crawl can begin."""
        self._lock.release()


def _are_stacks(settings: BaseSettings) -> bool:
    """Return whether what is neither a folder nor a database in the queue of a job is a ``LifoDiskQueue``."""
    paths = [settings[f"SCHEDULER{start}_DISK_QUEUE"] for start in ("", "_START")]
    classes = [load_object(path) for path in paths if path]
    of_files = [queue for queue in classes if not issubclass(queue, (FifoDiskQueue, FifoSQLiteQueue))]
    return bool(of_files) and all(issubclass(queue, LifoDiskQueue) for queue in of_files)


def _lock_path(folder: str) -> Path:
    return Path(folder, "templcrawl", "lock")


def _lock(folder: str) -> FileLock:
    path = _lock_path(folder)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return FileLock(path)
    except BlockingIOError:
        by = f" (process {number})" if (number := holder(path)) else ""
        accepted = f"a folder of its own for each crawl: another crawl{by} is at work in it"
        raise InvalidOption("JOBDIR", folder, accepted) from None
    except OSError as error:
        raise InvalidOption("JOBDIR", folder, f"a folder that can be written to ({error})") from error


class _Claims:
    """What a crawl has.

    names      name -> what is undone if its start fails; it must not refer to the crawler
    time       when it first asked, in UTC, as names of files have it
    has_begun  whether its spider was opened; ``crawler.crawling`` is false as soon as a crawl is to stop
    """

    def __init__(self) -> None:
        self.names: dict[str, ExitStack] = {}
        now = datetime.now(timezone.utc).replace(microsecond=0, tzinfo=None)
        self.time = now.isoformat().replace(":", "-")
        self.has_begun = False


# Crawl of this process that has not ended -> what it has.
_claims: WeakKeyDictionary[Crawler, _Claims] = WeakKeyDictionary()

# What a crawl of this process has overwritten, or will -> its spider; the last 10,000.
_overwritten: LruDict[str, str] = LruDict(10_000)


def claim(crawler: Crawler, name: str) -> ExitStack | None:
    """Take a name for a crawl; return what is undone if its start fails, None where another crawl has it."""
    for rival, claims in list(_claims.items()):
        if rival is not crawler and name in claims.names:
            if rival.crawling or claims.has_begun:
                return None
            claims.names.pop(name).close()
    return _claims_of(crawler).names.setdefault(name, ExitStack())


def _claims_of(crawler: Crawler) -> _Claims:
    if crawler not in _claims:
        _claims[crawler] = _Claims()
        crawler.signals.connect(_begin, signals.spider_opened)
        crawler.signals.connect(_end, signals.spider_closed)
    return _claims[crawler]


def _begin(sender: Crawler) -> None:
    if sender in _claims:
        _claims[sender].has_begun = True


def _end(sender: Crawler) -> None:
    _claims.pop(sender, None)


def claim_target(crawler: Crawler, setting: str, target: str, *, overwrites: bool) -> str:
    """Return where a crawl writes to, with its names filled in; raises InvalidOption.

    overwrites  whether what an earlier crawl has written there is lost
    """
    filled = _fill(crawler, setting, target)
    name = filled if "://" in filled else abspath(filled)  # noqa: PTH100
    spider = crawler.spider.name if crawler.spider is not None else ""
    of_another = overwrites and _overwritten.get(name) not in (None, spider)
    if of_another or claim(crawler, name) is None:
        accepted = "a name of its own for each crawl: %(name)s is its spider's, %(time)s when it began"
        raise InvalidOption(setting, target, accepted)
    if overwrites:  # once it has begun; what is connected must not refer to the crawler
        crawler.signals.connect(
            lambda: _overwritten.__setitem__(name, spider), signals.spider_opened, weak=False
        )
    return filled


class _Names(dict[str, object]):
    """What may stand in names of files: ``name``, ``time``, and what the spider and its class have."""

    def __init__(self, spider: Spider | None, time: str) -> None:
        super().__init__(name=spider.name if spider is not None else "", time=time)
        self._spider = spider

    def __missing__(self, name: str) -> object:
        return getattr(self._spider, name)


def _fill(crawler: Crawler, setting: str, target: str) -> str:
    if "%(" not in target:
        return target
    try:
        return target % _Names(crawler.spider, _claims_of(crawler).time)
    except (AttributeError, MemoryError, OverflowError, TypeError, ValueError) as error:
        raise InvalidOption(
            setting, target, f"%(name)s, %(time)s or attributes of the spider ({error})"
        ) from None
