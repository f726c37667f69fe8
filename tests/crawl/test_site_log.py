"""What the log says of sites: which are spent, and which links look endless or generated.

A site that is spent is reported; where that is asked for, its links are not sent, and none is lost.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy.statscollectors import MemoryStatsCollector
from scrapy.utils.test import get_crawler

from lab.sites.server import LocalSite
from templcrawl.crawl.part import Crawl
from templcrawl.crawl.parts.stats import BarePages
from templcrawl.crawl.parts.stop import TrapLog
from templcrawl.crawl.settings import TemplcrawlSettings
from templcrawl.crawl.waiting import OurQueues
from templcrawl.memory.crawl_memory import CrawlMemory
from templcrawl.page.page import Page
from tests.crawl.crawls import ADDON, NO_REACTOR, ONE_BY_ONE, listings, run_crawl
from tests.parts import exhaustive_but

ARTICLES, COPIES = 45, 120
PAGES = 1 + ARTICLES + COPIES
SETTINGS = {**ADDON, **ONE_BY_ONE}
ADVICE = re.compile(
    r"127.0.0.1:\d+: the last 30 pages brought (\d+) % of .* on average; ([\d,]+) links? waits?"
)
site_of_copies = listings(article=range(ARTICLES), copy=range(COPIES))


def test_a_site_whose_last_pages_paid_nothing_is_reported_once(tmp_path: Path) -> None:
    with LocalSite(site_of_copies) as site:
        crawl = run_crawl("plain", site.url, tmp_path, SETTINGS)
    assert len(set(site.targets)) == len(site.targets) == PAGES
    assert crawl.stats["templcrawl/stop/advised"] == 1
    ((share, waiting),) = ADVICE.findall(crawl.log)
    assert int(share) < 10
    assert 0 < int(waiting) < COPIES
    assert " ERROR: " not in crawl.log


@pytest.mark.exhaustive
def test_of_a_site_that_pays_to_the_end_nothing_is_reported(tmp_path: Path) -> None:
    with LocalSite(listings(article=range(PAGES // 2))) as site:
        crawl = run_crawl("plain", site.url, tmp_path, SETTINGS)
    assert len(site.targets) == 1 + PAGES // 2
    assert "templcrawl/stop/advised" not in crawl.stats
    assert "the last 30 pages" not in crawl.log


@pytest.mark.parametrize(
    ("in_flight", "then", "more"), exhaustive_but([(1, False, {})], [(1, False, {}), (8, True, NO_REACTOR)])
)
def test_a_site_that_is_stopped_keeps_its_links_in_the_job(
    in_flight: int, then: bool, more: dict[str, object], tmp_path: Path
) -> None:
    """A resumed crawl fetches them all; where it stops again, it has looked at 30 more."""
    settings = {**SETTINGS, **more, "JOBDIR": str(tmp_path / "job"), "CONCURRENT_REQUESTS": in_flight}
    with LocalSite(site_of_copies) as site:
        crawl = run_crawl("plain", site.url, tmp_path, {**settings, "TEMPLCRAWL_STOP": True})
        first = {*site.targets}
        again = run_crawl("plain", site.url, tmp_path, {**settings, "TEMPLCRAWL_STOP": then})
    assert crawl.stats["finish_reason"] == "templcrawl_stop"
    assert sum(path.startswith("/article/") for path in first) + 1 > ARTICLES
    assert len(first) < PAGES - 30
    assert crawl.stats["templcrawl/stop/skipped"] == PAGES - len(first)
    assert f"did not fetch {PAGES - len(first)} links of 1 site" in crawl.log
    if then:
        assert again.stats["finish_reason"] == "templcrawl_stop"
        assert len(first) + 29 <= len({*site.targets}) < PAGES
    else:
        assert again.stats["finish_reason"] == "finished"
        assert len({*site.targets}) == PAGES
        assert "templcrawl/stop/skipped" not in again.stats
    assert len(site.targets) == len({*site.targets}) + 1, "the start page alone is fetched twice"
    assert " ERROR: " not in crawl.log + again.log


@pytest.mark.exhaustive
def test_a_queue_of_the_project_stops_nothing_and_the_log_says_so_but_not_how_many_wait(
    tmp_path: Path,
) -> None:
    own = {"SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.ScrapyPriorityQueue", "TEMPLCRAWL_STOP": True}
    with LocalSite(site_of_copies) as site:
        crawl = run_crawl("plain", site.url, tmp_path, {**SETTINGS, **own})
    assert len(site.targets) == PAGES
    assert "TEMPLCRAWL_STOP has no effect" in crawl.log
    assert re.search(
        r"the last 30 pages brought \d+ % of the new text that its pages brought on average\n", crawl.log
    )


FEW = {**SETTINGS, "CLOSESPIDER_PAGECOUNT": 150}
LINE = re.compile(r"links like http://.*/days/\d+/ look endless: 60 pages .* 0 new words .*, and (\d+) li")


def html(*parts: str) -> str:
    return f"<html><body>{''.join(parts)}</body></html>"


def listed(name: str, links: list[str]) -> str:
    return f"<ul class={name}>{''.join(f'<li><a href={link}>{link}</a>' for link in links)}</ul>"


def site_with_days(path: str) -> str:
    """Articles, each of which leads home and to three days; a day leads to three later ones."""
    kind, number = re.fullmatch(r"/(?:(article|days)/(\d+)/)?", path).groups()  # type: ignore[union-attr]
    first = int(number or 0)
    articles = [f"/article/{n}/" for n in range(30)] if kind is None else ["/"] * (kind == "article")
    days = [f"/days/{first * (20 if kind == 'article' else 3) + n}/" for n in (1, 2, 3)]
    words = " ".join(f"{path} word {n}" for n in range(90)) if kind == "article" else f"day {number}"
    return html("<p>", words, "</p>", listed("articles", articles), listed("days", days))


@pytest.mark.parametrize("order", exhaustive_but(["adaptive"], ["adaptive", "template"]))
def test_an_endless_calendar_is_reported_once_in_an_order_that_goes_by_pay(
    order: str, tmp_path: Path
) -> None:
    with LocalSite(site_with_days) as site:
        crawl = run_crawl("plain", site.url, tmp_path, {**FEW, "TEMPLCRAWL_ORDER": order})
    assert " ERROR: " not in crawl.log
    if order == "template":
        assert "look endless" not in crawl.log
        return
    assert crawl.log.count("look endless") == crawl.stats["templcrawl/links/endless"] == 1
    (waiting,) = LINE.findall(crawl.log)
    assert int(waiting) > 30


def site_with_maze(path: str) -> str:
    """Articles with a menu, each of which leads into a maze; a page of the maze leads to three of its own."""
    kind, name = re.fullmatch(r"/(?:(article|maze)/([\d-]+)/)?", path).groups()  # type: ignore[union-attr]
    articles = [f"/article/{n}/" for n in range(30)] if kind is None else []
    maze = [f"/maze/{name}-{n}/" for n in (1, 2, 3)] if kind is not None else []
    words = " ".join(f"{path} word {n}" for n in range(90))
    top = listed("menu", ["/", "/article/0/"]) if kind != "maze" else ""
    return html(top, "<p>", words, "</p>", listed("ways", [*articles, *maze]))


def test_a_maze_whose_pages_pay_and_lead_nowhere_but_on_is_reported_once(tmp_path: Path) -> None:
    with LocalSite(site_with_maze) as site:
        crawl = run_crawl("plain", site.url, tmp_path, FEW)
    assert crawl.log.count("look generated") == crawl.stats["templcrawl/links/generated"] == 1
    assert re.search(r"links like http://.*/maze/\S+ look generated", crawl.log)
    of_maze = sum(path.startswith("/maze/") for path in site.targets)
    assert of_maze / 2 < crawl.stats["templcrawl/pages/generated"] <= of_maze - 9
    assert "look endless" not in crawl.log
    assert " ERROR: " not in crawl.log


def test_a_trap_that_links_of_two_roles_lead_into_is_reported_once_by_its_leaf() -> None:
    """Pages of two directories, found in a list of their own each."""
    memory = CrawlMemory(sample_salt=0, link_evidence=True)
    crawler = get_crawler()
    queues: Any = SimpleNamespace(waiting=lambda request: 100)
    log = TrapLog(Crawl(crawler, TemplcrawlSettings(), memory, None, queues))
    folders = ("maze", "halls")
    for name in ["", *(f"/{folder}/{number}" for number in range(1, 40) for folder in folders)]:
        lists = (listed(folder, [f"/{folder}{name}/{n}" for n in range(3)]) for folder in folders)
        words = " ".join(f"{name} word {n}" for n in range(90))
        page = Page.from_html(html("<title>x</title><p>", words, "</p>", *lists), f"http://a.example{name}/")
        log.page_observed(*NOTHING, memory.observe(page))
    assert crawler.stats is not None
    assert crawler.stats.get_value("templcrawl/links/generated") == 1
    assert crawler.stats.get_value("templcrawl/pages/generated") > 30


NOTHING: tuple[Any, Any] = (None, None)  # a request and its response

APP = (
    "<title>{0}</title><script src=/app.js></script><body><noscript>Switch scripts on</noscript><div id=root>"
)
SHELL = "<script src=/app.js></script><nav>Harbour, boats, tides, crew, contact, opening hours, imprint</nav>"
WRITTEN = "<script src=/count.js></script><p>" + " ".join(f"word{{0}}x{n}" for n in range(30))
PICTURE = "<img src=/{0}.jpg><p>Plate {0}"
DATA = '<script type="application/ld+json">{{"name": "{0}"}}</script><p>Plate {0}'


def counted_pages(sites: Mapping[str, Sequence[str]]) -> tuple[list[str], int]:
    """Observe pages of sites, host -> their HTML; return the warnings, and how many pages were counted."""
    crawler = get_crawler()
    crawler.stats = MemoryStatsCollector(crawler)
    memory = CrawlMemory(sample_salt=0)
    pages: Any = BarePages(Crawl(crawler, TemplcrawlSettings(), memory, None, OurQueues(crawler)))
    warnings: list[str] = []
    pages._log = SimpleNamespace(warning=lambda message, *values: warnings.append(message % values))
    for host, kinds in sites.items():
        for number, html in enumerate(kinds):
            pages.page_observed(
                *NOTHING, memory.observe(Page(html.format(number), f"http://{host}/{number}"))
            )
    pages.close("finished")
    return warnings, crawler.stats.get_value("templcrawl/pages/without_text", 0)


@pytest.mark.parametrize(
    ("kinds", "bare"),
    [
        ([APP], 1),
        (8 * [APP], 8),
        (8 * [APP] + 2 * [WRITTEN], 8),
        ([WRITTEN] + 9 * [SHELL], 9),  # what all pages have is no text of their own
        (60 * [APP], 60),
    ],
)
def test_a_site_that_a_browser_assembles_is_warned_of_once(kinds: list[str], bare: int) -> None:
    (warning,), counted = counted_pages({"a.example": kinds, "b.example": 5 * [WRITTEN]})
    assert counted == bare
    told = (20, 20) if bare == 60 else (bare, len(kinds))
    assert warning.startswith(f"a.example: {told[0]} of its {told[1]} pages have scripts and next to no text")
    assert "scrapy-playwright" in warning


@pytest.mark.parametrize(
    "kinds",
    [8 * [WRITTEN], 8 * [PICTURE], 8 * [DATA], 7 * [APP] + 3 * [WRITTEN], 30 * [WRITTEN] + 20 * [APP]],
)
def test_of_a_site_with_text_or_without_scripts_nothing_is_said(kinds: list[str]) -> None:
    warnings, counted = counted_pages({"a.example": kinds})
    assert warnings == []
    assert counted == kinds.count(APP)


def test_of_many_sites_that_a_browser_assembles_the_first_have_a_line() -> None:
    warnings, counted = counted_pages({f"h{number}.example": (number + 1) * [APP] for number in range(13)})
    assert counted == sum(range(14))
    *lines, last = warnings
    assert [line.partition(".")[0] for line in lines] == [f"h{number}" for number in range(12, 2, -1)]
    assert last.startswith("3 sites more have scripts and next to no text on nearly all pages")
