"""Control a repeated crawl: choose which known pages to visit again, and end when few changes are left.

With ``TEMPLCRAWL_ORDER = "changes"`` new addresses come first, in the order of ``adaptive``, then known pages
by :mod:`templcrawl.algorithms.crawl_order.revisits`.  A page is known by the fingerprint of its request.

Cost: O(1) a request.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DontCloseSpider
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK
from xxhash import xxh3_64_intdigest

from templcrawl.algorithms.crawl_order.revisits import revisit_group
from templcrawl.crawl.conditions import Conditions, validators_of
from templcrawl.crawl.known_links import KnownLinks
from templcrawl.crawl.response_page import NotNeeded, request_key
from templcrawl.crawl.settings import TemplcrawlSettings
from templcrawl.crawl.site_ends import SiteEnds
from templcrawl.crawl.site_signals import SiteSignals
from templcrawl.crawl.waiting import FINISH_REASON, OurQueues
from templcrawl.guard import LogErrors, guarded
from templcrawl.log import GuardedStats
from templcrawl.memory.change_kinds import CHANGED, NEW, SAME
from templcrawl.memory.change_table import Change, ChangeTable
from templcrawl.memory.crawl_memory import CrawlMemory
from templcrawl.memory.observation import Observation
from templcrawl.memory.visit_records import IS_GONE, REDIRECTS, THERE, UNMODIFIED, PageVisits
from templcrawl.memory.visit_table import VisitTable, visits_of
from templcrawl.outputs.answers import META_KEY
from templcrawl.page.addresses import host_of

if TYPE_CHECKING:
    from templcrawl.crawl.change_lines import ChangeLines

_GONE = (404, 410)
_STATS = {
    NEW: "templcrawl/recrawl/new",
    CHANGED: "templcrawl/recrawl/changed",
    SAME: "templcrawl/recrawl/unchanged",
}


class Recrawl:
    """The state of a crawl in the order ``changes``; ``began`` is in milliseconds since 1970.

    *Readings* are those of all plain GET requests: pages, files, and addresses that are gone (404, 410),
    which have changed once.  Any other failure tells nothing.  An address that redirects is a page of its
    own, with where it leads as its content, also if that was asked for before and the dupefilter drops the
    request.  A page that redirects for the first time is gone.  One that redirects as before is passed by
    where the crawl comes to its target by itself, but in whole crawls; so is one that was gone twice.
    """

    def __init__(
        self, crawler: Crawler, settings: TemplcrawlSettings, memory: CrawlMemory, queues: OurQueues
    ) -> None:
        """Begin before the crawl has started."""
        self.crawler, self._stats, self._settings = crawler, GuardedStats(crawler), settings
        self._memory, self._stopped = memory, queues.stopped
        self._lines: ChangeLines | None = None
        self._limit, self._within = settings.may_miss, settings.full_crawl_every
        self._conditions = Conditions(crawler, settings)
        self.signals = SiteSignals(crawler, memory, self.key_of, most=settings.max_signals)
        self.links = KnownLinks(crawler, memory, self.key_of, self.signals)
        self.began: int = memory.options.sections["visits"]["began"]
        crawler.signals.connect(self._note_dropped, signals.request_dropped)
        crawler.signals.connect(self._send_named, signals.spider_idle)

    def begin_lines(self, *, is_resumed: bool) -> None:
        """Begin the file of changes, if there is one; raises InvalidOption."""
        if self._settings.changes:
            from templcrawl.crawl.change_lines import ChangeLines

            self._lines = ChangeLines(self.crawler, self._settings.changes, is_resumed=is_resumed)

    def key_of(self, request: Request) -> int:
        """Return the key of the page that a request asks for."""
        return request_key(request, self.crawler.request_fingerprinter)

    # requests

    @guarded("asking whether a page was modified")
    def ask(self, request: Request) -> None:
        """Make the request for a known page a conditional one.

        Raises NotNeeded for an address that has redirected to where the crawl has come by itself.
        """
        if not _is_plain(request) or request.callback is NO_CALLBACK:
            return
        address, host = self.key_of(request), host_of(request.url)
        visits = visits_of(self._memory, host)
        page = visits.get(address) if visits is not None else None
        if visits is not None and page is not None and self._may_pass_by(visits, page):
            visits.pass_by()
            self._stats.inc_value("templcrawl/recrawl/passed_by")
            raise NotNeeded("in earlier crawls it was gone, or led to a page that this crawl has met")
        self._conditions.renounce(request, map(self.key_of, _redirecting(request)))
        if visits is None or page is None or self._is_whole(visits) or not visits.may_ask(address, page):
            return
        self._conditions.make_conditional(request, address, page.validators)

    def _may_pass_by(self, visits: VisitTable, page: PageVisits) -> bool:
        return self._may_leave(visits) and visits.is_way_around(page)

    def _may_leave(self, visits: VisitTable) -> bool:
        """Return whether this crawl may leave known pages of a site unread."""
        return self._limit > 0 and visits.may_end and not self._is_whole(visits)

    @guarded("counting a page that was not modified")
    def refuse_unchanged(self, request: Request, response: Response) -> None:
        """Count the answer 304 to a conditional request of ours; raises NotNeeded for it."""
        if response.status != 304:
            return
        address, host = self.key_of(request), host_of(request.url)
        if not self._conditions.has(address):
            return
        visits = visits_of(self._memory, host)
        page = visits.get(address) if visits is not None else None
        if visits is not None and page is not None and not visits.lies:
            self._count(
                request.url,
                address,
                page.content,
                changed=False,
                validators=page.validators,
                brought=UNMODIFIED,
            )
            visits.note_gap()
        self._stats.inc_value("templcrawl/recrawl/not_modified")
        raise NotNeeded("it has not been modified since an earlier crawl")

    # responses

    @guarded("counting a visit")
    def count(self, request: Request, response: Response, observation: Observation | None) -> None:
        """Count the outcome of a request."""
        is_there = 200 <= response.status < 300
        if request.callback is NO_CALLBACK:
            self.signals.note_robots(request, response)
            return
        if not (is_there or response.status in _GONE) or not _is_plain(request):
            return
        content, changed, altered = response.status, None, frozenset[int]()
        change = observation.change if observation is not None else None
        if change is not None:
            content = change.record.sketch.content_hash
            changed = None if change.earlier is None else change.altered is not None
            altered = change.altered or altered
        elif is_there:
            content = xxh3_64_intdigest(response.body)
        outcome = self._count(
            request.url,
            self.key_of(request),
            content,
            changed=changed,
            altered=altered,
            validators=validators_of(response) if is_there else b"\n",
            brought=THERE if is_there else IS_GONE,
            change=change,
            status=response.status,
        )
        self._count_redirects(request)
        self._stats.inc_value(_STATS[outcome])
        mark = request.meta.get(META_KEY)
        if isinstance(mark, dict) and is_there:
            parents = visits_of(self._memory, str(mark.get("source", "")))
            if parents is not None and isinstance(mark.get("page"), int):
                parents.note_led(mark["page"])

    def _send_named(self) -> None:
        """Ask for what sitemaps and feeds name and no link has led to; raises DontCloseSpider if it does."""
        engine = self.crawler.engine
        requests = [*self.signals.unmet()] if engine is not None else []
        for request in requests:
            engine.crawl(request)
        if requests:
            raise DontCloseSpider

    def _note_dropped(self, request: Request) -> None:
        """Count the addresses that have redirected to one that was asked for before."""
        if _is_plain(request):
            self._count_redirects(request)

    def _count_redirects(self, request: Request) -> None:
        target = self.key_of(request) if "redirect_urls" in request.meta else 0
        for source in _redirecting(request):
            if (address := self.key_of(source)) != target:
                self._count(source.url, address, target, brought=REDIRECTS, to=request.url)

    def _count(
        self,
        url: str,
        address: int,
        content: int,
        *,
        brought: int = THERE,
        change: Change | None = None,
        status: int = 0,
        to: str = "",
        **reading: Any,
    ) -> str:
        """Count a reading of an address as in ``VisitTable``; it may end what is read of its site.

        change       of its content, if it is a page
        status, to   of what is gone, or where it leads
        """
        host, at = host_of(url), max(int(1_000 * time.time()), self.began)
        site = self._memory.open(host)
        visits, changes = site.get(VisitTable), site.get(ChangeTable)
        assert visits is not None
        assert changes is not None
        before = visits.get(address)
        is_first = before is None or visits.is_unread(before)
        group = revisit_group(url)
        outcome = visits.count(address, group, content, at, url=url, brought=brought, **reading)
        if self._lines is not None and is_first:
            stored = changes.record(address)
            with LogErrors(self.crawler, f"writing what has become of {url}"):
                self._lines.write_change(
                    url,
                    outcome,
                    before,
                    change.earlier if change is not None else stored,
                    brought=brought,
                    why=f"redirects to {to}" if to else f"status {status}",
                    content_hash=change.record.content_hash if change is not None else None,
                )
        self._memory.note_learned(host)
        self._judge(host, visits)
        return outcome

    # the end

    def _judge(self, host: str, visits: VisitTable) -> None:
        """Hold the links of a site whose known pages are no longer worth it.

        The links of a site are held (:mod:`templcrawl.crawl.frontier.slot_order`) once what is expected of
        its known pages is less than ``TEMPLCRAWL_MAY_MISS``.  Its new addresses, its hubs and the samples of
        classes are sent all the same, unless such links have paid next to nothing.
        """
        if not visits.knew or self._is_whole(visits):
            return
        is_done = visits.is_over(self._limit)
        self._stopped.set(host, is_stopped=is_done)
        if is_done:
            visits.note_gap()

    def _is_whole(self, visits: VisitTable) -> bool:
        """Return whether this crawl has to read all of a site.

        One crawl out of ``TEMPLCRAWL_FULL_CRAWL_EVERY`` holds no link, and asks for all of each page.
        """
        return visits.since >= self._within - (not visits.has_gap)

    @guarded("ending a crawl that is run again")
    def close(self, reason: str) -> None:
        """Log which known pages were not read, and what they probably hold."""
        has_finished = reason in ("finished", FINISH_REASON)
        ends = SiteEnds(self.crawler, self._lines)
        for site in self._memory:
            visits = site.get(VisitTable)
            if visits is None or not visits.was_read:
                continue
            is_stopped = site.host in self._stopped.hosts
            if is_stopped and visits.remainder.unread:
                ends.add_left(site.host, visits.remainder)
            elif has_finished and self._may_leave(visits):
                ends.report_whole(site.host)
            if has_finished:
                ends.end(site, visits, is_whole=not (is_stopped or visits.has_gap))
            self._memory.note_learned(site.host)
        ends.report_left()

    @guarded("ending the lines of changes")
    async def finish(self) -> None:
        """End the file of changes, or the table; the crawl is closed."""
        if self._lines is not None:
            await self._lines.close()


def _is_plain(request: Request) -> bool:
    return request.method == "GET" and not request.body


def _redirecting(request: Request) -> Iterable[Request]:
    """Return requests for the addresses that have redirected to that of a request."""
    return map(Request, dict.fromkeys(request.meta.get("redirect_urls", ())))
