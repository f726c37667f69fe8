"""A function of relevance, as a user may have written it."""

from __future__ import annotations

from templcrawl import Page
from templcrawl.algorithms.crawl_order.focus import TopicWords

wind = TopicWords("wind")
not_callable = 3


def says_wind(page: Page) -> float:
    return float("wind" in page.text)


def failing(page: Page) -> float:
    raise RuntimeError("this function never works")


def nonsense(page: Page) -> float:
    return 17.0


class FailsOnLinks(TopicWords):
    """Judges pages, but fails on links."""

    def names(self, text: str) -> bool:
        raise RuntimeError("this method never works")


fails_on_links = FailsOnLinks("wind")
