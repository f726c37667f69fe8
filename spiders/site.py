"""Follow every link of one site, and emit each page with its template stripped.

::

    scrapy crawl site -a start=https://example.org/ -o pages.jsonl
    scrapy crawl site -a start=saved/example.org/ -a host=example.org -o pages.jsonl
    scrapy crawl site -a start=https://example.org/ -a targets=https://example.org/p/1 -o pages.jsonl
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from scrapy import Request
from scrapy.crawler import Crawler

from spiders.page_limit import PagesSpider
from templcrawl.crawl.saved_site import saved_start


class SiteSpider(PagesSpider):
    """Crawl one site.

    start    a URL; or the path of a saved site's folder, or of one of its pages
    host     of a saved site, the hosts it was saved from, with commas: its pages may link to themselves
             in full; by default the name of the folder
    targets  addresses of one to three pages, with commas: pages like these go first
    pages    stop after so many pages; 0 for all
    """

    name = "site"

    def __init__(self, start: str = "", host: str = "", pages: str = "0", **kwargs: Any) -> None:
        # A saved page may have any name.
        super().__init__(pages, None if "://" in start else [], **kwargs)
        if not start:
            raise ValueError("say where to start: scrapy crawl site -a start=URL-or-path")
        self.saved_folder: Path | None = None
        if "://" in start:
            self.start_url = start
            self.allowed_domains = [urlsplit(start).hostname or ""]
        else:
            self.saved_folder, page = saved_start(Path(start))
            hosts = host.split(",") if host else [f"{self.saved_folder.name.replace('_', '-')}.saved"]
            self.start_url = f"http://{hosts[0]}/{quote(page)}"
            self.allowed_domains = [name.partition(":")[0] for name in hosts]

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, targets: str = "", **kwargs: Any) -> SiteSpider:
        """Make the spider, and set which pages go first."""
        if targets:
            crawler.settings.set("TEMPLCRAWL_ORDER", "targets", "spider")
            crawler.settings.set("TEMPLCRAWL_TARGETS", targets, "spider")
        return super().from_crawler(crawler, *args, **kwargs)

    async def start(self) -> AsyncIterator[Request]:
        """Yield the first request."""
        yield Request(self.start_url)
