"""The extension that writes the page types of a crawl when its spider closes: a row for each leaf.

Items join by their ``leaf_id``.  The table goes to the JSON file that ``TEMPLCRAWL_PAGE_TYPE_TABLE`` names,
and as ``page_types`` into the database that items go to.  The archive writes its own.

Rows of sites that leave the memory wait in a temporary file.  A crawl with a JOBDIR keeps the entries of
what it has written before, for the sites that it does not visit again.

Cost: that of the page types of each site, once.  Memory: the names of the ``MOST_HOSTS`` hosts visited last;
entries that an earlier run has written for other hosts may stand twice, and then the later one holds.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from tempfile import TemporaryFile

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.utils.job import job_dir

from templcrawl.crawl.components import PageListener
from templcrawl.crawl.extension import TemplateMemory
from templcrawl.crawl.html_report import writable_file
from templcrawl.crawl.jobs.claims import claim_target
from templcrawl.crawl.setting_values import PREFIX
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.memory.lru_dict import LruDict
from templcrawl.memory.observation import Observation
from templcrawl.memory.page_types import TypedLeaf
from templcrawl.memory.site import SiteMemory
from templcrawl.outputs.items import entry_of, read_page_types, write_page_types
from templcrawl.threads import in_thread

logger = logging.getLogger(__name__)

MOST_HOSTS = 100_000
_LEAVES = 10_000  # of a transaction


class PageTypeTable(PageListener):
    """Writes the page type of each leaf."""

    doing = "writing the page types"
    setting = f"{PREFIX}PAGE_TYPE_TABLE"

    def __init__(self, crawler: Crawler) -> None:
        """Find the file; raises NotConfigured, InvalidOption."""
        super().__init__(crawler)
        target = self._settings.page_type_table
        if not target and not self._settings.database:
            raise NotConfigured
        self._path: Path | None = None
        if target is not None:
            target = claim_target(crawler, self.setting, target, overwrites=True)
            self._path = writable_file(self.setting, target)
        self._is_resumable = job_dir(crawler.settings) is not None
        self._hosts: LruDict[str, None] = LruDict(MOST_HOSTS)

    def open(self) -> None:
        """Begin to note the page types of evicted sites."""
        super().open()
        self._evicted = TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115 (it is open until the close)

    def add(self, extension: TemplateMemory, observation: Observation, request: Request) -> None:
        """Note the host of a page: its site has page types of this crawl."""
        self._hosts[observation.page.host] = None

    def add_evicted(self, site: SiteMemory) -> None:
        """Note the page types of a site."""
        self._evicted.writelines(f"{entry_of(leaf)}\n" for leaf in site.page_types())

    async def close(self) -> None:  # type: ignore[override]
        """Write the table to each place."""
        if self._extension is None:
            self._evicted.close()
            return
        memory = self._extension.memory
        if self._path is not None:
            with self._surviving(str(self._path)):
                self._write_file(self._path, memory)
        if self._settings.database is not None:
            with self._surviving("in the database"):
                await self._store(self._settings.database, memory)
        self._evicted.close()

    async def _store(self, url: str, memory: CrawlMemory) -> None:
        from templcrawl.outputs.item_databases import item_database

        database, leaves = item_database(url), self._leaves(memory)
        try:
            while some := [*islice(leaves, _LEAVES)]:
                await in_thread(database.insert_page_types, some)
        finally:
            database.close()

    def _write_file(self, path: Path, memory: CrawlMemory) -> None:
        earlier: list[TypedLeaf] = []
        if self._is_resumable and path.exists():
            with path.open(encoding="utf-8", errors="replace") as lines:
                earlier = [leaf for leaf in read_page_types(lines) if leaf.host not in self._hosts]
        count = write_page_types(path, chain(earlier, self._leaves(memory)))
        logger.info(
            "templcrawl: the page types of %(count)d leaves are in %(path)s",
            {"count": count, "path": path},
            extra={"spider": self._crawler.spider},
        )

    def _leaves(self, memory: CrawlMemory) -> Iterator[TypedLeaf]:
        self._evicted.seek(0)
        yield from read_page_types(self._evicted)
        yield from memory.page_types()
