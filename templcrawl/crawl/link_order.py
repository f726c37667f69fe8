"""The class, the value and the priority step of a queued request, and its mark.

The evidence about its link comes from the crawl's memory of the host on which the link was found.  Where
our queues are in use and links go by their value, a request waits with the others of its class, and the value
of the class decides (:mod:`templcrawl.crawl.slot_order`).  In any other order, and with a queue of the
project's own, the evidence becomes a step (:mod:`templcrawl.algorithms.crawl_order.link_value`), and a
step is ``_STEP`` of priority.

*The mark* is what templcrawl writes into ``request.meta``: one key, small plain values, bound to one URL.

url       the request's
page      key of that page, with the order ``changes``
source    host of the page on which its link was found
step      how far back it was moved, below 0; missing where it was not

Users copy ``response.meta`` into new requests; a mark that names another URL than its request's is
not believed.  A mark is never changed in place, since copies share it.

Cost: O(1) a request.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy import Request
from scrapy.crawler import Crawler

from templcrawl.algorithms.crawl_order.link_value import LinkEvidence
from templcrawl.algorithms.crawl_order.revisits import MOST_VALUE
from templcrawl.crawl.settings import TemplcrawlSettings
from templcrawl.guard import guarded
from templcrawl.log import CrawlLogger, GuardedStats
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.memory.observation import Observation
from templcrawl.memory.site_links import LinkClasses
from templcrawl.outputs.answers import ANSWERS, META_KEY
from templcrawl.page.addresses import host_of

if TYPE_CHECKING:
    from templcrawl.crawl.recrawl import Recrawl

STARVED = 0.1  # links of a lower value wait for all others

_STEP = 10  # of Scrapy's priority: ten levels of a spider's own priorities fit between two steps

_IN_META = [name for name, row in ANSWERS.items() if row.in_meta]
_get_in_meta = attrgetter(*_IN_META)
_OF_PAGE = ("url", "source", "page", "step")  # what stays of the mark of a request that has brought a page


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

    def __init__(
        self, crawler: Crawler, settings: TemplcrawlSettings, memory: CrawlMemory, recrawl: Recrawl | None
    ) -> None:
        self.crawler, self._stats, self._log = crawler, GuardedStats(crawler), CrawlLogger(__name__, crawler)
        self._recrawl = recrawl
        self._memory = memory
        self._policy = settings.policy
        policy = settings.policy
        self.by_class = policy.by_pay or policy.by_topic or policy.by_change

    # classes, for our queues

    @guarded("valuing links", lambda order: -1)
    def revision(self) -> int:
        """Return what changes whenever the value of any link may have changed; -1 if that is not known."""
        return self._memory.revision

    @guarded("valuing links", lambda order, source: 0)
    def version(self, source: str) -> int:
        """Return what changes whenever values of the links found on a site may have changed."""
        known = self._recrawl.version(source) if self._recrawl is not None else None
        if known is not None:
            return known
        return self._memory.revision if self._policy.by_topic else self._memory.links(source).version

    @guarded("telling the class of a link", lambda order, url, source, request=None: WaitingLink(url))
    def waiting_link(self, url: str, source: str, request: Request | None = None) -> WaitingLink:
        """Return the link of a request; without classes where links do not go by them.

        source   host of the page that it was found on, "" if no page led to it
        request  itself, if it is at hand
        """
        if not self.by_class or (self._recrawl is None and not source):
            return WaitingLink(url)
        host = host_of(url)
        source = source or host
        links = self._memory.links_to_order(source) if source else None
        find = None if links is None else links.topic_classes if self._policy.by_topic else links.classes
        classes = find(url) if find is not None else None
        if self._recrawl is not None and classes is not None:
            classes = self._recrawl.classes(classes, host, request)
        return WaitingLink(url, source, classes, host)

    @guarded("valuing a link", lambda order, link: 1.0)
    def value(self, link: WaitingLink) -> float:
        """Return the value of a link as known now; 1 is the average of its site, and all of a promise."""
        if self._policy.by_topic and link.source:
            url, target = (link.classes.url, link.classes.target) if link.classes is not None else ("", 0)
            return self._memory.links(link.source).promise(target, self._memory.topic_record(url))
        if link.classes is None:
            return 1.0
        known = self._recrawl.value(link.classes, link.host) if self._recrawl is not None else None
        if known is not None:
            return known
        value = self._memory.links(link.source).value(link.classes)
        return value + MOST_VALUE if self._recrawl is not None and value >= STARVED else value

    def report_waited(self, request: Request) -> None:
        """Count a request that others have overtaken; log it once a site where such links pay nothing."""
        self._stats.inc_value("templcrawl/links/waited")
        source = source_of(request)
        link = self.waiting_link(request.url, source) if source and self._policy.by_pay else None
        if link is not None and self.value(link) < STARVED:
            self._report_starved(request.url, source)

    # steps, for any other queue

    @guarded("ordering a request")
    def give_step(self, request: Request) -> None:
        """Move a marked request that was not moved yet by what is known of its link."""
        mark = mark_of(request)
        if not mark or mark.get("step"):
            return
        evidence = self._evidence(request.url, mark["source"])
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
        step = self._policy.step(self._evidence(request.url, mark["source"]))
        is_lower: bool = step <= mark.get("step", 0) - self._policy.drop
        if is_lower:
            self._move(request, mark, step)
        return is_lower

    def _evidence(self, url: str, source: str) -> LinkEvidence:
        evidence = self._memory.link_evidence(source, url)
        if self._recrawl is None:
            return evidence
        return evidence._replace(value=self.value(self.waiting_link(url, source)))

    def _move(self, request: Request, mark: Mapping[str, Any], step: int) -> None:
        request.priority += (step - mark.get("step", 0)) * _STEP
        request.meta[META_KEY] = {**_part(mark, _OF_PAGE), "step": step}
        if step == self._policy.lowest < -1:
            self._report_starved(request.url, mark["source"])

    def _report_starved(self, url: str, host: str) -> None:
        self._stats.inc_value("templcrawl/links/starved")
        self._log.once(
            logging.INFO,
            host,
            "templcrawl fetches links like %s after all others of %s, because the pages behind them had next "
            "to no new text (logged once a site; see the stat templcrawl/links/starved)",
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


def mark_link(request: Request, source: str, page: int | None = None) -> None:
    """Mark a request with the host, and the page, that its link was found on; a mark that it has stays."""
    mark = mark_of(request)
    if not mark:
        mark = {"url": request.url, "source": source, **({"page": page} if page is not None else {})}
    request.meta[META_KEY] = _part(mark, _OF_PAGE)


def mark_page(request: Request, url: str, observation: Observation) -> None:
    """Write the answers about a page, for the user's callback to read as ``response.meta["templcrawl"]``.

    The mark of its request stays in it: where a callback asks for the page again, it keeps its step.
    """
    request.meta[META_KEY] = {
        **_part(mark_of(request), _OF_PAGE),
        "url": url,
        **dict(zip(_IN_META, _get_in_meta(observation))),
        "truncated": list(observation.truncated),
    }
