"""The part that writes the crawl archive: every page that is observed, as rows of its tables.

A part is written every ``PART_PAGES`` pages, every ``PART_SECONDS`` seconds and at the close.  The event loop
makes the rows of a page; one thread has the writer to itself, local folder or object store.  Where nothing
can be written, the crawl goes on: errors are logged, and lost pages are counted.

With a JOBDIR the request of a page is kept in the job until the page is in a part; that of a lost page stays.

Memory: pages of ``_MAX_AHEAD`` characters wait for the thread, at most; where it cannot follow, the event
loop waits for it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime, timezone
from typing import Any

from scrapy import Request
from scrapy.http import Response
from scrapy.utils.asyncio import create_looping_call

from templcrawl.crawl.claims import claim_target
from templcrawl.crawl.part import Crawl, CrawlPart
from templcrawl.crawl.setting_values import PREFIX
from templcrawl.crawl.settings import WITHOUT_BODIES
from templcrawl.errors import InvalidOption
from templcrawl.guard import LogErrors
from templcrawl.memory.observation import Observation
from templcrawl.memory.page_types import TypedLeaf
from templcrawl.memory.site import SiteMemory
from templcrawl.outputs.archive.tables import page_rows
from templcrawl.outputs.archive.writer import PART_PAGES, ArchiveWriter

PART_SECONDS = 300.0
_SETTING = f"{PREFIX}ARCHIVE"
_MAX_AHEAD = 64 * 2**20
_MIN_SIZE = 1_000  # characters that a task counts for, whatever it is
_LEAF_SIZE = 100


class CrawlArchive(CrawlPart):
    """Writes the archive of a crawl.

    _tasks  of the thread: (address of the page or archive, characters that wait with it, what comes of it)
    """

    doing = "archiving"

    def __init__(self, crawl: Crawl) -> None:
        """Open the archive; raises InvalidOption, InvalidSnapshot, MissingExtra."""
        super().__init__(crawl)
        self._uri = claim_target(
            self.crawler, _SETTING, (self._settings.archive or "").removesuffix(WITHOUT_BODIES)
        )
        try:
            self._writer = ArchiveWriter(
                self._uri,
                part_pages=PART_PAGES,
                bodies=not (self._settings.archive or "").endswith(WITHOUT_BODIES),
            )
        except InvalidOption as error:
            raise InvalidOption(_SETTING, self._uri, error.accepted) from error
        except OSError as error:
            accepted = f"a folder that can be written to ({error})"
            raise InvalidOption(_SETTING, self._uri, accepted) from error
        if not self._writer.is_alone:
            self._log.warning(
                "Another crawl is writing to the archive %s, and pages that both fetch are stored twice. Put "
                "%%(name)s or %%(time)s into TEMPLCRAWL_ARCHIVE to give each crawl an archive of its own",
                self._uri,
            )
        self._thread = ThreadPoolExecutor(1, "templcrawl-archive")
        self._tasks: deque[tuple[str, int, Future[Any]]] = deque()
        self._ahead = self._without_rows = 0

    def open(self) -> None:
        """Begin to write at intervals."""
        self._intervals = create_looping_call(self.flush)
        self._intervals.start(PART_SECONDS, now=False)

    def page_observed(self, request: Request, response: Response, observation: Observation) -> None:
        """Add a page, unless the archive has it."""
        page, now = observation.page, datetime.now(timezone.utc)
        try:
            rows = page_rows(observation, now, min_links=self._settings.memory.min_pagelet_links)
        except Exception:
            self._without_rows += 1
            raise
        kept = self._job.taken.keep(request) if self._job is not None else ()
        self._submit(page.url, _MIN_SIZE + len(page.text), self._writer.add, rows, kept)
        self._collect()

    def flush(self) -> None:
        """Write the buffered pages, behind all queued tasks."""
        self._submit(self._uri, _MIN_SIZE, self._writer.flush)
        self._collect()

    def _submit(self, about: str, size: int, task: Callable[..., Any], *arguments: Any) -> None:
        self._tasks.append((about, size, self._thread.submit(task, *arguments)))
        self._ahead += size

    def _collect(self) -> None:
        """Look for what the thread has done."""
        while self._tasks and (self._tasks[0][2].done() or self._ahead > _MAX_AHEAD):
            about, size, done = self._tasks.popleft()
            self._ahead -= size
            with LogErrors(self.crawler, f"archiving {about}"):
                try:
                    if done.result() is False:
                        self._stats.inc_value("templcrawl/archive/repeated")
                except Exception as error:
                    self._log.error(
                        "templcrawl cannot write to the archive %s: %s; pages waiting: %d, lost: %d",
                        self._uri,
                        str(error) or type(error).__name__,
                        self._writer.buffered,
                        self._writer.lost,
                    )
                    raise
        while self._writer.settled:
            kept = self._writer.settled.popleft()
            if self._job is not None:
                self._job.taken.release(kept)

    def close(self, reason: str) -> None:
        """Write the buffered pages a last time, and set the stats."""
        stats, writer = self._stats, self._writer
        if self._intervals.running:
            self._intervals.stop()
        leaves: list[TypedLeaf] = []
        with LogErrors(self.crawler, f"archiving {self._uri}"):
            leaves = list(self._memory.page_types())
            for site in self._memory:
                self._submit_unread(site)
        self._submit(self._uri, _MIN_SIZE, writer.close, leaves)
        self._thread.shutdown()
        self._collect()
        for table in ("pages", "links", "pagelets"):
            stats.set_value(f"templcrawl/archive/{table}", writer.counts[table])
        stats.set_value("templcrawl/archive/parts", writer.parts)
        if lost := writer.lost + self._without_rows:
            stats.set_value("templcrawl/archive/lost", lost)

    def site_evicted(self, site: SiteMemory) -> None:
        """Submit the page types, for now, and the unread pages of a site."""
        leaves = site.page_types()
        self._submit(self._uri, _MIN_SIZE + _LEAF_SIZE * len(leaves), self._writer.add_page_types, leaves)
        self._submit_unread(site)

    def _submit_unread(self, site: SiteMemory) -> None:
        """Submit the pages of a site that are known and were not read."""
        if pages := site.unread_pages():
            self._submit(self._uri, _MIN_SIZE + _LEAF_SIZE * len(pages), self._writer.add_unread, pages)
