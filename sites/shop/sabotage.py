"""An extension that breaks templcrawl from within."""

from __future__ import annotations

from itertools import count

from scrapy.crawler import Crawler

from templcrawl.memory.crawl import CrawlMemory
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


class ForgetfulMemory:
    """An extension: every third time that the memory is asked how many pages it goes by, it fails."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ForgetfulMemory:
        """Break it."""
        pages_to_go_by, asked = CrawlMemory.pages_to_go_by, count(1)

        def fail_at_times(memory: CrawlMemory, host: str) -> int:
            if next(asked) % 3 == 0:
                raise ZeroDivisionError("sabotage")
            return pages_to_go_by(memory, host)

        CrawlMemory.pages_to_go_by = fail_at_times  # type: ignore[method-assign]
        return cls()
