"""Track pages in progress that may lead to better links, or show that other pages have changed.

While one is under way on a slot, ``_PATIENCE`` seconds at most, requests of a lower value wait.  With 16
requests in flight, 15 poor pages would else be fetched for each page of a listing.  A request is under way
until its callback has ended, so that its links are in the queue by then.

Cost: O(requests under way) where a request waits.
"""

from __future__ import annotations

import time

from scrapy import Request
from scrapy.crawler import Crawler

from templcrawl.guard import guarded
from templcrawl.scrapy_compat import in_progress

_PATIENCE = 10.0
_MAX_LEADING = 256  # of a slot


class LeadingPages:
    """The leading pages under way of a crawl."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self._slots: dict[str, dict[Request, float]] = {}  # slot -> request -> when it was sent

    def note_sent(self, slot: str, request: Request) -> None:
        """Note that the request for such a page leaves the queue of a slot."""
        leading = self._slots.setdefault(slot, {})
        leading[request] = time.monotonic()
        if len(leading) > _MAX_LEADING:
            del leading[next(iter(leading))]

    @guarded("waiting for better links")
    def forget(self, slot: str) -> None:
        """Note that nothing waits in a slot."""
        self._slots.pop(slot, None)

    def has_any(self, slot: str) -> bool:
        """Return whether one is under way on a slot."""
        leading = self._slots.get(slot)
        if not leading:
            return False
        under_way, oldest = in_progress(self.crawler), time.monotonic() - _PATIENCE
        for request, since in [*leading.items()]:
            if since < oldest or request not in under_way:
                del leading[request]
        return bool(leading)
