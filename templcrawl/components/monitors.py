"""Monitors of a crawl that templcrawl strips, by Spidermon: checked when the spider closes.

::

    SPIDERMON_SPIDER_CLOSE_MONITORS = ("templcrawl.components.monitors.TemplcrawlMonitorSuite",)

    SPIDERMON_TEMPLCRAWL_MIN_STRIPPED = 0.9    # share of the items with room for fields that were filled
    SPIDERMON_TEMPLCRAWL_MAX_ERRORS = 0        # errors of templcrawl
    SPIDERMON_TEMPLCRAWL_MAX_LOST_SITES = 0    # sites whose snapshots could not be read back

These are the defaults.  A crawl without an item that has room is not asked
whether its items were filled.
"""

from __future__ import annotations

from typing import ClassVar

from templcrawl.errors import MissingExtra

try:
    from spidermon import Monitor, MonitorSuite
except ImportError as error:
    raise MissingExtra("templcrawl's monitors", "spidermon") from error

_SETTING = "SPIDERMON_TEMPLCRAWL_"


class TemplcrawlMonitor(Monitor):  # type: ignore[misc]
    """Whether items were filled, and nothing went wrong on the way."""

    def test_items_are_filled(self) -> None:
        """Of the items with room for fields, most have gained them."""
        stats = self.data.stats
        filled = stats.get("templcrawl/items/stripped", 0)
        total = filled + stats.get("templcrawl/items/left_as_is", 0)
        least = self.data.crawler.settings.getfloat(_SETTING + "MIN_STRIPPED", 0.9)
        if total and filled < least * total:
            self.fail(
                f"{filled} of {total} items were filled: less than {least:.0%} ({_SETTING}MIN_STRIPPED)"
            )

    def test_there_are_no_errors(self) -> None:
        """Nothing of templcrawl has failed."""
        counts = (count for name, count in self.data.stats.items() if name.startswith("templcrawl/errors/"))
        self._check("MAX_ERRORS", sum(counts), "errors of templcrawl")

    def test_no_site_is_lost(self) -> None:
        """What was learned of each site could be read back."""
        self._check(
            "MAX_LOST_SITES", self.data.stats.get("templcrawl/unreadable_sites", 0), "sites were lost"
        )

    def _check(self, setting: str, count: int, what: str) -> None:
        most = self.data.crawler.settings.getint(_SETTING + setting, 0)
        if count > most:
            self.fail(f"{count} {what}: more than {most} ({_SETTING}{setting})")


class TemplcrawlMonitorSuite(MonitorSuite):  # type: ignore[misc]
    """The monitors of templcrawl, to be named in ``SPIDERMON_SPIDER_CLOSE_MONITORS``."""

    monitors: ClassVar[list[type]] = [TemplcrawlMonitor]
