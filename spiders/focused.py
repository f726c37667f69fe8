"""Look for pages of one topic, the most promising links first, and emit each page with its relevance.

::

    scrapy crawl focused -a seeds=seeds.txt -a topic="solar power, photovoltaics" -O pages.jsonl
    scrapy crawl focused -a seeds=https://example.org/ -a examples=folder/of/pages -a pages=500 -O pages.jsonl

What sets it apart from the other spiders' settings is in ``settings/focused.py``.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings

from templcrawl.algorithms.crawl_order.focus import TopicWords
from templcrawl.crawl.relevance import ExampleRelevance
from templcrawl.crawl.site_spider import PagesSpider, checked_addresses, read_addresses

_SEED_PRIORITY = 10_000
_RELEVANCE = "TEMPLCRAWL_RELEVANCE"


class FocusedSpider(PagesSpider):
    """Crawl for a topic.

    seeds     URLs with commas; or the path of a file with one on each line (``#`` starts a remark)
    topic     words and phrases, with commas
    examples  a folder of pages on the topic, instead of words; a function of your own is named in the
              setting ``TEMPLCRAWL_RELEVANCE``
    others    beside examples, a folder of pages that are not on the topic
    stay      1: on the hosts of the seeds; 0: wherever links lead
    pages     stop after so many pages; 0: when there are no more links
    """

    name = "focused"

    def __init__(self, seeds: str = "", stay: str = "1", pages: str = "0", **kwargs: Any) -> None:
        super().__init__(pages, **kwargs)
        self.seeds = _read_seeds(seeds)
        if stay != "0":
            self.allowed_domains = sorted({urlsplit(seed).hostname or "" for seed in self.seeds})

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        """Take over ``settings/focused.py``."""
        settings.setmodule("settings.focused", priority="spider")
        super().update_settings(settings)

    @classmethod
    def from_crawler(
        cls,
        crawler: Crawler,
        *args: Any,
        topic: str = "",
        examples: str = "",
        others: str = "",
        **kwargs: Any,
    ) -> FocusedSpider:
        """Make the spider, and set the relevance of pages."""
        if topic and examples:
            raise ValueError("say what to look for by a topic or by examples, not by both")
        if topic:
            crawler.settings.set(_RELEVANCE, TopicWords(topic), "spider")
        elif examples:
            crawler.settings.set(_RELEVANCE, ExampleRelevance(examples, others or None), "spider")
        elif not crawler.settings[_RELEVANCE]:
            raise ValueError(
                f"say what to look for: -a topic=WORDS, -a examples=FOLDER or -s {_RELEVANCE}=..."
            )
        return super().from_crawler(crawler, *args, **kwargs)

    async def start(self) -> AsyncIterator[Request]:
        """Yield a request for each seed, before all links."""
        for seed in self.seeds:
            yield Request(seed, priority=_SEED_PRIORITY)


def _read_seeds(seeds: str) -> list[str]:
    """Return the URLs of a list with commas, or of a file; raises ValueError where there are none."""
    if "://" in seeds:
        return checked_addresses(seeds.split(","))
    if seeds and Path(seeds).is_file():
        return read_addresses(Path(seeds))
    raise ValueError("say where to start: -a seeds=URL,URL,... or -a seeds=FILE with a URL on each line")
