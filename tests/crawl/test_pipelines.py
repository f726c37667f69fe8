"""Items that repeat an earlier one are dropped, in one run of a job and over several."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from scrapy.exceptions import DropItem, NotConfigured
from scrapy.utils.test import get_crawler

from lab.sites.server import LocalSite
from lab.sites.words import prose
from templcrawl import CrawlMemory, Page
from templcrawl.crawl import pipelines
from templcrawl.crawl.extension import TemplateMemory
from templcrawl.crawl.pipelines import NearDuplicatesPipeline, StripFieldsPipeline
from templcrawl.crawl.response_page import ItemPages
from templcrawl.memory.content_index import ContentIndex
from templcrawl.memory.observation import Observation
from templcrawl.memory.snapshots import written
from templcrawl.memory.store import ITEMS
from templcrawl.page.separation import Separation
from tests.crawl.crawls import ADDON, ONE_BY_ONE, Crawl, run_crawl
from tests.memory.stores import put_state, stored_state

DROP = {
    "TEMPLCRAWL_DROP_NEAR_DUPLICATES": True,
    "TEMPLCRAWL_ITEM_FIELDS": ["content_html", "content_text", "leaf_id"],
}
TEXT = prose("text", 300)
NEARLY = TEXT.replace(TEXT.split()[150], "changed")
Keeps = Callable[..., bool]


def pipeline(max_sketches: int = 1_000, **settings: Any) -> NearDuplicatesPipeline:
    memory = TemplateMemory(get_crawler(settings_dict={**DROP, **settings}))
    memory.memory.options = replace(memory.memory.options, max_sketches=max_sketches)
    return NearDuplicatesPipeline(memory)


@pytest.fixture
def subject() -> NearDuplicatesPipeline:
    return pipeline()


@pytest.fixture
def keeps(subject: NearDuplicatesPipeline) -> Keeps:
    """Says whether the pipeline keeps an item."""

    def keep(**item: Any) -> bool:
        try:
            return asyncio.run(subject.process_item(item)) is item
        except DropItem:
            return False

    return keep


def test_an_item_whose_text_is_that_of_an_earlier_one_or_nearly_is_dropped(
    subject: NearDuplicatesPipeline, keeps: Keeps
) -> None:
    assert keeps(url="https://example.org/1", content_text=TEXT)
    for text, how in ((TEXT, "repeats"), (NEARLY, "nearly repeats")):
        with pytest.raises(DropItem, match=f"its text {how} that of an earlier item: 2"):
            asyncio.run(subject.process_item({"url": "2", "content_text": text}))
    assert keeps(url="https://example.org/4", content_text=prose("another", 300))
    assert subject._stats.get_value("templcrawl/items/near_duplicates") == 2


def test_a_text_with_the_hash_of_another_displaces_no_item(keeps: Keeps, monkeypatch) -> None:
    """Short texts are compared by their hashes alone, over all hosts."""
    plain = pipelines.content_of_text
    monkeypatch.setattr(pipelines, "content_of_text", lambda text: plain(text)._replace(hash=7))
    assert keeps(url="https://evil.example/", content_text="made to have the hash")
    assert keeps(url="https://example.org/", content_text="of what stands here")
    assert not keeps(url="https://example.org/copy", content_text="of  what stands here")


def test_items_of_one_page_that_carry_its_text_are_kept(keeps: Keeps) -> None:
    for name in ("kettle", "pot", "cup"):
        assert keeps(url="https://example.org/shelf", name=name, content_text=TEXT)
    assert not keeps(url="https://example.org/other", content_text=TEXT)


def test_items_of_one_page_with_texts_of_their_own_are_each_compared(keeps: Keeps) -> None:
    other = prose("another", 300)
    assert keeps(url="https://example.org/shelf", content_text=TEXT)
    assert keeps(url="https://example.org/shelf", content_text=other)
    assert not keeps(url="https://example.org/shelf", content_text=NEARLY)
    assert not keeps(url="https://example.org/first", content_text=TEXT)
    assert not keeps(url="https://example.org/second", content_text=other)


def test_items_without_a_url_are_told_apart_also_from_those_before_a_pause(
    subject: NearDuplicatesPipeline, keeps: Keeps
) -> None:
    assert keeps(content_text=TEXT)
    assert not keeps(content_text=TEXT)
    assert keeps(content_text=prose("another", 300))
    resumed = pipeline()
    resumed._restore(written(subject._freeze()))
    with pytest.raises(DropItem):
        asyncio.run(resumed.process_item({"content_text": TEXT}))


def test_of_short_texts_only_copies_are_dropped(keeps: Keeps) -> None:
    assert keeps(url="a", content_text="A teapot, 12 coins")
    assert keeps(url="b", content_text="A teapot, 13 coins")
    assert not keeps(url="c", content_text="A  teapot,\n12 coins")


@pytest.mark.parametrize("item", [{}, {"content_text": ""}, {"content_text": " "}, {"content_text": None}])
def test_items_without_text_are_kept(keeps: Keeps, item: dict[str, Any]) -> None:
    assert keeps(url="a", **item)
    assert keeps(url="b", **item)


def test_items_that_lack_the_field_are_said_once(keeps: Keeps, caplog: pytest.LogCaptureFixture) -> None:
    for number in range(3):
        assert keeps(url=str(number))
    assert caplog.text.count("keeps items whose text is not known: they lack the field content_text") == 1


def test_what_was_dropped_is_no_text_that_later_items_repeat(keeps: Keeps) -> None:
    words = TEXT.split()
    kept = 0
    for number in range(0, len(words), 3):
        words[number] = f"changed{number}"
        kept += keeps(url=str(number), content_text=" ".join(words))
    assert 2 <= kept < len(words) / 6


def test_not_more_texts_are_remembered_than_the_option_says() -> None:
    subject = pipeline(max_sketches=2)
    for number in range(4):
        item = {"url": str(number), "content_text": prose(f"text {number}", 300)}
        asyncio.run(subject.process_item(item))
    assert len(subject._contents) == 2
    resumed = pipeline(max_sketches=2)
    resumed._restore(written(subject._freeze()))
    asyncio.run(resumed.process_item({"url": "4", "content_text": TEXT}))
    assert len(resumed._contents) == 2


def test_fields_are_stripped_by_their_own_and_what_is_no_html_is_left() -> None:
    names = ["body", "teaser"]
    subject = StripFieldsPipeline(
        TemplateMemory(get_crawler(settings_dict={"TEMPLCRAWL_STRIP_FIELDS": names}))
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


def test_an_error_of_ours_drops_nothing(
    subject: NearDuplicatesPipeline, keeps: Keeps, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    assert keeps(url="a", content_text=TEXT)
    monkeypatch.setattr(ContentIndex, "find", fail)
    assert keeps(url="b", content_text=TEXT)
    assert subject._stats.get_value("templcrawl/errors/ZeroDivisionError") == 1


def test_it_is_off_unless_it_is_asked_for() -> None:
    with pytest.raises(NotConfigured):
        pipeline(TEMPLCRAWL_DROP_NEAR_DUPLICATES=False)


def test_without_a_field_for_the_text_the_text_of_the_page_is_compared() -> None:
    """Items of one page pass, whatever addresses they carry; what comes from no page passes, too."""
    extension = TemplateMemory(
        get_crawler(settings_dict={**DROP, "TEMPLCRAWL_ITEM_FIELDS": {"content_html": "html"}})
    )
    subject, observations = NearDuplicatesPipeline(extension), []

    def keeps(address: str, text: str, **item: str) -> bool:
        observations.append(extension.memory.observe(Page(f"<p>{text}", address)))
        return passes(observations[-1], **item)

    def passes(observation: Observation | None, **fields: str) -> bool:
        item = dict(fields)
        if observation is not None:
            extension.item_pages.add(item, observation)
        try:
            return asyncio.run(subject.process_item(item)) is item
        except DropItem:
            return False

    assert keeps("https://example.org/list", TEXT, url="https://example.org/goods/1")
    assert passes(observations[-1], url="https://example.org/goods/2")
    assert not keeps("https://example.org/copy", TEXT, url="https://example.org/goods/3")
    assert passes(None, url="https://example.org/goods/4")


def test_the_page_of_an_item_is_known_until_it_is_done() -> None:
    pages, items = ItemPages(), [{"number": number} for number in range(40)]
    observations = [Observation(Separation(Page("<p>text", f"https://a.example/{n}"), ())) for n in range(40)]
    for item, observation in zip(items, observations):
        pages.add(item, observation)
        assert pages.get(item) is observation
    assert pages.get(dict(items[0])) is None  # equal, and another one
    assert pages.get(items[0]) is observations[0]
    del observation, observations[:-1]
    for item in items[:30]:
        assert pages.get(item) is None
        pages.add({}, observations[-1])
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


@pytest.mark.exhaustive
def test_what_cannot_be_read_back_is_reported_and_met_anew(site: LocalSite, tmp_path: Path) -> None:
    job = {**ADDON, **ONE_BY_ONE, **DROP, "JOBDIR": str(tmp_path / "job")}
    run_crawl("plain", site.url, tmp_path / "first", job)
    put_state(tmp_path / "job", ITEMS, stored_state(tmp_path / "job", ITEMS)[:-10])
    again = run_crawl("plain", site.url, tmp_path / "again", job)
    assert again.stats["templcrawl/errors/InvalidSnapshot"] == 1
    assert paths(again, site) == ["one/again", "three/again", "two/again"]
