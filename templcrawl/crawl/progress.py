"""Log the progress of the crawl of a stored site: pages, new pages, waiting requests, pages a minute."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import Any

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.utils.asyncio import create_looping_call

from templcrawl.errors import pluralize
from templcrawl.scrapy_compat import waiting_requests

_INTERVAL = 0.5  # seconds between two lines of progress
_MINUTE = 120  # intervals over which pages a minute are counted

Tell = Callable[[str], object]


class Progress:
    """Shows the line, twice a second."""

    def __init__(self, crawler: Crawler, tell: Tell) -> None:
        self._crawler, self._tell = crawler, tell
        self._read = deque([(time.monotonic(), 0)], maxlen=_MINUTE)
        crawler.signals.connect(self._open, signals.spider_opened, weak=False)
        crawler.signals.connect(self._close, signals.spider_closed, weak=False)

    def _open(self) -> None:
        self._loop = create_looping_call(self._show)
        self._loop.start(_INTERVAL, now=False)

    def _close(self) -> None:
        if self._loop.running:
            self._loop.stop()

    def _show(self) -> None:
        spider: Any = self._crawler.spider
        pages = spider.stored.stored
        now = time.monotonic()
        began, before = self._read[0]
        self._read.append((now, pages))
        rate = 60 * (pages - before) / max(now - began, 1e-9)
        waiting = waiting_requests(self._crawler)
        news = spider.stored.news()
        self._tell(f"{pluralize(pages, 'page')} read: {news}; {waiting:,} waiting; {rate:,.0f} a minute")
