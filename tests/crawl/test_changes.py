"""Two crawls of one site with a JOBDIR: what has changed is told, and what has not is dropped if wanted."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from shutil import rmtree
from typing import Any

import pytest
from scrapy.exceptions import DropItem, NotConfigured
from scrapy.utils.test import get_crawler

from lab.sites.server import LocalSite
from templcrawl import Page
from templcrawl.crawl.extension import CrawlExtension
from templcrawl.crawl.pipelines import SkipUnchangedPipeline
from tests.crawl.crawls import DEMO_SITE, ONE_BY_ONE, ONE_LINE, Crawl, run_crawl

FIELDS = ["content_text", "changed", "content_hash", "first_seen", "last_changed"]
ASKING = {**ONE_LINE, **ONE_BY_ONE, "TEMPLCRAWL_ITEM_FIELDS": FIELDS}
SKIPPING = {**ASKING, "TEMPLCRAWL_SKIP_UNCHANGED": True}
EDITED = [path for path, page in DEMO_SITE.pages.items() if page.kind == "article"][4]


class TwoDays:
    """The demo site; on its second day its menu has an entry more, and one article says more."""

    day = 1

    def html(self, path: str) -> str | None:
        html = DEMO_SITE.html(path)
        if html is None or self.day == 1:
            return html
        html = html.replace("</ul>", "<li><a href='/harbour/'>The harbour</a></li></ul>", 1)
        return html.replace("</h1>", "</h1><p>This was added to it.</p>", 1) if path == EDITED else html


def crawl(site: LocalSite, job: Path, output: Path, settings: dict[str, Any]) -> Crawl:
    """Crawl again: a job that is over begins anew without its queue, and keeps its memory."""
    rmtree(job / "requests.queue", ignore_errors=True)
    return run_crawl("plain", site.url, output, {**settings, "JOBDIR": str(job)})


def dicts(crawl: Crawl) -> dict[str, dict[str, Any]]:
    """Return the first item of each page; the start page is fetched twice."""
    return {item["url"]: item for kind, item in reversed(crawl.items) if kind == "dict"}


@pytest.fixture
def days() -> Iterator[tuple[TwoDays, LocalSite]]:
    days = TwoDays()
    with LocalSite(days.html) as site:
        yield days, site


@pytest.mark.exhaustive
def test_a_second_crawl_says_what_has_changed_and_a_third_that_nothing_has(
    days: tuple[TwoDays, LocalSite], tmp_path: Path
) -> None:
    content, site = days
    job = tmp_path / "job"
    first = crawl(site, job, tmp_path / "first", ASKING)
    assert first.stats["templcrawl/changes/new"] == len(dicts(first)) + 1 > 100
    assert "templcrawl/changes/same" not in first.stats
    content.day = 2
    second = crawl(site, job, tmp_path / "second", ASKING)
    counts = Counter(item["changed"] for item in dicts(second).values())
    edited = dicts(second)[site.url[:-1] + EDITED]
    assert edited["changed"] == "changed"
    assert edited["first_seen"] < edited["last_changed"]
    assert counts["changed"] <= 6
    assert counts["template only"] == len(dicts(second)) - counts["changed"]
    assert second.stats["templcrawl/changes/template_only"] == counts["template only"] + 1
    before, after = dicts(first), dicts(second)
    differ = {url for url in after if after[url]["content_hash"] != before[url]["content_hash"]}
    assert differ == {url for url, item in after.items() if item["changed"] == "changed"}
    third = crawl(site, job, tmp_path / "third", SKIPPING)
    assert dicts(third) == {}
    kinds = ("dict", "AskingDict", "PageItem")  # those of the shop that have room for ``changed``
    assert not {kind for kind, _ in third.items} & {*kinds}
    assert third.stats["templcrawl/items/unchanged"] == len(kinds) * third.stats["templcrawl/changes/same"]
    assert third.stats["templcrawl/changes/same"] == len(after) + 1
    for run in (first, second, third):
        assert " ERROR: " not in run.log


def skipping(**settings: Any) -> SkipUnchangedPipeline:
    return SkipUnchangedPipeline(CrawlExtension(get_crawler(settings_dict=settings)))


@pytest.mark.parametrize(
    ("skip", "dropped"),
    [(True, ["same"]), ("template only", ["same", "template only"])],
)
def test_items_of_unchanged_pages_alone_are_dropped(skip: object, dropped: list[str]) -> None:
    pipeline = skipping(TEMPLCRAWL_SKIP_UNCHANGED=skip, TEMPLCRAWL_ITEM_FIELDS={"changed": "state"})
    kept = {"new", "changed", None, "same", "template only"}.difference(dropped)
    for item in ({"url": "x"}, *({"state": state} for state in kept)):
        assert asyncio.run(pipeline.process_item(item)) is item
    for state in dropped:
        with pytest.raises(DropItem, match=r"page has not changed: https://a\.example/"):
            asyncio.run(pipeline.process_item({"url": "https://a.example/", "state": state}))
    assert pipeline._stats.get_value("templcrawl/items/unchanged") == len(dropped)


def test_without_a_field_items_go_by_their_page_and_gain_nothing() -> None:
    extension = CrawlExtension(get_crawler(settings_dict={"TEMPLCRAWL_SKIP_UNCHANGED": True}))
    pipeline = SkipUnchangedPipeline(extension)
    observed = extension.memory.observe(Page("<p>Nothing of this has changed", "https://a.example/1"))
    assert observed.change is not None
    for kind in ("new", "changed", "template only", "same"):
        item = {"name": "kettle"}
        page = replace(observed, said={**observed.said, "changed": kind})
        extension.item_pages.note(item, page)
        if kind == "same":
            with pytest.raises(DropItem, match=r"page has not changed: https://a\.example/1"):
                asyncio.run(pipeline.process_item(item))
        else:
            assert asyncio.run(pipeline.process_item(item)) is item
        assert item == {"name": "kettle"}


def test_the_pipeline_is_off_unless_asked_for() -> None:
    for settings in ({}, {"TEMPLCRAWL_SKIP_UNCHANGED": False}):
        with pytest.raises(NotConfigured):
            skipping(**settings)
