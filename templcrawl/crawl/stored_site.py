"""A site whose pages are kept as they are now: a spider, and the pipeline that stores what it has read.

A page that is gone leaves the file: by its status here, and by what the order ``changes`` has written.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider
from scrapy.http import HtmlResponse, Response
from scrapy.spidermiddlewares.httperror import HttpError

from templcrawl.crawl.extension import Component
from templcrawl.crawl.response_page import NotNeeded
from templcrawl.crawl.site_spider import SiteSpider
from templcrawl.memory.change_kinds import GONE
from templcrawl.outputs.answers import ANSWERS
from templcrawl.outputs.change_line import time_now
from templcrawl.outputs.page_file import PageFile, StoredPage
from templcrawl.scrapy_compat import CANCELLED

if TYPE_CHECKING:
    from typing_extensions import Self

STORED_FIELDS = [name for name, row in ANSWERS.items() if row.section == "changes"]  # that items need
LIMIT = "limit"  # why a crawl has ended
_GONE_STATUS = (404, 410)
_MAXSIZE = "DOWNLOAD_MAXSIZE"
_NOT_STORED = "a page could not be stored"


class StoringSpider(SiteSpider):
    """Follows the links of a site, and has its pages stored, at most ``limit`` of them.

    stored    the pages of the folder
    failures  why addresses were not read -> how many
    examples  why -> the first of them
    """

    def __init__(self, stored: PageFile, limit: int, *, is_first: bool, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.stored, self.failures, self.examples = stored, Counter[str](), dict[str, str]()
        self._is_first, self._limit = is_first, limit
        self._room = limit - stored.total
        self._accepted: set[str] = set()

    @property
    def _is_full(self) -> bool:
        return bool(self._limit) and len(self._accepted) >= self._room

    def follows(self, url: str) -> bool:
        """Return whether a link is followed: once the folder is full, only to pages that it has."""
        return super().follows(url) and (not self._is_full or url in self.stored)

    def parse(self, response: Response) -> Iterator[Any]:
        """Yield the page, and requests for its links."""
        if not self.is_of_site(response.url):
            return
        if not isinstance(response, HtmlResponse):
            self._fail(response.url, "it is no HTML")
            return
        if response.url not in self.stored:
            if self._is_full:
                return
            self._accepted.add(response.url)
        for result in super().parse(response):
            yield result.replace(errback=self.note_failure) if isinstance(result, Request) else result
        if self._is_full and self._is_first:
            raise CloseSpider(LIMIT)

    def item(self, response: HtmlResponse) -> StoredPage:
        """Return a page with what is stored of it."""
        asked = response.meta.get("redirect_urls", [response.url])[0]
        if asked != response.url:
            self.stored.drop(asked, f"redirects to {response.url}")
        return StoredPage(
            url=response.url,
            body=response.body,
            content_type=(response.headers.get("Content-Type") or b"").decode("latin-1"),
            asked=asked,
            last_read=time_now(),
        )

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Make the spider, and have redirects noted."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.note_redirect, signals.request_scheduled)
        return spider

    async def start(self) -> AsyncIterator[Request]:
        """Yield the first requests."""
        async for request in super().start():
            yield request.replace(errback=self.note_failure)

    def note_redirect(self, request: Request) -> None:
        """Note a redirect to another site or in a circle: Scrapy drops that request without a word."""
        asked = request.meta.get("redirect_urls", ())
        if request.url in asked:
            self._fail(asked[0], "it redirects in a circle")
        elif asked and not self.is_of_site(request.url):
            self._fail(asked[0], f"it redirects to {urlsplit(request.url).netloc}")

    def note_failure(self, failure: Any) -> None:
        """Note why an address was not read; a page that is gone leaves the file."""
        url, error = failure.request.url, failure.value
        if isinstance(error, HttpError):
            status = error.response.status
            if status in _GONE_STATUS:
                self.stored.drop(url, f"status {status}")
            self._fail(url, f"status {status}")
        elif not isinstance(error, NotNeeded):
            self._fail(url, _reason(error, url))

    def _fail(self, url: str, reason: str) -> None:
        self.failures[reason] += 1
        self.examples.setdefault(reason, url)


def _reason(error: Exception, url: str) -> str:
    """Return why an address was not read, in equal words for equal reasons."""
    text = str(error).replace(url, "it").rstrip(".")
    if isinstance(error, CANCELLED) or _MAXSIZE in text:
        return f"more bytes than {_MAXSIZE}"
    return text or type(error).__name__


class PagePipeline(Component):
    """The item pipeline that stores each page.

    Where that fails, as on a full disk, the crawl stops; its job keeps what is in progress.
    """

    _closing: asyncio.Task[None] | None = None

    async def process_item(self, item: StoredPage) -> StoredPage:
        """Store a page; raises sqlite3.Error."""
        try:
            self.crawler.spider.stored.put(item)  # type: ignore[union-attr]
        except sqlite3.Error as error:
            if self._extension.job is not None:
                self._extension.job.taken.keep(None)
            if self._closing is None:
                end = self.crawler.engine.close_spider_async(reason=f"{_NOT_STORED}: {error}")
                self._closing = asyncio.get_running_loop().create_task(end)
            raise
        return item


def drop_gone(stored: PageFile, changes: Path) -> None:
    """Remove the pages that a file of changes names as gone, in its last line about each."""
    with changes.open(encoding="utf-8") as lines:
        last = {line["url"]: line for line in map(json.loads, lines)}
    for url, line in last.items():
        if line["change"] == GONE:
            stored.drop(url, line["why"])
