"""The feeds of Scrapy in a job: when their items are safe, and what a kill leaves of them.

What a feed in a local file was given is safe once the file is flushed.  How long it is then is written in the
same transaction that its pages are done in.  After a kill every file of the run, batches too, is cut to that
length (:mod:`templcrawl.crawl.job.feed_files`).  A job that goes on writes into the same document: one header
of CSV, one array of JSON, one root of XML (:mod:`templcrawl.crawl.job.feed_documents`).  The file of the job
syncs what was written to feeds before it moves its own log to the disk (:attr:`StateFile.unsynced`).

Cost: O(feeds) an item, and a commit.  Memory: a number for each item of feeds that are stored at their end.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from os.path import abspath
from pathlib import Path
from typing import Any

from scrapy import exporters, signals
from scrapy.crawler import Crawler
from scrapy.extensions.feedexport import (
    FeedExporter,
    FileFeedStorage,
    FTPFeedStorage,
    GCSFeedStorage,
    S3FeedStorage,
    StdoutFeedStorage,
)
from scrapy.extensions.postprocessing import PostProcessingManager
from scrapy.http import Response

from templcrawl.crawl.job import feed_documents
from templcrawl.crawl.job.feed_files import (
    AT_ITS_END,
    ELSEWHERE,
    INSERT,
    OPEN,
    WHOLE,
    Length,
    cut,
    lengths_of,
    restore,
    size_of,
    status_of,
)
from templcrawl.crawl.job.requests import TakenRequests
from templcrawl.guard import LogErrors, report_error
from templcrawl.log import CrawlLogger, GuardedStats
from templcrawl.state_file import StateFile

_STREAMING = tuple(  # what these are given is in the file once that is flushed
    getattr(exporters, f"{name}ItemExporter")
    for name in ("Csv", "Json", "JsonLines", "Marshal", "Pickle", "Pprint", "Xml")
)
_OVERWRITING = (S3FeedStorage, GCSFeedStorage, FTPFeedStorage)


@dataclass(eq=False)
class LocalFile:
    """The file of a feed, as this run writes to it.

    begins   its size before
    size     its size at the last commit
    ahead    seconds by which the clock of its file system is ahead of the machine's
    """

    path: str
    begins: int
    size: int
    closing: bytes = b""
    ahead: float = 0.0


class Feeds:
    """The feeds of a crawl."""

    def __init__(self, crawler: Crawler, taken: TakenRequests, file: StateFile) -> None:
        self._file = file
        self._crawler = crawler
        self._log = CrawlLogger(__name__, crawler)
        self._taken = taken
        self._exporter: FeedExporter | None = None
        self._lengths: dict[str, Length] = {}  # of the run before
        self._goes_on = False
        self._local: dict[Any, LocalFile] = {}  # feed -> its file
        self._prepared: set[Any] = set()
        self._kept: dict[Any, list[int]] = {}  # feed that is stored at its end -> what is released with it
        self._failed = 0  # feeds that could not be stored
        self._has_failed = False

    def open(self) -> None:
        """Find the feeds, once they are open, and restore what a kill has left."""
        self._exporter = self._crawler.get_extension(FeedExporter)
        if self._exporter is None:
            return
        with LogErrors(self._crawler, "cutting feeds to what is safe"):
            self._goes_on = bool(self._file.read("SELECT 1 FROM seen LIMIT 1"))
            self._lengths = lengths_of(self._file)
            current = {_path(feed) for feed in self._exporter.slots if _is_file(feed)}
            for path in self._lengths.keys() - current:
                if self._lengths[path].state != ELSEWHERE:
                    restore(path, self._lengths[path], self._log)
                    self._file.write("DELETE FROM feeds WHERE path = ?", (path,))
            self._prepare_new()
            if self._local:
                self._file.settle()  # of a file that has items, the disk has a row
        connect = self._crawler.signals.connect
        connect(self._keep, signals.item_scraped)  # behind Scrapy's, which opens the next batch
        connect(self._release, signals.feed_slot_closed)

    def flush(self) -> bool:
        """Flush the feeds in local files; return whether that was possible, log once if it was not."""
        try:
            for feed in self._exporter.slots if self._exporter is not None else ():
                is_apart = feed in self._local or self._is_stored_at_its_end(feed)
                if not is_apart and feed.file is not None and not feed.file.closed:
                    feed.file.flush()
            for feed, local in [*self._local.items()]:
                if feed.file is not None:
                    self._note(feed, local)
        except (OSError, ValueError) as error:  # also for a path that is not text
            if not self._has_failed:
                self._has_failed = True
                report_error(self._crawler, error, "flushing a feed (logged once)")
            return False
        return True

    def _note(self, feed: Any, local: LocalFile) -> None:
        """Write how long the file of a feed is now."""
        file = feed.file.file if isinstance(feed.file, PostProcessingManager) else feed.file
        if file.closed:
            del self._local[feed]
            state, status = WHOLE, status_of(local.path)
            if status is None:  # somebody has taken it
                return
        else:
            state = AT_ITS_END if self._is_stored_at_its_end(feed) else OPEN
            if state == OPEN:  # of a batch that is about to be closed, too
                file.flush()
            status = os.fstat(file.fileno())
        if status.st_size != local.size:
            local.size, local.ahead = status.st_size, status.st_mtime - time.time()
            self._file.unsynced.add(local.path)
        self._write(local, status.st_ino, local.begins if state == AT_ITS_END else local.size, state)

    def _write(self, local: LocalFile, inode: int, size: int, state: str) -> None:
        row = local.path, inode, size, time.time() + local.ahead, state, local.closing
        self._file.write(INSERT, row)

    # what an earlier run has left

    def _prepare_new(self) -> None:
        """Prepare the feeds that were not there before; the file of a killed run is cut and continued."""
        assert self._exporter is not None
        new = [feed for feed in self._exporter.slots if feed not in self._prepared]
        self._prepared.update(new)
        for feed in new:
            with LogErrors(self._crawler, "continuing a feed"):
                self._prepare(feed)
        if new:
            self._file.commit()  # a kill finds the name of each file that there may be

    def _prepare(self, feed: Any) -> None:
        if not _is_file(feed):
            if feed.uri in self._lengths and isinstance(feed.storage, _OVERWRITING):
                self._warn_of_overwriting(feed, feed.uri)
            return
        assert self._exporter is not None
        path, exporter = _path(feed), self._exporter.exporters[feed.format]
        length, is_at_its_end = self._lengths.pop(path, None), self._is_stored_at_its_end(feed)
        local = LocalFile(path, 0, 0)
        if not is_at_its_end:
            local.closing = feed_documents.closing(exporter, feed.feed_options)
        inode = 0
        if feed.storage.write_mode != "ab":
            if self._goes_on and status_of(path) is not None:
                self._warn_of_overwriting(feed, path)
        else:
            lacks = length is not None and cut(path, length, self._log)
            if not is_at_its_end and size_of(path) and (self._goes_on or length is not None):
                self._go_on(feed, Path(path), exporter, length, lacks=lacks)
            if status := status_of(path):
                inode, local.begins = status.st_ino, status.st_size
        local.size = local.begins
        self._local[feed] = local
        self._write(local, inode, local.size, AT_ITS_END if is_at_its_end else OPEN)

    def _go_on(self, feed: Any, path: Path, exporter: type, length: Length | None, *, lacks: bool) -> None:
        """Continue a feed in the document of its file.

        lacks  whether items are missing there
        """
        is_closed = length is None or length.state == WHOLE
        if length is not None:
            status = path.stat()
            # It may not be as the job knows it: the power has failed, or another crawl has written to it.
            is_other = length.inode in (0, status.st_ino) and length.size != status.st_size
            if lacks or (is_other and not is_closed):
                is_closed = feed_documents.cut_half_an_item(path, exporter, feed.feed_options)
        if size_of(str(path)):
            feed_documents.go_on(feed, path, exporter, is_closed=is_closed)

    def _warn_of_overwriting(self, feed: Any, target: str) -> None:
        if feed.feed_options.get("overwrite", True):
            self._log.warning(
                "The feed %s is overwritten, though its job goes on: what is done is not fetched again, and "
                "its items are lost (give each run a name of its own, with %%(time)s; or append to a local "
                "file, with -o)",
                target,
            )

    # the crawl

    def end(self) -> None:
        """Forget the lengths: all feeds are complete.  Release pages of feeds without items."""
        for feed in [*self._kept]:
            if not feed.itemcount:  # Scrapy does not store it, and sends no signal
                self._taken.release(self._kept.pop(feed))
        for feed in self._local:
            if feed.file is not None and not feed.file.closed and not feed.itemcount:
                feed.finish_exporting()  # it was opened to go on, and no item has come
                feed.file.close()
        self._file.write("DELETE FROM feeds WHERE state != ?", (ELSEWHERE,))

    def _is_stored_at_its_end(self, feed: Any) -> bool:
        """Return whether a feed is not a file that grows with its items.

        Its storage is another (S3, FTP, a project's own), its file is compressed, or its exporter is none of
        Scrapy's (Parquet: its beginning alone cannot be read).  Its items are safe when Scrapy has stored it:
        at the end of the crawl, or of its batch (``FEED_EXPORT_BATCH_ITEM_COUNT``).  Until then their pages
        are kept.  Where Scrapy could not store it, they are kept for good: the job fetches them again.  What
        a kill has left of such a file is taken away.
        """
        assert self._exporter is not None
        is_local = type(feed.storage) in (FileFeedStorage, StdoutFeedStorage)  # others may move the file
        is_streaming = issubclass(self._exporter.exporters[feed.format], _STREAMING)
        return not is_local or not is_streaming or "postprocessing" in feed.feed_options

    def _keep(self, item: Any, response: Response | None) -> None:
        """Keep the page of an item for each feed that may have it: all that are not yet stored."""
        with LogErrors(self._crawler, "keeping the page of an item"):
            assert self._exporter is not None
            for feed in self._exporter.slots:
                if feed not in self._kept and self._is_stored_at_its_end(feed):
                    self._kept[feed] = []
            request = response.request if response is not None else None
            for kept in self._kept.values():
                kept.extend(self._taken.keep(request))
            self._prepare_new()

    def _release(self, slot: Any) -> None:
        with LogErrors(self._crawler, "releasing the pages of a feed"):
            self._prepared.discard(slot)
            kept = self._kept.pop(slot, [])
            failed = GuardedStats(self._crawler).get_value(
                f"feedexport/failed_count/{type(slot.storage).__name__}", 0
            )
            if failed <= self._failed:
                self._taken.release(kept)
                if not _is_file(slot):
                    row = slot.uri, 0, 0, time.time(), ELSEWHERE, b""
                    self._file.write(INSERT, row)
            else:
                self._local.pop(slot, None)  # what there is of its file is taken away at the next start
            self._failed = max(failed, self._failed)


def _is_file(feed: Any) -> bool:
    return type(feed.storage) is FileFeedStorage


def _path(feed: Any) -> str:
    path: str = abspath(feed.storage.path)  # noqa: PTH100
    return path
