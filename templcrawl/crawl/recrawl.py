"""A crawl that is run again: its known pages by what they are worth another visit, and when the rest is not.

With ``TEMPLCRAWL_ORDER = "changes"`` new addresses come first, in the order of ``adaptive``, then known pages
by :mod:`templcrawl.algorithms.crawl_order.revisits`, of which
:class:`~templcrawl.memory.visit_table.VisitTable` has the evidence.

*Readings* are those of all plain GET requests: pages, files, and addresses that are gone (404, 410), which
have changed once.  Any other failure tells nothing.  Where a request was redirected, each address on the way
has the reading of the last.

*Conditional requests* (RFC 9110, section 13) ask for a page by its ``ETag`` and ``Last-Modified``.  An answer
304 is an unchanged page that the spider does not see, so it finds no link there.  They are sent for pages
alone from which no crawl has ever come to another page, and not where the project does so itself or does
without no page.

*Leading pages.*  While a page of value ``_WORTH`` or more is under way on a host, links of a lower value
wait, ``_PATIENCE`` seconds at most: it may lead to better ones, as one page of a listing does to the next.
With 16 requests in flight, 15 poor pages would else be fetched for each page of the listing.  A request is
under way until its callback has ended, so that its links are in the queue by then.

*Sitemaps* of a SitemapSpider say when a page has changed last.

*The end.*  The links of a site are held (:mod:`~templcrawl.crawl.frontier.slot_order`) once what is expected
of its known pages is less than ``TEMPLCRAWL_RECRAWL``.  Its new addresses are sent all the same, unless such
links have paid next to nothing.  One crawl out of ``TEMPLCRAWL_RECRAWL_WITHIN`` holds no link, and asks for
all of each page.

Cost: O(1) a request, O(requests under way) where links wait for one; O(length) a sitemap.  Memory: 100 bytes
an address of a sitemap, of the latest.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from math import log2
from weakref import WeakSet

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse, Response
from scrapy.http.request import NO_CALLBACK
from scrapy.spiders import SitemapSpider
from xxhash import xxh3_64_intdigest

from templcrawl.algorithms.crawl_order.revisits import (
    CALLED_CHANGED,
    CALLED_UNCHANGED,
    MOST_VALUE,
    is_over,
    revisit_class,
)
from templcrawl.crawl.our_queues import FINISH_REASON
from templcrawl.crawl.response_page import lastmods
from templcrawl.crawl.settings import TemplcrawlSettings
from templcrawl.crawl.stopped_sites import StoppedSites
from templcrawl.errors import pluralize
from templcrawl.guard import guarded
from templcrawl.log import CrawlLogger, GuardedStats
from templcrawl.memory.change_table import CHANGED, NEW, SAME
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.memory.link_section import LinkClasses
from templcrawl.memory.lru_dict import LruDict
from templcrawl.memory.observation import Observation
from templcrawl.memory.visit_table import MOST_BYTES, PageVisits, VisitTable
from templcrawl.outputs.answers import META_KEY
from templcrawl.page.addresses import host_of, requested_url, url_key
from templcrawl.page.arrays import MASK, MIX
from templcrawl.scrapy_compat import in_progress

_GONE = (404, 410)
_CONDITIONS = ("If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range")
_OURS = _CONDITIONS[:2]
_MOST_CLAIMS = 200_000
_STEPS_OF_TIME = 4  # groups of links by the time since their pages were read, for each doubling
_WORTH = 0.5  # of two: half of a page that certainly has changed
_PATIENCE = 10.0
_MOST_LEADING = 256  # of a slot
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
        self, crawler: Crawler, settings: TemplcrawlSettings, memory: CrawlMemory, stopped: StoppedSites
    ) -> None:
        self.crawler = crawler
        self._stats, self._log = GuardedStats(crawler), CrawlLogger(__name__, crawler)
        self._memory = memory
        self._stopped = stopped
        self._limit, self._within = settings.recrawl, settings.recrawl_within
        does_without = bool(settings.recrawl or settings.skip_unchanged)
        self._is_conditional = does_without and not crawler.settings.getbool("HTTPCACHE_ENABLED")
        self._asked: LruDict[int, bool] = LruDict(_MOST_CLAIMS)  # addresses, by their keys
        self._claims: LruDict[int, int] = LruDict(_MOST_CLAIMS)
        self._origins: WeakSet[Response] = WeakSet()  # responses that the spider has come from
        self._leading: dict[str, dict[Request, float]] = {}  # slot -> request -> when it was sent
        self.began = memory.options.visits_since

    # links

    @guarded("telling the class of a link", lambda recrawl, link, host: link)
    def classes(self, link: LinkClasses, host: str) -> LinkClasses:
        """Return the classes of a link: those of a known page have the key of what decides its value.

        host  of its address
        """
        self._memory.links_to_order(host)  # reads the site if there is room for it
        visits, page = self._known(link.target, host)
        if visits is None or page is None:
            return link
        claim = self._claim(link.target, page)
        age = round(_STEPS_OF_TIME * log2(1 + visits.since(page, self.began)))
        key = page.key ^ claim
        for number in (page.visits, page.changes, page.leads, age):
            key = (key * MIX + number + 1) & MASK
        return link._replace(key=key)

    @guarded("valuing a known page")
    def value(self, link: LinkClasses, host: str) -> float | None:
        """Return the value of a link to a known page; None if it is new."""
        visits, page = self._known(link.target, host)
        if visits is None or page is None:
            return None
        if page.last >= self.began:  # the spider asks for it again
            return MOST_VALUE
        return visits.value(page, self.began, self._claim(link.target, page))

    @guarded("valuing known pages")
    def version(self, host: str) -> int | None:
        """Return what changes whenever values of known pages may have changed; None without such pages."""
        visits = self._memory.visits(host)
        return visits.version if visits is not None and visits.knew else None

    @guarded("waiting for better links")
    def note_sent(self, slot: str, request: Request, value: float) -> None:
        """Note that a request of some value leaves the queue of a slot."""
        visits = self._memory.visits(host_of(request.url))
        if visits is not None and visits.knew and value >= _WORTH:
            leading = self._leading.setdefault(slot, {})
            leading[request] = time.monotonic()
            if len(leading) > _MOST_LEADING:
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
        return bool(leading) and value() < _WORTH

    def _known(self, address: int, host: str) -> tuple[VisitTable | None, PageVisits | None]:
        visits = self._memory.visits(host)
        return visits, visits.get(address) if visits is not None else None

    def _claim(self, address: int, page: PageVisits | None) -> int:
        """Return the class of what a sitemap says of a page; 0 if none does, or the page is new."""
        changed = self._claims.get(address)
        if changed is None or page is None:
            return 0
        return CALLED_CHANGED if 1_000 * changed > page.last else CALLED_UNCHANGED

    # requests

    @guarded("asking whether a page was modified")
    def ask(self, request: Request) -> None:
        """Make the request for a known page a conditional one."""
        if not self._is_conditional or not _is_plain(request) or request.callback is NO_CALLBACK:
            return
        came_from = request.meta.get("redirect_urls")
        if came_from and url_key(came_from[-1]) in self._asked:  # they are those of another address
            for name in _OURS:
                request.headers.pop(name, None)
        handled = {"handle_httpstatus_list", "handle_httpstatus_all"} & request.meta.keys()
        if handled or any(name in request.headers for name in _CONDITIONS):
            return
        address = url_key(request.url)
        visits, page = self._known(address, host_of(request.url))
        if visits is None or page is None or self._is_whole(visits):
            return
        if page.is_parent or page.last >= self.began or not page.validators:
            return
        etag, _, modified = page.validators.partition(b"\n")
        if etag:
            request.headers["If-None-Match"] = etag
        if modified:
            request.headers["If-Modified-Since"] = modified
        self._asked[address] = True

    @guarded("counting a page that was not modified")
    def refuse_unchanged(self, request: Request, response: Response) -> None:
        """Count the answer 304 to a conditional request of ours; raises IgnoreRequest for it."""
        if response.status != 304 or url_key(request.url) not in self._asked:
            return
        for _, address, visits, page in self._read_by(request):
            if page is not None:
                visits.count(
                    address,
                    page.key,
                    page.content,
                    self._now(),
                    changed=False,
                    claim=self._claim(address, page),
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
        outcomes = []
        for url, address, visits, page in self._read_by(request):
            outcome = visits.count(
                address,
                revisit_class(url),
                content,
                self._now(),
                changed=changed,
                altered=altered,
                claim=self._claim(address, page),
                validators=_validators(response) if is_there and url == request.url else b"",
                is_found=is_there or page is not None,
            )
            outcomes.append(outcome)
            altered = frozenset()
        self._stats.inc_value(_STATS[outcomes[0]])
        mark = request.meta.get(META_KEY)
        if isinstance(mark, dict) and is_there:
            parents = self._memory.visits(str(mark.get("source", "")))
            if parents is not None and isinstance(mark.get("page"), int):
                parents.count_lead(mark["page"], found=outcomes[0] != SAME)

    def _read_by(self, request: Request) -> Iterator[tuple[str, int, VisitTable, PageVisits | None]]:
        """Yield the address of a request, and those that have redirected to it: URL, key, and its visits.

        What is counted in them meanwhile may end what is read of its site.
        """
        for url in {request.url: None, **dict.fromkeys(request.meta.get("redirect_urls", ()))}:
            address, host = url_key(url), host_of(url)
            visits = self._memory.site(host).visits
            assert visits is not None
            yield url, address, visits, visits.get(address)
            self._memory.note_visit(host)
            self._judge(host)

    def _now(self) -> int:
        return max(int(1_000 * time.time()), self.began)

    @guarded("counting what leads on")
    def note_origin(self, response: Response, *, is_page: bool) -> None:
        """Note that the spider comes from a response to others: it may be a sitemap, or a feed."""
        if response in self._origins:
            return
        self._origins.add(response)
        visits = self._memory.visits(host_of(response.url)) if not is_page else None
        if visits is not None:
            visits.count_lead(url_key(response.url), found=False)
        if isinstance(self.crawler.spider, SitemapSpider) and not isinstance(response, HtmlResponse):
            for url, changed in lastmods(response.body):
                self._claims[url_key(requested_url(url))] = changed

    # the end

    def _judge(self, host: str) -> None:
        """Hold the links of a site whose known pages are no longer worth it."""
        visits = self._memory.visits(host)
        if visits is None or not visits.knew or self._is_whole(visits):
            return
        is_done = is_over(visits.expected(self.began), visits.found, self._limit)
        self._stopped.set(host, is_stopped=is_done)
        if is_done:
            visits.note_gap()

    def _is_whole(self, visits: VisitTable) -> bool:
        """Return whether this crawl has to read all of a site."""
        return visits.crawls >= self._within - (not visits.has_gap)

    @guarded("ending a crawl that is run again")
    def close(self, reason: str) -> None:
        """Say which known pages were not read, and what they probably hold."""
        left, expected, sites = 0, 0.0, 0
        for site in self._memory:
            visits = site.visits
            if visits is None or not visits.was_read:
                continue
            if site.host in self._stopped.hosts:
                left, sites = left + visits.unread(), sites + 1
                expected += visits.expected(self.began)
            elif not visits.has_gap and reason in ("finished", FINISH_REASON):
                visits.end_whole()
            self._memory.note_visit(site.host)
        if left:
            self._stats.set_value("templcrawl/recrawl/left", left)
            self._stats.set_value("templcrawl/recrawl/expected", round(expected, 1))
            self._log.info(
                "templcrawl: %s of %s that earlier crawls have read %s not fetched; about %.1f of them have "
                "probably changed or lead to new pages (see the setting TEMPLCRAWL_RECRAWL)",
                pluralize(left, "page"),
                pluralize(sites, "site"),
                "was" if left == 1 else "were",
                expected,
            )


def _is_plain(request: Request) -> bool:
    return request.method == "GET" and not request.body


def _validators(response: Response) -> bytes:
    """Return ETag and Last-Modified of a response; nothing if they are too long."""
    etag, modified = (response.headers.get(name) or b"" for name in ("ETag", "Last-Modified"))
    both = etag + b"\n" + modified
    return both if 1 < len(both) <= MOST_BYTES and both.count(b"\n") == 1 else b""
