"""The stats and the log lines of a crawl.

*Running text* stands in runs of ten words or more, outside links and furniture.  Templates have little of
it.  If most of a page's running text is judged template, other pages of the site repeat it: copies, or pages
that were written to have it removed.  Such pages are counted, and a site with ten of them is logged once.

*Lost text* is the opposite: five words or more, outside links and furniture, that are judged template
although no earlier page has them: facts, or the counter in a footer.  Its pages are counted, and the site
with most of them is logged at the end.

*Bare* pages have scripts, and next to no text that other pages of their site lack: they need a browser.  A
site with nearly all pages of this kind is logged once, early or at the close.  On none of the saved sites are
more than a third of the pages like this.

Cost: O(1) a page; O(forms) if it has next to no text.  Memory: some 100 bytes a site.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

from scrapy import Request
from scrapy.http import Response

from templcrawl.crawl.part import Crawl, CrawlPart
from templcrawl.errors import pluralize
from templcrawl.memory.key_tables import LruDict
from templcrawl.memory.observation import Observation
from templcrawl.memory.site import SiteMemory
from templcrawl.page import kernel
from templcrawl.page.tokens import START

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
        if observation.near_duplicate:
            counts["templcrawl/pages/near_duplicates"] = 1
        for limit in separation.truncated:
            counts[f"templcrawl/pages/truncated/{limit}"] = 1
            counts["templcrawl/pages/truncated"] = len(separation.truncated)
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

    def open(self) -> None:
        """Log the page reader."""
        self._stats.set_value("templcrawl/kernel", kernel.is_native(self._settings.memory.kernel))
        self._log.info(
            "templcrawl: the page reader is %s", kernel.describe_reader(self._settings.memory.kernel)
        )

    def close(self, reason: str) -> None:
        """Set the stats of the end, and log the summary."""
        stats, memory = self._stats, self._memory
        refused = sum(kernel.REFUSED.values()) - self._refused_before
        if refused:
            stats.set_value("templcrawl/kernel/refused", refused)
        sites = len(memory) + memory.evicted_sites
        stats.set_value("templcrawl/sites", sites)
        types = ""
        if not memory.evicted_sites:  # those of the others are not known
            page_types = sum(len({leaf.page_type for leaf in site.page_types()}) for site in memory)
            stats.set_value("templcrawl/page_types", page_types)
            types = f", {pluralize(page_types, 'page type')}"
        stats.set_value("templcrawl/clusters", len(memory.clusters()))
        ours = {name: value for name, value in stats.get_stats().items() if name.startswith("templcrawl/")}
        get = stats.get_value
        whole = max(1, get("templcrawl/text/characters", 0))
        self._log.info(
            "templcrawl: %s of %s%s; %.0f %% of the text is template; %s stripped%s; %s waited",
            pluralize(get("templcrawl/pages", 0), "page"),
            pluralize(sites, "site"),
            types,
            100 * get("templcrawl/text/template_characters", 0) / whole,
            pluralize(get("templcrawl/items/stripped", 0), "item"),
            "" if self._settings.item_fields else " (TEMPLCRAWL_ITEM_FIELDS names no field)",
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


_LITTLE_TEXT = 100  # characters of content that are next to none
_NEARLY_ALL = 0.8  # of the pages of a site
_EARLY_PAGES = 20  # after so many pages a site is logged before the close
MAX_BARE_SITES = 10  # sites with a line of their own


@dataclass
class _SitePages:
    """The pages of a site, how many of them are bare, and whether that was logged."""

    pages: int = 0
    bare: int = 0
    is_logged: bool = False

    @property
    def is_bare(self) -> bool:
        return self.bare > 0 and self.bare >= _NEARLY_ALL * self.pages


class BarePages(CrawlPart):
    """Logs and counts *bare* pages, which have scripts and next to no text: a browser assembles them."""

    doing = "looking for text"

    def __init__(self, crawl: Crawl) -> None:
        super().__init__(crawl)
        self._sites: LruDict[str, _SitePages] = LruDict(self._settings.memory.max_sites)
        self._logged = 0

    def page_observed(self, request: Request, response: Response, observation: Observation) -> None:
        """Count a page; log its site if it has many pages, nearly all of them bare."""
        host = observation.page.host
        site = self._sites.touch(host)
        if site is None:
            site = self._sites[host] = _SitePages()
        site.pages += 1
        if _is_bare(observation):
            site.bare += 1
            self._stats.inc_value("templcrawl/pages/without_text")
            if site.pages >= _EARLY_PAGES and site.is_bare and not site.is_logged:
                self._warn(host, site)

    def close(self, reason: str) -> None:
        """Log the other sites of this kind, those with most pages first."""
        found = [(host, site) for host, site in self._sites.items() if site.is_bare and not site.is_logged]
        for host, site in sorted(found, key=lambda host_and_site: -host_and_site[1].bare):
            self._warn(host, site)
        if self._logged > MAX_BARE_SITES:
            self._log.warning(
                "%s more have scripts and next to no text on nearly all pages (the stat "
                "templcrawl/pages/without_text counts the pages)",
                pluralize(self._logged - MAX_BARE_SITES, "site"),
            )

    def _warn(self, host: str, site: _SitePages) -> None:
        site.is_logged = True
        self._logged += 1
        if self._logged <= MAX_BARE_SITES:
            self._log.warning(
                "%s: %d of its %d pages have scripts and next to no text of their own. A browser probably "
                "assembles them: render them first, such as with scrapy-playwright (see the recipe for pages "
                "that a browser assembles)",
                host,
                site.bare,
                site.pages,
            )


def _is_bare(observation: Observation) -> bool:
    tokens = observation.page.tokens
    if observation.text_lengths[0] >= _LITTLE_TEXT or tokens.truncated:
        return False
    scripts = (form for form in tokens.forms_named("script") if tokens.form_kinds[form] == START)
    return any("json" not in tokens.text_of(form).lower() for form in scripts)  # data is no program
