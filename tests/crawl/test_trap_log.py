"""Links that look endless or generated are reported once."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy.utils.test import get_crawler

from lab.sites.server import LocalSite
from templcrawl.algorithms.crawl_order.link_value import POLICIES
from templcrawl.crawl.site_log import TrapLog
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.page.page import Page
from tests.crawl.crawls import ADDON, ONE_BY_ONE, run_crawl
from tests.parts import exhaustive_but

ARTICLES = 30
SETTINGS = {**ADDON, **ONE_BY_ONE, "CLOSESPIDER_PAGECOUNT": 150}
REACTORS = exhaustive_but([{}], [{}, {"TWISTED_REACTOR_ENABLED": False}])
LINE = re.compile(r"links like http://.*/days/\d+/ look endless: 60 pages .* 0 new words .*, and (\d+) li")


def site_with_days(path: str) -> tuple[int, str, bytes]:
    """Articles, each of which leads home and to three days; a day leads to three later ones."""
    kind, number = re.fullmatch(r"/(?:(article|days)/(\d+)/)?", path).groups()  # type: ignore[union-attr]
    first = int(number or 0)
    articles = [f"/article/{n}/" for n in range(ARTICLES)] if kind is None else ["/"] * (kind == "article")
    days = [f"/days/{first * (20 if kind == 'article' else 3) + n}/" for n in (1, 2, 3)]
    links = (
        f"<ul class={name}>{''.join(f'<li><a href={link}>{link}</a>' for link in listed)}</ul>"
        for name, listed in (("articles", articles), ("days", days))
    )
    words = " ".join(f"{path} word {n}" for n in range(90)) if kind == "article" else f"day {number}"
    return 200, "text/html", f"<html><body><p>{words}</p>{''.join(links)}</body></html>".encode()


@pytest.mark.parametrize("reactor", REACTORS, ids=lambda reactor: "no reactor" if reactor else "reactor")
def test_an_endless_calendar_is_reported_once(reactor: object, tmp_path: Path) -> None:
    with LocalSite(site_with_days) as site:
        crawl = run_crawl("plain", site.url, tmp_path, {**SETTINGS, **reactor})
    assert crawl.log.count("look endless") == crawl.stats["templcrawl/links/endless"] == 1
    (waiting,) = LINE.findall(crawl.log)
    assert int(waiting) > 30
    assert " ERROR: " not in crawl.log


@pytest.mark.parametrize("order", exhaustive_but(["template"], ["off", "template"]))
def test_in_an_order_that_does_not_go_by_pay_nothing_is_reported(order: str, tmp_path: Path) -> None:
    with LocalSite(site_with_days) as site:
        crawl = run_crawl("plain", site.url, tmp_path, {**SETTINGS, "TEMPLCRAWL_ORDER": order})
    assert "look endless" not in crawl.log


def site_with_maze(path: str) -> tuple[int, str, bytes]:
    """Articles with a menu, each of which leads into a maze; a page of the maze leads to three of its own."""
    kind, name = re.fullmatch(r"/(?:(article|maze)/([\d-]+)/)?", path).groups()  # type: ignore[union-attr]
    menu = "<ul class=menu><li><a href=/>Home</a><li><a href=/article/0/>First</a></ul>"
    articles = [f"/article/{n}/" for n in range(ARTICLES)] if kind is None else []
    maze = [f"/maze/{name}-{n}/" for n in (1, 2, 3)] if kind is not None else []
    links = "".join(f"<li><a href={link}>{link}</a>" for link in [*articles, *maze])
    words = " ".join(f"{path} word {n}" for n in range(90))
    top = menu if kind != "maze" else ""
    return (
        200,
        "text/html",
        f"<html><body>{top}<p>{words}</p><ul class=ways>{links}</ul></body></html>".encode(),
    )


@pytest.mark.parametrize("reactor", REACTORS, ids=lambda reactor: "no reactor" if reactor else "reactor")
def test_a_maze_whose_pages_pay_and_lead_nowhere_but_on_is_reported_once(
    reactor: object, tmp_path: Path
) -> None:
    with LocalSite(site_with_maze) as site:
        crawl = run_crawl("plain", site.url, tmp_path, {**SETTINGS, **reactor})
    assert crawl.log.count("look generated") == crawl.stats["templcrawl/links/generated"] == 1
    assert re.search(r"links like http://.*/maze/\S+ look generated", crawl.log)
    of_maze = sum(path.startswith("/maze/") for path in site.targets)
    assert of_maze / 2 < crawl.stats["templcrawl/pages/generated"] <= of_maze - 9
    assert "look endless" not in crawl.log
    assert " ERROR: " not in crawl.log


def test_a_trap_that_links_of_two_roles_lead_into_is_reported_once_by_its_leaf() -> None:
    """Pages of two directories, found in a list of their own each."""
    memory = CrawlMemory(sample_salt=0)
    crawler = get_crawler()
    settings: Any = SimpleNamespace(policy=POLICIES["adaptive"], memory=memory.options)
    log = TrapLog(crawler, settings, memory)
    for name in ["", *(f"/{folder}/{number}" for number in range(1, 40) for folder in ("maze", "halls"))]:
        lists = (
            f"<ul class={folder}>{''.join(f'<li><a href=/{folder}{name}/{n}>{n}</a>' for n in range(3))}</ul>"
            for folder in ("maze", "halls")
        )
        words = " ".join(f"{name} word {n}" for n in range(90))
        page = Page.from_html(f"<title>x</title><p>{words}</p>{''.join(lists)}", f"http://a.example{name}/")
        log.count(memory.observe(page), lambda: 100)
    assert crawler.stats is not None
    assert crawler.stats.get_value("templcrawl/links/generated") == 1
    assert crawler.stats.get_value("templcrawl/pages/generated") > 30
