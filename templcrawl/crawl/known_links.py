"""Links of a repeated crawl: the class and the value of a known page, and the page that led to it.

The spider comes from a response to requests: these are its links, by which a page has its parent, its class
and the signals of :mod:`templcrawl.algorithms.crawl_order.revisits`.  While a page that may lead to better
ones is under way, poor links wait (:mod:`templcrawl.crawl.leading_pages`).

The pages by which a site is judged come first, so that its template is known again if it has changed.

Cost: O(1) a link.
"""

from __future__ import annotations

from collections.abc import Callable
from weakref import WeakSet

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from templcrawl.algorithms.crawl_order.revisits import FIRST, MAX_VALUE
from templcrawl.crawl.leading_pages import LeadingPages
from templcrawl.crawl.site_signals import SiteSignals
from templcrawl.guard import guarded
from templcrawl.memory.crawl_memory import CrawlMemory
from templcrawl.memory.observation import Observation
from templcrawl.memory.sections import WaitingLink
from templcrawl.memory.visit_table import visits_of
from templcrawl.page.addresses import host_of

_MAX_LINKS = 2**16  # that a response has which is not a page: a sitemap, a feed
# Keys of classes, which no class of pages has: known addresses that redirect or are gone as before, and pages
# by which a site is judged.
IDLE, JUDGING = 3, 5
_OF_JUDGING = (FIRST + MAX_VALUE) / 2  # their value, above that of hubs


class KnownLinks:
    """The links to known pages.

    leading  pages under way that may lead to better ones
    """

    def __init__(
        self,
        crawler: Crawler,
        memory: CrawlMemory,
        key_of: Callable[[Request], int],
        signals: SiteSignals,
    ) -> None:
        """Begin; ``key_of`` returns the key of the page that a request asks for."""
        self.crawler, self._memory = crawler, memory
        self._key_of, self._signals = key_of, signals
        self._origins: WeakSet[Response] = WeakSet()  # responses that the spider has come from
        self.leading = LeadingPages(crawler)

    @guarded("telling the class of a link", lambda links, link, request: link)
    def classes(self, link: WaitingLink, request: Request | None) -> WaitingLink:
        """Return the link of a request with its classes; a known page has its own class."""
        site = self._memory.load(link.host)  # reads it if there is room for it
        visits, address = visits_of(self._memory, link.host), self._key_of(request or Request(link.url))
        page = visits.get(address) if visits is not None else None
        if visits is None or page is None or not visits.is_unread(page):
            return link
        key = IDLE if page.is_alias or page.is_dead else visits.class_of(address, page)
        if key != IDLE and site is not None and site.asks_for(link.url):
            key = JUDGING
        return link._replace(key=key, is_known=True)

    @guarded("valuing a known page")
    def value(self, link: WaitingLink) -> float | None:
        """Return the value of a link to a known page; None if it is new."""
        visits = visits_of(self._memory, link.host) if link.is_known else None
        if visits is None or link.key is None or link.key == IDLE:
            return 0.0 if link.is_known else None
        if link.key == JUDGING:
            return _OF_JUDGING
        return visits.remainder.value(link.key)

    @guarded("valuing known pages")
    def version(self, host: str) -> int | None:
        """Return a number that changes whenever values of known pages may have; None without such pages."""
        visits = visits_of(self._memory, host)
        return visits.version if visits is not None and visits.knew else None

    @guarded("waiting for better links")
    def note_sent(self, slot: str, request: Request, link: WaitingLink, value: float) -> None:
        """Note that a request with a link of some value leaves the queue of a slot."""
        visits = visits_of(self._memory, host_of(request.url))
        if visits is None or not visits.knew:
            return
        key = link.key if link.is_known and link.key != IDLE else None
        if key == JUDGING:
            page = visits.get(address := self._key_of(request))
            key = visits.class_of(address, page) if page is not None else None
        if key is not None:
            visits.note_asked(key)
        if value >= FIRST:
            self.leading.note_sent(slot, request)

    @guarded("waiting for better links", lambda links, slot, value: False)
    def must_wait(self, slot: str, value: Callable[[], float]) -> bool:
        """Return whether the best request of a slot, of some value, waits for a better page."""
        return self.leading.has_any(slot) and value() < FIRST

    @guarded("noting a link")
    def note_link(self, request: Request, response: Response, observation: Observation | None) -> int:
        """Note that the spider comes from a response to a request; return the key of the page it is on."""
        source = response.request or Request(response.url)
        parent, host = self._key_of(source), host_of(request.url)
        is_here = host_of(response.url) == host
        links = len(observation.page.links) if observation is not None else _MAX_LINKS
        if response not in self._origins:
            self._origins.add(response)
            self._note_origin(response, parent, is_page=observation is not None)
        visits = visits_of(self._memory, host)
        self._signals.note_link(request)
        if visits is not None:
            address = self._key_of(request)
            claim = self._signals.signal(request.url, visits.get(address))
            visits.meet(address, parent if is_here else 0, links if is_here else 0, claim=claim)
        return parent

    def _note_origin(self, response: Response, address: int, *, is_page: bool) -> None:
        """Note that the spider comes from a response to others: it may be a sitemap, or a feed."""
        visits = visits_of(self._memory, host_of(response.url)) if not is_page else None
        if visits is not None:
            visits.note_led(address)
        self._signals.read(response)

    @guarded("noting the last link of a page")
    def end_links(self, response: Response) -> None:
        """Note that a callback has ended."""
        visits = visits_of(self._memory, host_of(response.url))
        if visits is not None and response.request is not None:
            visits.end_links(self._key_of(response.request))
