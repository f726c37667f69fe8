"""The tables of page types that a crawl makes of its archive (``TEMPLCRAWL_TABLES``).

When the archive is closed, its pages are read as ``scrapy tables`` reads them, and the tables are the same:
of all pages of the archive, those of earlier crawls too.  A thread reads.  Earlier tables are replaced in one
go; a failure, a kill, or Ctrl-C leaves them as they are.

Of crawls that write to one archive at a time and are to make tables, the one that ends last makes them; on an
object store, which has no locks, each does, and the tables of the last one stay.

Cost: some 20 ms a page of 50 KB, in a thread.  Memory: that of :mod:`templcrawl.outputs.type_tables`.
"""

from __future__ import annotations

from functools import partial
from os.path import ismount
from pathlib import Path
from threading import Event

from scrapy.crawler import Crawler

from templcrawl.crawl.page_listeners import claim_target
from templcrawl.crawl.setting_values import PREFIX
from templcrawl.crawl.settings import TemplcrawlSettings
from templcrawl.errors import InvalidOption, pluralize
from templcrawl.files import try_folder
from templcrawl.guard import CrawlLogger, GuardedStats, Surviving, in_thread, on_shutdown
from templcrawl.outputs.archive.location import locate
from templcrawl.outputs.archive.parts import ArchiveReader
from templcrawl.outputs.parsed_values import load_parsers
from templcrawl.outputs.table_files import CSV, SQLITE, SQLITE_ENDINGS, holds_tables
from templcrawl.outputs.type_tables import CrawlTables
from templcrawl.page.records import Unreadable, each_page

SECONDS = 30.0  # between two lines of the log
_LOCK = "_tables.lock"  # shared by the crawls that are to make tables of an archive


class TablesAtClose:
    """The tables that a crawl makes of an archive."""

    def __init__(self, crawler: Crawler, settings: TemplcrawlSettings, archive: str) -> None:
        """Claim their place; raises InvalidOption, MissingExtra, OSError where nothing is locked."""
        setting, given = f"{PREFIX}TABLES", str(settings.tables)
        self._crawler, self._archive = crawler, archive
        self._log = CrawlLogger(__name__, crawler)
        self._form = SQLITE if given.endswith(SQLITE_ENDINGS) else CSV
        self._parses = settings.tables_parsed
        if self._parses:
            load_parsers()
        self._target = Path(claim_target(crawler, setting, given))
        if reason := self._why_not():
            accepted = f"a new folder or .sqlite file, or that of earlier tables alone ({reason})"
            raise InvalidOption(setting, str(self._target), accepted)
        self._lock = locate(archive).lock(_LOCK, wait=True, shared=True)

    def _why_not(self) -> str:
        """Return why no tables can take their place, "" if they can."""
        try:
            try_folder(self._target.resolve().parent)
            if not holds_tables(self._target) or (self._form == SQLITE and self._target.is_dir()):
                return "there is something else"
            return "a volume cannot be replaced" if ismount(self._target) else ""
        except (OSError, RuntimeError, ValueError) as error:  # the second of links in a circle
            return getattr(error, "strerror", None) or str(error)

    async def make(self, stats: GuardedStats) -> None:
        """Make the tables of the archive, which is closed."""
        with Surviving(self._crawler, f"writing the tables {self._target}"):
            if not self._is_last():
                self._log.info(
                    "templcrawl: another crawl writes to the archive %s: the last to end makes the tables",
                    self._archive,
                )
                return
            self._log.info("templcrawl: makes the tables %s; Ctrl-C ends it without them", self._target)
            stop = Event()
            try:
                with on_shutdown(stop.set):
                    crawl, unreadable = await in_thread(self._write, stop)
            except InvalidOption as error:  # there is no page in the archive
                self._log.warning("templcrawl: no tables were made: %s", error)
            else:
                self._tell(crawl, unreadable, stats)

    def _is_last(self) -> bool:
        """Return whether no other crawl that is to make tables writes to the archive."""
        if self._lock is None:
            return True
        self._lock.release()
        try:
            self._lock = locate(self._archive).lock(_LOCK)
        except BlockingIOError:
            return False
        if self._lock is not None:
            self._lock.release()
        return True

    def _write(self, stop: Event) -> tuple[CrawlTables, Unreadable]:
        """Read the pages and write the tables.

        Raises InvalidOption where there are no pages, InterruptedError when it is to stop.
        """
        reader = ArchiveReader(self._archive)

        def check() -> None:
            if stop.is_set():
                raise InterruptedError("the process ends")

        tell = partial(self._log.info, "templcrawl: tables: %s")
        read = partial(each_page, reader, tell=tell, seconds=SECONDS)
        crawl = CrawlTables(read, parses=self._parses, check=check)
        if crawl.types:
            self._target.parent.mkdir(parents=True, exist_ok=True)
            crawl.write(self._target, self._form, replaces=True)
        return crawl, reader.unreadable

    def _tell(self, crawl: CrawlTables, unreadable: Unreadable, stats: GuardedStats) -> None:
        """Log what was made, and what could not be read."""
        rows = sum(crawl.filled[table.name, "url"] for table in crawl.tables)
        stats.set_value("templcrawl/tables", len(crawl.tables))
        stats.set_value("templcrawl/tables/rows", rows)
        if unreadable:
            stats.set_value("templcrawl/tables/unreadable", len(unreadable))
            self._log.warning(
                "templcrawl: pages of the archive %s that are not in the tables, since they cannot be read: "
                "%d, such as %s: %s",
                self._archive,
                len(unreadable),
                *unreadable.first[0],
            )
        if crawl.tables:
            what = f"{pluralize(len(crawl.tables), 'table')} of page types, {pluralize(rows, 'row')}"
            cut = (
                f"; read in part, for they are too large: {pluralize(crawl.cut, 'page')}" if crawl.cut else ""
            )
            self._log.info("templcrawl: %s, in %s%s", what, self._target, cut)
        else:
            self._log.warning("templcrawl: %s (%s)", crawl.why_none(), self._target)
