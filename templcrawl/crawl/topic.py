"""Rate the relevance of each page to the topic, by the function of ``TEMPLCRAWL_RELEVANCE``.

Cost: that of the function.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from scrapy.crawler import Crawler

from templcrawl.crawl.settings import TemplcrawlSettings
from templcrawl.errors import InvalidOption
from templcrawl.guard import LogErrors
from templcrawl.page.page import Page


class Topic:
    """Judges the pages of a crawl; where its function fails, a page has no relevance.

    names  whether the text of a link names the topic; None if that cannot be told
    """

    def __init__(self, crawler: Crawler, settings: TemplcrawlSettings) -> None:
        """Load the function that the settings name."""
        assert settings.relevance is not None
        self._relevance = settings.relevance
        self._crawler = crawler
        self._link_names: Any = getattr(self._relevance, "names", None)
        self.names = self._names if callable(self._link_names) else None

    def __call__(self, page: Page) -> float:
        """Return how relevant a page is, from 0 to 1."""
        with LogErrors(self._crawler, f"judging the relevance of {page.url}"):
            return _share(self._relevance(page))
        return 0.0

    def _names(self, text: str) -> bool:
        with LogErrors(self._crawler, f"reading the link {text}"):
            return bool(self._link_names(text))
        return False


def _share(value: Any) -> float:
    with suppress(TypeError, ValueError):
        if 0.0 <= float(value) <= 1.0:
            return float(value)
    raise InvalidOption("relevance", value, "a number from 0 to 1")
