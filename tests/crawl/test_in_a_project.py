"""One line in an existing project: responses stay as they are, items only gain, nothing is lost."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.sites.areas import words_of
from lab.sites.server import LocalSite
from tests.crawl.crawls import ADDON, DEMO_SITE, ONE_LINE, Crawl, demo_site_with_site_map, run_crawl

ADDED = {"content_html", "content_text", "leaf_id"}


@pytest.fixture(scope="module")
def site() -> Iterator[LocalSite]:
    with demo_site_with_site_map() as served:
        yield served


@pytest.fixture(scope="module")
def crawls(site: LocalSite, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Crawl]:
    """The same crawl without templcrawl, with it, and with its first line alone."""
    return {
        name: run_crawl("plain", site.url, tmp_path_factory.mktemp(name), settings)
        for name, settings in (
            ("without", {}),
            ("with", ADDON),
            ("first line", ONE_LINE),
        )
    }


def in_order(records: list) -> list:
    return sorted(records, key=str)


def test_responses_are_the_same_byte_for_byte(crawls: dict[str, Crawl]) -> None:
    assert len(crawls["without"].responses) > 140
    assert in_order(crawls["with"].responses) == in_order(crawls["without"].responses)


def test_items_are_the_same_but_for_the_fields_they_gain(crawls: dict[str, Crawl]) -> None:
    before = {(kind, item["url"]): item for kind, item in crawls["without"].items}
    after = {(kind, item["url"]): item for kind, item in crawls["with"].items}
    assert before.keys() == after.keys()
    for key, item in after.items():
        own = {name: value for name, value in before[key].items() if name not in ADDED}
        assert {name: value for name, value in item.items() if name not in ADDED} == own


def test_no_kind_of_item_gains_a_field_that_the_project_has_not_named(crawls: dict[str, Crawl]) -> None:
    alone = crawls["first line"]
    assert {kind for kind, _ in alone.items} >= {"PageItem", "LoadedItem", "AskingDict", "PydanticItem"}
    assert in_order(alone.items) == in_order(crawls["without"].items)
    assert alone.log.count("0 items stripped (TEMPLCRAWL_ITEM_FIELDS names no field);") == 1
    assert "(TEMPLCRAWL_ITEM_FIELDS names no field)" not in crawls["with"].log


def test_each_kind_of_item_gains_what_it_has_room_for(crawls: dict[str, Crawl]) -> None:
    path = "/news/article-30.html"
    found = {kind: item for kind, item in crawls["with"].items if item["url"].endswith(path)}
    text = found["dict"]["content_text"]
    page = DEMO_SITE.pages[path]
    kept = set(words_of(text))
    assert sum(word in kept for word in page.content_words) > 0.9 * len(page.content_words)
    assert "Back to the top" in page.html
    assert "Back to the top" not in text
    assert set(found["dict"]) == {"url", "title", *ADDED}
    assert found["ScrapyItem"] == {"url": found["dict"]["url"], "content_text": text}
    assert set(found["BareScrapyItem"]) == {"url"}
    assert {found["DataItem"][name] for name in ADDED} == {found["dict"][name] for name in ADDED}
    assert found["FrozenItem"]["content_text"] is None
    assert found["AttrsItem"]["leaf_id"] == found["dict"]["leaf_id"]
    assert found["PydanticItem"]["content_text"] == text
    assert found["OwnTextItem"]["content_text"] == "written by the spider"
    assert found["LoadedItem"]["content_html"] == found["dict"]["content_html"]
    assert found["AskingDict"]["content_text"] == text
    assert {found["PageItem"][name] for name in ADDED} == {found["dict"][name] for name in ADDED}


def test_what_was_done_is_said_and_counted(crawls: dict[str, Crawl]) -> None:
    stats, log = crawls["with"].stats, crawls["with"].log
    assert stats["templcrawl/pages"] == len(crawls["with"].responses)
    assert 6 <= stats["templcrawl/pages/near_duplicates"] <= 12  # of twelve print versions
    assert stats["templcrawl/links/template"] > 1000
    assert not [name for name in stats if name.startswith("templcrawl/errors")]
    assert log.count("templcrawl: the page reader is") == log.count("of the text is template") == 1
    assert log.count("Items of BareScrapyItem gain nothing") == 1
    assert log.count("yields several items, and each of them gets the text of the whole page") == 1
    assert " ERROR: " not in log


@pytest.mark.exhaustive
def test_switched_off_nothing_at_all_happens(
    crawls: dict[str, Crawl], site: LocalSite, tmp_path: Path
) -> None:
    off = run_crawl("plain", site.url, tmp_path, {**ADDON, "TEMPLCRAWL_ENABLED": False})
    without = crawls["without"]
    assert in_order(off.items) == in_order(without.items)
    assert in_order(off.responses) == in_order(without.responses)
    assert off.stats["queue"] == without.stats["queue"]
    assert not [name for name in off.stats if name.startswith("templcrawl")]
    assert "<class 'templcrawl" not in off.log


@pytest.mark.exhaustive
def test_a_spider_of_site_maps_works_alike(site: LocalSite, tmp_path: Path) -> None:
    without = run_crawl("map", site.url, tmp_path / "without", {})
    with_it = run_crawl("map", site.url, tmp_path / "with")
    assert len(with_it.items) > 30
    assert in_order(with_it.responses) == in_order(without.responses)
    assert set(with_it.texts()) == {item["url"] for _, item in without.items}


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "settings",
    [
        {"JOBDIR": "job", "TWISTED_REACTOR_ENABLED": False},
        {"JOBDIR": "job", "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.ScrapyPriorityQueue"},
    ],
    ids=lambda settings: "-".join(settings),
)
def test_the_same_pages_are_fetched_with_every_reactor_and_queue(
    settings: dict, crawls: dict[str, Crawl], site: LocalSite, tmp_path: Path
) -> None:
    settings = {name: str(tmp_path / "job") if name == "JOBDIR" else v for name, v in settings.items()}
    crawl = run_crawl("plain", site.url, tmp_path / "out", {**ADDON, **settings})
    assert in_order(crawl.responses) == in_order(crawls["without"].responses)
    assert " ERROR: " not in crawl.log
    is_ours = "SCHEDULER_PRIORITY_QUEUE" not in settings
    assert crawl.stats["queue"].startswith("templcrawl.") == is_ours
