"""When the items of Scrapy's feeds are safe.

What a feed in a local file was given is safe once the file is flushed.  How long it is then is written in the
same transaction that its pages are done in.  After a kill every file of the run, batches too, is cut to that
length: what comes behind may end in the middle of an item, and is of pages that are fetched again.  A file
that was written to later than ``_MOST_SECONDS`` after that, by the clock of its own file system, is left
alone: another crawl may have written there, too.  A file that is shorter has lost items: the log says so.

A job that goes on writes into the same document: one header of CSV, one array of JSON, one root of XML
(:mod:`templcrawl.crawl.feed_documents`).

A feed is *stored at its end* if its storage is another (S3, FTP, a project's own), if its file is compressed,
or if its exporter is none of Scrapy's (Parquet: its beginning alone cannot be read).  Its items are safe when
Scrapy has stored it: at the end of the crawl, or of its batch (``FEED_EXPORT_BATCH_ITEM_COUNT``).  Until then
their pages are kept.  Where Scrapy could not store it, they are kept for good: the job fetches them again.
What a kill has left of such a file is taken away.

*Power failure.*  The file of the job syncs what was written to feeds before it moves its own log to the disk
(:attr:`StateFile.unsynced`).

Cost: O(feeds) an item, and a commit.  Memory: a number for each item of feeds that are stored at their end.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from os.path import abspath
from pathlib import Path
from typing import Any, NamedTuple

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
from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object

from templcrawl.crawl import feed_documents
from templcrawl.crawl.requests import TakenRequests
from templcrawl.errors import InvalidOption
from templcrawl.files import sync
from templcrawl.guard import CrawlLogger, GuardedStats, Surviving, report_error
from templcrawl.state_file import StateFile

# A row a file that this run, or one that was killed, has written to; of a storage elsewhere its address.
TABLE = "CREATE TABLE IF NOT EXISTS feeds (path TEXT PRIMARY KEY, inode, size, written, state TEXT, closing)"
_INSERT = "INSERT OR REPLACE INTO feeds VALUES (?, ?, ?, ?, ?, ?)"
_OPEN, _AT_ITS_END, _WHOLE, _ELSEWHERE = "open", "stored at its end", "whole", "elsewhere"

_MOST_SECONDS = 5.0  # between the last length and the end of a killed crawl: several commits
_STREAMING = tuple(  # what these are given is in the file once that is flushed
    getattr(exporters, f"{name}ItemExporter")
    for name in ("Csv", "Json", "JsonLines", "Marshal", "Pickle", "Pprint", "Xml")
)
_OVERWRITING = (S3FeedStorage, GCSFeedStorage, FTPFeedStorage)
_PARAMETER = re.compile(r"%\((\w+)\)")


class Length(NamedTuple):
    """How long a file was when its pages were done: a row of the table.

    inode    of the file, 0 if there was none
    size     what it is cut to; of a feed that is stored at its end what it had before
    written  when, in seconds since 1970 by the clock of its file system
    closing  what would end its document
    """

    inode: int
    size: int
    written: float
    state: str
    closing: bytes


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


def refuse(crawler: Crawler, file: StateFile) -> None:
    """Raise InvalidOption for a feed that would lose the items of a job that goes on."""
    refused = None
    with Surviving(crawler, "looking at the feeds"):
        lengths = _lengths(file)
        for uri, options in crawler.settings.getdict("FEEDS").items():
            accepted = _accepted(str(uri), options, crawler.settings, lengths)
            if accepted:
                refused = InvalidOption("FEEDS", str(uri), accepted)
    if refused is not None:
        raise refused


def _accepted(
    uri: str, options: Mapping[str, Any], settings: BaseSettings, lengths: Mapping[str, Length]
) -> str:
    """Return what is accepted instead of a feed, "" where it loses nothing."""
    if "://" in uri and not uri.startswith("file://"):
        return ""
    overwrites = options.get("overwrite")
    cannot_append = False
    with suppress(Exception):  # Scrapy says what is wrong there
        exporter = load_object(settings.getwithbase("FEED_EXPORTERS")[options["format"]])
        cannot_append = getattr(exporter, "cannot_append", False)
    is_in_batches = options.get("batch_item_count", settings.getint("FEED_EXPORT_BATCH_ITEM_COUNT"))
    tells_runs_apart = {*_PARAMETER.findall(uri)} - {"name", "batch_id"} or options.get("uri_params")
    if (cannot_append or overwrites) and is_in_batches and not tells_runs_apart:
        return "a name with %(time)s: in a job that goes on, the numbers of batches begin anew"
    path = uri.removeprefix("file://")
    if cannot_append and not overwrites and _size(path) and abspath(path) not in lengths:  # noqa: PTH100
        return "another name, or one with %(time)s: the file is there, and cannot be appended to"
    return ""


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
        with Surviving(self._crawler, "cutting feeds to what is safe"):
            self._goes_on = bool(self._file.read("SELECT 1 FROM seen LIMIT 1"))
            self._lengths = _lengths(self._file)
            current = {_path(feed) for feed in self._exporter.slots if _is_file(feed)}
            for path in self._lengths.keys() - current:
                self._restore(path, self._lengths[path])
            self._prepare_new()
        connect = self._crawler.signals.connect
        connect(self._keep, signals.item_scraped)  # behind Scrapy's, which opens the next batch
        connect(self._release, signals.feed_slot_closed)

    def flush(self) -> bool:
        """Flush the feeds in local files; return whether that was possible, log once if it was not."""
        try:
            for feed in self._exporter.slots if self._exporter is not None else ():
                if feed.file is not None and not self._is_stored_at_its_end(feed) and not feed.file.closed:
                    feed.file.flush()
            for feed, local in [*self._local.items()]:
                if feed.file is not None:
                    self._note(feed, local)
        except (OSError, ValueError) as error:  # also for a path that is no text
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
            state, status = _WHOLE, _status(local.path)
            if status is None:  # somebody has taken it
                return
        else:
            state = _AT_ITS_END if self._is_stored_at_its_end(feed) else _OPEN
            status = os.fstat(file.fileno())
        if status.st_size != local.size:
            local.size, local.ahead = status.st_size, status.st_mtime - time.time()
            self._file.unsynced.add(local.path)
        self._write(local, status.st_ino, local.begins if state == _AT_ITS_END else local.size, state)

    def _write(self, local: LocalFile, inode: int, size: int, state: str) -> None:
        row = local.path, inode, size, time.time() + local.ahead, state, local.closing
        self._file.write(_INSERT, row)

    # what an earlier run has left

    def _prepare_new(self) -> None:
        """Prepare the feeds that were not there before; the file of a killed run is cut and continued."""
        assert self._exporter is not None
        new = [feed for feed in self._exporter.slots if feed not in self._prepared]
        self._prepared.update(new)
        for feed in new:
            with Surviving(self._crawler, "continuing a feed"):
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
            if self._goes_on and _status(path) is not None:
                self._warn_of_overwriting(feed, path)
        else:
            if length is not None and self._cut(path, length) and not is_at_its_end:
                feed_documents.cut_half_an_item(Path(path), exporter)
            if not is_at_its_end and _size(path) and (self._goes_on or length is not None):
                is_closed = length is None or length.state == _WHOLE
                feed_documents.go_on(feed, Path(path), exporter, is_closed=is_closed)
            if status := _status(path):
                inode, local.begins = status.st_ino, status.st_size
        local.size = local.begins
        self._local[feed] = local
        self._write(local, inode, local.size, _AT_ITS_END if is_at_its_end else _OPEN)

    def _warn_of_overwriting(self, feed: Any, target: str) -> None:
        if feed.feed_options.get("overwrite", True):
            self._log.warning(
                "The feed %s is overwritten, though its job goes on: what is done is not fetched again, and "
                "its items are lost (give each run a name of its own, with %%(time)s; or append to a local "
                "file, with -o)",
                target,
            )

    def _restore(self, path: str, length: Length) -> None:
        """Restore a file that this run does not write to: cut it, and close its document."""
        if length.state == _ELSEWHERE:
            return
        self._cut(path, length)
        status = _status(path)
        is_cut = status is not None and (status.st_ino, status.st_size) == (length.inode, length.size)
        if is_cut and length.size and length.state == _OPEN:
            with Path(path).open("ab") as file:
                file.write(length.closing)
        sync(path)
        self._file.write("DELETE FROM feeds WHERE path = ?", (path,))

    def _cut(self, path: str, length: Length) -> bool:
        """Cut the file of a run that was killed to the length that it had when its pages were done.

        Return whether items are missing there.
        """
        status = _status(path)
        if status is None:
            is_lost = bool(length.inode) and length.state == _OPEN
            if is_lost:
                self._report_lost(path, "is gone", length)
            return False
        if length.inode and status.st_ino != length.inode:
            return False
        has = ""
        if status.st_size < length.size:
            has = f"has {status.st_size:,} bytes"
        elif length.state != _AT_ITS_END and length.inode and _is_zero(path, length.size - 1):
            has = "ends in zeros"
        if has:
            self._report_lost(path, has, length)
        elif abs(status.st_mtime - length.written) < _MOST_SECONDS:
            self._take_away(Path(path), status.st_size, length)
        return bool(has)

    def _take_away(self, path: Path, has: int, length: Length) -> None:
        size = length.size
        if not length.inode and length.state == _OPEN and not length.closing:
            size = path.read_bytes().rfind(b"\n") + 1  # killed before the first commit: half an item
        if not size:
            path.unlink()
            self._log.info("templcrawl: %s is removed: its run was killed before an item was safe", path)
        elif has > size:
            os.truncate(path, size)

    def _report_lost(self, path: str, has: str, length: Length) -> None:
        self._log.error(
            "The feed %s %s, and had %s bytes when its pages were done: items are lost, by a power failure "
            "or since somebody has cut it, and this job does not fetch their pages again",
            path,
            has,
            f"{length.size:,}",
        )

    # the crawl

    def end(self) -> None:
        """Forget the lengths, since the feeds are whole, and let pages go of feeds that have no item."""
        for feed in [*self._kept]:
            if not feed.itemcount:  # Scrapy does not store it, and sends no signal
                self._taken.release(self._kept.pop(feed))
        for feed in self._local:
            if feed.file is not None and not feed.file.closed and not feed.itemcount:
                feed.finish_exporting()  # it was opened to go on, and no item has come
                feed.file.close()
        self._file.write("DELETE FROM feeds WHERE state != ?", (_ELSEWHERE,))

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
            self._prepare_new()

    def _release(self, slot: Any) -> None:
        with Surviving(self._crawler, "releasing the pages of a feed"):
            self._prepared.discard(slot)
            kept = self._kept.pop(slot, [])
            failed = GuardedStats(self._crawler).get_value(
                f"feedexport/failed_count/{type(slot.storage).__name__}", 0
            )
            if failed <= self._failed:
                self._taken.release(kept)
                if not _is_file(slot):
                    row = slot.uri, 0, 0, time.time(), _ELSEWHERE, b""
                    self._file.write(_INSERT, row)
            else:
                self._local.pop(slot, None)  # what there is of its file is taken away at the next start
            self._failed = max(failed, self._failed)


def _lengths(file: StateFile) -> dict[str, Length]:
    return {path: Length(*row) for path, *row in file.read("SELECT * FROM feeds")}


def _is_file(feed: Any) -> bool:
    return type(feed.storage) is FileFeedStorage


def _path(feed: Any) -> str:
    path: str = abspath(feed.storage.path)  # noqa: PTH100
    return path


def _status(path: str) -> os.stat_result | None:
    return Path(path).stat() if Path(path).is_file() else None


def _size(path: str) -> int:
    status = _status(path)
    return status.st_size if status is not None else 0


def _is_zero(path: str, place: int) -> bool:
    """Return whether a byte of a file is zero: some file systems have zeros where a write was lost."""
    with Path(path).open("rb") as file:
        file.seek(max(0, place))
        return file.read(1) == b"\0"
