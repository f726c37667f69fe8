"""The extensions that write a file when the spider closes: the HTML report, and the page type of each leaf.

*The report* has the figures of this run (at most some 120 MB, see :mod:`templcrawl.outputs.report.figures`).

*The table of page types* has a row for each leaf, which items join by their ``leaf_id``.  It goes to the JSON
file that ``TEMPLCRAWL_PAGE_TYPE_TABLE`` names, and as ``page_types`` into the database that items go to.  The
archive writes its own.  Rows of sites that leave the memory wait in a temporary file.  A crawl with a JOBDIR
keeps the entries of what it has written before, for the sites that it does not visit again.

Where one of them cannot be made or written, that is logged and counted, and the crawl ends as it would.

Cost: that of the page types of each site, once.  Memory: the names of the ``MOST_HOSTS`` hosts visited last;
entries that an earlier run has written for other hosts may stand twice, and then the later one holds.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import datetime, timezone
from itertools import chain, islice
from tempfile import TemporaryFile

from scrapy import Request
from scrapy.crawler import Crawler

from templcrawl.crawl.job import Job
from templcrawl.crawl.outputs import PageListener, claim_file
from templcrawl.crawl.setting_values import PREFIX
from templcrawl.crawl.settings import SETTINGS, TemplcrawlSettings
from templcrawl.errors import NOT_SHOWN, shown
from templcrawl.guard import Surviving, in_thread
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.memory.lru_dict import LruDict
from templcrawl.memory.observation import Observation
from templcrawl.memory.page_types import TypedLeaf
from templcrawl.memory.site import SiteMemory
from templcrawl.outputs.items import entry_of, read_page_types, write_page_types
from templcrawl.outputs.report.contents import Run, report_contents
from templcrawl.outputs.report.figures import CrawlFigures
from templcrawl.outputs.report.html import load_template, write_report

_SECRET = f"{PREFIX}DATABASE"
_ERRORS = "templcrawl/errors/"

MOST_HOSTS = 100_000
_LEAVES = 10_000  # of a transaction


class HtmlReport(PageListener):
    """Writes the report of a crawl."""

    doing = "reporting"
    setting = f"{PREFIX}REPORT"

    def __init__(
        self, crawler: Crawler, settings: TemplcrawlSettings, memory: CrawlMemory, job: Job | None
    ) -> None:
        """Begin a report; raises InvalidOption, MissingExtra."""
        super().__init__(crawler, settings, memory, job)
        self._path = claim_file(crawler, self.setting, settings.report or "")
        load_template()
        self._figures = CrawlFigures()

    def open(self) -> None:
        """Begin to count."""
        self._opened = time.monotonic()

    def add(self, observation: Observation, request: Request) -> None:
        """Count a page."""
        self._figures.update(observation)

    def close(self) -> None:
        """Write the report."""
        with Surviving(self.crawler, f"writing the report {self._path}"):
            stats, spider = self._stats, self.crawler.spider
            run = Run(
                source=f"spider {spider.name}" if spider else "a crawl",
                made=datetime.now(timezone.utc),
                seconds=time.monotonic() - self._opened,
                errors=sum(count for name, count in stats.get_stats().items() if name.startswith(_ERRORS)),
                waited=stats.get_value("templcrawl/links/waited", 0),
                by_role=self._settings.policy.by_pay,
                settings=changed_settings(self._settings),
            )
            write_report(report_contents(self._figures, self._memory, run), self._path)
            self._log.info("templcrawl: the report of this crawl is %s", self._path)


def changed_settings(settings: TemplcrawlSettings) -> dict[str, str]:
    """Return setting -> value, of those that differ from the defaults, without what is secret.

    >>> changed_settings(TemplcrawlSettings(hold=5, archive="s3://me:secret@bucket/crawl"))
    {'TEMPLCRAWL_HOLD': '5', 'TEMPLCRAWL_ARCHIVE': "'s3://…@bucket/crawl'"}
    """
    default = TemplcrawlSettings()
    values = {name: getattr(settings, each.name) for name, each in SETTINGS.items()}
    return {
        name: shown(NOT_SHOWN if name == _SECRET else value)
        for name, value in values.items()
        if value != getattr(default, SETTINGS[name].name)
    }


class PageTypeTable(PageListener):
    """Writes the page type of each leaf."""

    doing = "writing the page types"
    setting = f"{PREFIX}PAGE_TYPE_TABLE"

    def __init__(
        self, crawler: Crawler, settings: TemplcrawlSettings, memory: CrawlMemory, job: Job | None
    ) -> None:
        """Find the file; raises InvalidOption."""
        super().__init__(crawler, settings, memory, job)
        target = settings.page_type_table
        self._path = claim_file(crawler, self.setting, target) if target is not None else None
        self._hosts: LruDict[str, None] = LruDict(MOST_HOSTS)

    def open(self) -> None:
        """Begin to note the page types of evicted sites."""
        self._evicted = TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115 (it is open until the close)

    def add(self, observation: Observation, request: Request) -> None:
        """Note the host of a page: its site has page types of this crawl."""
        self._hosts[observation.page.host] = None

    def add_evicted(self, site: SiteMemory) -> None:
        """Note the page types of a site."""
        self._evicted.writelines(f"{entry_of(leaf)}\n" for leaf in site.page_types())

    async def close(self) -> None:
        """Write the table to each place."""
        if self._path is not None:
            with self._surviving(str(self._path)):
                earlier: list[TypedLeaf] = []
                if self._job is not None and self._path.exists():
                    with self._path.open(encoding="utf-8", errors="replace") as lines:
                        earlier = [leaf for leaf in read_page_types(lines) if leaf.host not in self._hosts]
                count = write_page_types(self._path, chain(earlier, self._leaves()))
                self._log.info("templcrawl: the page types of %d leaves are in %s", count, self._path)
        if self._settings.database is not None:
            with self._surviving("in the database"):
                await self._store(self._settings.database)
        self._evicted.close()

    async def _store(self, url: str) -> None:
        from templcrawl.outputs.item_databases import item_database

        database, leaves = item_database(url), self._leaves()
        try:
            while some := [*islice(leaves, _LEAVES)]:
                await in_thread(database.insert_page_types, some)
        finally:
            database.close()

    def _leaves(self) -> Iterator[TypedLeaf]:
        self._evicted.seek(0)
        yield from read_page_types(self._evicted)
        yield from self._memory.page_types()
