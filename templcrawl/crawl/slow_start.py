"""Slow start: a new site has few requests in flight until some of its pages are built alike.

The first page of a site queues all its menu links before any of its templates is known.  If they are all in
flight by the time the second page arrives, no order is possible.

The slow start of a slot (a host, for Scrapy's downloader) ends with a page that ``pages`` pages are built
like, itself among them; when ``_PATIENCE`` times as many pages have come, since a site may have no two pages alike;
when ``seconds`` have gone by since its first request; or when its first ``_NO_PAGES`` answers are no pages:
an API has no template.  A slot never stalls: with less than ``in_flight`` in flight, the next request may
go.

Cost: O(1) a request that starts or ends; O(requests in flight) the question which slots have to wait.
Memory: one entry a slot, of at most ``limit`` slots.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Container
from dataclasses import dataclass, field

from templcrawl.memory.lru_dict import LruDict

_PATIENCE = 3
_NO_PAGES = 2


@dataclass
class _Start:
    """The slow start of a slot.

    since     when its first request started
    pages     pages that have come back
    no_pages  answers that are no pages
    is_over   whether it has ended by what came back
    requests  requests that have started and have not come back
    """

    since: float
    pages: int = 0
    no_pages: int = 0
    is_over: bool = False
    requests: set[object] = field(default_factory=set)


class SlowStart:
    """Decides which slots may not start a request now.

    pages      pages built alike to wait for; 0 switches slow start off
    in_flight  requests allowed in flight until then
    seconds    how long a slow start lasts at most
    """

    def __init__(
        self,
        pages: int,
        *,
        in_flight: int = 2,
        seconds: float = 30.0,
        limit: int = 10_000,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Begin without slots.

        limit  slots that are stored
        clock  seconds that never run backwards
        """
        self.pages = pages
        self.in_flight = in_flight
        self.seconds = seconds
        self._clock = clock
        self._starts: LruDict[str, _Start] = LruDict(limit)
        self._full: set[str] = set()

    def begin(self, slot: str, request: object) -> None:
        """Count a request of a slot that starts."""
        if not self.pages:
            return
        start = self._starts.touch(slot)
        if start is None:
            start = self._starts[slot] = _Start(self._clock())
        if self._is_on(start):
            start.requests.add(request)
            if len(start.requests) >= self.in_flight:
                self._full.add(slot)

    def finish(self, slot: str, request: object, pages_alike: int | None) -> None:
        """Count a request that has come back.

        pages_alike  pages of the site that are built like the one that it brought, None if it brought none
        """
        start = self._starts.touch(slot)
        if start is None:
            return
        start.requests.discard(request)
        if pages_alike is None:
            start.no_pages += 1
            start.is_over |= not start.pages and start.no_pages >= _NO_PAGES
        else:
            start.pages += 1
            start.is_over |= pages_alike >= self.pages or start.pages >= _PATIENCE * self.pages

    def held(self, active: Container[object]) -> set[str]:
        """Return the slots that have to wait.

        active  all requests in flight: a request that is not among them has ended
        """
        for slot in [*self._full]:
            start = self._starts.get(slot)
            if start is not None:
                start.requests = {request for request in start.requests if request in active}
            if start is None or not self._is_on(start) or len(start.requests) < self.in_flight:
                self._full.discard(slot)
        return self._full

    def _is_on(self, start: _Start) -> bool:
        return not start.is_over and self._clock() - start.since < self.seconds
