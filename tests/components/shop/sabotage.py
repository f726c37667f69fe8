"""An extension that breaks templcrawl from within."""

from __future__ import annotations

from scrapy.crawler import Crawler

from templcrawl.memory.site import SiteMemory


class Sabotage:
    """Makes every observation fail."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Sabotage:
        """Break it."""

        def fail(*_: object, **__: object) -> None:
            raise ZeroDivisionError("sabotage")

        SiteMemory.observe = fail  # type: ignore[method-assign, assignment]
        return cls()
