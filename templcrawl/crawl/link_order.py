"""The class, the value and the priority step of a queued request, and its mark.

The evidence about its link comes from the crawl's memory of the host on which the link was found.  Where
our queues are in use and links go by their value, a request waits with the others of its class, and the value
of the class decides (:mod:`templcrawl.crawl.slot_order`).  In any other order, and with a queue of the
project's own, the evidence becomes a step (:mod:`templcrawl.algorithms.crawl_order.link_value`), and a
step is ``_STEP`` of priority.

*The mark* is what templcrawl writes into ``request.meta``: one key, small plain values, bound to one URL.

url       the request's
source    host of the page on which its link was found
step      how far back it was moved, below 0; missing where it was not
requeued  True if the dupefilter was passed by for it, to be undone when it leaves the queue; else missing

Users copy ``response.meta`` into new requests; a mark that names another URL than its request's is
not believed.  A mark is never changed in place, since copies share it.

Cost: O(1) a request.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

from scrapy import Request
from scrapy.crawler import Crawler

from templcrawl.crawl.settings import TemplcrawlSettings
from templcrawl.guard import CrawlLogger, GuardedStats, guarded
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.memory.lru_dict import LruDict
from templcrawl.memory.observation import Observation
from templcrawl.memory.site_links import LinkClasses
from templcrawl.outputs.answers import ANSWERS, META_KEY
from templcrawl.page.addresses import host_of

STARVED = 0.1  # links of a lower value wait for all others

_STEP = 10  # of Scrapy's priority: ten levels of a spider's own priorities fit between two steps

_IN_META = [name for name, row in ANSWERS.items() if row.in_meta]
_get_in_meta = attrgetter(*_IN_META)
_OF_PAGE = ("url", "source", "step")  # what stays of the mark of a request that has brought a page
_OF_LINK = (*_OF_PAGE, "requeued")


class WaitingLink(NamedTuple):
    """The link of a request that waits.

    source   host of the page that it was found on; "": no page led to it
    classes  what its value goes by; None: its site is not in memory
    host     host of its address
    """

    url: str
    source: str = ""
    classes: LinkClasses | None = None
    host: str = ""


class LinkOrder:
    """Orders requests by what is known of their links.

    by_class  whether requests wait by the class of their link, where the queue is ours
    """

    def __init__(self, crawler: Crawler, settings: TemplcrawlSettings, memory: CrawlMemory) -> None:
        self.crawler, self._stats = crawler, GuardedStats(crawler)
        self._memory = memory
        self._policy = settings.policy
        self._starved: LruDict[str, None] = LruDict(settings.memory.max_sites)
        self.by_class = settings.policy.by_pay or settings.policy.by_topic

    # classes, for our queues

    @guarded("valuing links", lambda order: -1)
    def revision(self) -> int:
        """Return what changes whenever the value of any link may have changed; -1 if that is not known."""
        return self._memory.revision

    @guarded("valuing links", lambda order, source: 0)
    def version(self, source: str) -> int:
        """Return what changes whenever values of the links found on a site may have changed."""
        return self._memory.revision if self._policy.by_topic else self._memory.links(source).version

    @guarded("telling the class of a link", lambda order, url, source: WaitingLink(url))
    def waiting_link(self, url: str, source: str) -> WaitingLink:
        """Return the link of a request; without classes where links do not go by them.

        source  host of the page that it was found on, "" if no page led to it
        """
        if not self.by_class or not source:
            return WaitingLink(url)
        links = self._memory.links_to_order(source)
        find = None if links is None else links.topic_classes if self._policy.by_topic else links.classes
        return WaitingLink(url, source, find(url) if find is not None else None, host_of(url))

    @guarded("valuing a link", lambda order, link: 1.0)
    def value(self, link: WaitingLink) -> float:
        """Return the value of a link as known now; 1 is the average of its site, and all of a promise."""
        if self._policy.by_topic and link.source:
            url, target = (link.classes.url, link.classes.target) if link.classes is not None else ("", 0)
            return self._memory.links(link.source).promise(target, self._memory.topic_record(url))
        return self._memory.links(link.source).value(link.classes) if link.classes is not None else 1.0

    def report_waited(self, request: Request) -> None:
        """Count a request that others have overtaken; log it once a site where such links pay nothing."""
        self._stats.inc_value("templcrawl/links/waited")
        source = source_of(request)
        link = self.waiting_link(request.url, source) if source and not self._policy.by_topic else None
        if link is not None and self.value(link) < STARVED:
            self._report_starved(request.url, source)

    # steps, for any other queue

    @guarded("ordering a request")
    def give_step(self, request: Request) -> None:
        """Move a marked request that was not moved yet by what is known of its link."""
        mark = mark_of(request)
        if not mark or mark.get("step"):
            return
        evidence = self._memory.link_evidence(mark["source"], request.url)
        step = self._policy.step(evidence) if evidence.is_known else 0
        if step:
            self._move(request, mark, step)
        if step < 0:
            self._stats.inc_value("templcrawl/demoted/enqueue")

    def lower(self, request: Request) -> bool:
        """Move a queued request back if its link would get a clearly lower step by now; say whether."""
        mark = mark_of(request)
        if not mark or mark.get("step", 0) <= self._policy.lowest:
            return False
        step = self._policy.step(self._memory.link_evidence(mark["source"], request.url))
        is_lower: bool = step <= mark.get("step", 0) - self._policy.drop
        if is_lower:
            self._move(request, mark, step)
        return is_lower

    def _move(self, request: Request, mark: Mapping[str, Any], step: int) -> None:
        request.priority += (step - mark.get("step", 0)) * _STEP
        request.meta[META_KEY] = {**_part(mark, _OF_LINK), "step": step}
        if step == self._policy.lowest < -1:
            self._report_starved(request.url, mark["source"])

    def _report_starved(self, url: str, host: str) -> None:
        self._stats.inc_value("templcrawl/links/starved")
        if host not in self._starved:
            self._starved[host] = None
            CrawlLogger(__name__, self.crawler).info(
                "templcrawl lets links like %s wait for all others of %s: what such links led to had next to "
                "nothing new (said once for a site; see the stat templcrawl/links/starved)",
                url,
                host,
            )


def mark_of(request: Request) -> Mapping[str, Any]:
    """Return the mark of a request, empty if it has none or one of another URL."""
    mark = request.meta.get(META_KEY)
    if isinstance(mark, dict) and mark.get("url") == request.url and "source" in mark:
        return mark
    return {}


def source_of(request: Request) -> str:
    """Return the host of the page that led to a request, "" if none did."""
    return str(mark_of(request).get("source", ""))


def _part(mark: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: mark[name] for name in names if name in mark}


def mark_link(request: Request, source: str) -> None:
    """Mark a request with the host that its link was found on; a mark that it has stays."""
    mark = mark_of(request) or {"url": request.url, "source": source}
    request.meta[META_KEY] = _part(mark, _OF_LINK)


def mark_page(request: Request, url: str, observation: Observation) -> None:
    """Write the answers about a page, for the user's callback to read as ``response.meta["templcrawl"]``.

    The mark of its request stays in it: where a callback asks for the page again, it keeps its step.
    """
    request.meta[META_KEY] = {
        **_part(mark_of(request), _OF_PAGE),
        "url": url,
        **dict(zip(_IN_META, _get_in_meta(observation))),
        "near_duplicate": observation.near_duplicate is not None,
        "truncated": list(observation.truncated),
    }
