"""Our priority queue, which Scrapy's scheduler opens for memory and, with a JOBDIR, for disk.

The slot (host) is chosen as Scrapy's default queue does: of those with the fewest requests in flight, in
turns.  What is next in a slot is chosen by :mod:`templcrawl.crawl.slot_order`, and where it waits is known to
:mod:`templcrawl.crawl.waiting`.  In a focused crawl the best request over all slots comes first, and
the first ``FIRST`` requests of a site go ``FEW`` at a time: its first page queues all of the menu, and if
that is in flight before other pages have come, there is nothing left to order.

Where links go by steps, not by their value, a request gets its step when it enters the queue, and is judged
again when it leaves: if its link would get a lower step by now, it goes back in there.  It does not pass the
dupefilter again.  At most ``_MOST`` are moved back in one ``pop``, and so many passed by that cannot be read,
since it runs on the event loop.

The requests of sites that are stopped (:mod:`templcrawl.crawl.our_queues`) stay in the queue: if no other
waits, ``pop`` answers None, and ``len`` does not count them.

*Where this fails*, order is lost and nothing else: the queue is *plain* from then on, first in first out.  A
request that cannot be written to the file of the job waits in the scheduler's other queue, in memory.

s slots.  Cost: O(log s) a push; a ``pop`` that of the order in its slot, and O(requests in flight).
"""

from __future__ import annotations

from bisect import bisect, bisect_left, insort
from collections import Counter, deque
from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.core.scheduler import Scheduler
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.pqueues import DownloaderAwarePriorityQueue
from scrapy.settings import BaseSettings
from scrapy.squeues import FifoMemoryQueue
from scrapy.utils.misc import load_object

from templcrawl.crawl.extension import TemplateMemory
from templcrawl.crawl.job.mark import QUEUE_STATE
from templcrawl.crawl.link_order import WaitingLink, source_of
from templcrawl.crawl.slot_order import BestSlots, SlotOrder
from templcrawl.crawl.waiting import PLAIN, Bucket, RequestsInMemory, WaitingRequests
from templcrawl.guard import Surviving, guarded
from templcrawl.memory.lru_dict import LruDict
from templcrawl.page.addresses import host_of

if TYPE_CHECKING:
    from scrapy.core.downloader import Downloader

FIRST, FEW = 30, 2
_MOST = 100
_MOST_NEW = 10_000  # slots whose requests are counted


def _scrapys(queue_class: object, crawler: Crawler, *_: object, **__: object) -> Any:
    """Return Scrapy's own queue, in memory: what a job has in its file stays there for another start."""
    queue: Any = DownloaderAwarePriorityQueue(crawler, FifoMemoryQueue, "", start_queue_cls=FifoMemoryQueue)
    queue.close = lambda: QUEUE_STATE  # the job is still ours
    return queue


def _put_plainly(queue: TemplatePriorityQueue, request: Request) -> None:
    if queue.is_on_disk:
        raise ValueError("the queue of templcrawl has failed")  # Scrapy lets the request wait in memory
    queue.spare.append(request)


