"""How many queues the slots of a crawl may have together.

Each class of links has a queue of its own, a bucket (:mod:`templcrawl.crawl.class_queues`).  A slot has
at most ``MOST_BUCKETS``, and the crawl is bounded too: a bucket on disk holds two open files.  A bucket that
is empty stays open on disk, so that a killed crawl finds what was fetched and not yet stored; such buckets
make room for others, the one that is empty for longest first.

Cost: O(1) a call, amortised.  Memory: O(buckets that are open though they are empty).
"""

from __future__ import annotations

from collections.abc import Callable, Sized

from scrapy.pqueues import QueueProtocol

from templcrawl.files import most_open_files

MOST_BUCKETS = 256
# Of these, how many are for links whose class has no room: one for each half power of two of their value.
VALUE_BUCKETS = 16
FEW_SLOTS = 64  # up to so many slots have buckets from the first page on
FEW_PAGES = 10  # in a crawl of more slots, pages of a site that must be known before its slot has buckets
# Of the files that a process may open, one bucket on disk for so many: it has two of them open.
FILES_A_BUCKET = 8


class Room:
    """How many buckets the slots of a crawl may still open, and which are open though they are empty.

    slots    the slots in which requests wait
    on_disk  whether buckets are on disk: there they take up open files, and stay open when they are empty
    """

    def __init__(self, slots: Callable[[], Sized], *, on_disk: bool) -> None:
        self._slots = slots
        self.on_disk = on_disk
        self._empty: dict[tuple[str, int | str], QueueProtocol] = {}
        most = FEW_SLOTS * MOST_BUCKETS
        self.left = min(most, most_open_files() // FILES_A_BUCKET) if on_disk else most
        self._reserved = self.left // 4

    def __contains__(self, queue: tuple[str, int | str]) -> bool:
        """Whether a queue, by its slot and its name there, is open though it is empty."""
        return queue in self._empty

    def grants(self, buckets: int, pages: int, *, for_value: bool = False) -> bool:
        """Say whether a slot that has so many buckets may open another; close an empty one if it has to.

        pages      known of the site
        for_value  whether it is for links of like value, not for a class; some room is reserved for those
        """
        if pages < FEW_PAGES and len(self._slots()) > FEW_SLOTS:
            return False
        if buckets >= MOST_BUCKETS - VALUE_BUCKETS * (not for_value):
            return False
        reserved = 0 if for_value else self._reserved
        if self.left + len(self._empty) <= reserved:
            return False
        while self.left <= reserved:
            self._close_oldest()
        return True

    def leave(self, slot: str, name: int | str, queue: QueueProtocol) -> None:
        """Take a queue that is empty."""
        if self.on_disk:
            self._empty[slot, name] = queue
            self.left -= 1
            while self.left < 0 and self._empty:
                self._close_oldest()
        else:
            queue.close()

    def take(self, slot: str, name: int | str) -> QueueProtocol | None:
        """Return a queue that is empty but open, None if there is none."""
        queue = self._empty.pop((slot, name), None)
        self.left += queue is not None
        return queue

    def close(self) -> None:
        """Close all queues that are empty."""
        while self._empty:
            self._close_oldest()

    def _close_oldest(self) -> None:
        queue = self.take(*next(iter(self._empty)))
        if queue is not None:
            queue.close()
