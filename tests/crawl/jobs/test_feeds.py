"""A page is done once the target of the feed has its items: in a local file early, in others at their end."""

from __future__ import annotations

import json
from importlib.util import find_spec
from typing import Any

import pytest
import scrapy

from tests.crawl.fed_crawls import FEEDS
from tests.crawl.small_crawls import URLS, in_new_process

EARLY = {"jsonlines", "json", "csv", "xml"} | ({"in batches"} if scrapy.version_info >= (2, 18) else set())
"""Before 2.18 Scrapy stores all batches at the end."""


@pytest.fixture(scope="module")
def crawls(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    names = [name for name in FEEDS if name != "parquet" or find_spec("pyarrow")]
    found: dict[str, dict[str, Any]] = in_new_process(
        "crawl.fed_crawls", str(tmp_path_factory.mktemp("feeds")), json.dumps(names)
    )
    return found


@pytest.mark.parametrize("name", FEEDS)
def test_no_page_is_done_before_its_items_are_in_the_feed(
    name: str, crawls: dict[str, dict[str, Any]]
) -> None:
    if name == "parquet":
        pytest.importorskip("pyarrow")
    crawl = crawls[name]
    assert (crawl["reason"], {*crawl["fetched"]}, crawl["errors"]) == ("finished", {*URLS}, {})
    for done, fed in crawl["commits"]:
        assert {*done} <= {*fed}
    was_early = any(0 < len(done) < len(URLS) for done, _ in crawl["commits"])
    assert was_early == (name in EARLY)
    assert {*crawl["left"]} == ({*URLS} if name == "failing" else set())
