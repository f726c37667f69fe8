"""Count the pages that are new, unchanged or changed since they were last read.

Where a site has more pages than are stored, that is logged at the end.  Cost: O(1) a page.
"""

from __future__ import annotations

from scrapy import Request
from scrapy.http import Response

from templcrawl.crawl.part import CrawlPart
from templcrawl.errors import pluralize
from templcrawl.memory.change_kinds import CHANGED, NEW, SAME, TEMPLATE_ONLY
from templcrawl.memory.change_table import ChangeTable
from templcrawl.memory.observation import Observation

_CHANGES = {
    NEW: "templcrawl/changes/new",
    SAME: "templcrawl/changes/same",
    CHANGED: "templcrawl/changes/changed",
    TEMPLATE_ONLY: "templcrawl/changes/template_only",
}


class ChangeCounts(CrawlPart):
    """Counts the pages of a crawl by how they have changed."""

    def page_observed(self, request: Request, response: Response, observation: Observation) -> None:
        """Count a page."""
        self._stats.inc_value(_CHANGES[observation.changed])

    def close(self, reason: str) -> None:
        """Warn of the site with most pages that were not stored."""
        tables = {site.host: site.get(ChangeTable) for site in self._memory}
        refused = {host: table.refused for host, table in tables.items() if table is not None}
        host = max(refused, key=lambda host: refused[host], default="")
        if host and refused[host]:
            self._log.warning(
                "templcrawl has no room for the text of %s of %s, and takes them for new in the next crawl, "
                "too (10,000 pages of a site are stored)",
                pluralize(refused[host], "page"),
                host,
            )
