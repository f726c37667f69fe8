"""Follow every link of one site, and emit each page with its template stripped.

::

    scrapy crawl site -a start=https://example.org/ -o pages.jsonl
    scrapy crawl site -a start=saved/example.org/ -a host=example.org -o pages.jsonl
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from scrapy import Request, Spider
from scrapy.exceptions import CloseSpider
from scrapy.http import HtmlResponse, Response
from scrapy.linkextractors import LinkExtractor

from templcrawl.components.items import PageItem
from templcrawl.components.saved_site import saved_start


class SiteSpider(Spider):
    """Crawl one site.

    start  a URL; or the path of a saved site's folder, or of one of its pages
    host   of a saved site, the hosts it was saved from, with commas: its pages may link to themselves
           in full; by default the name of the folder
    pages  stop after so many pages; 0 for all
    """

    name = "site"

    def __init__(self, start: str = "", host: str = "", pages: str = "0", **kwargs: Any) -> None:
        super().__init__(**kwargs)
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
        self._links = LinkExtractor(deny_extensions=[] if self.saved_folder else None)
        self.most_pages = int(pages)
        self._found = 0

    async def start(self) -> AsyncIterator[Request]:
        """Yield the first request."""
        yield Request(self.start_url)

    def parse(self, response: Response) -> Iterator[PageItem | Request]:
        """Yield the page as an item, and a request for each of its links on the site."""
        if not isinstance(response, HtmlResponse):
            return
        self._found += 1
        yield PageItem.of(response)
        if self._found == self.most_pages:
            raise CloseSpider("pages")
        for link in self._links.extract_links(response):
            yield response.follow(link)
