"""Write the lines of ``TEMPLCRAWL_CHANGES`` as rows of a database table, without a gap after a kill.

A row waits in an outbox of its own (:mod:`templcrawl.outputs.outbox`) until the database has it: that may be
away.  Cost: a commit of the outbox for each row.
"""

from __future__ import annotations

from scrapy.crawler import Crawler

from templcrawl.crawl.claims import filled_in
from templcrawl.log import CrawlLogger, GuardedStats
from templcrawl.outputs.item_databases import item_database
from templcrawl.outputs.outbox import Outbox
from templcrawl.outputs.stored_tables import CHANGES


class ChangeRows:
    """Writes the rows of a crawl.

    name  of the database, without a password
    """

    def __init__(self, crawler: Crawler, setting: str, url: str) -> None:
        """Connect once; raises InvalidOption, MissingExtra."""
        self.crawler = crawler
        self._stats, self._log = GuardedStats(crawler), CrawlLogger(__name__, crawler)
        self._database = item_database(filled_in(crawler, setting, url), CHANGES, setting=setting)
        error = self._database.check()
        self._database.close()
        self.name = f"the table {CHANGES.name} of {self._database.name}"
        if error is not None:
            self._log.warning("%s cannot be reached, and rows wait until it can: %s", self.name, error)
        self._outbox: Outbox | None = None

    def write(self, line: str) -> None:
        """Write a line of JSON as a row."""
        if self._outbox is None:
            self._outbox = Outbox(self._database, None, self._count)
        self._outbox.put(line)
        self._outbox.commit()

    async def close(self) -> None:
        """Store what is left; what the database does not take waits for the next crawl."""
        if self._outbox is not None:
            await self._outbox.close()

    def _count(self, stat: str, number: int) -> None:
        if number:
            self._stats.inc_value(f"templcrawl/recrawl/database/{stat}", number)
