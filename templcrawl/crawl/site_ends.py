"""Log and write, at the end of a repeated crawl, how each site has ended.

Cost: O(known pages).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.crawler import Crawler

from templcrawl.algorithms.crawl_order.count_bounds import bound_of
from templcrawl.algorithms.crawl_order.revisits import Remainder
from templcrawl.errors import pluralize
from templcrawl.guard import LogErrors
from templcrawl.log import CrawlLogger, GuardedStats
from templcrawl.memory.change_table import ChangeTable
from templcrawl.memory.site import SiteMemory
from templcrawl.memory.visit_table import VisitTable

if TYPE_CHECKING:
    from templcrawl.crawl.change_lines import ChangeLines


class SiteEnds:
    """The ends of the sites of a crawl."""

    def __init__(self, crawler: Crawler, lines: ChangeLines | None) -> None:
        """Begin; ``lines`` is the file of changes, if there is one."""
        self._crawler, self._lines = crawler, lines
        self._stats, self._log = GuardedStats(crawler), CrawlLogger(__name__, crawler)
        self._left: dict[str, Remainder] = {}

    def end(self, site: SiteMemory, visits: VisitTable, *, is_whole: bool) -> None:
        """End the crawl of a site, and write which pages nothing links to any more."""
        forgotten = visits.end(is_whole=is_whole)
        if is_whole and visits.vanished:
            self._log.warning(
                "templcrawl: no link leads any more to %d of the %d known pages of %s. They are taken for "
                "gone if the next whole crawl finds no link to them either",
                visits.vanished,
                len(visits),
                site.host,
            )
        changes = site.get(ChangeTable)
        for address, page in forgotten if self._lines is not None else ():
            record = changes.record(address) if changes is not None else None
            with LogErrors(self._crawler, f"writing that {page.url} is gone"):
                self._lines.add_unlinked(page, record)  # type: ignore[union-attr]

    def add_left(self, host: str, left: Remainder) -> None:
        """Note the known pages of a site that were not read."""
        self._left[host] = left

    def report_whole(self, host: str) -> None:
        """Log that all known pages of a site were read."""
        self._log.info(
            "templcrawl has fetched all known pages of %s: it could not predict which of them have changed",
            host,
        )

    def report_left(self) -> None:
        """Log how many pages were not read, and how many of them are expected to have changed."""
        left = [*self._left.values()]
        if not left:
            return
        unread, mean = sum(one.unread for one in left), sum(one.mean for one in left)
        most = bound_of(mean, sum(one.variance for one in left), unread)
        self._stats.set_value("templcrawl/recrawl/left", unread)
        self._stats.set_value("templcrawl/recrawl/expected", round(mean, 1))
        self._stats.set_value("templcrawl/recrawl/at_most", most)
        have = f"about {mean:.0f} of them have" if mean >= 0.5 else "none of them has"
        self._log.info(
            "templcrawl: %s of %s %s not fetched; %s probably changed%s (see TEMPLCRAWL_MAY_MISS)",
            pluralize(unread, "known page"),
            next(iter(self._left)) if len(left) == 1 else pluralize(len(left), "site"),
            "was" if unread == 1 else "were",
            have,
            f", at most {most}" if most else "",
        )
