"""A spider that follows every link of a site, and what lets it stop after a number of pages.

::

    scrapy crawl site -a start=https://example.org/ -o pages.jsonl
    scrapy crawl site -a start=saved/example.org/ -a host=example.org -o pages.jsonl
    scrapy crawl site -a start=https://example.org/ -a include=/blog/ -a pages=100 -o pages.jsonl

A site is the hosts of its start addresses, each with and without ``www.``.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider, IgnoreRequest, NotConfigured
from scrapy.http import HtmlResponse, Response
from scrapy.http.request import NO_CALLBACK
from scrapy.linkextractors import LinkExtractor
from w3lib.url import safe_url_string

from templcrawl.crawl.response_page import why_unread
from templcrawl.crawl.saved_site import saved_start
from templcrawl.errors import load_extra, shown
from templcrawl.outputs.items import PageItem

if TYPE_CHECKING:
    from typing_extensions import Self

_WWW = "www."
_PORTS = {"http": ":80", "https": ":443"}
_NEXT_URL = re.compile(r",\s*(?=https?://)")  # between two addresses; they may have commas of their own
_RENDERED = {"playwright": True, "playwright_page_goto_kwargs": {"wait_until": "networkidle"}}
_HANDLER = "scrapy_playwright.handler.ScrapyPlaywrightDownloadHandler"
_BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def _host_of(url: str) -> str:
    """Return the host of an address, with its port unless that is the one of the scheme."""
    parts = urlsplit(url)
    return parts.netloc.rpartition("@")[2].lower().removesuffix(_PORTS.get(parts.scheme, ":"))


def rendering_settings() -> dict[str, Any]:
    """Return the settings with which a browser renders pages: one of the system, else playwright's own.

    Raises MissingExtra without scrapy-playwright.
    """
    load_extra("scrapy_playwright", "Rendering pages", "render")
    launch: dict[str, Any] = {}
    if browser := next(filter(None, map(shutil.which, _BROWSERS)), None):
        launch["executable_path"] = browser
    if getattr(os, "geteuid", lambda: 1)() == 0 or Path("/.dockerenv").exists():  # no sandbox works there
        launch["args"] = ["--no-sandbox"]
    return {
        "DOWNLOAD_HANDLERS": {"http": _HANDLER, "https": _HANDLER},
        "PLAYWRIGHT_LAUNCH_OPTIONS": launch,
    }


def read_addresses(path: Path) -> list[str]:
    """Return the addresses of a file: one on each line, "#" starts a remark; raises ValueError."""
    with path.open(encoding="utf-8", errors="replace") as lines:
        written = [line.partition(" #")[0].strip() for line in lines]
    try:
        return checked_addresses(line for line in written if not line.startswith("#"))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def checked_addresses(given: Iterable[str]) -> list[str]:
    """Return stripped addresses; raises ValueError if one is no address or if there are none."""
    urls = [url for one in given if (url := one.strip())]
    wrong = [url for url in urls if not _is_address(url)]
    if wrong or not urls:
        found = shown(wrong[0]) if wrong else "nothing"
        raise ValueError(f"an address starts with http:// or https:// and has a host; here is {found}")
    return urls


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


class PagesSpider(Spider):
    """Emits pages and follows their links.

    meta             of each request
    pages            stop after so many pages; 0 for all
    deny_extensions  of files that no link is followed to; None: those that Scrapy leaves out
    """

    def __init__(self, pages: str, deny_extensions: Sequence[str] | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.meta: Mapping[str, Any] = {}
        self.most_pages = int(pages)
        self._emitted = 0
        tags, attributes = ("a", "area", "frame"), ("href", "src")
        self._links = LinkExtractor(tags=tags, attrs=attributes, deny_extensions=deny_extensions)

    def parse(self, response: Response) -> Iterator[Any]:
        """Yield the page as an item, and a request for each of its links."""
        if not isinstance(response, HtmlResponse):
            return
        self._emitted += 1
        yield self.item(response)
        if self._emitted == self.most_pages:
            raise CloseSpider("pages")
        for link in self._links.extract_links(response):
            if self.follows(link.url):
                yield response.follow(link, meta=dict(self.meta))

    def follows(self, url: str) -> bool:
        """Return whether a link to an address is followed."""
        return True

    def item(self, response: HtmlResponse) -> Any:
        """Return the item of a page; it has the whole page where a pipeline is to strip that."""
        if "html" not in self.settings.getlist("TEMPLCRAWL_STRIP_FIELDS"):
            return PageItem.from_response(response)
        return WholePageItem(**vars(PageItem.from_response(response)), html=response.text)


@dataclass
class WholePageItem(PageItem):
    """A page with its HTML, for ``TEMPLCRAWL_STRIP_FIELDS``."""

    html: str | None = None


class AddressFilter:
    """A filter of the addresses to follow, by regular expressions that are found in them."""

    def __init__(self, include: str, exclude: str) -> None:
        """Compile the patterns, "" for none; raises ValueError."""
        self._include, self._exclude = _pattern("include", include), _pattern("exclude", exclude)

    def follows(self, url: str) -> bool:
        """Return whether an address is followed."""
        if self._exclude is not None and self._exclude.search(url):
            return False
        return self._include is None or self._include.search(url) is not None


def _pattern(option: str, text: str) -> re.Pattern[str] | None:
    try:
        return re.compile(text) if text else None
    except re.error as error:
        raise ValueError(f"{option}: {text} is not a regular expression ({error})") from error


class SiteSpider(PagesSpider):
    """Crawls one site.

    start    a URL, or several with commas; or the path of a saved site's folder, or of one of its pages
    host     of a saved site, the hosts it was saved from, with commas: its pages may link to themselves
             in full; by default the name of the folder
    targets  addresses of one to three pages, with commas: pages like these go first
    pages    stop after so many pages; 0 for all
    include  follow only links in whose address this regular expression is found
    exclude  follow no link in whose address this one is found
    render   1: a browser renders each page (needs scrapy-playwright)
    """

    name = "site"

    def __init__(
        self,
        start: str = "",
        host: str = "",
        pages: str = "0",
        include: str = "",
        exclude: str = "",
        render: str = "0",
        **kwargs: Any,
    ) -> None:
        # A saved page may have any name.
        super().__init__(pages, None if "://" in start else [], **kwargs)
        if not start:
            raise ValueError("say where to start: scrapy crawl site -a start=URL-or-path")
        self._filter = AddressFilter(include, exclude)
        if render != "0":
            self.meta = _RENDERED
        self.saved_folder: Path | None = None
        if "://" in start:
            self.start_urls = [safe_url_string(url) for url in _NEXT_URL.split(start.strip())]
            hosts = [_host_of(url) for url in self.start_urls]
        else:
            self.saved_folder, page = saved_start(Path(start))
            hosts = host.split(",") if host else [f"{self.saved_folder.name.replace('_', '-')}.saved"]
            self.start_urls = [f"http://{hosts[0]}/{quote(page)}"]
        self.hosts = {name.removeprefix(_WWW) for name in hosts}
        self.allowed_domains = sorted({name.partition(":")[0] for name in self.hosts})

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, targets: str = "", **kwargs: Any) -> Self:
        """Make the spider, and set which pages go first."""
        if targets:
            crawler.settings.set("TEMPLCRAWL_ORDER", "targets", "spider")
            crawler.settings.set("TEMPLCRAWL_TARGETS", targets, "spider")
        return super().from_crawler(crawler, *args, **kwargs)

    async def start(self) -> AsyncIterator[Request]:
        """Yield the first requests."""
        for url in self.start_urls:
            yield Request(url, meta=dict(self.meta))

    def is_of_site(self, url: str) -> bool:
        """Return whether an address is of the site."""
        return _host_of(url).removeprefix(_WWW) in self.hosts

    def follows(self, url: str) -> bool:
        """Return whether a link to an address is followed."""
        return self.is_of_site(url) and self._filter.follows(url)


class PageLimit:
    """Drops pages that arrive after the spider has its ``most_pages``.

    At 546 it stands before what learns from pages, so that as many are learned from as become items.
    """

    def __init__(self, most: int) -> None:
        self._left = most

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> PageLimit:
        """Read the limit from the crawl's spider; raises NotConfigured where it has none."""
        most = getattr(crawler.spider, "most_pages", 0)
        if not most:
            raise NotConfigured
        return cls(most)

    def process_response(self, request: Request, response: Response) -> Response:
        """Return the response; raises IgnoreRequest for a page too many."""
        if not why_unread(response) and request.callback is not NO_CALLBACK:
            if not self._left:
                raise IgnoreRequest(f"more pages than the spider asked for: {response.url}")
            self._left -= 1
        return response
