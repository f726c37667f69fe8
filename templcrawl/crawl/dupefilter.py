"""The dupefilter of a job: Scrapy's default one, with its fingerprints in the file of the job.

It has the fingerprinter, the stats and the log lines of Scrapy's.  A fingerprint is written in the
transaction of the request that it lets in, so that a kill can neither let a request in twice nor keep it out.
Only the place differs: Scrapy writes ``requests.seen`` at other moments than the queue.

*In memory* fingerprints of 20 bytes lie end to end in 65,536 strings, by their first two bytes: 23 bytes
each, a fifth of what a set of them takes.  In the place of one of another length stands its SHA-1.

n fingerprints.  Cost: O(1 + n / 65,536) a request, 1 us with a million; opening 1 us each.
"""

from __future__ import annotations

from contextlib import suppress
from hashlib import sha1

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.dupefilters import RFPDupeFilter
from scrapy.exceptions import NotConfigured

from templcrawl.crawl.extension import CrawlExtension
from templcrawl.crawl.frontier.priority_queue import has_our_queue
from templcrawl.crawl.job.job import Job
from templcrawl.guard import guarded

_BYTES = 20  # of SHA-1, as Scrapy's fingerprinter has them
_REST = _BYTES - 2


class FingerprintSet:
    """A set of fingerprints."""

    def __init__(self) -> None:
        self._rests: list[bytearray] = [bytearray() for _ in range(1 << 16)]

    def add(self, fingerprint: bytes) -> bool:
        """Add a fingerprint; return whether it is new.

        >>> seen = FingerprintSet()
        >>> seen.add(b"some"), seen.add(b"other"), seen.add(b"some")
        (True, True, False)
        """
        if len(fingerprint) != _BYTES:
            fingerprint = sha1(fingerprint, usedforsecurity=False).digest()
        rests, rest = self._rests[fingerprint[0] << 8 | fingerprint[1]], fingerprint[2:]
        found = rests.find(rest)
        while found > 0 and found % _REST:  # it lies across two of them
            found = rests.find(rest, found + 1)
        if found < 0:
            rests += rest
        return found < 0


def _scrapys(filter_class: object, crawler: Crawler) -> RFPDupeFilter:
    return RFPDupeFilter(
        debug=crawler.settings.getbool("DUPEFILTER_DEBUG"), fingerprinter=crawler.request_fingerprinter
    )


class JobDupeFilter(RFPDupeFilter):
    """Scrapy's default dupefilter for a job that our queue has begun."""

    @classmethod
    @guarded("opening the dupefilter", _scrapys)
    def from_crawler(cls, crawler: Crawler) -> RFPDupeFilter:  # type: ignore[override]
        """Return the filter of the crawl's job; Scrapy's own where another queue than ours is used."""
        job = None
        if has_our_queue(crawler.settings):
            with suppress(NotConfigured):
                job = CrawlExtension.running_in(crawler).job
        return RFPDupeFilter.from_crawler(crawler) if job is None else cls(crawler, job)

    def __init__(self, crawler: Crawler, job: Job) -> None:
        debug = crawler.settings.getbool("DUPEFILTER_DEBUG")
        super().__init__(debug=debug, fingerprinter=crawler.request_fingerprinter)
        self.crawler = crawler
        self._taken = job.taken
        self._seen = FingerprintSet()
        for (fingerprint,) in job.file.scan("SELECT fingerprint FROM seen"):
            self._seen.add(fingerprint)

    @guarded("looking whether a request was seen", RFPDupeFilter.request_seen)
    def request_seen(self, request: Request) -> bool:
        """Return whether a request was let in before; if not, it is now."""
        fingerprint = self.fingerprinter.fingerprint(request)
        is_new = self._seen.add(fingerprint)
        if is_new:
            self._taken.let_in(request, fingerprint)
        return not is_new
