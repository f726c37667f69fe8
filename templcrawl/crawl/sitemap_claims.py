"""What the sitemaps of a SitemapSpider say of known pages: when they have changed last (``lastmod``).

Cost: O(length) a sitemap.  Memory: 100 bytes an address, of the latest ``_MAX_CLAIMS``.
"""

from __future__ import annotations

from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse, Response
from scrapy.spiders import SitemapSpider

from templcrawl.algorithms.crawl_order.revisits import CALLED_CHANGED, CALLED_SAME, NO_HUB
from templcrawl.crawl.response_page import lastmods
from templcrawl.memory.lru_dict import LruDict
from templcrawl.memory.visit_records import PageVisits
from templcrawl.page.addresses import requested_url, url_key

_MAX_CLAIMS = 200_000


class SitemapClaims:
    """What the sitemaps of a crawl say."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._changed: LruDict[int, int] = LruDict(_MAX_CLAIMS)  # key of an address -> seconds since 1970

    def read(self, response: Response) -> None:
        """Read a response that may be a sitemap."""
        if isinstance(self._crawler.spider, SitemapSpider) and not isinstance(response, HtmlResponse):
            for url, changed in lastmods(response.body):
                self._changed[url_key(requested_url(url))] = changed

    def signal(self, url: str, page: PageVisits | None) -> int:
        """Return the signal of a sitemap for a page, if one names it."""
        changed = self._changed.get(url_key(url)) if page is not None and len(self._changed) else None
        if changed is None or page is None:
            return NO_HUB
        return CALLED_CHANGED if 1_000 * changed > page.last else CALLED_SAME
