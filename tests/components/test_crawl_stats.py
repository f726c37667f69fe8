"""What is said of a crawl at its end, as a line and as data."""

from __future__ import annotations

import logging
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy.settings import Settings
from scrapy.statscollectors import MemoryStatsCollector

from templcrawl import CrawlMemory, Page
from templcrawl.components.crawl_stats import CrawlStats
from templcrawl.components.settings import TemplcrawlSettings


def test_the_closing_record_has_all_stats_as_data(caplog: pytest.LogCaptureFixture) -> None:
    crawler: Any = SimpleNamespace(settings=Settings({"STATS_DUMP": False}), spider=None)
    crawler.stats = MemoryStatsCollector(crawler)
    crawler.stats.set_value("item_scraped_count", 2)
    memory, stats = CrawlMemory(sample_salt=0), CrawlStats(crawler, TemplcrawlSettings())
    for number in range(3):
        stats.count(memory.observe(Page(f"<p>Words of page {number}", f"https://a.example/{number}")))
    with caplog.at_level(logging.INFO, "templcrawl.components.crawl_stats"):
        stats.close(memory)
    (record,) = [record for record in caplog.records if "of the text is template" in record.message]
    assert "3 pages of 1 site" in record.message
    assert "0 items stripped (TEMPLCRAWL_ITEM_FIELDS names no field); " in record.message
    told = record.__dict__["templcrawl"]
    ours = {
        name: value for name, value in crawler.stats.get_stats().items() if name.startswith("templcrawl/")
    }
    assert told == ours
    assert (told["templcrawl/pages"], told["templcrawl/sites"]) == (3, 1)
    assert "item_scraped_count" not in told


def test_where_fields_are_named_nothing_is_advised(caplog: pytest.LogCaptureFixture) -> None:
    crawler: Any = SimpleNamespace(spider=None)
    crawler.settings = Settings({"STATS_DUMP": False, "TEMPLCRAWL_ITEM_FIELDS": ["content_text"]})
    crawler.stats = MemoryStatsCollector(crawler)
    with caplog.at_level(logging.INFO, "templcrawl.components.crawl_stats"):
        CrawlStats(crawler, TemplcrawlSettings.from_settings(crawler.settings)).close(CrawlMemory())
    assert "0 items stripped; " in caplog.text
