"""What is said of a crawl at its end, as a line and as data."""

from __future__ import annotations

import logging
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scrapy.settings import Settings
from scrapy.statscollectors import MemoryStatsCollector

from templcrawl import CrawlMemory, Page
from templcrawl.crawl.part import Crawl
from templcrawl.crawl.parts.stats import CrawlStats
from templcrawl.crawl.settings import TemplcrawlSettings
from templcrawl.crawl.waiting import OurQueues
from templcrawl.memory.observation import Observation
from templcrawl.page.separation import Separation

NOTHING: tuple[Any, Any] = (None, None)  # a request and its response


def stats_of(crawler: Any, memory: CrawlMemory) -> CrawlStats:
    return CrawlStats(Crawl(crawler, TemplcrawlSettings(), memory, None, OurQueues(crawler)))


def test_the_closing_record_has_all_stats_as_data(caplog: pytest.LogCaptureFixture) -> None:
    crawler: Any = SimpleNamespace(settings=Settings({"STATS_DUMP": False}), spider="the spider")
    crawler.stats = MemoryStatsCollector(crawler)
    crawler.stats.set_value("item_scraped_count", 2)
    memory = CrawlMemory(sample_salt=0)
    stats = stats_of(crawler, memory)
    for number in range(3):
        page = Page(f"<p>Words of page {number}", f"https://a.example/{number}")
        stats.page_observed(*NOTHING, memory.observe(page))
    with caplog.at_level(logging.INFO, "templcrawl.crawl.parts.stats"):
        stats.close("finished")
    (record,) = [record for record in caplog.records if "of the text is template" in record.message]
    assert "3 pages of 1 site" in record.message
    assert "0 items stripped (TEMPLCRAWL_ITEM_FIELDS names no field); " in record.message
    told = record.__dict__["templcrawl"]
    assert record.__dict__["spider"] == "the spider"
    ours = {
        name: value for name, value in crawler.stats.get_stats().items() if name.startswith("templcrawl/")
    }
    assert told == ours
    assert (told["templcrawl/pages"], told["templcrawl/sites"]) == (3, 1)
    assert "item_scraped_count" not in told


class OneByOne(MemoryStatsCollector):
    """A collector of a project, which must be asked for each count."""

    def inc_value(self, key: str, count: int = 1, start: int = 0, spider: Any = None) -> None:
        super().inc_value(f"own/{key}", count, start)


def test_a_collector_with_methods_of_its_own_gets_the_same_counts() -> None:
    told = {}
    for collector in (MemoryStatsCollector, OneByOne):
        crawler: Any = SimpleNamespace(settings=Settings(), spider=None)
        crawler.stats = collector(crawler)
        stats = stats_of(crawler, CrawlMemory())
        for number in range(3):
            separation = Separation(Page(f"<p>word {number}", "https://a.example/"), ())
            stats.page_observed(*NOTHING, Observation(separation))
        told[collector] = crawler.stats.get_stats()
    assert told[OneByOne] == {f"own/{name}": count for name, count in told[MemoryStatsCollector].items()}
    assert told[OneByOne]["own/templcrawl/pages"] == 3


@pytest.mark.parametrize(("lost", "pages"), [("one two three four", 0), ("one two three four five", 3)])
def test_the_site_that_loses_text_of_its_own_is_logged(
    lost: str, pages: int, caplog: pytest.LogCaptureFixture
) -> None:
    crawler: Any = SimpleNamespace(settings=Settings(), spider=None)
    crawler.stats = MemoryStatsCollector(crawler)
    stats = stats_of(crawler, CrawlMemory())
    for host, count in (("a.example", 1), ("b.example", 2)):
        for _ in range(count):
            page = Page(f"<p>{lost}", f"https://{host}/")
            separation = Separation(page, (), run_shares=np.zeros(1), voters=4)
            stats.page_observed(*NOTHING, Observation(separation))
    with caplog.at_level(logging.INFO, "templcrawl.crawl.parts.stats"):
        stats.close("finished")
    assert crawler.stats.get_value("templcrawl/pages/text_lost", 0) == pages
    logged = (
        "on 2 pages of b.example, text that no other page has was removed, such as on https://b.example/"
        in caplog.text
    )
    assert logged == (pages > 0)
