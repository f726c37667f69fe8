"""Read what sitemaps and feeds say of a site: which pages have changed, and which are new.

Sitemaps that robots.txt names are read before the first page of a site (a ``SitemapSpider`` reads its
own), and feeds that its first pages name before their links.  All are of the site itself, and requested
as pages are: by the downloader middlewares, within robots.txt and the delays of the project.

*Dates.*  What is said of a page is a signal of its class (:mod:`templcrawl.algorithms.crawl_order.revisits`),
and counts as far as it has proved true on this site.  The date of a feed never says "the same".

*New addresses* that no link has led to by the time that nothing else is left are requested as the spider
requests links to their directory, if it has one way to do so.  They are believed while ``_TRUE`` of the
addresses that are named in this directory are pages that it knows: a spider that reads a part of a site is
not led beyond it.

Cost: O(length) a document, in a thread; O(known pages) a site.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse, Response
from scrapy.http.request import NO_CALLBACK
from scrapy.spiders import SitemapSpider

from templcrawl.algorithms.crawl_order.revisits import CALLED_CHANGED, CALLED_SAME, NO_HUB, revisit_group
from templcrawl.crawl.named_addresses import PAGE, SITEMAP, named_addresses
from templcrawl.log import GuardedStats
from templcrawl.memory.crawl_memory import CrawlMemory
from templcrawl.memory.key_tables import LruDict
from templcrawl.memory.visit_records import PageVisits
from templcrawl.memory.visit_table import NAMED, VisitTable, visits_of
from templcrawl.outputs.answers import META_KEY
from templcrawl.page.addresses import host_of, requested_url, url_key
from templcrawl.scrapy_compat import in_thread, robots_sitemaps

_MAX_HOSTS, _MAX_CLAIMS = 1_000, 200_000
_MAX_SITEMAPS, _MAX_FEEDS, _MAX_NEW = 10, 3, 1_000  # of a site in a crawl
_MAX_NAMED = 100  # sitemaps that wait
_MAX_LOOKED = 20  # pages of a site on which feeds are looked for
_MAX_HOPS = 3  # from an address to where it redirects
_SECONDS, _TIMEOUT = 30.0, 15  # for all documents of a site; for one
_TRUE = 0.8
_FEEDS = (b"application/rss+xml", b"application/atom+xml")
_LINK = "link[rel~=alternate][type='application/rss+xml'], link[rel~=alternate][type='application/atom+xml']"
_KEPT_META = {"rule", "link_text"}  # of a CrawlSpider
_PLAIN_META = {*_KEPT_META, META_KEY, "depth", "download_latency", "download_slot", "download_timeout"}


@dataclass
class _Site:
    """What the sitemaps and feeds of a site name.

    known     url_key of a page that is there -> whether only documents name it
    until     when no more is read, by the monotonic clock
    counts    directory with such pages -> of the addresses that are named there: those known, all
    read      sitemaps that were asked for, feeds: feeds; looked: pages on which feeds were looked for
    new       address that is not known, or that only documents name -> its directory
    requests  directory -> a request for a link to it; None: the spider has no one way to do so
    """

    known: dict[int, bool]
    counts: dict[int, tuple[int, int]]
    until: float
    read: set[str] = field(default_factory=set)
    feeds: set[str] = field(default_factory=set)
    looked: int = 0
    new: dict[str, int] = field(default_factory=dict)
    requests: dict[int, Request | None] = field(default_factory=dict)


class _Document(NamedTuple):
    """What a document says: the sitemaps that it names, the dates of known pages by url_key, the same of a
    feed, and the rest as in ``_Site``.
    """

    sitemaps: list[str]
    changed: dict[int, int]
    updated: dict[int, int]
    counts: dict[int, tuple[int, int]]
    new: dict[str, int]


def _read_document(body: bytes, host: str, known: Mapping[int, bool], groups: Set[int]) -> _Document:
    """Read a document of a host.

    known   as in ``_Site``
    groups  directories of known pages
    """
    found = _Document([], {}, {}, {}, {})
    entries = sorted(named_addresses(body), key=lambda entry: -(entry.at or 0))  # the latest sitemaps first
    for url, kind, at in entries:
        if kind == SITEMAP:
            found.sitemaps.append(url)
            continue
        address = requested_url(url)
        group, key = revisit_group(address), url_key(address)
        if host_of(address) != host or group not in groups:
            continue
        only_named = known.get(key)
        if at is not None and only_named is not None:
            (found.changed if kind == PAGE else found.updated)[key] = at
        known_count, all_count = found.counts.get(group, (0, 0))
        found.counts[group] = known_count + (only_named is not None), all_count + 1
        if only_named is not False and len(found.new) < _MAX_NEW:
            found.new[address] = group
    return found


class SiteSignals:
    """The signals of the sites of a crawl.

    most  how many sitemaps and feeds of a site are asked for
    """

    def __init__(
        self, crawler: Crawler, memory: CrawlMemory, key_of: Callable[[Request], int], *, most: int
    ) -> None:
        self.most = most
        self._crawler, self._memory, self._key_of = crawler, memory, key_of
        self._stats = GuardedStats(crawler)
        self._changed: LruDict[int, int] = LruDict(_MAX_CLAIMS)  # by sitemaps: url_key -> seconds since 1970
        self._updated: LruDict[int, int] = LruDict(_MAX_CLAIMS)  # by feeds
        self._sitemaps: LruDict[str, list[str]] = LruDict(_MAX_HOSTS)  # that the robots.txt of a host names
        self._begun: LruDict[str, bool] = LruDict(_MAX_CLAIMS)
        self._sites: LruDict[str, _Site] = LruDict(_MAX_HOSTS)  # that were read in an earlier crawl

    # what is said

    def signal(self, url: str, page: PageVisits | None) -> int:
        """Return the signal for a page, if a document names it."""
        if page is None or not (len(self._changed) or len(self._updated)):
            return NO_HUB
        key = url_key(url)
        changed, updated = self._changed.get(key), self._updated.get(key)
        if 1_000 * max(changed or 0, updated or 0) > page.last:
            return CALLED_CHANGED
        return CALLED_SAME if changed is not None else NO_HUB

    def read(self, response: Response) -> None:
        """Read a response that a SitemapSpider comes from: it may be a sitemap."""
        if isinstance(self._crawler.spider, SitemapSpider) and not isinstance(response, HtmlResponse):
            for url, kind, at in named_addresses(response.body):
                if at is not None and kind == PAGE:
                    self._changed[url_key(requested_url(url))] = at

    # documents

    def note_robots(self, request: Request, response: Response) -> None:
        """Note the sitemaps that a robots.txt names."""
        url = (request.meta.get("redirect_urls") or [request.url])[0]
        if self.most and urlsplit(url).path == "/robots.txt":
            named = robots_sitemaps(response.body, url) if response.status == 200 else ()
            self._sitemaps[host_of(url)] = [*dict.fromkeys(named)][:_MAX_NAMED]

    async def begin(self, request: Request) -> None:
        """Read the sitemaps of the site of a request, before the first one."""
        host = host_of(request.url)
        if host in self._begun or request.callback is NO_CALLBACK or not request.url.startswith("http"):
            return
        self._begun[host] = True
        self._memory.load(host)  # reads the site if there is room for it
        visits = visits_of(self._memory, host)
        if visits is None or not visits.knew:
            return
        pages = [page for _, page in visits.pages() if page.is_there]
        known = {url_key(page.url): page.parent == NAMED for page in pages}
        counts = dict.fromkeys((page.key for page in pages), (0, 0))
        site = self._sites[host] = _Site(known, counts, time.monotonic() + _SECONDS)
        if isinstance(self._crawler.spider, SitemapSpider):
            return
        if host not in self._sitemaps:  # the project does not obey it, so nobody has asked for it
            await self._fetch(urljoin(request.url, "/robots.txt"), host, dont_obey_robotstxt=True)
        waiting = self._sitemaps.get(host) or []
        while waiting:
            more = await self._read(waiting.pop(0), host, site, site.read, _MAX_SITEMAPS)
            waiting += more[: _MAX_NAMED - len(waiting)]

    async def read_feeds(self, response: Response) -> None:
        """Read the feeds that one of the first pages of a site names."""
        host = host_of(response.url)
        site = self._sites.get(host)
        if site is None or site.looked >= _MAX_LOOKED or not isinstance(response, HtmlResponse):
            return
        site.looked += 1
        if any(kind in response.body for kind in _FEEDS):
            for target in response.css(_LINK).xpath("@href").getall()[:_MAX_FEEDS]:
                await self._read(response.urljoin(target), host, site, site.feeds, _MAX_FEEDS)

    async def _read(self, url: str, host: str, site: _Site, read: set[str], most: int) -> list[str]:
        """Read a document of a site unless it has read enough; return the sitemaps that it names."""
        is_late = (
            time.monotonic() > site.until
            or len(read) >= most
            or len(site.read) + len(site.feeds) >= self.most
        )
        if is_late or url in read or host_of(url) != host:
            return []
        read.add(url)
        body = await self._fetch(url, host)
        if body is None:
            visits = visits_of(self._memory, host)
            if visits is not None and any(site.known.values()):
                visits.note_lost_links()
            return []
        found = await in_thread(_read_document, body, host, site.known, site.counts.keys())
        for dates, named in ((self._changed, found.changed), (self._updated, found.updated)):
            for key, at in named.items():
                dates[key] = at
        for group, counted in found.counts.items():
            site.counts[group] = site.counts[group][0] + counted[0], site.counts[group][1] + counted[1]
        site.new.update(islice(found.new.items(), max(0, _MAX_NEW - len(site.new))))
        return found.sitemaps

    async def _fetch(self, url: str, host: str, **meta: object) -> bytes | None:
        """Return a document of a host, None if there is none."""
        engine = self._crawler.engine
        for _ in range(_MAX_HOPS if engine is not None else 0):
            request = Request(
                url,
                callback=NO_CALLBACK,
                meta={"dont_redirect": True, "dont_retry": True, "download_timeout": _TIMEOUT, **meta},
            )
            self._stats.inc_value("templcrawl/recrawl/signals")
            with suppress(Exception):  # robots.txt forbids it, or the network fails
                response = await engine.download_async(request)
                target = (response.headers.get("Location") or b"").decode("latin-1")
                url = response.urljoin(target) if hasattr(response, "urljoin") else url
                if 300 <= response.status < 400 and target and host_of(url) == host:
                    continue
                return response.body if response.status == 200 else None
            return None
        return None

    # new addresses

    def note_link(self, request: Request) -> None:
        """Note how the spider requests links to a directory in which new addresses are named."""
        site = self._sites.get(host_of(request.url)) if len(self._sites) else None
        if site is None or not site.new:
            return
        group = revisit_group(request.url)
        if group not in site.requests:
            is_plain = request.method == "GET" and not (request.body or request.cb_kwargs)
            is_plain = is_plain and request.meta.keys() <= _PLAIN_META
            site.requests[group] = request.copy() if is_plain else None
            return
        known = site.requests[group]
        if known is not None and (known.callback, known.errback) != (request.callback, request.errback):
            site.requests[group] = None

    def unmet(self) -> Iterator[Request]:
        """Yield requests for the new addresses that are believed, and that no link has led to."""
        for host, site in self._sites.items():
            visits = visits_of(self._memory, host)
            if visits is None:
                continue
            new, site.new = site.new, {}
            for url, group in new.items():
                like, (known, named) = site.requests.get(group), site.counts[group]
                is_known = url_key(url) in site.known
                if like is None or not (is_known or known >= _TRUE * named):
                    continue
                meta = {name: value for name, value in like.meta.items() if name in _KEPT_META}
                request = like.replace(url=url, meta=meta)
                if self._is_open(visits, self._key_of(request)):
                    self._stats.inc_value("templcrawl/recrawl/named", 0 if is_known else 1)
                    yield request

    def _is_open(self, visits: VisitTable, address: int) -> bool:
        """Return whether an address is new to the crawl, and mark it as met."""
        page = visits.get(address)
        is_open = not visits.is_met(address) and (page is None or visits.is_unread(page))
        visits.meet(address, NAMED)
        return is_open
