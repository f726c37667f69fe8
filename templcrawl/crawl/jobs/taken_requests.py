"""Which requests of a job are done, and may leave its file.

A request is *taken* when it leaves the queue, and has *ended* when Scrapy has dropped it from what is in
progress: its callback has ended, and the item pipelines have what it yielded.  It is *done* once nothing
*keeps* it:

- an item of its page that has not yet arrived: in a feed that is stored at its end, in an archive, or held
  back (``TEMPLCRAWL_HOLD``);
- a request that its page led to and that cannot be written to the file.  Which page that was is not known, so
  all that are in progress are kept until it is done.

A request that cannot be written has a number, too, below 0, and no row.  Its fingerprint is written when it
is done: until then its page would be fetched again after a kill, and has to lead to it again.

Cost: O(1) a request; ``collect`` O(requests in progress).  Memory: O(requests in progress), and a number for
each that is kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence, Set
from itertools import count

from scrapy import Request
from scrapy.crawler import Crawler

from templcrawl.guard import guarded


class TakenRequests:
    """The requests of a job that were taken and are not done, by their number.

    done          numbers of the rows that may be deleted, once the feeds are flushed
    fingerprints  those of requests without a row that are done
    """

    def __init__(self, crawler: Crawler, in_progress: Callable[[], Set[Request]]) -> None:
        """Begin with none; ``in_progress`` returns the requests that the engine has begun and not ended."""
        self.crawler = crawler
        self._in_progress = in_progress
        self._taken: dict[Request, int] = {}
        self._numbers: set[int] = set()
        self._kept: Counter[int] = Counter()
        self._ended: set[int] = set()
        self.done: list[int] = []
        self.fingerprints: list[bytes] = []
        self._let_in: tuple[Request, bytes] | None = None
        self._below_0 = count(-1, -1)
        self._waits_for: dict[
            int, tuple[Iterable[int], bytes | None]
        ] = {}  # pages that are kept; fingerprint

    def let_in(self, request: Request, fingerprint: bytes) -> None:
        """Note the fingerprint of the request that the dupefilter has just let in."""
        self._let_in = request, fingerprint

    @guarded("looking how a request was let in")
    def fingerprint_of(self, request: Request) -> bytes | None:
        """Return the fingerprint of the request that was just let in, None if another one was."""
        return self._let_in[1] if self._let_in is not None and self._let_in[0] is request else None

    @guarded("noting a request that leaves the queue")
    def take(self, request: Request, number: int) -> None:
        """Note that a request leaves the queue."""
        self._taken[request] = number
        self._numbers.add(number)

    def has(self, number: int) -> bool:
        """Say whether the request of a row was taken, and its row is still there."""
        return number in self._numbers

    @guarded("keeping the page of a request that cannot be written", lambda *_: 0)
    def wait_unwritten(self, request: Request) -> int:
        """Keep the pages that are in progress until a request is done that cannot be written to the file.

        Return its number.
        """
        number = self._taken.get(request, 0)
        if number in self._waits_for:  # it goes back to the queue
            del self._taken[request]
        else:
            number = next(self._below_0)
            pages = self._numbers_in_progress()
            self._kept.update(pages)
            self._waits_for[number] = pages, self.fingerprint_of(request)
        return number

    @guarded("keeping a page", lambda *_: ())
    def keep(self, request: Request | None) -> Sequence[int]:
        """Keep the page of a request; return what is to be released.

        If no such request was taken, since a middleware has replaced it, all that are in progress are kept.
        """
        number = self._taken.get(request) if request is not None else None
        kept = self._numbers_in_progress() if number is None else (number,)
        self._kept.update(kept)
        return kept

    @guarded("releasing a page")
    def release(self, kept: Iterable[int]) -> None:
        """Let pages go that were kept once."""
        numbers = [*kept]
        while numbers:
            number = numbers.pop()
            self._kept[number] -= 1
            if self._kept[number] <= 0:
                del self._kept[number]
                if number in self._ended:
                    self._ended.discard(number)
                    numbers += self._finish(number)

    def _numbers_in_progress(self) -> Sequence[int]:
        return [self._taken[request] for request in self._in_progress() if request in self._taken]

    def collect(self) -> None:
        """Look which requests have ended since the last look."""
        in_progress = self._in_progress()
        for request in [request for request in self._taken if request not in in_progress]:
            number = self._taken.pop(request)
            if number in self._kept:
                self._ended.add(number)
            else:
                self.release(self._finish(number))

    def forget_done(self) -> None:
        """Forget what is done: its rows are deleted."""
        self._numbers.difference_update(self.done)
        self.done.clear()
        self.fingerprints.clear()

    def _finish(self, number: int) -> Iterable[int]:
        """Note that a request is done; return the pages that were kept for it."""
        if number > 0:
            self.done.append(number)
            return ()
        self._numbers.discard(number)
        pages, fingerprint = self._waits_for.pop(number)
        if fingerprint is not None:
            self.fingerprints.append(fingerprint)
        return pages