class TemplatePriorityQueue:
    """A priority queue of requests, as Scrapy's scheduler uses one.

    is_on_disk  whether its requests are rows of the file of a job
    spare       requests that leave before all others: those that the order or the file has failed to take
    """

    @classmethod
    @guarded("opening the queue", _scrapys)
    def from_crawler(
        cls,
        crawler: Crawler,
        downstream_queue_cls: Any,
        key: str,
        startprios: Any = (),
        *,
        start_queue_cls: Any = None,
    ) -> TemplatePriorityQueue | DownloaderAwarePriorityQueue:
        """Return the queue; without the crawl's memory Scrapy's own.

        key              folder of the queue of a job, "" for the queue in memory
        start_queue_cls  what start requests wait in apart from others, None where they do not
        """
        try:
            memory = TemplateMemory.of(crawler)
        except NotConfigured:
            return DownloaderAwarePriorityQueue(
                crawler, downstream_queue_cls, key, startprios or None, start_queue_cls=start_queue_cls
            )
        return cls(memory, is_on_disk=bool(key and memory.job), starts_apart=start_queue_cls is not None)

    def __init__(self, memory: TemplateMemory, *, is_on_disk: bool, starts_apart: bool) -> None:
        """Open the queue with what an earlier run of the job has left in its file."""
        self.crawler = memory.crawler
        self.is_on_disk = is_on_disk
        self.spare: deque[Request] = deque()
        self._memory, self._recrawl = memory, memory.recrawl
        self._starts_apart = starts_apart
        self._is_plain = self._is_exhausted = False
        job = memory.job
        self._orders_by_class = memory.link_order.by_class
        self._stopped = memory.queues.stopped
        self._waiting: WaitingRequests = RequestsInMemory(job.taken if job is not None else None)
        if job is not None and is_on_disk:
            from templcrawl.crawl.job.requests import RequestRows

            job.mark()
            self._waiting = RequestRows(self.crawler, job.file, job.taken, self.spare.append)
        self._slots: dict[str, SlotOrder] = {}
        self._last = ""
        self._is_focused = memory.settings.policy.by_topic
        self._best_slots = BestSlots(self._slots)
        self._sent: LruDict[str, int] = LruDict(_MOST_NEW)  # new slot -> how many of its requests were sent
        self._full: set[str] = set()
        for bucket in self._waiting.buckets:
            if bucket.slot not in self._slots:
                self._slots[bucket.slot] = self._new_slot(bucket.slot)
            self._slots[bucket.slot].add(bucket)
        self._names = sorted(self._slots)  # that they can be searched
        self._plain = Bucket("", 0, PLAIN)
        memory.queues.add(self)

    # what Scrapy calls

    @guarded("counting requests", lambda queue: len(queue.spare) + queue._waiting.size)
    def __len__(self) -> int:
        """Return how many requests may be sent: with none left but those of stopped sites, a crawl ends."""
        if self._is_plain:  # it is only known whether there are any
            return len(self.spare) + (not self._is_exhausted)
        return len(self.spare) + self._waiting.size - self.held()

    @guarded("queueing a request", _put_plainly, passing=(ValueError,))
    def push(self, request: Request) -> None:
        """Queue a request; raises ValueError if it cannot be written to the file of the job."""
        if not self._orders_by_class:
            self._memory.link_order.give_step(request)
        self._enter(request)

    @guarded("taking a request from the queue", lambda queue: queue.pop_plainly())
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

    @guarded("closing the queue", lambda queue: QUEUE_STATE)
    def close(self) -> int:
        """Return what Scrapy writes down of the queue: that it is templcrawl's."""
        return QUEUE_STATE

    # what templcrawl asks

    def waiting(self, slot: str) -> int:
        """Return how many requests wait in a slot."""
        return self._slots[slot].size() if slot in self._slots else 0

    @guarded("counting the requests of stopped sites", lambda queue: 0)
    def held(self) -> int:
        """Return how many requests may not be sent, since their site is stopped.  Cost: O(buckets)."""
        return sum(order.held() for order in self._slots.values()) if self._stopped.hosts else 0

    def pop_plainly(self) -> Request | None:
        """Return the request that has waited longest; from now on the queue has no other order."""
        self._is_plain = True
        request = self.spare.popleft() if self.spare else None
        if request is None:
            with Surviving(self.crawler, "taking a request from the queue"):
                request = self._waiting.pop_any()
            self._is_exhausted = request is None
        return request

    # requests come and go

    def _enter(self, request: Request) -> None:
        if self._is_plain:
            self._waiting.push(self._plain, request)
            self._is_exhausted = False
            return
        slot = str(self._downloader.get_slot_key(request))  # the project's may be any value
        order = self._slots.get(slot)
        if order is None:
            order = self._new_slot(slot)
        link = self._memory.link_order.waiting_link(request.url, source_of(request), request)
        bucket = order.bucket_of(request, link, starts_apart=self._starts_apart)
        self._waiting.push(bucket, request)
        self._note_entered(order, bucket, link)

    def _new_slot(self, slot: str) -> SlotOrder:
        return SlotOrder(slot, self._memory.link_order, self._stopped, self._waiting)

    def _next(self) -> Request | None:
        """Return the next request of the slots that need not wait."""
        if self.spare:
            return self.spare.popleft()
        if self._is_plain:
            return self.pop_plainly()
        for _ in range(_MOST):
            slot = self._next_slot()
            if slot is None:
                return None
            bucket = self._slots[slot].next()
            if bucket is None:  # what waited there was lost with the file
                self._drop(slot)
                continue
            arrival, value, link = bucket.first[0], bucket.value, bucket.link.classes
            request = self._waiting.pop(bucket)
            self._note_left(bucket, request, arrival)
            if request is not None:
                if self._recrawl is not None:
                    self._recrawl.note_sent(slot, request, link, value)
                return request
        engine: Any = self.crawler.engine
        engine._slot.nextcall.schedule()  # those cannot be read: the event loop continues first
        return None

    def _become_plain(self, *_: object) -> None:
        self._is_plain = True

    @guarded("ordering a request", _become_plain)
    def _note_entered(self, order: SlotOrder, bucket: Bucket, link: WaitingLink) -> None:
        order.add(bucket, link)
        if bucket.slot not in self._slots:
            self._slots[bucket.slot] = order
            insort(self._names, bucket.slot)
        if self._is_focused:
            self._best_slots.update(bucket.slot)

    @guarded("ordering a request", _become_plain)
    def _note_left(self, bucket: Bucket, request: Request | None, arrival: int) -> None:
        order = self._slots[bucket.slot]
        has_mark = request is not None and source_of(request)
        has_waited = order.take(bucket, arrival if has_mark and not bucket.is_shuffled else 0)
        if order.priority is None:
            self._drop(bucket.slot)
        elif self._is_focused:
            self._best_slots.update(bucket.slot)
        if has_waited and request is not None and self._orders_by_class:
            self._memory.link_order.report_waited(request)

    def _drop(self, slot: str) -> None:
        del self._slots[slot]
        del self._names[bisect_left(self._names, slot)]
        self._best_slots.update(slot)
        if self._recrawl is not None:
            self._recrawl.leading.forget(slot)

    # slots

    @property
    def _downloader(self) -> Downloader:
        assert self.crawler.engine is not None
        return self.crawler.engine.downloader

    def _next_slot(self) -> str | None:
        """Return the slot whose turn it is; None if all have to wait."""
        if self._full:
            in_flight = Counter(map(self._downloader.get_slot_key, self._downloader.active))
            self._full &= {slot for slot, requests in in_flight.items() if requests >= FEW}
        return self._best_slots.next(self._must_wait) if self._is_focused else self._fair_slot()

    def _must_wait(self, slot: str) -> bool:
        if slot in self._full or self._slots[slot].is_held():
            return True
        order = self._slots[slot]
        is_link = order.priority is not None and order.priority >= 0  # nobody has put it forward
        return self._recrawl is not None and is_link and self._recrawl.must_wait(slot, order.best_value)

    def _fair_slot(self) -> str | None:
        """Return the slot with the fewest requests in flight, of equal ones the next by name."""
        busy, names = self._downloader.slots, self._names
        start = bisect(names, self._last)
        best, fewest = None, float("inf")
        for number in range(start, start + len(names)):
            name = names[number % len(names)]
            in_flight = len(busy[name].active) if name in busy else 0
            if in_flight < fewest and not self._must_wait(name):
                best, fewest = name, in_flight
                if not in_flight:
                    break
        self._last = best or self._last
        return best

    @guarded("counting the requests of a new site")
    def _count_sent(self, request: Request) -> None:
        if not self._is_focused:
            return
        slot = self._downloader.get_slot_key(request)
        sent = self._sent[slot] = (self._sent.touch(slot) or 0) + 1
        if sent < FIRST and self._memory.memory.page_count(host_of(request.url)) < FIRST:
            self._full.add(slot)

    @guarded("judging a request again", lambda queue, request: False)
    def _send_back(self, request: Request) -> bool:
        """Queue a request again if its link has become template; say whether."""
        if self._orders_by_class or not self._memory.link_order.lower(request):
            return False
        try:
            self._enter(request)
        except ValueError:  # the file of the job is lost
            return False
        self._memory.stats.inc_value("templcrawl/demoted/pop")
        return True


def has_our_queue(settings: BaseSettings) -> bool:
    """Say whether the scheduler of these settings uses our priority queue."""
    return issubclass(load_object(settings["SCHEDULER"]), Scheduler) and issubclass(
        load_object(settings["SCHEDULER_PRIORITY_QUEUE"]), TemplatePriorityQueue
    )
