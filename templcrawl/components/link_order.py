"""The priority step of a request: given as it is queued, lowered while it waits.

What the pages of its source's host have said of its link is the evidence
(:meth:`~templcrawl.memory.crawl.CrawlMemory.link_evidence`), the order that is set makes a step of it
(:mod:`templcrawl.algorithms.crawl_order.priority_steps`), and a step is ``TEMPLCRAWL_PRIORITY_STEP`` of
priority.  The step stands in the request's mark, so that it is known again after a resume.

Cost: O(1) a request.
"""

from __future__ import annotations

import logging

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.statscollectors import StatsCollector

from templcrawl.components.marks import QueueMark
from templcrawl.components.settings import TemplcrawlSettings
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.memory.recent import Recent

logger = logging.getLogger(__name__)


class LinkOrder:
    """Moves requests by what is known of their links."""

    def __init__(self, crawler: Crawler, settings: TemplcrawlSettings, memory: CrawlMemory) -> None:
        self._crawler = crawler
        self._memory = memory
        self._policy = settings.policy
        self._step_priority = settings.priority_step
        self._starved: Recent[str, None] = Recent(settings.memory.max_sites)

    @property
    def _stats(self) -> StatsCollector:
        assert self._crawler.stats is not None
        return self._crawler.stats

    def give_step(self, request: Request) -> None:
        """Move a marked request that was not moved yet by what is known of its link."""
        mark = QueueMark.of(request)
        if mark is None or mark.step:
            return
        evidence = self._memory.link_evidence(mark.source, request.url)
        step = self._policy.step(evidence) if evidence.is_known else 0
        if step:
            self._move(request, mark, step)
        if step < 0:
            self._stats.inc_value("templcrawl/demoted/enqueue")

    def lower(self, request: Request) -> bool:
        """Move a queued request back if its link would get a clearly lower step by now; say whether."""
        mark = QueueMark.of(request)
        if mark is None or mark.step <= self._policy.lowest:
            return False
        step = self._policy.step(self._memory.link_evidence(mark.source, request.url))
        is_lower = step <= mark.step - self._policy.drop
        if is_lower:
            self._move(request, mark, step)
        return is_lower

    def _move(self, request: Request, mark: QueueMark, step: int) -> None:
        request.priority += (step - mark.step) * self._step_priority
        mark._replace(step=step).put(request)
        if step == self._policy.lowest < -1:
            self._report_starved(request.url, mark.source)

    def _report_starved(self, url: str, host: str) -> None:
        """Count a link that waits for all others, and say it once for a site."""
        self._stats.inc_value("templcrawl/links/starved")
        if host not in self._starved:
            self._starved[host] = None
            logger.info(
                "templcrawl lets links like %(url)s wait for all others of %(host)s: what such links led "
                "to had next to nothing new (said once for a site; see the stat templcrawl/links/starved)",
                {"url": url, "host": host},
                extra={"spider": self._crawler.spider},
            )
