"""Which slot of our queue is next: of those with the fewest requests in flight, in turns, as Scrapy's queue
does.

s slots.  Cost: O(s) a choice where all are busy, O(log s) each time that a slot comes or goes.
"""

from __future__ import annotations

from bisect import bisect, bisect_left
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Protocol

from scrapy import Request

if TYPE_CHECKING:
    from scrapy.core.downloader import Downloader

    from templcrawl.crawl.orders import WaitingLink


class TurnSlot(Protocol):
    """The requests of a slot, as far as its turn depends on them."""

    @property
    def priority(self) -> int | None:
        """The highest priority, negated as Scrapy does; None without a request."""

    def best_value(self) -> float:
        """Return the value of the link that is next."""

    def is_held(self) -> bool:
        """Say whether none of the requests may be sent."""


class FairTurns:
    """The slots of a queue, by their names."""

    def __init__(self, slots: Mapping[str, TurnSlot], downloader: Callable[[], Downloader]) -> None:
        """Begin with some slots.

        slots       name -> slot, of those in which requests wait, now and later
        downloader  returns Scrapy's
        """
        self.slots, self.downloader = slots, downloader
        self._names = sorted(slots)  # that they can be searched
        self._last = ""

    def update(self, slot: str) -> None:
        """Note that a request has come to a slot, or has left it; without any, the slot is gone."""
        names = self._names
        place = bisect_left(names, slot)
        is_known = place < len(names) and names[place] == slot
        if is_known and slot not in self.slots:
            del names[place]
        elif not is_known and slot in self.slots:
            names.insert(place, slot)

    def next(self) -> str | None:
        """Return the slot whose turn it is; None if all have to wait."""
        busy, names = self.downloader().slots, self._names
        start = bisect(names, self._last)
        best, fewest = None, float("inf")
        for number in range(start, start + len(names)):
            name = names[number % len(names)]
            in_flight = len(busy[name].active) if name in busy else 0
            if in_flight < fewest and not self.must_wait(name):
                best, fewest = name, in_flight
                if not in_flight:
                    break
        self._last = best or self._last
        return best

    def must_wait(self, slot: str) -> bool:
        """Say whether nothing may be sent from a slot now."""
        return self.slots[slot].is_held()

    def sent(self, slot: str, request: Request, link: WaitingLink, value: float) -> None:
        """Note that a request, whose link has some value, has left the queue."""
