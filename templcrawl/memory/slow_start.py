"""A new site starts slowly: few requests in flight until some of its pages have been compared.

Why: the first page of a site queues all its menu links before anything is known of its templates; if
they are all in flight by the time the second page arrives, no order can be kept.

A slot (a host, for Scrapy's downloader) never stalls: with nothing in flight, the next request may go.
"""

from __future__ import annotations

from templcrawl.memory.recent import Recent


class SlowStart:
    """Counts what has come back from each slot.

    pages      responses to wait for; 0 switches slow start off
    in_flight  requests allowed in flight until then
    """

    def __init__(self, pages: int, *, in_flight: int = 1, limit: int = 10_000) -> None:
        self.pages = pages
        self.in_flight = in_flight
        self._finished: Recent[str, int] = Recent(limit)

    def finish(self, slot: str) -> None:
        """Count one request of a slot that has come back, with a response or without."""
        if self.pages:
            self._finished[slot] = (self._finished.get(slot) or 0) + 1

    def is_on(self, slot: str) -> bool:
        """Say whether a slot still starts slowly."""
        return (self._finished.get(slot) or 0) < self.pages

    def holds(self, slot: str, active: int) -> bool:
        """Say whether the next request of a slot should wait, with ``active`` ones in flight."""
        return active >= self.in_flight and self.is_on(slot)
