"""The *harvest rate* of a focused crawl: the share of its pages that are relevant (at least half, of 1).

It is logged after every hundred pages, of these and of all, with a warning if none of the first hundred is
relevant.
"""

from __future__ import annotations

from scrapy import Request
from scrapy.http import Response

from templcrawl.crawl.part import Crawl, CrawlPart
from templcrawl.memory.observation import Observation

_RELEVANT = 0.5
_PAGES_A_LINE = 100


class HarvestRate(CrawlPart):
    """Counts the relevant pages of a crawl."""

    def __init__(self, crawl: Crawl) -> None:
        super().__init__(crawl)
        self._judged = self._relevant = self._relevant_before = 0

    def page_observed(self, request: Request, response: Response, observation: Observation) -> None:
        """Count a page."""
        self._judged += 1
        if observation.relevance >= _RELEVANT:
            self._relevant += 1
            self._stats.inc_value("templcrawl/focus/relevant")
        if self._judged % _PAGES_A_LINE == 0:
            self._log.info(
                "templcrawl: relevant pages: %d of the last %d, %d of all %d",
                self._relevant - self._relevant_before,
                _PAGES_A_LINE,
                self._relevant,
                self._judged,
            )
            self._relevant_before = self._relevant
            if not self._relevant and self._judged == _PAGES_A_LINE:
                self._log.warning(
                    "templcrawl: none of the first %d pages is on the topic. Give words and names, with "
                    "commas between them; a sentence is found only where it stands word for word",
                    self._judged,
                )

    def close(self, reason: str) -> None:
        """Log the harvest rate."""
        if self._judged:
            self._log.info(
                "templcrawl: harvest rate %.3f; relevant pages: %d of %d",
                self._relevant / self._judged,
                self._relevant,
                self._judged,
            )
