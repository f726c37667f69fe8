"""Write ``TEMPLCRAWL_CHANGES``: a line of JSON for each page that is new, has changed, or is gone.

::

    url            of the page
    change         "new": add it; "changed": replace it; "gone": delete it
    at             when it was read, or found to be gone
    content_hash   that of its content now; null of what is gone, and of what is not a page of HTML
    why            of what is gone: "status 404", "redirects to <URL>" or "no link leads to it"
    before         null of what is new, else what was known: {"last_read", "first_seen", "last_changed",
                   "content_hash"}, the last three null of what is no page of HTML

A page that is there again after it was gone is new.  That no link leads to a page is only known of a crawl
that has read all of its site.

They go to a file, or to a table of a database (:mod:`templcrawl.crawl.change_rows`).  A crawl begins the file
anew; one that goes on with a job adds to it.  Each line is written as its page arrives, so that a job that
was killed may have a line twice, and lacks none.

Cost: O(1) a page.
"""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

from scrapy.crawler import Crawler

from templcrawl.crawl.claims import claim_file
from templcrawl.crawl.setting_values import PREFIX
from templcrawl.log import CrawlLogger, GuardedStats
from templcrawl.memory.change_kinds import GONE, NEW, SAME
from templcrawl.memory.change_table import PageRecord, iso_time
from templcrawl.memory.visit_records import ABSENT, THERE, PageVisits
from templcrawl.outputs.change_line import change_line
from templcrawl.outputs.item_databases import is_postgresql

if TYPE_CHECKING:
    from templcrawl.crawl.change_rows import ChangeRows

UNLINKED = "no link leads to it"
_SETTING = f"{PREFIX}CHANGES"


class _ChangeFile:
    """The file of the lines of a crawl.

    name  its path
    """

    def __init__(self, crawler: Crawler, setting: str, target: str, *, is_resumed: bool) -> None:
        self.name = claim_file(crawler, setting, target)
        self._file: IO[str] = self.name.open("a" if is_resumed else "w", encoding="utf-8")

    def write(self, line: str) -> None:
        self._file.write(f"{line}\n")
        self._file.flush()

    async def close(self) -> None:
        self._file.close()


class ChangeLines:
    """Writes the lines of a crawl."""

    def __init__(self, crawler: Crawler, target: str, *, is_resumed: bool) -> None:
        """Open the file, or the database; raises InvalidOption, MissingExtra.

        is_resumed  whether the crawl goes on with a job
        """
        self._stats, self._log = GuardedStats(crawler), CrawlLogger(__name__, crawler)
        self._count = 0
        self._lines: _ChangeFile | ChangeRows
        if target.startswith("sqlite:") or is_postgresql(target):
            from templcrawl.crawl.change_rows import ChangeRows

            self._lines = ChangeRows(crawler, _SETTING, target)
        else:
            self._lines = _ChangeFile(crawler, _SETTING, target, is_resumed=is_resumed)

    def write_change(
        self,
        url: str,
        outcome: str,
        before: PageVisits | None,
        record: PageRecord | None,
        *,
        brought: int = THERE,
        why: str = "",
        content_hash: str | None = None,
    ) -> None:
        """Write what has become of an address, if that concerns whoever stores pages.

        outcome       ``NEW``, ``CHANGED`` or ``SAME``
        before        what was known of it
        record        what was stored of its content
        brought       as for ``VisitTable.count``; why: of what is gone
        content_hash  that of its content now
        """
        was_there = before is not None and before.is_there
        is_there = not brought & ABSENT
        if is_there and (outcome != SAME or not was_there):
            self._write(url, outcome if was_there else NEW, before, record, content_hash=content_hash)
        elif was_there and not is_there:
            self._write(url, GONE, before, record, why=why)

    def add_unlinked(self, before: PageVisits, record: PageRecord | None) -> None:
        """Write that no link leads to a page any more."""
        if before.is_there and before.url:
            self._write(before.url, GONE, before, record, why=UNLINKED)

    def _write(
        self,
        url: str,
        change: str,
        before: PageVisits | None,
        record: PageRecord | None,
        *,
        content_hash: str | None = None,
        why: str | None = None,
    ) -> None:
        known = None
        if before is not None and before.is_there:
            known = {
                "last_read": iso_time(before.last // 1_000),
                "first_seen": iso_time(record.first_seen) if record else None,
                "last_changed": iso_time(record.last_changed) if record else None,
                "content_hash": record.content_hash if record else None,
            }
        self._lines.write(change_line(url, change, known, content_hash=content_hash, why=why))
        self._count += 1
        self._stats.inc_value("templcrawl/recrawl/written")

    async def close(self) -> None:
        """End the lines."""
        await self._lines.close()
        self._log.info(
            "templcrawl: %d lines about new, changed and gone pages are in %s", self._count, self._lines.name
        )
