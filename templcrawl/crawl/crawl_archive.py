"""The extension that writes the crawl archive: every page that is observed, as rows of its tables.

A part is written every ``PART_PAGES`` pages, every ``PART_SECONDS`` seconds and at the close.  The event loop
makes the rows of a page; one thread has the writer to itself, local folder or object store.  Where nothing
can be written, the crawl goes on: errors are logged, and lost pages are counted.

Memory: pages of ``_MOST_AHEAD`` characters wait for the thread, at most; where it cannot follow, the event
loop waits for it.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime, timezone
from typing import NamedTuple

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import create_looping_call

from templcrawl.crawl.components import PageListener
from templcrawl.crawl.extension import TemplateMemory
from templcrawl.crawl.jobs.claims import claim_target
from templcrawl.crawl.setting_values import PREFIX
from templcrawl.crawl.settings import TemplcrawlSettings
from templcrawl.errors import InvalidOption
from templcrawl.guard import GuardedStats
from templcrawl.memory.observation import Observation
from templcrawl.memory.page_types import TypedLeaf
from templcrawl.memory.site import SiteMemory
from templcrawl.outputs.archive.rows import page_rows
from templcrawl.outputs.archive.writer import PART_PAGES, ArchiveWriter

logger = logging.getLogger(__name__)

PART_SECONDS = 300.0
_MOST_AHEAD = 64 * 2**20
_LEAST_SIZE = 1_000
_LEAF_SIZE = 100


class _Task(NamedTuple):
    """A task of the thread.

    about  address of the page or the archive that it is about
    size   characters that wait with it
    kept   what the page is kept by in the job; None if it is about no page
    done   in the end what the writer has done
    """

    about: str
    size: int
    kept: Sequence[int] | None
    done: Future[_Done]


class _Done(NamedTuple):
    """What the writer has done.

    is_new    False if the page is in the archive already
    buffered  pages that are not yet in a part
    lost      pages that could not be written
    """

    is_new: bool
    buffered: int
    lost: int


class CrawlArchive(PageListener):
    """Writes the archive of a crawl."""

    doing = "archiving"
    setting = f"{PREFIX}ARCHIVE"

    def __init__(self, crawler: Crawler) -> None:
        """Open the archive; raises NotConfigured, InvalidOption, InvalidSnapshot, MissingExtra."""
        super().__init__(crawler)
        if self._settings.archive is None:
            raise NotConfigured
        self._uri = claim_target(crawler, self.setting, self._settings.archive, overwrites=False)
        self._writer = _writer(self._uri, self._settings)
        if not self._writer.is_alone:
            logger.warning(
                "Another crawl writes to the archive %(archive)s, too: a page that both fetch is written "
                "twice (%%(name)s and %%(time)s in TEMPLCRAWL_ARCHIVE give each crawl one of its own)",
                {"archive": self._uri},
            )
        self._thread = ThreadPoolExecutor(1, "templcrawl-archive")
        self._tasks: deque[_Task] = deque()
        self._ahead = 0
        self._without_rows = self._lost = 0
        self._kept: deque[Sequence[int]] = deque()  # what the pages that are not yet in a part are kept by

    def open(self) -> None:
        """Begin to write at intervals."""
        super().open()
        self._intervals = create_looping_call(self.flush)
        self._intervals.start(PART_SECONDS, now=False)

    def add(self, extension: TemplateMemory, observation: Observation, request: Request) -> None:
        """Add a page, unless the archive has it."""
        try:
            rows = page_rows(
                observation, datetime.now(timezone.utc), min_links=self._settings.memory.min_pagelet_links
            )
        except Exception:
            self._without_rows += 1
            raise
        page = observation.page
        kept = extension.job.taken.keep(request) if extension.job is not None else ()
        self._submit(lambda: self._writer.add(rows), page.url, _LEAST_SIZE + len(page.text), kept)
        self._collect(extension.stats)

    def flush(self) -> None:
        """Write the buffered pages, behind all queued tasks."""
        if self._extension is not None:
            self._submit(self._writer.flush, self._uri)
            self._collect(self._extension.stats)

    def _submit(
        self,
        task: Callable[[], bool | None],
        about: str,
        size: int = _LEAST_SIZE,
        kept: Sequence[int] | None = None,
    ) -> None:
        def do() -> _Done:
            return _Done(task() is not False, self._writer.buffered, self._writer.lost)

        self._tasks.append(_Task(about, size, kept, self._thread.submit(do)))
        self._ahead += size

    def _collect(self, stats: GuardedStats) -> None:
        while self._tasks and (self._tasks[0].done.done() or self._ahead > _MOST_AHEAD):
            about, size, kept, done = self._tasks.popleft()
            self._ahead -= size
            with self._surviving(about):
                try:
                    written = done.result()
                    if not written.is_new:  # it is not buffered a second time
                        stats.inc_value("templcrawl/archive/repeated")
                        self._let_go(kept or ())
                    elif kept is not None:
                        self._kept.append(kept)
                    self._release(written)
                except Exception as error:
                    if kept is not None:
                        self._kept.append(kept)
                    logger.error(
                        "templcrawl cannot write to the archive %(archive)s: %(error)s; "
                        "buffered pages: %(waiting)d, lost pages: %(lost)d",
                        {
                            "archive": self._uri,
                            "error": str(error) or type(error).__name__,
                            "waiting": self._writer.buffered,
                            "lost": self._writer.lost,
                        },
                        extra={"spider": self._crawler.spider},
                    )
                    raise

    def _release(self, written: _Done) -> None:
        """Release the pages that are in a part; those that could not be written are kept for good."""
        lost, self._lost = written.lost - self._lost, written.lost
        while len(self._kept) > written.buffered:
            kept = self._kept.popleft()
            if lost > 0:
                lost -= 1
            else:
                self._let_go(kept)

    def _let_go(self, kept: Sequence[int]) -> None:
        if self._extension is not None and self._extension.job is not None:
            self._extension.job.taken.release(kept)

    def close(self) -> None:
        """Write the buffered pages a last time, and set the stats."""
        if self._extension is None:
            return
        stats = self._extension.stats
        if self._intervals.running:
            self._intervals.stop()
        leaves: list[TypedLeaf] = []
        with self._surviving(self._uri):
            leaves = list(self._extension.memory.page_types())
        self._submit(lambda: self._writer.close(leaves), self._uri)
        self._thread.shutdown()
        self._collect(stats)
        writer = self._writer
        stats.set_value("templcrawl/archive/pages", writer.counts["pages"])
        stats.set_value("templcrawl/archive/links", writer.counts["links"])
        stats.set_value("templcrawl/archive/pagelets", writer.counts["pagelets"])
        stats.set_value("templcrawl/archive/parts", writer.parts)
        if lost := writer.lost + self._without_rows:
            stats.set_value("templcrawl/archive/lost", lost)

    def add_evicted(self, site: SiteMemory) -> None:
        """Submit the page types, for now, of a site."""
        leaves = site.page_types()
        size = _LEAST_SIZE + _LEAF_SIZE * len(leaves)
        self._submit(lambda: self._writer.add_page_types(leaves), self._uri, size)


def _writer(uri: str, settings: TemplcrawlSettings) -> ArchiveWriter:
    try:
        return ArchiveWriter(uri, part_pages=PART_PAGES, bodies=settings.archive_bodies)
    except InvalidOption as error:
        raise InvalidOption(f"{PREFIX}ARCHIVE", uri, error.accepted) from error
    except OSError as error:
        raise InvalidOption(f"{PREFIX}ARCHIVE", uri, f"a folder that can be written to ({error})") from error
