"""The stats and the log lines of a crawl.

The *harvest rate* of a focused crawl is the share of its pages that are relevant (at least half, of 1).  It
is logged after every hundred pages, of these and of all, with a warning if none of the first hundred is
relevant.

*Running text* stands in runs of ten words or more, outside links and furniture.  Templates have little of
it.  If most of a page's running text is judged template, other pages of the site repeat it: copies, or pages
that were written to have it removed.  Such pages are counted, and a site with ten of them is logged once.

*Lost text* is the opposite: five words or more, outside links and furniture, that are judged template
although no earlier page has them: facts, or the counter in a footer.  Its pages are counted, and the site
with most of them is logged at the end.

*Items* are logged by Scrapy in full at the level DEBUG.  Fields that templcrawl fills are shortened there:
the text and the HTML of pages would be most of the log.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Collection
from copy import copy
from dataclasses import dataclass
from typing import Any

from itemadapter import ItemAdapter
from scrapy import Item, Spider
from scrapy.crawler import Crawler
from scrapy.logformatter import LogFormatter, LogFormatterResult

from templcrawl.crawl.settings import TemplcrawlSettings
from templcrawl.crawl.site_log import BarePages
from templcrawl.errors import InvalidSnapshot, pluralize
from templcrawl.guard import CrawlLogger, GuardedStats, guarded
from templcrawl.memory.change_table import CHANGED, NEW, SAME, TEMPLATE_ONLY
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.memory.lru_dict import LruDict
from templcrawl.memory.observation import Observation
from templcrawl.outputs.items import field_value
from templcrawl.page import kernel

_RELEVANT = 0.5
_CHANGES = {
    NEW: "templcrawl/changes/new",
    SAME: "templcrawl/changes/same",
    CHANGED: "templcrawl/changes/changed",
    TEMPLATE_ONLY: "templcrawl/changes/template_only",
}
_PAGES_A_LINE = 100
_MANY_WORDS = 100
_MANY_PAGES = 10
_LOST_WORDS = 5
_SHOWN = 80  # characters of a field in the log


class CrawlStats:
    """Counts the pages of a crawl in its stats."""

    def __init__(self, crawler: Crawler, settings: TemplcrawlSettings) -> None:
        self._stats, self._log = GuardedStats(crawler), CrawlLogger(__name__, crawler)
        self._kernel = settings.memory.kernel
        self._names_fields = bool(settings.item_fields)
        self._bare_pages = BarePages(crawler, settings)
        self._stripping: LruDict[str, int] = LruDict(settings.memory.max_sites)  # host -> such pages
        self._losing: LruDict[str, tuple[int, str]] = LruDict(settings.memory.max_sites)  # and the last
        self._judged = self._relevant = self._relevant_before = 0
        self._refused_before = sum(kernel.REFUSED.values())

    def count(self, observation: Observation, started: float) -> None:
        """Count a page that has been read since ``started``, by the clock ``perf_counter``."""
        separation, links = observation.separation, observation.link_pages
        content, whole = separation.text_lengths
        counts: dict[str, float] = {
            "templcrawl/pages": 1,
            "templcrawl/characters": len(separation.page.text),
            "templcrawl/text/characters": whole,
            "templcrawl/text/template_characters": whole - content,
            "templcrawl/links": len(links),
            "templcrawl/links/template": len(links) - links.count(0),
        }
        if observation.page_type is not None:
            counts["templcrawl/pages/typed"] = 1
        if observation.kind is not None:
            counts["templcrawl/kinds"] = counts[f"templcrawl/kinds/{observation.kind.name}"] = 1
        if observation.is_target:
            counts["templcrawl/targets/found"] = 1
        if observation.near_duplicate:
            counts["templcrawl/pages/near_duplicates"] = 1
        if observation.change is not None:
            counts[_CHANGES[observation.change.kind]] = 1
        for limit in separation.truncated:
            counts[f"templcrawl/pages/truncated/{limit}"] = 1
            counts["templcrawl/pages/truncated"] = len(separation.truncated)
        if observation.relevance is not None:
            self._count_relevance(observation.relevance)
        if 2 * content < whole and not observation.near_duplicate:
            self._count_running_text(observation)
        if separation.lost_words >= _LOST_WORDS:
            counts["templcrawl/pages/text_lost"] = 1
            host = separation.page.host
            self._losing[host] = (self._losing.get(host) or (0, ""))[0] + 1, separation.page.url
        self._bare_pages.count(observation)
        counts["templcrawl/seconds"] = time.perf_counter() - started
        self._stats.inc_values(counts)

    def count_unreadable(self, error: InvalidSnapshot) -> None:
        """Count a site whose saved state cannot be read, and log each reason once."""
        self._stats.inc_value("templcrawl/unreadable_sites")
        message = "%s; its site is learned anew (logged once for each reason)"
        self._log.once(logging.ERROR, error.reason, message, error)

    def _count_running_text(self, observation: Observation) -> None:
        content, whole = observation.separation.running_words
        if whole < _MANY_WORDS or 2 * content >= whole:
            return
        self._stats.inc_value("templcrawl/pages/text_in_template")
        host = observation.page.host
        pages = self._stripping[host] = (self._stripping.get(host) or 0) + 1
        if pages == _MANY_PAGES:
            self._log.warning(
                "templcrawl has removed most of the text of %d pages of %s, because other pages repeat it. "
                "Look at %s; TEMPLCRAWL_STRIP = 'site' keeps what only a page type repeats (logged once a "
                "site; see the stat templcrawl/pages/text_in_template)",
                pages,
                host,
                observation.page.url,
            )

    def log_evicted_sites(self, memory: CrawlMemory) -> None:
        """Log once that sites are evicted from memory and are learned anew when they return."""
        if memory.evicted_sites and not memory.is_stored:
            self._log.once(
                logging.INFO,
                "evicted",
                "templcrawl has %s in memory and meets more: it forgets the one that was not visited for the "
                "longest time (logged once; raise TEMPLCRAWL_MAX_SITES, or set JOBDIR to keep them all)",
                pluralize(memory.options.max_sites, "site"),
            )

    def _count_relevance(self, relevance: float) -> None:
        self._judged += 1
        if relevance >= _RELEVANT:
            self._relevant += 1
            self._stats.inc_value("templcrawl/focus/relevant")
        if self._judged % _PAGES_A_LINE == 0:
            self._log.info(
                "templcrawl: relevant pages: %d of the last %d, %d of all %d",
                self._relevant - self._relevant_before,
                _PAGES_A_LINE,
                self._relevant,
                self._judged,
            )
            self._relevant_before = self._relevant
            if not self._relevant and self._judged == _PAGES_A_LINE:
                self._log.warning(
                    "templcrawl: none of the first %d pages is on the topic. Give words and names, with "
                    "commas between them; a sentence is found only where it stands word for word",
                    self._judged,
                )

    def open(self) -> None:
        """Log the page reader."""
        self._stats.set_value("templcrawl/kernel", kernel.is_native(self._kernel))
        self._log.info("templcrawl: the page reader is %s", kernel.describe_reader(self._kernel))

    def close(self, memory: CrawlMemory) -> None:
        """Set the stats of the end, and log the summary."""
        self._bare_pages.close()
        stats = self._stats
        refused = sum(kernel.REFUSED.values()) - self._refused_before
        if refused:
            stats.set_value("templcrawl/kernel/refused", refused)
        sites = len(memory) + memory.evicted_sites
        page_types = sum(len({leaf.page_type for leaf in site.page_types()}) for site in memory)
        stats.set_value("templcrawl/sites", sites)
        stats.set_value("templcrawl/page_types", page_types)
        stats.set_value("templcrawl/clusters", len(memory.clusters()))
        ours = {name: value for name, value in stats.get_stats().items() if name.startswith("templcrawl/")}
        get = stats.get_value
        whole = max(1, get("templcrawl/text/characters", 0))
        self._log.info(
            "templcrawl: %s of %s, %s; %.0f %% of the text is template; %s stripped%s; %s waited",
            pluralize(get("templcrawl/pages", 0), "page"),
            pluralize(sites, "site"),
            pluralize(page_types, "page type"),
            100 * get("templcrawl/text/template_characters", 0) / whole,
            pluralize(get("templcrawl/items/stripped", 0), "item"),
            "" if self._names_fields else " (TEMPLCRAWL_ITEM_FIELDS names no field)",
            pluralize(get("templcrawl/links/waited", 0), "link"),
            extra={"templcrawl": ours},  # for those who log records as data
        )
        lost = ((pages, host, url) for host, (pages, url) in self._losing.items())
        losing, host, url = max(lost, default=(0, "", ""))
        if losing:
            self._log.info(
                "templcrawl: on %s of %s, text that no other page has was removed, such as on %s (the stat "
                "templcrawl/pages/text_lost counts such pages of all sites)",
                pluralize(losing, "page"),
                host,
                url,
            )
        if self._judged:
            self._log.info(
                "templcrawl: harvest rate %.3f; relevant pages: %d of %d",
                self._relevant / self._judged,
                self._relevant,
                self._judged,
            )


class ShortFieldsLogFormatter(LogFormatter):
    """Logs the beginning of a long field that templcrawl filled, and its number of characters."""

    _fields: Collection[str] | None = None

    @guarded("logging an item", LogFormatter.scraped)
    def scraped(self, item: Any, *more: Any) -> LogFormatterResult:
        """Log an item; the last of ``more`` is the spider, here and below."""
        return super().scraped(self._shortened(item, more[-1]), *more)

    @guarded("logging a dropped item", LogFormatter.dropped)
    def dropped(self, item: Any, *more: Any) -> LogFormatterResult:
        """Log an item that a pipeline dropped."""
        return super().dropped(self._shortened(item, more[-1]), *more)

    @guarded("logging a failed item", LogFormatter.item_error)
    def item_error(self, item: Any, *more: Any) -> LogFormatterResult:
        """Log an item on which a pipeline failed."""
        return super().item_error(self._shortened(item, more[-1]), *more)

    def _shortened(self, item: Any, spider: Spider) -> _Shortened:
        if self._fields is None:
            settings = TemplcrawlSettings.from_settings(spider.crawler.settings)
            self._fields = frozenset(settings.item_fields.values())
        return _Shortened(item, self._fields)


@dataclass(repr=False)
class _Shortened:
    """An item that is shortened when the log record is written."""

    item: Any
    fields: Collection[str]

    def __str__(self) -> str:
        item = self.item
        try:
            values = {name: field_value(ItemAdapter(item), name) for name in self.fields}
            long = {name: v for name, v in values.items() if isinstance(v, str) and len(v) > 2 * _SHOWN}
            if long:
                item = item.copy() if isinstance(item, (dict, Item)) else copy(item)
            for name, text in long.items():
                ItemAdapter(item)[name] = f"{text[:_SHOWN]}… ({len(text):,} characters)"
        except Exception:  # an item that cannot be copied or changed is logged in full
            item = self.item
        return str(item)
