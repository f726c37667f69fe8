"""One row an answer: all that names answers has it from there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse
from scrapy.settings import Settings

from templcrawl import CrawlMemory, Page
from templcrawl.crawl.settings import TemplcrawlSettings
from templcrawl.memory.memory_options import JUDGED, SAID, SECTIONS
from templcrawl.outputs.answers import ANSWERS
from templcrawl.outputs.column_types import COLUMN_TYPES
from templcrawl.outputs.items import PageItem

ROW_ADDED = """
import json, sys
from pathlib import Path
from templcrawl import CrawlMemory, Page
from templcrawl.outputs.answers import ANSWERS, Answer

ANSWERS["words"] = Answer("words", "how many words it has", column="int64", option="", in_meta=True)

import scrapy
from scrapy.cmdline import execute
from scrapy.crawler import AsyncCrawlerProcess
from templcrawl.outputs import items
from templcrawl.memory.observation import Observation

Observation.words = property(lambda observation: len(observation.content_text.split()))

here = Path.cwd()
metas = []


class Pages(scrapy.Spider):
    name = "pages"
    start_urls = [path.as_uri() for path in sorted((here / "saved").glob("*.html"))]

    def parse(self, response):
        metas.append(response.meta["templcrawl"]["words"])
        yield items.PageItem.from_response(response)
        yield {"url": response.url}


process = AsyncCrawlerProcess({
    "ADDONS": {"templcrawl.Addon": 500},
    "TEMPLCRAWL_ITEM_FIELDS": ["words"],
    "FEED_EXPORTERS": {"parquet": "templcrawl.outputs.parquet_exporter.ParquetItemExporter"},
    "FEEDS": {here / "pages.parquet": {"format": "parquet"}},
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
    "LOG_LEVEL": "ERROR",
})
process.crawl(Pages)
process.start()

from docs.build.figures import stored_figures

(here / "seen.json").write_text(json.dumps({"metas": metas, "table": stored_figures()["answers"]}))
sys.argv = ["scrapy", "strip", "saved", "-o", "stripped.parquet"]
execute()
"""


@pytest.mark.exhaustive
def test_an_answer_is_one_row_and_what_it_says(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    (tmp_path / "saved").mkdir()
    for number in range(3):
        (tmp_path / "saved" / f"{number}.html").write_text(f"<html><p>{'word ' * (number + 4)}</html>")
    (tmp_path / "crawl.py").write_text(ROW_ADDED)
    path = os.pathsep.join([str(Path.cwd()), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "crawl.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads((tmp_path / "seen.json").read_text())
    assert sorted(seen["metas"]) == [4, 5, 6]
    assert seen["table"].endswith("\n| `words` | how many words it has |")
    crawled = parquet.read_table(tmp_path / "pages.parquet")
    assert sorted(crawled["words"].to_pylist()) == [4, 4, 5, 5, 6, 6]
    assert sorted(parquet.read_table(tmp_path / "stripped.parquet")["words"].to_pylist()) == [4, 5, 6]


def test_every_answer_is_on_the_observation_and_has_a_column_and_a_field() -> None:
    observation = CrawlMemory(sections={"kinds": {}, "changes": {}}).observe(
        Page("<p>words", "https://a.example/"), at=1
    )
    for name, row in ANSWERS.items():
        assert row.needs in ("markdown", "extractor") or hasattr(observation, name)
    assert {row.column for row in ANSWERS.values()} <= {*COLUMN_TYPES}
    assert [field.name for field in fields(PageItem)] == ["url", "title", "truncated", *ANSWERS]


def test_what_an_answer_needs_is_a_setting_or_an_extra_and_who_says_it_is_a_section() -> None:
    settings = TemplcrawlSettings.from_settings(Settings())
    needed = {row.needs for row in ANSWERS.values()} - {"", "markdown"}
    assert all(hasattr(settings, name) for name in needed)
    for row in ANSWERS.values():
        assert row.name in SECTIONS[row.section].says if row.section else row.name not in SAID - {*JUDGED}


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<title> Tea &amp;\n   cake </title><p>text", "Tea & cake"),
        ("<title>One</title><svg><title>Two</title></svg>", "One"),
        ("<title>Tea <b>cake</b></title>", "Tea <b>cake</b>"),
        ("<title> </title><p>text", None),
        ("<p>text", None),
    ],
)
def test_a_page_item_has_the_title_that_the_page_has(html: str, title: str | None) -> None:
    request = Request("https://a.example/")
    response = HtmlResponse(request.url, body=html.encode(), request=request)
    item = PageItem.from_response(response)
    assert (item.url, item.title, item.truncated) == (response.url, title, False)
    assert item.title == (Page(html, response.url).title or None)


def test_a_page_item_says_whether_its_page_hit_a_cap() -> None:
    request = Request("https://a.example/", meta={"templcrawl": {"truncated": ["max_tags"]}})
    assert PageItem.from_response(HtmlResponse(request.url, body=b"<p>text", request=request)).truncated
