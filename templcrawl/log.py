"""The log and the stats of a crawl, as templcrawl writes them.  Cost: O(1) a call."""

from __future__ import annotations

import logging
from collections.abc import Mapping, MutableMapping
from typing import Any
from weakref import WeakSet

from scrapy.crawler import Crawler
from scrapy.statscollectors import StatsCollector

from templcrawl.scrapy_compat import started

_MAX_LOGGED = 10_000  # subjects that a logger remembers

# Crawls whose stats collector has refused a value.
_refusing: WeakSet[Crawler] = WeakSet()


class CrawlLogger(logging.LoggerAdapter[logging.Logger]):
    """The logger of a module for one crawl: each record names the spider, as those of Scrapy do."""

    def __init__(self, name: str, crawler: Crawler) -> None:
        super().__init__(logging.getLogger(name))
        self._crawler = crawler
        self._logged: set[object] = set()

    def once(self, level: int, about: object, message: str, *arguments: object) -> None:
        """Log a message, unless one about the same was logged before; the latest are known."""
        if about not in self._logged:
            if len(self._logged) >= _MAX_LOGGED:
                self._logged.clear()
            self._logged.add(about)
            self.log(level, message, *arguments)

    def process(self, message: str, keywords: MutableMapping[str, Any]) -> Any:
        """Add the spider to what a record has."""
        keywords["extra"] = {"spider": self._crawler.spider, **keywords.get("extra", {})}
        return message, keywords


class GuardedStats:
    """The stats of a crawl, for all that templcrawl counts.

    A value that the project's own collector refuses is not counted; this is logged once a crawl.  Before the
    crawl has stats nothing is counted.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._collector = started(lambda: crawler.stats)
        methods = type(self._collector)
        # These cost more than the dictionary that they change.
        self._is_scrapys = isinstance(self._collector, StatsCollector) and all(
            getattr(methods, name) is getattr(StatsCollector, name) for name in ("inc_value", "get_stats")
        )

    def inc_value(self, name: str, count: float = 1) -> None:
        """Add to a number."""
        self._ask("inc_value", name, count)

    def inc_values(self, counts: Mapping[str, float]) -> None:
        """Add to several numbers."""
        if self._is_scrapys:
            values = self._ask("get_stats")
            for name, count in counts.items():
                values[name] = values.get(name, 0) + count
        else:
            for name, count in counts.items():
                self.inc_value(name, count)

    def set_value(self, name: str, value: object) -> None:
        """Set a value."""
        self._ask("set_value", name, value)

    def get_value(self, name: str, default: Any = None) -> Any:
        """Return a value, or the default; the default's type decides: for a number the result is a number."""
        value = self._ask("get_value", name, default)
        is_fit = isinstance(value, (int, float)) if isinstance(default, int) else value is not None
        return value if is_fit else default

    def get_stats(self) -> dict[str, Any]:
        """Return all values by name."""
        stats = self._ask("get_stats")
        return {str(name): value for name, value in stats.items()} if isinstance(stats, dict) else {}

    def _ask(self, method: str, *arguments: object) -> Any:
        if self._collector is None:
            return None
        try:
            return getattr(self._collector, method)(*arguments)
        except Exception as error:
            if self._crawler not in _refusing:
                _refusing.add(self._crawler)
                CrawlLogger(__name__, self._crawler).info(
                    "%s refuses what templcrawl counts: %s%r raised %r (logged once)",
                    type(self._collector).__qualname__,
                    method,
                    arguments,
                    error,
                )
        return None
