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
from scrapy.http import HtmlResponse, Response
from scrapy.linkextractors import LinkExtractor

from templcrawl.components.items import PageItem


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
            self.saved_folder, page = _saved(Path(start))
            hosts = host.split(",") if host else [f"{self.saved_folder.name.replace('_', '-')}.saved"]
            self.start_url = f"http://{hosts[0]}/{quote(page)}"
            self.allowed_domains = [name.partition(":")[0] for name in hosts]
        self._links = LinkExtractor(deny_extensions=[] if self.saved_folder else None)
        self._most = int(pages)
        self._found = 0

    async def start(self) -> AsyncIterator[Request]:
        """Yield the first request."""
        yield Request(self.start_url)

    def parse(self, response: Response) -> Iterator[PageItem | Request]:
        """Yield the page as an item, and a request for each of its links on the site."""
        if not isinstance(response, HtmlResponse) or (self._most and self._found >= self._most):
            return
        self._found += 1
        yield PageItem(
            url=response.url,
            title=response.css("title::text").get(default="").strip() or None,
            truncated=bool(response.meta.get("templcrawl", {}).get("truncated")),
        )
        if self._found != self._most:
            for link in self._links.extract_links(response):
                yield response.follow(link)


def _saved(path: Path) -> tuple[Path, str]:
    """Return the folder of a saved site, and the page to start from, relative to it."""
    if path.is_file():
        return path.parent.resolve(), path.name
    if not path.is_dir():
        raise ValueError(f"{path} does not exist")
    pages = [*sorted(path.glob("index.htm*")), *sorted(path.glob("*.htm*")), *sorted(path.rglob("*.htm*"))]
    if not pages:
        raise ValueError(f"{path} holds no HTML page to start from")
    return path.resolve(), pages[0].relative_to(path).as_posix()
