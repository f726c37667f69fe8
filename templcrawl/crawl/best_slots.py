"""The slots of a focused crawl in line: the best request of all comes first, however busy its slot is.

A slot stands in line by the priority of its best request, of equal ones by the value of the link of that, and
takes turns with slots where both are equal.

s slots.  Cost: O(log s) each time a request of a slot comes or goes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from heapq import heappop, heappush
from itertools import count
from typing import NamedTuple

from templcrawl.crawl.slot_order import SlotOrder


class _Entry(NamedTuple):
    """A slot in line.

    priority  of its best request, the lowest first
    rank      value of the link of that request in hundredths, negated
    turn      when it got in line: slots of equal priority and rank take turns
    """

    priority: int
    rank: int
    turn: int
    slot: str


class BestSlots:
    """The slots in line by their best request.

    A slot is valued when a request of it is queued, when its turn comes, and when a request leaves.  What has
    risen meanwhile, by pages that brought it no new link, is seen then.
    """

    def __init__(self, slots: Mapping[str, SlotOrder]) -> None:
        self._slots = slots
        self._line: list[_Entry] = []  # a heap; entries that have become untrue stay until their turn
        self._entries: dict[str, _Entry] = {}  # slot -> its true entry
        self._turns = count()

    def update(self, slot: str) -> _Entry | None:
        """Let a slot stand in line under the priority and the value of its best request; return its entry."""
        order = self._slots.get(slot)
        priority = order.priority if order is not None else None
        if order is None or priority is None:
            self._entries.pop(slot, None)
            return None
        rank = -round(100 * order.best_value())
        entry = self._entries.get(slot)
        if entry is None or (entry.priority, entry.rank) != (priority, rank):
            entry = self._entries[slot] = _Entry(priority, rank, next(self._turns), slot)
            heappush(self._line, entry)
        return entry

    def next(self, must_wait: Callable[[str], bool]) -> str | None:
        """Return the slot whose turn it is, out of line until it is updated; None if all have to wait."""
        if not self._line:
            self._entries.clear()
            for slot in self._slots:
                self.update(slot)
        waiting, best = [], None
        while self._line and best is None:
            entry = heappop(self._line)
            if self._entries.get(entry.slot) is not entry or self.update(entry.slot) is not entry:
                continue  # it has fallen, or risen, since it was valued
            if must_wait(entry.slot):
                waiting.append(entry)
            else:
                best = entry.slot
                del self._entries[best]
        for entry in waiting:
            heappush(self._line, entry)
        return best
