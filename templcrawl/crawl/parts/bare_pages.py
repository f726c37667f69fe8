"""Pages that need a browser: they have scripts, and next to no text that other pages of their site lack.

A site with nearly all pages of this kind is logged once, early or at the close.  On none of the saved sites
are more than a third of the pages like this.

Cost: O(1) a page; O(forms) if it has next to no text.  Memory: 100 bytes a site.
"""

from __future__ import annotations

from dataclasses import dataclass

from scrapy import Request
from scrapy.http import Response

from templcrawl.crawl.part import Crawl, CrawlPart
from templcrawl.errors import pluralize
from templcrawl.memory.lru_dict import LruDict
from templcrawl.memory.observation import Observation
from templcrawl.page.tokens import START

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
        for host, site in sorted(found, key=lambda of_site: -of_site[1].bare):
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
