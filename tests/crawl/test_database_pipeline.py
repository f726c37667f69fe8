"""The pipeline of databases: what its setting does to a crawl, and real crawls into each database."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
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
from templcrawl.errors import InvalidOption
from templcrawl.outputs.items import json_text
from tests.crawl.crawls import ADDON, DEMO_SITE, SMALL_PARTS, run_crawl
from tests.outputs.conftest import one_server, server, url
from tests.outputs.postgresql_server import PostgresqlServer
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
    assert "PostgreSQL's database crawl is not available now, and its items wait: " in caplog.text
    assert "secret" not in caplog.text


def test_a_table_of_another_kind_stops_the_start(url: str) -> None:
    query(url, "CREATE TABLE items (url text)")
    with pytest.raises(InvalidOption, match="TEMPLCRAWL_DATABASE"):
        DatabasePipeline.from_crawler(crawler_of(DATABASE=url))


CRAWL = """
import json, sys
from pathlib import Path
import scrapy
from scrapy.crawler import AsyncCrawlerProcess
from templcrawl.outputs.items import PageItem
from templcrawl.outputs import outbox

outbox.BATCH_ITEMS = 2


class Pages(scrapy.Spider):
    name = "pages"
    start_urls = [path.as_uri() for path in sorted(Path.cwd().glob("*.html"))]

    def parse(self, response):
        url = Path(response.url).stem
        yield PageItem(url=url, title=response.css("title::text").get())
        for link in response.css("a::attr(href)").getall():
            yield {"url": url, "link": link}


process = AsyncCrawlerProcess({
    "ITEM_PIPELINES": {"templcrawl.crawl.pipelines.DatabasePipeline": 900},
    "TEMPLCRAWL_DATABASE": "sqlite:///pages.sqlite",
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
    "TWISTED_REACTOR_ENABLED": sys.argv[1] == "reactor",
    "LOG_LEVEL": "INFO",
})
crawler = process.create_crawler(Pages)
process.crawl(crawler)
process.start()
Path("stats.json").write_text(json.dumps(crawler.stats.get_stats(), default=str))
"""


@pytest.mark.parametrize("reactor", exhaustive_but(["no reactor"], ["reactor", "no reactor"]))
def test_a_crawl_stores_its_items_and_a_second_crawl_adds_none(tmp_path: Path, reactor: str) -> None:
    for number in range(3):
        html = f"<title>Page {number}</title><a href='/a'></a><a href='/b'></a>"
        (tmp_path / f"{number}.html").write_text(html)
    (tmp_path / "script.py").write_text(CRAWL)
    path = os.pathsep.join([str(Path.cwd()), os.environ.get("PYTHONPATH", "")])
    for expected in [{"stored": 9}, {"duplicates": 9}]:
        done = subprocess.run(
            [sys.executable, "-W", "error", "script.py", reactor],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=True,
        )
        assert "Warning" not in done.stderr
        assert "Traceback" not in done.stderr, done.stderr
        stats = json.loads((tmp_path / "stats.json").read_text())
        prefix = "templcrawl/database/"
        assert {k.removeprefix(prefix): v for k, v in stats.items() if k.startswith(prefix)} == expected
        assert "log_count/ERROR" not in stats
    with closing(sqlite3.connect(tmp_path / "pages.sqlite")) as connection:
        urls = [url for (url,) in connection.execute("SELECT url FROM items ORDER BY url")]
    assert urls == ["0", "0", "0", "1", "1", "1", "2", "2", "2"]
    assert not [*tmp_path.glob("*outbox*")]


def test_a_crawl_stores_its_items_in_a_server_by_the_one_line(
    server: PostgresqlServer, tmp_path: Path
) -> None:
    settings = {**ADDON, **SMALL_PARTS, "TEMPLCRAWL_DATABASE": server.url, "SHOP_BATCH_ITEMS": 3}
    with LocalSite(DEMO_SITE.html) as site:
        crawl = run_crawl("plain", site.url, tmp_path, settings)
    assert len(crawl.items) > 10
    different = {json_text(item) for _, item in crawl.items}
    stats = {name: crawl.stats[f"templcrawl/database/{name}"] for name in ("stored", "duplicates")}
    assert stats == {"stored": len(different), "duplicates": len(crawl.items) - len(different)}
    assert len(query(server.url)) == len(different)
    assert query(server.url, "SELECT count(*) > 3 FROM page_types") == [True]
    assert "log_count/ERROR" not in crawl.stats


WRITER = """
import sys
from tests.crawl.test_database_pipeline import store

store(sys.argv[1], *({"url": url} for n in range(100) for url in (f"shared/{n}", f"own/{sys.argv[2]}/{n}")))
"""


@pytest.mark.exhaustive
def test_two_crawls_write_the_same_database_at_once_and_lose_nothing(url: str, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path.cwd())}
    command = [sys.executable, "-c", WRITER, url]
    writers = [subprocess.Popen([*command, name], cwd=tmp_path, env=environment) for name in "ab"]
    assert [writer.wait() for writer in writers] == [0, 0]
    urls = query(url, "SELECT url FROM items")
    assert sorted(urls) == sorted(
        f"{whose}/{n}" for whose in ("shared", "own/a", "own/b") for n in range(100)
    )
    assert not [*tmp_path.glob("*outbox*")]
