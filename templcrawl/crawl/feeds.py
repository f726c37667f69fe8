"""When the items of Scrapy's feeds are safe.

What a feed in a local file was given is safe once the file is flushed.  How long it is then is written in the
same transaction that its pages are done in.  After a kill it is cut to that length: what comes behind may end
in the middle of an item, and is of pages that are fetched again.  A file that was written to later than
``_MOST_SECONDS`` after that is left alone: another crawl may have written there, too.

A feed is *stored at its end* if its storage is another (S3, FTP, a project's own), if its file is compressed,
or if its exporter is none of Scrapy's (Parquet: its beginning alone cannot be read).  Its items are safe when
Scrapy has stored it: at the end of the crawl, or of its batch (``FEED_EXPORT_BATCH_ITEM_COUNT``).  Until then
their pages are kept.  Where Scrapy could not store it, they are kept for good: the job fetches them again.

Cost: O(feeds) an item.  Memory: a number for each item of feeds that are stored at their end.
"""

from __future__ import annotations

import os
import time
from os.path import abspath
from pathlib import Path
from typing import Any

from scrapy import exporters, signals
from scrapy.crawler import Crawler
from scrapy.extensions.feedexport import FeedExporter, FileFeedStorage, StdoutFeedStorage
from scrapy.http import Response

from templcrawl.crawl.requests import TakenRequests
from templcrawl.guard import CrawlLogger, GuardedStats, Surviving, report_error
from templcrawl.state_file import StateFile

TABLE = "CREATE TABLE IF NOT EXISTS feeds (path TEXT PRIMARY KEY, inode, size, written)"
_MOST_SECONDS = 5.0  # between the last length and the end of a killed crawl: several commits
_STREAMING = tuple(  # what these are given is in the file once that is flushed
    getattr(exporters, f"{name}ItemExporter")
    for name in ("Csv", "Json", "JsonLines", "Marshal", "Pickle", "Pprint", "Xml")
)


class Feeds:
    """The feeds of a crawl."""

    def __init__(self, crawler: Crawler, taken: TakenRequests, file: StateFile) -> None:
        self._file = file
        self._crawler = crawler
        self._taken = taken
        self._exporter: FeedExporter | None = None
        self._kept: dict[Any, list[int]] = {}  # feed that is stored at its end -> what is released with it
        self._failed = 0  # feeds that could not be stored
        self._has_failed = False

    def open(self) -> None:
        """Find the feeds, once they are open."""
        self._exporter = self._crawler.get_extension(FeedExporter)
        if self._exporter is not None:
            with Surviving(self._crawler, "cutting feeds to what is safe"):
                lengths = {path: length for path, *length in self._file.read("SELECT * FROM feeds")}
                for feed in self._exporter.slots:
                    if isinstance(feed.storage, FileFeedStorage) and not self._is_stored_at_its_end(feed):
                        self._cut(feed, *lengths.get(_path(feed), (None, 0, 0)))
                self._file.commit()
            connect = self._crawler.signals.connect
            connect(self._keep, signals.item_scraped)
            connect(self._release, signals.feed_slot_closed)

    def flush(self) -> bool:
        """Flush the feeds in local files; return whether that was possible, log once if it was not."""
        try:
            for feed in self._exporter.slots if self._exporter is not None else ():
                file = feed.file
                if file is not None and not self._is_stored_at_its_end(feed) and not file.closed:
                    file.flush()
                    if isinstance(feed.storage, FileFeedStorage):
                        self._write_length(_path(feed), os.fstat(file.fileno()))
        except (OSError, ValueError) as error:  # also for a path that is no text
            if not self._has_failed:
                self._has_failed = True
                report_error(self._crawler, error, "flushing a feed (logged once)")
            return False
        return True

    def _write_length(self, path: str, status: os.stat_result | None) -> None:
        length = (status.st_ino, status.st_size) if status is not None else (0, 0)
        row = path, *length, int(time.time())
        self._file.write("INSERT OR REPLACE INTO feeds VALUES (?, ?, ?, ?)", row)

    def _cut(self, feed: Any, inode: int | None, size: int, written: int) -> None:
        """Cut a feed of a crawl that was killed to the length that it had when its pages were done.

        inode    of the file that had it, 0 if there was no file, None if that is not known
        written  when its length was, in seconds since 1970
        """
        path = Path(_path(feed))
        status = path.stat() if path.is_file() else None
        if status is not None and feed.storage.write_mode != "ab":
            if self._file.read("SELECT 1 FROM seen LIMIT 1"):
                CrawlLogger(__name__, self._crawler).warning(
                    "The feed %s is overwritten, though its job goes on: what is done is not fetched again, "
                    "and its items are lost (-o, or the feed option overwrite, keeps them)",
                    path,
                )
        elif status is not None and abs(status.st_mtime - written) < _MOST_SECONDS:
            if status.st_ino == inode and status.st_size > size:
                os.truncate(path, size)
            elif inode == 0:  # killed before the first commit: half an item may be in it
                os.truncate(path, path.read_bytes().rfind(b"\n") + 1)
            status = path.stat()
        self._write_length(str(path), status)

    def end(self) -> None:
        """Forget the lengths, since the feeds are whole, and let pages go of feeds that have no item."""
        for feed in [*self._kept]:
            if not feed.itemcount:  # Scrapy does not store it, and sends no signal
                self._taken.release(self._kept.pop(feed))
        self._file.write("DELETE FROM feeds", ())

    def _is_stored_at_its_end(self, feed: Any) -> bool:
        assert self._exporter is not None
        is_local = type(feed.storage) in (FileFeedStorage, StdoutFeedStorage)  # others may move the file
        is_streaming = issubclass(self._exporter.exporters[feed.format], _STREAMING)
        return not is_local or not is_streaming or "postprocessing" in feed.feed_options

    def _keep(self, item: Any, response: Response | None) -> None:
        """Keep the page of an item for each feed that may have it: all that are not yet stored."""
        with Surviving(self._crawler, "keeping the page of an item"):
            assert self._exporter is not None
            for feed in self._exporter.slots:
                if feed not in self._kept and self._is_stored_at_its_end(feed):
                    self._kept[feed] = []
            request = response.request if response is not None else None
            for kept in self._kept.values():
                kept.extend(self._taken.keep(request))

    def _release(self, slot: Any) -> None:
        with Surviving(self._crawler, "releasing the pages of a feed"):
            kept = self._kept.pop(slot, [])
            failed = GuardedStats(self._crawler).get_value(
                f"feedexport/failed_count/{type(slot.storage).__name__}", 0
            )
            if failed <= self._failed:
                self._taken.release(kept)
            self._failed = max(failed, self._failed)


def _path(feed: Any) -> str:
    path: str = abspath(feed.storage.path)  # noqa: PTH100
    return path
