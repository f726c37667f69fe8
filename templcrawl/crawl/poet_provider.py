"""Observations as dependencies of callbacks and page objects, by scrapy-poet.

::

    SCRAPY_POET_PROVIDERS = {"templcrawl.crawl.poet_provider.ObservationProvider": 500}

    def parse(self, response, observation: Observation): ...      # templcrawl.Observation, or Separation

What is not a page, or could not be observed, has an ordinary answer: all of its text is content.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, ClassVar

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response, TextResponse

from templcrawl.crawl.extension import CrawlExtension
from templcrawl.crawl.response_page import page_of
from templcrawl.memory.observation import Observation
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation, whole


class ObservationProvider:
    """Provides what templcrawl has observed of the page that a response holds.

    All that scrapy-poet asks of a provider is here, so its own class is not needed.
    """

    provided_classes: ClassVar[set[type]] = {Observation, Separation}
    name = "templcrawl"

    def __init__(self, injector: object) -> None:
        self.injector = injector

    def is_provided(self, requested: Callable[..., Any]) -> bool:
        """Return whether a dependency is one of ours."""
        return requested in self.provided_classes

    def __call__(
        self,
        to_provide: Collection[Callable[..., Any]],
        request: Request,
        response: Response,
        crawler: Crawler,
    ) -> Sequence[Observation | Separation]:
        """Return an observation, a separation, or both; raises NotConfigured where templcrawl is off."""
        observation = CrawlExtension.running_in(crawler).observe_once(request, response)
        if observation is None:
            page = page_of(response) if isinstance(response, TextResponse) else Page("", response.url)
            observation = Observation(Separation(page, whole(page.tokens)))
        return [
            observation if requested is Observation else observation.separation for requested in to_provide
        ]
