"""The table of page types: a row for each leaf, which items join by their ``leaf_id``.

It goes to the JSON file that ``TEMPLCRAWL_PAGE_TYPES_FILE`` names.  Rows of sites that leave the memory wait
in a temporary file.  A crawl with a JOBDIR keeps the entries of what it has written before, for the sites
that it does not visit again.

Cost: that of the page types of each site, once.  Memory: the names of the ``MAX_HOSTS`` hosts visited last;
entries that an earlier run has written for other hosts may stand twice, and then the later one holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from tempfile import TemporaryFile
from typing import IO

from scrapy import Request
from scrapy.http import Response

from templcrawl.crawl.claims import claim_file
from templcrawl.crawl.part import Crawl, CrawlPart
from templcrawl.crawl.setting_values import PREFIX
from templcrawl.guard import LogErrors
from templcrawl.memory.key_tables import LruDict
from templcrawl.memory.observation import Observation
from templcrawl.memory.page_types import TypedLeaf
from templcrawl.memory.site import SiteMemory
from templcrawl.outputs.page_type_files import entry_of, read_page_types, write_page_types

MAX_HOSTS = 100_000
_SETTING = f"{PREFIX}PAGE_TYPES_FILE"


class PageTypeTable(CrawlPart):
    """Writes the page type of each leaf."""

    doing = "writing the page types"

    def __init__(self, crawl: Crawl) -> None:
        """Find the file; raises InvalidOption."""
        super().__init__(crawl)
        self._path = claim_file(self.crawler, _SETTING, self._settings.page_types_file or "")
        self._hosts: LruDict[str, None] = LruDict(MAX_HOSTS)
        self._evicted: IO[str] | None = None  # made once a site leaves the memory

    def page_observed(self, request: Request, response: Response, observation: Observation) -> None:
        """Note the host of a page: its site has page types of this crawl."""
        self._hosts[observation.page.host] = None

    def site_evicted(self, site: SiteMemory) -> None:
        """Collect the page types of a site."""
        if self._evicted is None:
            self._evicted = TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115 (open until the close)
        self._evicted.writelines(f"{entry_of(leaf)}\n" for leaf in site.page_types())

    def close(self, reason: str) -> None:
        """Write the table."""
        with LogErrors(self.crawler, f"{self.doing} {self._path}"):
            earlier: list[TypedLeaf] = []
            if self._job is not None and self._path.exists():
                with self._path.open(encoding="utf-8", errors="replace") as lines:
                    earlier = [leaf for leaf in read_page_types(lines) if leaf.host not in self._hosts]
            count = write_page_types(self._path, chain(earlier, self._leaves()))
            self._log.info("templcrawl: the page types of %d leaves are in %s", count, self._path)
        if self._evicted is not None:
            self._evicted.close()

    def _leaves(self) -> Iterator[TypedLeaf]:
        if self._evicted is not None:
            self._evicted.seek(0)
            yield from read_page_types(self._evicted)
        yield from self._memory.page_types()
