"""Scrapy's default priority queue, fair between hosts, with three habits added; and one that is not fair.

- Where links go by their value, the requests of a slot wait by the class of their link
  (:mod:`templcrawl.crawl.class_queues`): the slot is chosen as ever, then the class.
- In any other order a request is given its step when it enters the queue, and judged again when it leaves: if
  its link would get a lower step by now, it goes back in there.  It does not pass the dupefilter again.
- The requests of sites that are stopped (:mod:`templcrawl.crawl.site_log`) stay in the queue: if no other
  waits, ``pop`` answers None.
- In a focused crawl the first ``FIRST`` requests of a site go ``FEW`` at a time.  Its first page queues all
  of the menu; if that is in flight before other pages have come, there is nothing left to order.

The best-first queue takes the request of the highest priority over all hosts, of these the one whose link has
the highest value, in turns between hosts where both are equal.  Both keep the queue of each host apart, under
the names that Scrapy's own queue gives them in a JOBDIR, so that each can go on where the other, or Scrapy's,
has stopped.

Only requests that a page led to bear a mark and are judged; start requests never are.  At most
``_MOST`` requests are moved back in one ``pop``, since it runs on the event loop.

s slots (hosts) with requests that wait, a requests in flight.
Cost of a ``pop``: what Scrapy's queue costs, O(s), and O(1); best first O(log s); O(a) while sites are new.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Set
from functools import cached_property
from heapq import heappop, heappush
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

from scrapy import Request
from scrapy.core.scheduler import Scheduler
from scrapy.exceptions import NotConfigured
from scrapy.pqueues import DownloaderAwarePriorityQueue
from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object

from templcrawl.crawl.bucket_room import Room
from templcrawl.crawl.class_queues import ClassQueues
from templcrawl.crawl.extension import TemplateMemory
from templcrawl.guard import guarded
from templcrawl.memory.lru_dict import LruDict
from templcrawl.page.addresses import host_of

if TYPE_CHECKING:
    from scrapy.core.downloader import Downloader

FIRST, FEW = 30, 2
_MOST = 100
_MOST_NEW = 10_000  # slots whose requests are counted


class TemplateDownloaderAwarePriorityQueue(DownloaderAwarePriorityQueue):
    """Scrapy's default queue, fair between slots, with these habits.

    Without the crawl's memory the queue is Scrapy's own.
    """

    @cached_property
    def _memory(self) -> TemplateMemory | None:
        try:
            memory = TemplateMemory.of(self.crawler)
        except NotConfigured:
            return None
        memory.stop_advice.queues.append(self)
        return memory

    @cached_property
    def _orders_by_class(self) -> bool:
        return self._memory is not None and self._memory.link_order.by_class

    @cached_property
    def _room(self) -> Room:
        return Room(lambda: self.pqueues, on_disk=bool(self.key))

    def pqfactory(self, slot: str, startprios: Iterable[int] = ()) -> ClassQueues:
        """Return the queue of a slot."""
        return ClassQueues(
            self.crawler,
            self.downstream_queue_cls,
            super().pqfactory(slot).key,
            startprios,
            start_queue_cls=self._start_queue_cls,
            order=self._memory.link_order if self._memory is not None and self._orders_by_class else None,
            room=self._room,
            stopped=self._memory.stop_advice.stopped if self._memory is not None else None,
        )

    @guarded("counting requests", DownloaderAwarePriorityQueue.__len__)
    def __len__(self) -> int:
        """Return how many requests may be sent: with none left but those of stopped sites, a crawl ends."""
        return super().__len__() - self.held()

    def held(self) -> int:
        """Return how many requests may not be sent, since their site is stopped.  Cost: O(buckets)."""
        if self._memory is None or not self._memory.stop_advice.stopped.hosts:
            return 0
        return sum(queue.held() for _, queue in self._class_queues())

    def close(self) -> dict[str, list[int]]:
        """Close all queues; return what they are to be reopened by."""
        try:
            return super().close()
        finally:
            self._room.close()

    @property
    def _downloader(self) -> Downloader:
        assert self.crawler.engine is not None
        return self.crawler.engine.downloader

    @guarded("queueing a request", DownloaderAwarePriorityQueue.push, passing=(ValueError,))
    def push(self, request: Request) -> None:
        """Queue a request by its step; raises ValueError if it cannot be written to a disk queue."""
        self._give_step(request)
        self._enter(request)

    @guarded("taking a request from the queue", DownloaderAwarePriorityQueue.pop)
    def pop(self) -> Request | None:
        """Return the next request that need not wait longer."""
        request = self._next()
        for _ in range(_MOST):
            if request is None or not self._send_back(request):
                break
            request = self._next()
        if request is not None:
            self._count_sent(request)
        return request

    @cached_property
    def _sent(self) -> LruDict[str, int]:
        """New slot -> how many of its requests were sent."""
        return LruDict(_MOST_NEW)

    @cached_property
    def _full(self) -> set[str]:
        return set()

    @guarded("counting the requests of a new site")
    def _count_sent(self, request: Request) -> None:
        if self._memory is None or not self._memory.settings.policy.by_topic:
            return
        slot = self._downloader.get_slot_key(request)
        sent = self._sent[slot] = (self._sent.touch(slot) or 0) + 1
        if sent < FIRST and self._memory.memory.page_count(host_of(request.url)) < FIRST:
            self._full.add(slot)

    def _enter(self, request: Request) -> None:
        super().push(request)

    @guarded("ordering a request")
    def _give_step(self, request: Request) -> None:
        if self._memory is None:
            return
        if self._orders_by_class:
            self._memory.link_order.note_arrival(request)
        else:
            self._memory.link_order.give_step(request)

    @guarded("judging a request again", lambda queue, request: False)
    def _send_back(self, request: Request) -> bool:
        """Queue a request again if its link has become template; say whether."""
        if self._memory is None or self._orders_by_class or not self._memory.link_order.lower(request):
            return False
        self._enter(request)
        self._memory.stats.inc_value("templcrawl/demoted/pop")
        return True

    def _next(self) -> Request | None:
        """Return the next request of the slots that need not wait."""
        held = self._held_slots()
        if not held:
            return super().pop()
        hidden = {slot: self.pqueues.pop(slot) for slot in held & self.pqueues.keys()}
        try:
            return super().pop()
        finally:
            self.pqueues.update(hidden)

    @guarded("looking for sites whose requests wait", lambda queue: set())
    def _held_slots(self) -> Set[str]:
        """Return the slots of stopped sites, and of new ones that have enough requests in flight."""
        if self._full:
            in_flight = Counter(map(self._downloader.get_slot_key, self._downloader.active))
            self._full &= {slot for slot, requests in in_flight.items() if requests >= FEW}
        if self._memory is None or not self._memory.stop_advice.stopped.hosts:
            return self._full
        return self._full.union(slot for slot, queue in self._class_queues() if queue.is_held())

    def _class_queues(self) -> Iterator[tuple[str, ClassQueues]]:
        """Yield each slot with its queue, but for one that Scrapy's queue has made after an error of ours."""
        for slot, queue in self.pqueues.items():
            if isinstance(queue, ClassQueues):
                yield slot, queue


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


