"""The part that counts pages by their kinds, and gives each kind its callback.

Those of a kind go to the callback that ``TEMPLCRAWL_KIND_CALLBACKS`` names, if the spider gives none.

A page is read early, since other middlewares may go by its callback.  Cost: O(1) a page.
"""

from __future__ import annotations

from scrapy import Request
from scrapy.http import Response

from templcrawl.algorithms.page_kinds.kind_chances import MIN_CONFIDENCE
from templcrawl.crawl.kind_values import confidences
from templcrawl.crawl.part import Crawl, CrawlPart
from templcrawl.crawl.setting_values import PREFIX
from templcrawl.errors import InvalidOption
from templcrawl.memory.observation import Observation


class KindCallbacks(CrawlPart):
    """Chooses the callback of a page whose kind is sure."""

    doing = "choosing the callback of"
    reads_early = True

    def __init__(self, crawl: Crawl) -> None:
        """Look up the callbacks.

        Raises InvalidOption for a callback that the spider has not, and for a wrong ``least_confidence``.
        """
        super().__init__(crawl)
        self._callbacks = self._settings.kind_callbacks
        for name in self._callbacks.values():
            if not callable(getattr(self.crawler.spider, name, None)):
                accepted = f"names of methods that the spider has; it has no method {name!r}"
                raise InvalidOption(f"{PREFIX}KIND_CALLBACKS", dict(self._callbacks), accepted)
        own = confidences(getattr(self.crawler.spider, "least_confidence", {}))
        self._least_confidence = {**MIN_CONFIDENCE, **own}

    def page_observed(self, request: Request, response: Response, observation: Observation) -> None:
        """Choose the callback of a page."""
        kind = observation.kind
        if kind is not None and kind.confidence >= self._least_confidence.get(kind.name, 0.0):
            name = self._callbacks.get(kind.name)
            if name is not None and request.callback is None:
                request.callback = getattr(self.crawler.spider, name)


class KindCounts(CrawlPart):
    """Counts the pages of each kind."""

    def page_observed(self, request: Request, response: Response, observation: Observation) -> None:
        """Count a page."""
        kind = observation.kind
        self._stats.inc_values({"templcrawl/kinds": 1, f"templcrawl/kinds/{kind.name}": 1})
