"""Observations as dependencies of callbacks and page objects, in a real crawl with scrapy-poet."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.crawl.crawls import ONE_LINE, demo_site_with_site_map, run_crawl

ASKING = {
    "ADDONS": {**ONE_LINE["ADDONS"], "scrapy_poet.Addon": 300},
    "SCRAPY_POET_PROVIDERS": {"templcrawl.crawl.poet_provider.ObservationProvider": 500},
    "SPIDER_MODULES": ["lab.sites.shop.page_objects"],
    "CONCURRENT_REQUESTS": 1,
    "HTTPCACHE_ENABLED": False,
}


def test_a_callback_and_a_page_object_are_given_what_was_observed(tmp_path: Path) -> None:
    pytest.importorskip("scrapy_poet")
    with demo_site_with_site_map() as site:
        crawl = run_crawl("asking", site.url, tmp_path, ASKING)
    items = {str(item["url"]).rpartition("/")[2]: item for _, item in crawl.items}
    assert {*items} == {"article-1.html", "article-2.html", "sitemap.xml"}
    for name in ("article-1.html", "article-2.html"):
        item = items[name]
        assert item["leaf_id"].startswith("127.0.0.1")
        assert item["text"] == item["text_of_article"]
        assert "Calendar" not in item["text"]
        assert len(item["text"]) > 500
    assert items["sitemap.xml"]["leaf_id"] == ""
    assert "news/article-1.html" in items["sitemap.xml"]["text"]
