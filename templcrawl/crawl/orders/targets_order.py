"""``targets``: links by whether they lead to pages of wanted types, as a regression predicts.

Source: :mod:`templcrawl.algorithms.crawl_order.link_regression`, of which
:class:`~templcrawl.memory.regression_table.RegressionTable` has the pages.  Until the first page of a site is
learned, its links go by what they pay.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from templcrawl.algorithms.crawl_order.link_regression import MAX_TARGETS
from templcrawl.crawl.orders.adaptive_order import AdaptiveOrder
from templcrawl.crawl.setting_values import PREFIX, names
from templcrawl.crawl.settings import TemplcrawlSettings
from templcrawl.crawl.waiting import OurQueues
from templcrawl.errors import InvalidOption, suggestion
from templcrawl.log import GuardedStats
from templcrawl.memory.crawl_memory import CrawlMemory
from templcrawl.memory.observation import Observation


def wanted_pages(value: object) -> tuple[str, ...]:
    """Parse the setting: addresses of pages, and names of page types or kinds; raises InvalidOption."""
    given = names(value or (), "a list of addresses, or of names of page types or kinds")
    if len(given) > MAX_TARGETS:
        raise InvalidOption("", value, f"at most {MAX_TARGETS} targets")
    return given


class TargetsOrder(AdaptiveOrder):
    """The order of the predicted value of links."""

    def __init__(
        self, crawler: Crawler, settings: TemplcrawlSettings, memory: CrawlMemory, queues: OurQueues
    ) -> None:
        """Store the memory of the crawl."""
        super().__init__(crawler, settings, memory, queues)
        self._stats, self._types = GuardedStats(crawler), settings.target_types

    @classmethod
    def sections(
        cls, crawler: Crawler, settings: TemplcrawlSettings, began: float
    ) -> Mapping[str, Mapping[str, Any]]:
        """Ask the memory to learn the regression; if kinds of pages are wanted, to tell kinds too."""
        names_kinds = settings.target_types and not settings.page_type_examples  # nothing else is accepted
        return {"targets": {"names": settings.target_types}, **({"kinds": {}} if names_kinds else {})}

    def open(self, *, is_resumed: bool) -> None:
        """Compare the targets with the page types of the examples; raises InvalidOption."""
        types: Any = self.memory.judges.get("page_type")
        for target in self._types if types is not None else ():
            if target not in types.names:
                accepted = f"addresses (http://...), or out of the page types {', '.join(types.names)}"
                raise InvalidOption(f"{PREFIX}TARGETS", target, accepted + suggestion([target], types.names))

    def page_observed(self, request: Request, response: Response, observation: Observation | None) -> None:
        """Count a wanted page."""
        if observation is not None and observation.is_target:
            self._stats.inc_value("templcrawl/targets/found")
