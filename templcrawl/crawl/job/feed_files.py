"""The files of feeds that an earlier run of a job has written to.

The job has a row a file: how long it was when its pages were done.  After a kill a file is cut to that: what
comes behind may end in the middle of an item, and belongs to pages that are fetched again.  A file that was
written to more than ``_MAX_SECONDS`` later, by the clock of its own file system, is left alone: another crawl
may have written there, too.  A file that is shorter has lost items, and the log says so.  A file that was to
be stored at its end is removed.

A feed that would lose the items of a job that goes on is refused at the start.

Cost: O(1) a file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from os.path import abspath
from pathlib import Path
from typing import Any, NamedTuple

from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object

from templcrawl.crawl.job.feed_documents import cut_behind
from templcrawl.errors import InvalidOption
from templcrawl.files import sync
from templcrawl.guard import LogErrors
from templcrawl.log import CrawlLogger
from templcrawl.state_file import StateFile

# A row a file that this run, or one that was killed, has written to; of a storage elsewhere its address.
TABLE = "CREATE TABLE IF NOT EXISTS feeds (path TEXT PRIMARY KEY, inode, size, written, state TEXT, closing)"
INSERT = "INSERT OR REPLACE INTO feeds VALUES (?, ?, ?, ?, ?, ?)"
OPEN, AT_ITS_END, WHOLE, ELSEWHERE = "open", "stored at its end", "whole", "elsewhere"

_MAX_SECONDS = 5.0  # between the last length and the end of a killed crawl: several commits
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


def lengths_of(file: StateFile) -> dict[str, Length]:
    """Return path -> length of the files that the run before has written to."""
    return {path: Length(*row) for path, *row in file.read("SELECT * FROM feeds")}


def refuse(crawler: Crawler, file: StateFile) -> None:
    """Raise InvalidOption for a feed that would lose the items of a job that goes on."""
    refused = None
    with LogErrors(crawler, "looking at the feeds"):
        lengths = lengths_of(file)
        for uri, options in crawler.settings.getdict("FEEDS").items():
            accepted = _accepted(str(uri), options, crawler.settings, lengths)
            if accepted:
                refused = InvalidOption("FEEDS", str(uri), accepted)
    if refused is not None:
        raise refused


def _accepted(
    uri: str, options: Mapping[str, Any], settings: BaseSettings, lengths: Mapping[str, Length]
) -> str:
    """Return the accepted alternative to a feed that would lose items, "" for any other feed."""
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
    if cannot_append and not overwrites and size_of(path) and abspath(path) not in lengths:  # noqa: PTH100
        return "another name, or one with %(time)s: the file is there, and cannot be appended to"
    return ""


def restore(path: str, length: Length, log: CrawlLogger) -> None:
    """Restore a file that this run does not write to: cut it, and close its document."""
    cut(path, length, log)
    status = status_of(path)
    is_cut = status is not None and (status.st_ino, status.st_size) == (length.inode, length.size)
    if is_cut and length.size and length.state == OPEN:
        with Path(path).open("ab") as file:
            file.write(length.closing)
    sync(path)


def cut(path: str, length: Length, log: CrawlLogger) -> bool:
    """Cut the file of a run that was killed to the length that it had when its pages were done.

    Return whether items are missing there.
    """
    status = status_of(path)
    if status is None:
        is_lost = bool(length.inode) and length.state == OPEN
        if is_lost:
            _report_lost(log, path, "is gone", length)
        return False
    if length.inode and status.st_ino != length.inode:
        return False
    has = ""
    if status.st_size < length.size:
        has = f"has {status.st_size:,} bytes"
    elif length.state != AT_ITS_END and length.inode and _is_zero(path, length.size - 1):
        has = "ends in zeros"
    if has:
        _report_lost(log, path, has, length)
    elif abs(status.st_mtime - length.written) < _MAX_SECONDS:
        _cut_back(Path(path), status.st_size, length, log)
    return bool(has)


def _cut_back(path: Path, has: int, length: Length, log: CrawlLogger) -> None:
    size = length.size
    if not length.inode and length.state == OPEN and not length.closing:
        size = cut_behind(path, b"\n")  # killed before the first commit: half an item
    elif 0 < size < has:
        os.truncate(path, size)
    if not size:
        path.unlink()
        log.info("templcrawl: %s is removed: its run was killed before an item was safe", path)


def _report_lost(log: CrawlLogger, path: str, has: str, length: Length) -> None:
    log.error(
        "The feed %s %s, and had %s bytes when its pages were done: items are lost, by a power failure "
        "or since somebody has cut it, and this job does not fetch their pages again",
        path,
        has,
        f"{length.size:,}",
    )


def status_of(path: str) -> os.stat_result | None:
    """Return the status of a file, None if there is none."""
    return Path(path).stat() if Path(path).is_file() else None


def size_of(path: str) -> int:
    """Return the size of a file, 0 if there is none."""
    status = status_of(path)
    return status.st_size if status is not None else 0


def _is_zero(path: str, place: int) -> bool:
    """Return whether a byte of a file is zero: some file systems have zeros where a write was lost."""
    with Path(path).open("rb") as file:
        file.seek(max(0, place))
        return file.read(1) == b"\0"
