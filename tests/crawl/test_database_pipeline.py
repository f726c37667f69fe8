"""The pipeline of databases: what its setting does to a crawl, and real crawls into each database."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import attrs
import pydantic
import pytest
import scrapy
from scrapy.exceptions import NotConfigured
from scrapy.settings import Settings
from scrapy.statscollectors import MemoryStatsCollector

from lab.sites.server import LocalSite
from templcrawl.crawl.pipelines import DatabasePipeline
from templcrawl.outputs.item_values import json_text
from tests.crawl.crawls import ADDON, DEMO_SITE, ONE_BY_ONE, SMALL_PARTS, run_crawl
from tests.outputs.conftest import one_server, server, url
from tests.outputs.test_item_databases import query
from tests.parts import exhaustive_but

__all__ = ["one_server", "server", "url"]


def crawler_of(**values: object) -> Any:
    crawler = SimpleNamespace(
        settings=Settings({f"TEMPLCRAWL_{k}": v for k, v in values.items()}), spider=None
    )
    crawler.get_extension = lambda kind: None
    crawler.stats = MemoryStatsCollector(SimpleNamespace(settings=Settings()))  # type: ignore[arg-type]
    return crawler


def store(url: str, *items: Any) -> dict[str, Any]:
    """Let the pipeline store items; return its stats."""
    crawler = crawler_of(DATABASE=url)

    async def crawl() -> None:
        pipeline = DatabasePipeline.from_crawler(crawler)
        pipeline.open_spider()
        for item in items:
            assert pipeline.process_item(item) is item
        await pipeline.close_spider()

    asyncio.run(crawl())
    return {key.removeprefix("templcrawl/database/"): n for key, n in crawler.stats.get_stats().items()}


@dataclass
class DataclassItem:
    url: str


@attrs.define
class AttrsItem:
    url: str


class PydanticItem(pydantic.BaseModel):
    url: str


class ScrapyItem(scrapy.Item):  # type: ignore[misc, unused-ignore]
    url = scrapy.Field()
    unset = scrapy.Field()


KINDS = [dict, DataclassItem, AttrsItem, PydanticItem, ScrapyItem]


@pytest.mark.parametrize("kind", KINDS)
def test_items_of_every_kind_are_stored(kind: Any, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'pages.sqlite'}"
    assert store(url, kind(url="u")) == {"stored": 1}
    assert query(url, "SELECT url, item FROM items") == [("u", '{"url":"u"}')]
    assert [path.name for path in tmp_path.iterdir()] == ["pages.sqlite"]


def test_an_item_is_stored_as_it_was_when_it_came_and_one_without_json_costs_no_other(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'pages.sqlite'}"
    loop: dict[str, object] = {}
    loop["itself"] = loop
    assert store(url, {"n": 1}, loop, {"n": 2}) == {"stored": 2, "errors": 1, "lost": 1}


def test_without_the_setting_the_pipeline_is_left_out_and_nothing_warns() -> None:
    with pytest.raises(NotConfigured) as caught:
        DatabasePipeline.from_crawler(crawler_of())
    assert caught.value.args == ()  # Scrapy logs a warning for a reason


def test_a_server_that_is_away_at_the_start_is_a_warning_and_its_items_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    pytest.importorskip("psycopg")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("templcrawl.outputs.outbox._PATIENCE", 0.1)
    stats = store(f"postgresql://me:secret@/crawl?host={tmp_path}", {"n": 1})
    assert stats["waiting"] == 1
    assert Path("templcrawl-crawl.outbox").exists()
    assert "PostgreSQL's database crawl cannot be reached, and items wait until it can: " in caplog.text
    assert "secret" not in caplog.text


@pytest.mark.parametrize("url", exhaustive_but(["sqlite"], ["sqlite", "postgresql"]), indirect=True)
def test_a_crawl_stores_its_items_and_a_second_crawl_adds_none(url: str, tmp_path: Path) -> None:
    settings = {**ADDON, **SMALL_PARTS, **ONE_BY_ONE, "TEMPLCRAWL_DATABASE": url, "SHOP_BATCH_ITEMS": 3}
    few = {page: DEMO_SITE.html(page) or "" for page in ["/", *DEMO_SITE.pages][:12]}
    with LocalSite(few) as site:
        crawls = [run_crawl("plain", site.url, tmp_path / day, settings) for day in ("first", "second")]
    different = {json_text(item) for crawl in crawls for _, item in crawl.items}
    assert len(different) > 10
    counts = [crawl.stats.get(f"templcrawl/database/{name}", 0) for crawl in crawls for name in COUNTED]
    items = [len(crawl.items) for crawl in crawls]
    assert counts == [len(different), items[0] - len(different), 0, items[1]]
    assert len(query(url)) == len(different)
    assert not [crawl for crawl in crawls if "log_count/ERROR" in crawl.stats]
    assert not [*tmp_path.glob("*outbox*")]


COUNTED = ("stored", "duplicates")
