"""The extension that writes the crawl archive: every page that is observed, as rows of its tables.

A part is written every ``TEMPLCRAWL_ARCHIVE_PAGES`` pages, every ``TEMPLCRAWL_ARCHIVE_SECONDS`` seconds and
at the close, on the event loop: some 0.7 s for 1,000 pages.  Where nothing can be written, the crawl goes on:
errors are logged, and what was given up is counted.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timezone

from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import create_looping_call

from templcrawl.archive.rows import page_rows
from templcrawl.archive.writer import ArchiveWriter
from templcrawl.components.extension import TemplateMemory
from templcrawl.components.page_listener import PageListener
from templcrawl.components.settings import PREFIX, TemplcrawlSettings
from templcrawl.errors import InvalidOption
from templcrawl.page.separation import Separation

logger = logging.getLogger(__name__)


class CrawlArchive(PageListener):
    """Writes the archive of a crawl."""

    doing = "archiving"

    def __init__(self, crawler: Crawler) -> None:
        """Open the archive; raises NotConfigured, InvalidOption, InvalidSnapshot, MissingExtra."""
        super().__init__(crawler)
        settings = TemplcrawlSettings.from_settings(crawler.settings)
        if not settings.enabled or settings.archive is None:
            raise NotConfigured
        self._settings = settings
        self._uri = settings.archive
        self._writer = _writer(settings.archive, settings)

    def open(self) -> None:
        """Begin to write at intervals; raises NotConfigured where nothing is observed."""
        super().open()
        self._intervals = create_looping_call(self.flush)
        self._intervals.start(self._settings.archive_seconds, now=False)

    def add(self, memory: TemplateMemory, separation: Separation) -> None:
        """Add a page, unless the archive has it."""
        with self._telling():
            rows = page_rows(
                separation,
                datetime.now(timezone.utc),
                min_links=self._settings.memory.min_pagelet_links,
            )
            if rows.key in self._writer:
                memory.stats.inc_value("templcrawl/archive/repeated")
            else:
                self._writer.add(rows)

    def flush(self) -> None:
        """Write what waits."""
        with self._telling():
            self._writer.flush()

    def close(self) -> None:
        """Write what waits a last time, and say how much there is."""
        if self._memory is None:
            return
        if self._intervals.running:
            self._intervals.stop()
        with self._telling():
            self._writer.close()
        writer, stats = self._writer, self._memory.stats
        stats.set_value("templcrawl/archive/pages", writer.counts["pages"])
        stats.set_value("templcrawl/archive/links", writer.counts["links"])
        stats.set_value("templcrawl/archive/pagelets", writer.counts["pagelets"])
        stats.set_value("templcrawl/archive/parts", writer.parts)
        if writer.lost:
            stats.set_value("templcrawl/archive/lost", writer.lost)

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """Log that nothing can be written."""
        try:
            yield
        except OSError as error:
            logger.error(
                "templcrawl cannot write to the archive %(archive)s: %(error)s; "
                "pages that wait: %(waiting)d, that are lost: %(lost)d",
                {
                    "archive": self._uri,
                    "error": error,
                    "waiting": self._writer.waiting,
                    "lost": self._writer.lost,
                },
                extra={"spider": self._crawler.spider},
            )


def _writer(uri: str, settings: TemplcrawlSettings) -> ArchiveWriter:
    """Open the archive of a crawl; raises InvalidOption, InvalidSnapshot, MissingExtra."""
    try:
        return ArchiveWriter(uri, part_pages=settings.archive_pages, bodies=settings.archive_bodies)
    except InvalidOption as error:
        raise InvalidOption(f"{PREFIX}ARCHIVE", uri, error.accepted) from error
    except OSError as error:
        raise InvalidOption(f"{PREFIX}ARCHIVE", uri, f"a folder that can be written to ({error})") from error
