"""A focused crawl: pages on the topic come first, items say how relevant they are, errors stop nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import scrapy

from lab.sites.server import LocalSite
from templcrawl.crawl.extension import CrawlExtension
from templcrawl.crawl.mark import mark_link
from templcrawl.page.page import Page
from tests.crawl.crawls import ADDON, ONE_BY_ONE, PAGE_BY_PAGE, Crawl, run_crawl
from tests.crawl.test_priority_queue import queue_of

HERE = "lab.sites.shop.relevance"
FOCUS = {
    **ADDON,
    **ONE_BY_ONE,
    "TEMPLCRAWL_ORDER": "focus",
    "TEMPLCRAWL_ITEM_FIELDS": ["content_text", "relevance"],
}
PAGES = 60


def two_topics(path: str) -> str | None:
    """Two trees of pages, even and odd ones; only their texts say which are about wind, no address does.

    Page n leads to the next three pages of its own kind.
    """
    name = path.removeprefix("/page/")
    if path != "/" and not (name.isdigit() and int(name) < 2 * PAGES):
        return None
    number = int(name) if path != "/" else -1
    rank, kind = divmod(number, 2)
    targets = [0, 1] if number < 0 else [2 * (3 * rank + child) + kind for child in (1, 2, 3)]
    links = "".join(f"<li><a href=/page/{n}>Page {n}</a>" for n in targets if n < 2 * PAGES)
    words = " ".join(f"{'wind' if kind == 0 else 'calm'} {number} {place}" for place in range(20))
    return f"<html><body><h1>{path}</h1><p>{words}</p><ul>{links}</ul></body></html>"


def crawl_two_topics(output: Path, **settings: object) -> tuple[Crawl, list[str]]:
    with LocalSite(two_topics) as site:
        crawl = run_crawl("plain", site.url, output, {**FOCUS, **settings})
    return crawl, site.targets


def on_topic(paths: list[str]) -> int:
    return sum(path != "/" and int(path.removeprefix("/page/")) % 2 == 0 for path in paths)


@pytest.fixture(scope="module")
def focused(tmp_path_factory: pytest.TempPathFactory) -> tuple[Crawl, list[str]]:
    output = tmp_path_factory.mktemp("focused")
    return crawl_two_topics(output, **PAGE_BY_PAGE, TEMPLCRAWL_RELEVANCE=f"{HERE}.wind")


def test_pages_on_the_topic_come_first_and_none_is_left_out(
    focused: tuple[Crawl, list[str]], tmp_path: Path
) -> None:
    _, paths = focused
    _, as_found = crawl_two_topics(tmp_path, TEMPLCRAWL_ORDER="off", TEMPLCRAWL_ITEM_FIELDS=[])
    assert len(paths) == len(set(paths)) == 2 * PAGES + 1
    assert set(paths) == set(as_found)
    assert on_topic(as_found[: PAGES + 1]) < 0.7 * PAGES < 0.95 * PAGES < on_topic(paths[: PAGES + 1])


MENU = [f"/menu/{name}" for name in "abcd"]


def two_topics_with_a_menu(path: str) -> str | None:
    """The same, with a menu on each page; what it leads to is on the topic."""
    body = f"<html><body><p>{'wind ' * 20}{path}</p></body></html>" if path in MENU else two_topics(path)
    links = "".join(f"<li><a href={target}>{target}</a>" for target in MENU)
    return body and body.replace("<body>", f"<body><nav><ul>{links}</ul></nav>")


def test_the_distiller_lets_links_of_templates_wait_and_pages_on_the_topic_come_first(tmp_path: Path) -> None:
    settings = {"TEMPLCRAWL_ORDER": "distiller", "TEMPLCRAWL_RELEVANCE": f"{HERE}.wind"}
    with LocalSite(two_topics_with_a_menu) as site:
        run_crawl("plain", site.url, tmp_path, {**FOCUS, **PAGE_BY_PAGE, **settings})
    paths = site.targets
    assert len(paths) == len(set(paths)) == 2 * PAGES + 1 + len(MENU)
    assert paths[-3:] == MENU[1:], "the first of them may leave before a second page shows that it is a menu"
    others = [path for path in paths if path not in MENU]
    assert on_topic(others[: PAGES + 1]) > 0.95 * PAGES


def test_items_stats_and_log_say_how_relevant_pages_were(focused: tuple[Crawl, list[str]]) -> None:
    crawl, _ = focused
    items = [item for kind, item in crawl.items if kind == "dict"]
    told = {item["url"].rpartition("/")[2]: item["relevance"] for item in items}
    assert all((relevance >= 0.5) == (name != "" and int(name) % 2 == 0) for name, relevance in told.items())
    assert crawl.stats["templcrawl/focus/relevant"] == PAGES
    assert (
        f"harvest rate {PAGES / (2 * PAGES + 1):.3f}; relevant pages: {PAGES} of {2 * PAGES + 1}" in crawl.log
    )
    assert re.search(r"relevant pages: (\d+) of the last 100, \1 of all 100\b", crawl.log)
    assert "TemplatePriorityQueue" in crawl.stats["queue"]
    assert " ERROR: " not in crawl.log


@pytest.mark.exhaustive
def test_with_a_scheduler_of_ones_own_it_works_as_well(tmp_path: Path) -> None:
    own = "lab.sites.shop.components.OwnScheduler"
    crawl, paths = crawl_two_topics(tmp_path, SCHEDULER=own, TEMPLCRAWL_RELEVANCE=f"{HERE}.says_wind")
    assert len(paths) == len(set(paths)) == 2 * PAGES + 1
    assert " ERROR: " not in crawl.log


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("function", "error", "finds_pages"),
    [
        ("failing", "RuntimeError", False),
        ("nonsense", "InvalidOption", False),
        ("fails_on_links", "RuntimeError", True),
    ],
)
def test_a_function_that_fails_is_counted_and_the_crawl_goes_on(
    function: str, error: str, finds_pages: bool, tmp_path: Path
) -> None:
    crawl, paths = crawl_two_topics(tmp_path, TEMPLCRAWL_RELEVANCE=f"{HERE}.{function}")
    assert len(paths) == len(set(paths)) == 2 * PAGES + 1
    assert crawl.stats[f"templcrawl/errors/{error}"] >= 2 * PAGES
    items = [item for kind, item in crawl.items if kind == "dict"]
    assert (max(item["relevance"] for item in items) >= 0.5) == finds_pages
    assert ("none of the first 100 pages is on the topic" not in crawl.log) == finds_pages
    assert all("content_text" in item for item in items)


def links_of(host: str, *paths: str) -> str:
    return "<ul>" + "".join(f"<li><a href=http://{host}/{path}>{path}</a>" for path in paths) + "</ul>"


def test_a_waiting_link_rises_when_its_pagelet_leads_to_the_topic() -> None:
    """Two hosts with a list of links each: the one whose first page is about the topic comes first."""
    topic = {"TEMPLCRAWL_ORDER": "focus", "TEMPLCRAWL_RELEVANCE": f"{HERE}.wind"}
    queue = queue_of(**topic, **ONE_BY_ONE)
    memory = queue.crawler.get_extension(CrawlExtension)
    paths = {"a.example": ["1", "2", "3"], "b.example": ["4", "5", "6"]}
    for host in paths:
        memory.memory.observe(Page(links_of(host, *paths[host]), f"http://{host}/"))
    for host in paths:
        for path in paths[host]:
            waiting = scrapy.Request(f"http://{host}/{path}")
            mark_link(waiting, host)
            queue.push(waiting)
    taken = [queue.pop().url for _ in range(2)]
    assert taken == ["http://a.example/1", "http://b.example/4"]
    memory.memory.observe(Page("<p>All calm here.", taken[0]))
    memory.memory.observe(Page("<p>" + "Of wind. " * 9 + links_of("b.example", "7"), taken[1]))
    found = scrapy.Request("http://b.example/7")
    mark_link(found, "b.example")
    queue.push(found)
    left = [queue.pop().url[-1] for _ in range(5)]
    assert (left[:3], left[3:]) == (["7", "5", "6"], ["2", "3"])
    assert queue.pop() is None
