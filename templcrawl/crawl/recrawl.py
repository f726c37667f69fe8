"""A crawl that is run again: its known pages by what they are worth another visit, and when the rest is not.

With ``TEMPLCRAWL_ORDER = "changes"`` new addresses come first, in the order of ``adaptive``, then known pages
by :mod:`templcrawl.algorithms.crawl_order.revisits`, of which
:class:`~templcrawl.memory.visit_table.VisitTable` has the evidence.

*A page is known* by the fingerprint of its request, as the project's fingerprinter makes it.

*Readings* are those of all plain GET requests: pages, files, and addresses that are gone (404, 410), which
have changed once.  Any other failure tells nothing.  An address that redirects is a page of its own, with
where it leads as its content, also if that was asked for before and the dupefilter drops the request.  A page
that redirects for the first time is gone.  One that has redirected is passed by where the crawl comes to its
target by itself, but in whole crawls.

*Conditional requests* (RFC 9110, section 13) ask for a page by its ``ETag`` and ``Last-Modified``.  An answer
304 is an unchanged page that the spider does not see, so it finds no link there.  They are sent for pages
alone from which no crawl has ever come to another page, and not where the project does so itself or does
without no page, nor where validators were found to lie.

*Leading pages.*  While a page of value ``FIRST`` or more is under way on a host, links of a lower value wait,
``_PATIENCE`` seconds at most: it may lead to better ones, and say which of them have changed.  With 16
requests in flight, 15 poor pages would else be fetched for each page of the listing.  A request is under way
until its callback has ended, so that its links are in the queue by then.

*Sitemaps* of a SitemapSpider say when a page has changed last.

*The end.*  The links of a site are held (:mod:`templcrawl.crawl.slot_order`) once what is expected of its
known pages is less than ``TEMPLCRAWL_RECRAWL``.  Its new addresses, its hubs and the samples of classes are
sent all the same, unless such links have paid next to nothing.  One crawl out of
``TEMPLCRAWL_RECRAWL_WITHIN`` holds no link, and asks for all of each page.

Cost: O(1) a request, O(requests under way) where links wait for one; O(length) a sitemap.  Memory: 100 bytes
an address of a sitemap, of the latest.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse, Response
from scrapy.http.request import NO_CALLBACK
from scrapy.spiders import SitemapSpider
from xxhash import xxh3_64_intdigest

from templcrawl.algorithms.crawl_order.revisits import (
    CALLED_CHANGED,
    CALLED_SAME,
    CRAWLS,
    FIRST,
    NO_HUB,
    bound_of,
    revisit_group,
)
from templcrawl.crawl.response_page import lastmods, request_key
from templcrawl.crawl.settings import TemplcrawlSettings
from templcrawl.crawl.site_log import FINISH_REASON, StoppedSites
from templcrawl.errors import pluralize
from templcrawl.guard import CrawlLogger, GuardedStats, Surviving, guarded, in_progress
from templcrawl.memory.change_table import CHANGED, NEW, SAME, Change
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.memory.lru_dict import LruDict
from templcrawl.memory.observation import Observation
from templcrawl.memory.site import SiteMemory
from templcrawl.memory.site_links import LinkClasses
from templcrawl.memory.visit_table import (
    IS_GONE,
    MAX_VALIDATORS,
    REDIRECTS,
    THERE,
    PageVisits,
    VisitTable,
)
from templcrawl.outputs.answers import META_KEY
from templcrawl.page.addresses import host_of, requested_url, url_key

if TYPE_CHECKING:
    from templcrawl.crawl.change_lines import ChangeLines
    from templcrawl.crawl.job import Job

_GONE = (404, 410)
_CONDITIONS = ("If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range")
_OURS = _CONDITIONS[:2]
_MAX_CLAIMS = 200_000
_MAX_LINKS = 2**16  # that a response has which is no page: a sitemap, a feed
_REDIRECTING = 3  # the class of known addresses that redirect: no class of pages has this key
_PATIENCE = 10.0
_MAX_LEADING = 256  # of a slot
_STATS = {
    NEW: "templcrawl/recrawl/new",
    CHANGED: "templcrawl/recrawl/changed",
    SAME: "templcrawl/recrawl/unchanged",
}


class Recrawl:
    """What a crawl in the order ``changes`` knows of earlier ones.

    began  when it began, in milliseconds since 1970
    """

    def __init__(
        self,
        crawler: Crawler,
        settings: TemplcrawlSettings,
        memory: CrawlMemory,
        stopped: StoppedSites,
        job: Job | None = None,
    ) -> None:
        """Begin before the crawl has started; raises InvalidOption."""
        self.crawler = crawler
        self._stats, self._log = GuardedStats(crawler), CrawlLogger(__name__, crawler)
        self._memory = memory
        self._stopped = stopped
        stopped.below = FIRST
        self._limit, self._within = settings.recrawl, settings.recrawl_within
        does_without = bool(settings.recrawl or settings.skip_unchanged)
        self._is_conditional = does_without and not crawler.settings.getbool("HTTPCACHE_ENABLED")
        self._asked: LruDict[int, bool] = LruDict(_MAX_CLAIMS)  # addresses, by their keys
        self._claims: LruDict[int, int] = LruDict(_MAX_CLAIMS)
        self._origins: WeakSet[Response] = WeakSet()  # responses that the spider has come from
        self._leading: dict[str, dict[Request, float]] = {}  # slot -> request -> when it was sent
        self.began = memory.options.visits_since
        self._lines = _change_lines(crawler, settings, job)
        crawler.signals.connect(self._note_dropped, signals.request_dropped)

    def key_of(self, request: Request) -> int:
        """Return the key of the page that a request asks for."""
        return request_key(request, self.crawler.request_fingerprinter)

    # links

    @guarded("telling the class of a link", lambda recrawl, link, host, request: link)
    def classes(self, link: LinkClasses, host: str, request: Request | None) -> LinkClasses:
        """Return the classes of a link: those of a known page have the key of its class.

        host     of its address
        request  for it; None where only its address is at hand
        """
        self._memory.links_to_order(host)  # reads the site if there is room for it
        visits, address = self._memory.visits(host), self.key_of(request or Request(link.url))
        page = visits.get(address) if visits is not None else None
        if visits is None or page is None or not visits.is_unread(page):
            return link
        key = visits.class_of(address, page) if not page.redirects else _REDIRECTING
        return link._replace(key=key, is_known=True)

    @guarded("valuing a known page")
    def value(self, link: LinkClasses, host: str) -> float | None:
        """Return the value of a link to a known page; None if it is new."""
        visits = self._memory.visits(host) if link.is_known else None
        if visits is None or link.key == _REDIRECTING:
            return 0.0 if link.is_known else None
        return visits.remainder.value(link.key)

    @guarded("valuing known pages")
    def version(self, host: str) -> int | None:
        """Return what changes whenever values of known pages may have changed; None without such pages."""
        visits = self._memory.visits(host)
        return visits.version if visits is not None and visits.knew else None

    @guarded("waiting for better links")
    def note_sent(self, slot: str, request: Request, link: LinkClasses | None, value: float) -> None:
        """Note that a request with a link of some value leaves the queue of a slot."""
        visits = self._memory.visits(host_of(request.url))
        if visits is None or not visits.knew:
            return
        if link is not None and link.is_known and link.key != _REDIRECTING:
            visits.note_asked(link.key)
        if value >= FIRST:
            leading = self._leading.setdefault(slot, {})
            leading[request] = time.monotonic()
            if len(leading) > _MAX_LEADING:
                del leading[next(iter(leading))]

    @guarded("waiting for better links")
    def forget_slot(self, slot: str) -> None:
        """Note that nothing waits in a slot."""
        self._leading.pop(slot, None)

    @guarded("waiting for better links", lambda recrawl, slot, value: False)
    def must_wait(self, slot: str, value: Callable[[], float]) -> bool:
        """Return whether the best request of a slot, of some value, waits for a better page."""
        leading = self._leading.get(slot)
        if not leading:
            return False
        under_way, oldest = in_progress(self.crawler), time.monotonic() - _PATIENCE
        for request, since in [*leading.items()]:
            if since < oldest or request not in under_way:
                del leading[request]
        return bool(leading) and value() < FIRST

    @guarded("noting a link")
    def note_link(self, request: Request, response: Response, observation: Observation | None) -> int:
        """Note that the spider comes from a response to a request; return the key of the page it is on."""
        source = response.request or Request(response.url)
        parent, host = self.key_of(source), host_of(request.url)
        is_here = host_of(response.url) == host
        links = len(observation.page.links) if observation is not None else _MAX_LINKS
        if response not in self._origins:
            self._origins.add(response)
            self._note_origin(response, parent, is_page=observation is not None)
        visits = self._memory.visits(host)
        if visits is not None:
            address = self.key_of(request)
            claim = self._claim(request.url, visits.get(address))
            visits.meet(address, parent if is_here else 0, links if is_here else 0, claim=claim)
        return parent

    def _note_origin(self, response: Response, address: int, *, is_page: bool) -> None:
        """Note that the spider comes from a response to others: it may be a sitemap, or a feed."""
        visits = self._memory.visits(host_of(response.url)) if not is_page else None
        if visits is not None:
            visits.note_led(address)
        if isinstance(self.crawler.spider, SitemapSpider) and not isinstance(response, HtmlResponse):
            for url, changed in lastmods(response.body):
                self._claims[url_key(requested_url(url))] = changed

    @guarded("noting the last link of a page")
    def end_links(self, response: Response) -> None:
        """Note that the spider has given all that it gives for a response."""
        visits = self._memory.visits(host_of(response.url))
        if visits is not None and response.request is not None:
            visits.end_links(self.key_of(response.request))

    def _claim(self, url: str, page: PageVisits | None) -> int:
        """Return the signal of a sitemap for a page."""
        changed = self._claims.get(url_key(url)) if len(self._claims) and page is not None else None
        if changed is None or page is None:
            return NO_HUB
        return CALLED_CHANGED if 1_000 * changed > page.last else CALLED_SAME

    # requests

    @guarded("asking whether a page was modified")
    def ask(self, request: Request) -> None:
        """Make the request for a known page a conditional one.

        Raises IgnoreRequest for an address that has redirected to where the crawl has come by itself.
        """
        if not _is_plain(request) or request.callback is NO_CALLBACK:
            return
        address, host = self.key_of(request), host_of(request.url)
        visits = self._memory.visits(host)
        page = visits.get(address) if visits is not None else None
        if visits is not None and page is not None and self._may_pass_by(visits, page):
            visits.pass_by()
            self._stats.inc_value("templcrawl/recrawl/redirects_left")
            raise IgnoreRequest("in an earlier crawl it has redirected to a page that this crawl has met")
        if not self._is_conditional:
            return
        if any(source in self._asked for source in self._redirecting(request)):
            for name in _OURS:  # they are those of another address
                request.headers.pop(name, None)
        handled = {"handle_httpstatus_list", "handle_httpstatus_all"} & request.meta.keys()
        if handled or any(name in request.headers for name in _CONDITIONS):
            return
        if visits is None or page is None or self._is_whole(visits) or not visits.may_ask(address, page):
            return
        etag, _, modified = page.validators.partition(b"\n")
        if etag:
            request.headers["If-None-Match"] = etag
        if modified:
            request.headers["If-Modified-Since"] = modified
        self._asked[address] = True

    def _may_pass_by(self, visits: VisitTable, page: PageVisits) -> bool:
        may_end = self._limit and visits.crawls >= CRAWLS and not self._is_whole(visits)
        return bool(may_end) and visits.is_way_around(page)

    def _redirecting(self, request: Request) -> list[int]:
        """Return the keys of the addresses that have redirected to that of a request."""
        return [self.key_of(Request(url)) for url in request.meta.get("redirect_urls", ())]

    @guarded("counting a page that was not modified")
    def refuse_unchanged(self, request: Request, response: Response) -> None:
        """Count the answer 304 to a conditional request of ours; raises IgnoreRequest for it."""
        if response.status != 304 or not len(self._asked):
            return
        address, host = self.key_of(request), host_of(request.url)
        if address not in self._asked:
            return
        visits = self._memory.visits(host)
        page = visits.get(address) if visits is not None else None
        if visits is not None and page is not None and not visits.lies:
            self._count(
                request.url,
                address,
                page.content,
                changed=False,
                validators=page.validators,
            )
            visits.note_gap()
        self._stats.inc_value("templcrawl/recrawl/not_modified")
        raise IgnoreRequest("it has not been modified since an earlier crawl")

    # responses

    @guarded("counting a visit")
    def count(self, request: Request, response: Response, observation: Observation | None) -> None:
        """Count what a request has brought."""
        is_there = 200 <= response.status < 300
        if not (is_there or response.status in _GONE) or not _is_plain(request):
            return
        if request.callback is NO_CALLBACK:
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
            validators=_validators(response) if is_there else b"\n",
            brought=THERE if is_there else IS_GONE,
            change=change,
            status=response.status,
        )
        self._count_redirects(request)
        self._stats.inc_value(_STATS[outcome])
        mark = request.meta.get(META_KEY)
        if isinstance(mark, dict) and is_there:
            parents = self._memory.visits(str(mark.get("source", "")))
            if parents is not None and isinstance(mark.get("page"), int):
                parents.note_led(mark["page"])

    def _note_dropped(self, request: Request) -> None:
        """Count the addresses that have redirected to one that was asked for before."""
        if _is_plain(request):
            self._count_redirects(request)

    def _count_redirects(self, request: Request) -> None:
        target = self.key_of(request) if "redirect_urls" in request.meta else 0
        for url in dict.fromkeys(request.meta.get("redirect_urls", ())):
            if (address := self.key_of(Request(url))) != target:
                self._count(url, address, target, brought=REDIRECTS, to=request.url)

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
        site = self._memory.site(host)
        visits = site.visits
        assert visits is not None
        before = visits.get(address)
        is_first = before is None or visits.is_unread(before)
        group = revisit_group(url)
        outcome = visits.count(address, group, content, at, url=url, brought=brought, **reading)
        if self._lines is not None and is_first:
            stored = site.changes.record(address) if site.changes is not None else None
            with Surviving(self.crawler, f"writing what has become of {url}"):
                self._lines.add(
                    url,
                    outcome,
                    before,
                    change.earlier if change is not None else stored,
                    brought=brought,
                    why=f"redirects to {to}" if to else f"status {status}",
                    content_hash=change.record.content_hash if change is not None else None,
                )
        self._memory.note_visit(host)
        self._judge(host, visits)
        return outcome

    # the end

    def _judge(self, host: str, visits: VisitTable) -> None:
        """Hold the links of a site whose known pages are no longer worth it."""
        if not visits.knew or self._is_whole(visits):
            return
        is_done = visits.is_over(self._limit)
        self._stopped.set(host, is_stopped=is_done)
        if is_done:
            visits.note_gap()

    def _is_whole(self, visits: VisitTable) -> bool:
        """Return whether this crawl has to read all of a site."""
        return visits.since >= self._within - (not visits.has_gap)

    @guarded("ending a crawl that is run again")
    def close(self, reason: str) -> None:
        """Say which known pages were not read, and what they probably hold."""
        left: list[VisitTable] = []
        names: list[str] = []
        has_finished = reason in ("finished", FINISH_REASON)
        for site in self._memory:
            visits = site.visits
            if visits is None or not visits.was_read:
                continue
            is_stopped = site.host in self._stopped.hosts
            if is_stopped and visits.remainder.unread:
                left.append(visits)
                names.append(site.host)
            elif has_finished and self._limit and visits.knew and visits.crawls >= CRAWLS:
                self._report_whole(site.host, visits)
            if has_finished:
                self._end(site, visits, is_whole=not (is_stopped or visits.has_gap))
            self._memory.note_visit(site.host)
        if left:
            self._report_left(left, names[0] if len(names) == 1 else pluralize(len(names), "site"))
        if self._lines is not None:
            self._lines.close()

    def _end(self, site: SiteMemory, visits: VisitTable, *, is_whole: bool) -> None:
        """End the crawl of a site, and say which pages nothing links to any more."""
        forgotten = visits.end(is_whole=is_whole)
        if is_whole and visits.vanished:
            self._log.warning(
                "templcrawl: no link leads any more to %s of the %s of %s that were known. They are taken "
                "for gone if the next whole crawl finds none either",
                visits.vanished,
                pluralize(len(visits), "page"),
                site.host,
            )
        for address, page in forgotten if self._lines is not None else ():
            record = site.changes.record(address) if site.changes is not None else None
            with Surviving(self.crawler, f"writing that {page.url} is gone"):
                self._lines.add_unlinked(page, record)  # type: ignore[union-attr]

    def _report_left(self, of: list[VisitTable], name: str) -> None:
        left = [visits.remainder for visits in of]
        unread, mean = sum(one.unread for one in left), sum(one.mean for one in left)
        most = bound_of(mean, sum(one.variance for one in left), unread)
        self._stats.set_value("templcrawl/recrawl/left", unread)
        self._stats.set_value("templcrawl/recrawl/expected", round(mean, 1))
        self._stats.set_value("templcrawl/recrawl/at_most", most)
        changed = "none of them has" if not most else f"about {max(mean, 0.1):.2g} of them have"
        self._log.info(
            "templcrawl: %s of %s %s not fetched; %s probably changed%s (see the setting TEMPLCRAWL_RECRAWL)",
            pluralize(unread, "known page"),
            name,
            "was" if unread == 1 else "were",
            changed,
            f" (at most {most})" if most else "",
        )

    def _report_whole(self, host: str, visits: VisitTable) -> None:
        if not self._is_whole(visits):
            self._log.info(
                "templcrawl has fetched all known pages of %s: which of them have changed could not be told "
                "from the others well enough to leave any out",
                host,
            )


def _change_lines(crawler: Crawler, settings: TemplcrawlSettings, job: Job | None) -> ChangeLines | None:
    if settings.changes is None:
        return None
    from templcrawl.crawl.change_lines import ChangeLines

    return ChangeLines(crawler, settings.changes, is_resumed=job is not None and job.is_resumed)


def _is_plain(request: Request) -> bool:
    return request.method == "GET" and not request.body


def _validators(response: Response) -> bytes:
    """Return ETag and Last-Modified of a response, a line each; nothing if they are too long."""
    etag, modified = (response.headers.get(name) or b"" for name in ("ETag", "Last-Modified"))
    both = etag + b"\n" + modified
    return both if len(both) <= MAX_VALIDATORS and both.count(b"\n") == 1 else b"\n"
