"""Requests under way that may lead to better links than those that wait, in a crawl that is run again.

While a page of value ``WORTH`` or more is under way on a host, links of a lower value wait, ``_PATIENCE``
seconds at most: it may lead to better ones, as one page of a listing does to the next.  With 16 requests in
flight, 15 poor pages would else be fetched for each page of the listing.

A request is under way until its callback has ended, so that its links are in the queue by then.

Source: ours.  Cost: O(requests under way) a request.  Memory: ``_MOST`` requests a slot in which links wait.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from scrapy import Request
from scrapy.crawler import Crawler

from templcrawl.guard import guarded, in_progress

WORTH = 0.5  # of two: half of a page that certainly has changed
_PATIENCE = 10.0
_MOST = 256


class LeadingRequests:
    """The requests under way that others wait for, by slot."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self._since: dict[str, dict[Request, float]] = {}

    def add(self, slot: str, request: Request, value: float) -> None:
        """Note that a request of some value is sent."""
        if value >= WORTH:
            leading = self._since.setdefault(slot, {})
            leading[request] = time.monotonic()
            if len(leading) > _MOST:
                del leading[next(iter(leading))]

    @guarded("waiting for better links")
    def forget(self, slot: str) -> None:
        """Note that nothing waits in a slot."""
        self._since.pop(slot, None)

    @guarded("waiting for better links", lambda leading, slot, value: False)
    def must_wait(self, slot: str, value: Callable[[], float]) -> bool:
        """Return whether the best request of a slot, of some value, waits for a better page."""
        leading = self._since.get(slot)
        if not leading:
            return False
        under_way, oldest = in_progress(self.crawler), time.monotonic() - _PATIENCE
        for request, since in [*leading.items()]:
            if since < oldest or request not in under_way:
                del leading[request]
        if not leading:
            del self._since[slot]
        return bool(leading) and value() < WORTH
