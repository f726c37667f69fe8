"""Items that repeat an earlier one are dropped, in one run of a job and over several."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from scrapy.exceptions import DropItem, NotConfigured
from scrapy.utils.test import get_crawler

from lab.sites.server import LocalSite
from lab.sites.words import prose
from templcrawl import CrawlMemory, Page
from templcrawl.crawl.extension import CrawlExtension
from templcrawl.crawl.pipelines import NearDuplicatesPipeline, StripFieldsPipeline
from templcrawl.crawl.response_page import ItemPages
from templcrawl.memory.observation import Observation
from templcrawl.page.separation import Separation
from tests.crawl.crawls import ADDON, ONE_BY_ONE, Crawl, run_crawl

DROP = {
    "TEMPLCRAWL_DROP_NEAR_DUPLICATES": True,
    "TEMPLCRAWL_ITEM_FIELDS": ["content_text", "near_duplicate"],
}


def pipeline(**settings: Any) -> NearDuplicatesPipeline:
    return NearDuplicatesPipeline(CrawlExtension(get_crawler(settings_dict={**DROP, **settings})))


def keeps(subject: NearDuplicatesPipeline, **item: Any) -> bool:
    """Say whether the pipeline keeps an item."""
    try:
        return asyncio.run(subject.process_item(item)) is item
    except DropItem:
        return False


def test_items_of_pages_that_repeat_another_are_dropped_and_no_others() -> None:
    subject = pipeline()
    with pytest.raises(DropItem, match="its page repeats an earlier one: a"):
        asyncio.run(subject.process_item({"url": "a", "near_duplicate": True}))
    assert subject._stats.get_value("templcrawl/items/near_duplicates") == 1
    for value in (False, None, 1, "yes"):
        assert keeps(subject, url="a", near_duplicate=value)
    assert keeps(subject, url="a")
    assert not keeps(pipeline(TEMPLCRAWL_ITEM_FIELDS={"near_duplicate": "copy"}), copy=True)


def test_fields_are_stripped_by_their_own_and_what_is_no_html_is_left() -> None:
    names = ["body", "teaser"]
    subject = StripFieldsPipeline(
        CrawlExtension(get_crawler(settings_dict={"TEMPLCRAWL_STRIP_FIELDS": names}))
    )
    menu = "<ul><li><a href=/a>Tea</a><li><a href=/b>Cups</a><li><a href=/c>Pots</a></ul>"

    def stripped(number: int, **fields: object) -> Any:
        return asyncio.run(subject.process_item({"url": f"http://a.example/{number}", **fields}))

    for number in range(3):
        last = stripped(number, body=f"{menu}<p>Words of page {number}.</p>", teaser=None)
    assert ("Tea" in last["body"], "page 2" in last["body"]) == (False, True)
    first = stripped(9, body=["<p>no text"], teaser=f"{menu}<p>Words.</p>")
    assert first["body"] == ["<p>no text"]
    assert (
        first["teaser"]
        == CrawlMemory().observe(Page(f"{menu}<p>Words.</p>", "http://a.example/9")).content_html
    )
    stats = subject._stats.get_stats()
    assert stats["templcrawl/fields/stripped"] == 4
    assert not [name for name in stats if name.startswith("templcrawl/errors")]


def test_it_is_off_unless_it_is_asked_for() -> None:
    with pytest.raises(NotConfigured):
        pipeline(TEMPLCRAWL_DROP_NEAR_DUPLICATES=False)


def test_without_a_field_for_it_items_go_by_their_page() -> None:
    """Items of one page pass, whatever addresses they carry; what comes from no page passes, too."""
    extension = CrawlExtension(
        get_crawler(settings_dict={**DROP, "TEMPLCRAWL_ITEM_FIELDS": {"content_html": "html"}})
    )
    subject, observations = NearDuplicatesPipeline(extension), []
    text = prose("text", 300)

    def keeps(address: str, text: str, **item: str) -> bool:
        observations.append(extension.memory.observe(Page(f"<p>{text}", address)))
        return passes(observations[-1], **item)

    def passes(observation: Observation | None, **fields: str) -> bool:
        item = dict(fields)
        if observation is not None:
            extension.item_pages.note(item, observation)
        try:
            return asyncio.run(subject.process_item(item)) is item
        except DropItem:
            return False

    assert keeps("https://example.org/list", text, url="https://example.org/goods/1")
    assert passes(observations[-1], url="https://example.org/goods/2")
    assert not keeps("https://example.org/copy", text, url="https://example.org/goods/3")
    assert passes(None, url="https://example.org/goods/4")


def test_the_page_of_an_item_is_known_until_it_is_done() -> None:
    pages, items = ItemPages(), [{"number": number} for number in range(40)]
    observations = [Observation(Separation(Page("<p>text", f"https://a.example/{n}"), ())) for n in range(40)]
    for item, observation in zip(items, observations):
        pages.note(item, observation)
        assert pages.get(item) is observation
    assert pages.get(dict(items[0])) is None  # equal, and another one
    assert pages.get(items[0]) is observations[0]
    del observation, observations[:-1]
    for item in items[:30]:
        assert pages.get(item) is None
        pages.note({}, observations[-1])
    assert len(pages) <= 40
    assert pages.get(items[-1]) is observations[-1]


PAGES = {path: f"<title>{path}</title><p>{prose(path, 200)}" for path in ("/one", "/two", "/three")}


@pytest.fixture
def site() -> Iterator[LocalSite]:
    """A front page and three pages; asked for again, the front page leads to copies of them too."""

    def answer(path: str) -> str | None:
        if path != "/":
            return PAGES.get(path.removesuffix("/again"))
        ends = ["", "/again"] if served.targets.count("/") > 1 else [""]
        return "".join(f"<a href='{page}{end}'>{page}{end}</a>" for page in PAGES for end in ends)

    with LocalSite(answer) as served:
        yield served


def paths(crawl: Crawl, site: LocalSite) -> list[str]:
    """Return which pages have an item with a text of its own."""
    kept = {item["url"].removeprefix(site.url) for kind, item in crawl.items if kind == "dict"}
    return sorted(kept - {""})


def test_what_was_met_before_a_pause_is_known_after_it(site: LocalSite, tmp_path: Path) -> None:
    job = {**ADDON, **ONE_BY_ONE, **DROP, "JOBDIR": str(tmp_path / "job")}
    first = run_crawl("plain", site.url, tmp_path / "first", job)
    assert paths(first, site) == ["one", "three", "two"]
    again = run_crawl("plain", site.url, tmp_path / "again", job)
    assert "/one/again" in site.targets
    assert paths(again, site) == []
    assert " ERROR: " not in first.log + again.log
