"""Our priority queue, which Scrapy's scheduler opens for memory and, with a JOBDIR, for disk.

Which slot (host) is next is for the order to say (:mod:`templcrawl.crawl.orders`).  What is next in a
slot is chosen by :mod:`templcrawl.crawl.frontier.slot_order`, and where it waits is known to
:mod:`templcrawl.crawl.waiting`.  At most ``_MOST`` requests that cannot be read are passed by in one
``pop``, since it runs on the event loop.

The requests of sites that are stopped (:mod:`templcrawl.crawl.waiting`) stay in the queue: if no other
waits, ``pop`` answers None, and ``len`` does not count them.

*Where this fails*, order is lost and nothing else: the queue is *plain* from then on, first in first out.  A
request that cannot be written to the file of the job waits in the scheduler's other queue, in memory.

s slots.  Cost: that of the turns and of the order in a slot.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.core.scheduler import Scheduler
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.pqueues import DownloaderAwarePriorityQueue
from scrapy.settings import BaseSettings
from scrapy.squeues import FifoMemoryQueue
from scrapy.utils.misc import load_object

from templcrawl.crawl.extension import CrawlExtension
from templcrawl.crawl.frontier.slot_order import SlotOrder
from templcrawl.crawl.mark import source_of
from templcrawl.crawl.waiting import (
    PLAIN,
    QUEUE_STATE,
    Bucket,
    RequestsInMemory,
    WaitingRequests,
)
from templcrawl.guard import LogErrors, guarded
from templcrawl.memory.sections import WaitingLink

if TYPE_CHECKING:
    from scrapy.core.downloader import Downloader

_MOST = 100


def _scrapys(queue_class: object, crawler: Crawler, *_: object, **__: object) -> Any:
    """Return Scrapy's own in-memory queue; requests in the file of the job stay there for another start."""
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
            memory = CrawlExtension.running_in(crawler)
        except NotConfigured:
            return DownloaderAwarePriorityQueue(
                crawler, downstream_queue_cls, key, startprios or None, start_queue_cls=start_queue_cls
            )
        return cls(memory, is_on_disk=bool(key and memory.job), starts_apart=start_queue_cls is not None)

    def __init__(self, memory: CrawlExtension, *, is_on_disk: bool, starts_apart: bool) -> None:
        """Open the queue with what an earlier run of the job has left in its file."""
        self.crawler = memory.crawler
        self.is_on_disk = is_on_disk
        self.spare: deque[Request] = deque()
        self._memory = memory
        self._starts_apart = starts_apart
        self._is_plain = self._is_exhausted = False
        job = memory.job
        self._waiting: WaitingRequests = RequestsInMemory(job.taken if job is not None else None)
        if job is not None and is_on_disk:
            from templcrawl.crawl.job.requests import RequestRows

            job.mark()
            self._waiting = RequestRows(self.crawler, job.file, job.taken, self.spare.append)
        self._slots: dict[str, SlotOrder] = {}
        for bucket in self._waiting.buckets:
            if bucket.slot not in self._slots:
                self._slots[bucket.slot] = self._new_slot(bucket.slot)
            self._slots[bucket.slot].add_bucket(bucket)
        self._turns = memory.link_order.order.turns(self._slots, lambda: self._downloader)
        self._plain = Bucket("", 0, PLAIN)
        memory.queues.add(self)

    # what Scrapy calls

    @guarded("counting requests", lambda queue: len(queue.spare) + queue._waiting.size)
    def __len__(self) -> int:
        """Return how many requests may be sent; those of stopped sites do not count, so the crawl can end."""
        if self._is_plain:  # it is only known whether there are any
            return len(self.spare) + (not self._is_exhausted)
        return len(self.spare) + self._waiting.size - self.held()

    @guarded("queueing a request", _put_plainly, passing=(ValueError,))
    def push(self, request: Request) -> None:
        """Queue a request; raises ValueError if it cannot be written to the file of the job."""
        if self._is_plain:
            self._waiting.push(self._plain, request)
            self._is_exhausted = False
            return
        slot = self._slot_of(request)
        order = self._slots.get(slot)
        if order is None:
            order = self._new_slot(slot)
        link = self._memory.link_order.waiting_link(request.url, source_of(request), request)
        bucket = order.bucket_of(request, link, starts_apart=self._starts_apart)
        self._waiting.push(bucket, request)
        self._note_entered(order, bucket, link)

    @guarded("taking a request from the queue", lambda queue: queue.pop_plainly())
    def pop(self) -> Request | None:
        """Return the next request, None if all have to wait."""
        if self.spare:
            return self.spare.popleft()
        if self._is_plain:
            return self.pop_plainly()
        for _ in range(_MOST):
            slot = self._turns.next()
            if slot is None:
                return None
            bucket = self._slots[slot].next()
            if bucket is None:
                if not self._slots[slot].is_held():  # what waited there was lost with the file
                    self._drop(slot)
                continue
            arrival, value, link = bucket.first[0], bucket.value, bucket.link
            request = self._waiting.pop(bucket)
            self._note_left(bucket, request, arrival)
            if request is not None:
                self._note_sent(slot, request, link, value)
                return request
        engine: Any = self.crawler.engine
        engine._slot.nextcall.schedule()  # those cannot be read: the event loop continues first
        return None

    @guarded("closing the queue", lambda queue: QUEUE_STATE)
    def close(self) -> int:
        """Close the queue; return the state that Scrapy stores: that the queue is templcrawl's."""
        return QUEUE_STATE

    # what templcrawl asks

    def waiting(self, slot: str) -> int:
        """Return how many requests wait in a slot."""
        return self._slots[slot].size() if slot in self._slots else 0

    @guarded("counting the requests of stopped sites", lambda queue: 0)
    def held(self) -> int:
        """Return how many requests may not be sent, since their site is stopped.  Cost: O(buckets)."""
        return sum(order.held() for order in self._slots.values()) if self._memory.link_order.holding else 0

    def pop_plainly(self) -> Request | None:
        """Return the request that has waited longest; from now on the queue has no other order."""
        self._is_plain = True
        request = self.spare.popleft() if self.spare else None
        if request is None:
            with LogErrors(self.crawler, "taking a request from the queue"):
                request = self._waiting.pop_any()
            self._is_exhausted = request is None
        return request

    # requests come and go

    def _new_slot(self, slot: str) -> SlotOrder:
        return SlotOrder(slot, self._memory.link_order, self._waiting)

    def _become_plain(self, *_: object) -> None:
        self._is_plain = True

    @guarded("ordering a request", _become_plain)
    def _note_entered(self, order: SlotOrder, bucket: Bucket, link: WaitingLink) -> None:
        order.add_bucket(bucket, link)
        self._slots[bucket.slot] = order
        self._turns.slot_changed(bucket.slot)

    @guarded("ordering a request", _become_plain)
    def _note_left(self, bucket: Bucket, request: Request | None, arrival: int) -> None:
        order = self._slots[bucket.slot]
        has_mark = request is not None and source_of(request)
        has_waited = order.note_left(bucket, arrival if has_mark and not bucket.is_shuffled else 0)
        if order.priority is None:
            self._drop(bucket.slot)
        else:
            self._turns.slot_changed(bucket.slot)
        if has_waited and request is not None:
            self._memory.link_order.report_waited(request)

    @guarded("noting a request that is sent")
    def _note_sent(self, slot: str, request: Request, link: WaitingLink, value: float) -> None:
        self._turns.sent(slot, request, link, value)

    def _drop(self, slot: str) -> None:
        del self._slots[slot]
        self._turns.slot_changed(slot)

    @property
    def _downloader(self) -> Downloader:
        assert self.crawler.engine is not None
        return self.crawler.engine.downloader

    def _slot_of(self, request: Request) -> str:
        return str(self._downloader.get_slot_key(request))  # the project's may be any value


def has_our_queue(settings: BaseSettings) -> bool:
    """Return whether the scheduler of these settings uses our priority queue."""
    return issubclass(load_object(settings["SCHEDULER"]), Scheduler) and issubclass(
        load_object(settings["SCHEDULER_PRIORITY_QUEUE"]), TemplatePriorityQueue
    )
