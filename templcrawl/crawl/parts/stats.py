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
"""

from __future__ import annotations

import logging

from scrapy import Request
from scrapy.http import Response

from templcrawl.crawl.part import Crawl, CrawlPart
from templcrawl.errors import pluralize
from templcrawl.memory.lru_dict import LruDict
from templcrawl.memory.observation import Observation
from templcrawl.memory.site import SiteMemory
from templcrawl.page import kernel

_CHANGES = {
    "new": "templcrawl/changes/new",
    "same": "templcrawl/changes/same",
    "changed": "templcrawl/changes/changed",
    "template only": "templcrawl/changes/template_only",
}
_RELEVANT = 0.5
_PAGES_A_LINE = 100
_MANY_WORDS = 100
_MANY_PAGES = 10
_LOST_WORDS = 5


class CrawlStats(CrawlPart):
    """Counts the pages of a crawl in its stats."""

    def __init__(self, crawl: Crawl) -> None:
        super().__init__(crawl)
        max_sites = self._settings.memory.max_sites
        self._stripping: LruDict[str, int] = LruDict(max_sites)  # host -> such pages
        self._losing: LruDict[str, tuple[int, str]] = LruDict(max_sites)  # and the last
        self._judged = self._relevant = self._relevant_before = 0
        self._refused_before = sum(kernel.REFUSED.values())

    def page_observed(self, request: Request, response: Response, observation: Observation) -> None:
        """Count a page."""
        separation, links = observation.separation, observation.link_pages
        content, whole = separation.text_lengths
        counts: dict[str, float] = {
            "templcrawl/pages": 1,
            "templcrawl/characters": len(separation.page.text),
            "templcrawl/text/characters": whole,
            "templcrawl/text/template_characters": whole - content,
        }
        if links:
            counts["templcrawl/links"] = len(links)
            counts["templcrawl/links/template"] = len(links) - links.count(0)
        if not separation.voters:
            counts["templcrawl/pages/without_peers"] = 1
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
        self._stats.inc_values(counts)

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
                "Look at %s; TEMPLCRAWL_TEMPLATE_OF = 'site' keeps what only a page type repeats (logged "
                "once a site; see the stat templcrawl/pages/text_in_template)",
                pages,
                host,
                observation.page.url,
            )

    def site_evicted(self, site: SiteMemory) -> None:
        """Log once that sites are evicted from memory and are learned anew when they return."""
        if not self._memory.is_stored:
            self._log.once(
                logging.INFO,
                "evicted",
                "templcrawl has %s in memory and meets more: it forgets the one that was not visited for the "
                "longest time (logged once; raise max_sites in TEMPLCRAWL_LIMITS, or set JOBDIR to keep all)",
                pluralize(self._memory.options.max_sites, "site"),
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
        self._stats.set_value("templcrawl/kernel", kernel.is_native(self._settings.memory.kernel))
        self._log.info(
            "templcrawl: the page reader is %s", kernel.describe_reader(self._settings.memory.kernel)
        )

    def _warn_of_large_sites(self) -> None:
        refused = {site.host: site.changes.refused for site in self._memory if site.changes is not None}
        host = max(refused, key=lambda host: refused[host], default="")
        if host and refused[host]:
            self._log.warning(
                "templcrawl has no room for the text of %s of %s, and takes them for new in the next crawl, "
                "too (10,000 pages of a site are stored, 1 KB each on average)",
                pluralize(refused[host], "page"),
                host,
            )

    def close(self, reason: str) -> None:
        """Set the stats of the end, and log the summary."""
        stats, memory = self._stats, self._memory
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
            "" if self._settings.item_fields else " (TEMPLCRAWL_ITEM_FIELDS names no field)",
            pluralize(get("templcrawl/links/waited", 0), "link"),
            extra={"templcrawl": ours},  # for those who log records as data
        )
        self._warn_of_large_sites()
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