class TemplateBestFirstPriorityQueue(TemplateDownloaderAwarePriorityQueue):
    """The best request over all slots comes first, however busy its slot is.

    A slot is valued when a request of it is queued, when its turn comes, and when a request leaves.  What has
    risen meanwhile, by pages that brought it no new link, is seen then.

    _line    heap of the slots by their best request; entries that have become untrue stay until their turn
    _entries  slot -> its true entry
    """

    @cached_property
    def _line(self) -> list[_Entry]:
        return []

    @cached_property
    def _entries(self) -> dict[str, _Entry]:
        return {}

    @cached_property
    def _turns(self) -> count[int]:
        return count()

    def _enter(self, request: Request) -> None:
        super()._enter(request)
        self._line_up(request)

    def _next(self) -> Request | None:
        """Return the best request of the slots that need not wait."""
        slot = self._best_slot()
        if slot is None:
            return None
        others, self.pqueues = self.pqueues, {slot: self.pqueues[slot]}
        try:
            return DownloaderAwarePriorityQueue.pop(self)
        finally:
            if slot not in self.pqueues:
                del others[slot]
            self.pqueues = others
            self._update(slot)

    @guarded("lining up a request")
    def _line_up(self, request: Request) -> None:
        self._update(self._downloader.get_slot_key(request))

    def _update(self, slot: str) -> _Entry | None:
        """Let a slot stand in line under the priority and the value of its best request; return its entry."""
        queue = self.pqueues.get(slot)
        if queue is None or queue.curprio is None:
            self._entries.pop(slot, None)
            return None
        rank = 0
        if self._orders_by_class and isinstance(queue, ClassQueues):
            rank = -round(100 * queue.best_value())
        entry = self._entries.get(slot)
        if entry is None or (entry.priority, entry.rank) != (queue.curprio, rank):
            entry = self._entries[slot] = _Entry(queue.curprio, rank, next(self._turns), slot)
            heappush(self._line, entry)
        return entry

    def _best_slot(self) -> str | None:
        """Return the slot whose turn it is, out of line; None if all have to wait."""
        if not self._line:
            self._entries.clear()
            for slot in self.pqueues:
                self._update(slot)
        held = self._held_slots()
        waiting = []
        best = None
        while self._line and best is None:
            entry = heappop(self._line)
            if self._entries.get(entry.slot) is not entry or entry.slot not in self.pqueues:
                continue
            if self._update(entry.slot) is not entry:  # it has fallen, or risen, since it was valued
                continue
            if entry.slot in held:
                waiting.append(entry)
            else:
                best = entry.slot
                del self._entries[best]
        for entry in waiting:
            heappush(self._line, entry)
        return best


def has_our_queues(settings: BaseSettings) -> bool:
    """Say whether the scheduler of these settings uses one of our priority queues."""
    return issubclass(load_object(settings["SCHEDULER"]), Scheduler) and issubclass(
        load_object(settings["SCHEDULER_PRIORITY_QUEUE"]), TemplateDownloaderAwarePriorityQueue
    )
