"""A new site starts slowly: few requests in flight until one of its templates is known.

Why: the first page of a site queues all its menu links before anything is known of its templates; if
they are all in flight by the time the second page arrives, no order can be kept.

The slow start of a slot (a host, for Scrapy's downloader) ends when its largest template has ``pages``
pages, or when ``_PATIENCE`` times as many requests have come back: a site may have no two pages alike.
A slot never stalls: with less than ``in_flight`` in flight, the next request may go.
"""

from __future__ import annotations

from templcrawl.memory.recent import Recent

_PATIENCE = 3


class SlowStart:
    """Counts what has come back from each slot.

    pages      pages of the largest template to wait for; 0 switches slow start off
    in_flight  requests allowed in flight until then
    """

    def __init__(self, pages: int, *, in_flight: int = 2, limit: int = 10_000) -> None:
        self.pages = pages
        self.in_flight = in_flight
        self._finished: Recent[str, int] = Recent(limit)

    def finish(self, slot: str, largest_template: int = 0) -> None:
        """Count one request of a slot that has come back, with a response or without.

        largest_template  pages of the largest template of the site
        """
        if self.pages:
            known = largest_template >= self.pages
            self._finished[slot] = _PATIENCE * self.pages if known else (self._finished.get(slot) or 0) + 1

    def is_on(self, slot: str) -> bool:
        """Say whether a slot still starts slowly."""
        return (self._finished.get(slot) or 0) < _PATIENCE * self.pages

    def holds(self, slot: str, active: int) -> bool:
        """Say whether the next request of a slot should wait, with ``active`` ones in flight."""
        return active >= self.in_flight and self.is_on(slot)
