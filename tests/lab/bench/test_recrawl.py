"""The benchmark of crawls that are run again, on two or three small versions of a site."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lab.bench import recrawl
from lab.bench.crawl import Crawled, Pages, crawl
from lab.bench.recrawl import ORDERS, Version, crawl_versions, dated_versions, living_versions
from lab.sites.living import FIRST, WEEK
from tests.lab.bench.site_repositories import git

pytestmark = pytest.mark.exhaustive

SMALL = {"posts": 12, "chapters": 4}


def small_versions(count: int, name: str = "living") -> list[Version]:
    """Return some of the first versions in which something is new or has changed."""
    versions = [version for version in living_versions(name, 2 * count, **SMALL) if version.gold]
    return versions[:count]


@pytest.fixture
def crawls(monkeypatch: pytest.MonkeyPatch) -> list[Crawled]:
    """All crawls that the benchmark does."""
    done: list[Crawled] = []

    def noted(*arguments: Any, **options: Any) -> Crawled:
        done.append(crawl(*arguments, **options))
        return done[-1]

    monkeypatch.setattr(recrawl, "crawl", noted)
    return done


def test_first_in_first_out_finds_what_has_changed_when_it_comes_breadth_first() -> None:
    versions = small_versions(3)
    found = [*crawl_versions("living", iter(versions), {"fifo": ORDERS["fifo"]}, 1)]
    assert [one.number for one in found] == [1, 2]
    for one, version in zip(found, versions[1:]):
        whole = version.addresses
        places = sorted(whole.index(url) + 1 for url in version.gold)
        ninety = next(place for rank, place in enumerate(places, 1) if rank >= 0.9 * len(places))
        assert one.until == [ninety / len(whole), places[-1] / len(whole)]
        assert (one.found, one.requests, one.lost) == (1.0, 1.0, 0)
        assert one.changed == len(version.gold) / len(version.pages.bodies)


def test_memory_and_time_last_from_version_to_version(crawls: list[Crawled]) -> None:
    settings = {**ORDERS["adaptive"], "TEMPLCRAWL_ITEM_FIELDS": ["changed"]}
    versions = small_versions(2)
    [*crawl_versions("living", iter(versions), {"adaptive": settings}, 16)]
    first, second = crawls
    assert "templcrawl/changes/same" not in first.stats
    assert second.stats["templcrawl/changes/changed"] >= len(
        versions[1].gold & versions[0].pages.bodies.keys()
    )
    for number, crawled in enumerate(crawls):
        since = crawled.responses[0]["at"] - (FIRST + number * WEEK).timestamp()
        assert 0 <= since < WEEK.total_seconds() / 2


def test_what_a_crawl_leaves_out_is_not_found_and_is_lost_until_it_is_fetched() -> None:
    """The last crawl is a whole one: the settings of an order say when the others end."""
    start, pages = "http://living.example/", "abcdef"
    urls = [start, *(start + page for page in pages)]
    bodies = dict.fromkeys(urls, "<p>Tea</p>")
    versions = [
        Version(Pages([start], bodies, {start: urls[1:], **dict.fromkeys(urls[1:], ())}), gold, FIRST)
        for gold in (frozenset(urls), frozenset({urls[1], urls[6]}), frozenset({urls[6]}), frozenset[str]())
    ]
    ending = {**ORDERS["fifo"], "CLOSESPIDER_PAGECOUNT": 3}
    second, third, last = crawl_versions("living", iter(versions), {"ending": ending}, 1)
    assert (second.found, second.until, second.lost) == (0.5, [1.0, 1.0], 1)
    assert (third.found, third.until, third.lost) == (0.0, [1.0, 1.0], 2)
    assert (last.found, last.until, last.lost) == (None, [None, None], 3)
    assert second.requests < 1


def test_a_page_that_has_not_been_modified_is_answered_304() -> None:
    first, second = small_versions(2, "living-true")
    headers = {"USER_AGENT": "tea", "DEFAULT_REQUEST_HEADERS": {"If-None-Match": f'"{FIRST:%Y-%m-%d}"'}}
    pages = Pages(sorted(second.pages.bodies), second.pages.bodies, {}, second.pages.headers)
    crawled = crawl(pages, headers, warm_up=False)
    assert {*crawled.pages} == second.gold
    assert len(crawled.responses) == len(second.pages.bodies)
    assert {response["status"] for response in crawled.responses} == {200, 304}
    assert first.gold == first.pages.bodies.keys()


def test_versions_of_a_bundle_have_the_pages_of_their_tags(tmp_path: Path) -> None:
    def page(text: str) -> str:
        return f"<p>Menu</p><main>{text} <a href=/b.html>b</a> <a href=c.html>c</a></main>"

    contents: Iterator[dict[str, str]] = iter(
        (
            {"index.html": page("Tea"), "b.html": page("Cup"), "lone.html": page("None")},
            {"index.html": "<p>Banner</p>" + page("Tea"), "b.html": page("Pot"), "c.html": page("Jar")},
        )
    )
    source = tmp_path / "source"
    source.mkdir()
    git(source, "init", "--quiet")
    for number, files in enumerate(contents):
        for path, html in files.items():
            (source / path).write_text(html, encoding="utf-8")
        git(source, "add", "--all")
        git(source, "commit", "--quiet", "--message", "a version")
        git(source, "tag", f"v{number}")
    git(source, "bundle", "create", str(tmp_path / "tea.bundle"), "--all")
    about = {"start": "index.html", "hosts": ["tea.example"], "content": ["//main"]}
    about["snapshots"] = [["2020-01-01", 2], ["2020-02-01", 3]]
    (tmp_path / "dated.json").write_text(json.dumps({"tea": about}), encoding="utf-8")
    first, second = dated_versions(tmp_path, "tea", about)
    index, b, c = (f"http://tea.example/{path}" for path in ("index.html", "b.html", "c.html"))
    assert first.addresses == [index, b]
    assert first.gold == {index, b}
    assert second.addresses == [index, b, c]
    assert second.gold == {b, c}
    assert second.at.isoformat() == "2020-02-01T00:00:00+00:00"
