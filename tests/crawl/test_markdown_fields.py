"""Markdown in items: in a crawl, only where it is asked for, and never in the way of the other fields."""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path

import pytest
from scrapy.settings import Settings

from lab.sites.server import LocalSite
from templcrawl.crawl.settings import TemplcrawlSettings
from templcrawl.errors import MissingExtra
from templcrawl.page import markdown
from tests.crawl.crawls import ONE_LINE, run_crawl
from tests.crawl.small_crawls import passed_on
from tests.crawl.test_spider_middleware import attached

NAMES = ["content_text", "content_markdown", "content_headings"]
ASKED = {**ONE_LINE, "TEMPLCRAWL_ITEM_FIELDS": NAMES}


def test_in_a_crawl_each_item_has_the_markdown_of_its_page(site: LocalSite, tmp_path: Path) -> None:
    pytest.importorskip("turbohtml")
    crawl = run_crawl("plain", site.url, tmp_path, {**ASKED, "CLOSESPIDER_PAGECOUNT": 60})
    items = [item for kind, item in crawl.items if kind == "dict"]
    assert len(items) >= 60
    for item in items:
        markdown, sections = item["content_markdown"], item["content_headings"]
        assert all(left["stop"] == right["start"] for left, right in pairwise(sections))
        assert (sections[0]["start"], sections[-1]["stop"]) == (0, len(markdown))
    with_links = [item for item in items if "](" in item["content_markdown"]]
    assert len(with_links) > 10
    assert not [item for item in with_links if "](/" in item["content_markdown"]]
    assert sum(item["content_markdown"].startswith("# ") for item in items) > 20
    assert {len(section["path"]) for item in items for section in item["content_headings"]} > {1}
    assert not [stat for stat in crawl.stats if stat.startswith("templcrawl/errors")]


def test_where_the_library_fails_the_other_fields_are_there_and_it_is_counted(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(html: str, base: str) -> None:
        raise MemoryError("sabotage")

    pytest.importorskip("turbohtml")
    middleware, response = attached(NAMES, b"<h1>A</h1><p>some <b>words</b>")
    item = passed_on(middleware, {}, response)
    assert item["content_markdown"] == "# A\n\nsome **words**"
    assert item["content_headings"] == [{"path": ["A"], "start": 0, "stop": 19}]
    monkeypatch.setattr(markdown, "markdown_of", fail)
    middleware, response = attached(NAMES, b"<h1>A</h1><p>some <b>words</b>")
    item = passed_on(middleware, {}, response)
    assert item == {"content_text": "A\nsome words", "content_markdown": None, "content_headings": None}
    stats = middleware.crawler.stats
    assert stats is not None
    assert stats.get_value("templcrawl/errors/MemoryError") == 2
    assert stats.get_value("templcrawl/items/stripped") == 1
    assert "while writing content_markdown of http:" in caplog.text


def test_nothing_is_written_unless_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "turbohtml", None)
    names = [name for name in NAMES if name == "content_text"]
    settings = TemplcrawlSettings.from_settings(Settings({"TEMPLCRAWL_ITEM_FIELDS": names}))
    assert settings.item_fields == {"content_text": "content_text"}
    for name in ("content_markdown", "content_headings"):
        with pytest.raises(MissingExtra, match=r"pip install 'templcrawl\[markdown\]'"):
            TemplcrawlSettings.from_settings(Settings({"TEMPLCRAWL_ITEM_FIELDS": {name: "body"}}))
