"""Links of template pagelets wait; nothing is dropped, nothing is fetched twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.sites.server import LocalSite
from tests.crawl.crawls import ADDON, ONE_BY_ONE, PAGE_BY_PAGE, Crawl, listings, run_crawl

OWN_SCHEDULER = {
    "SCHEDULER": "lab.sites.shop.components.OwnScheduler",
    "SCHEDULER_PRIORITY_QUEUE": "lab.sites.shop.components.OwnQueue",
}
TEMPLATE = {"TEMPLCRAWL_ORDER": "template"}
SETTINGS = {
    "off": {"TEMPLCRAWL_ORDER": "off"},
    "template": TEMPLATE,
}


def small_site(path: str) -> str | None:
    """A front page with a menu of service pages before its list of articles; all pages have the menu."""
    number = path.removeprefix("/article/")
    if path not in ("/", *(f"/service/{n}" for n in range(8))) and not number.isdigit():
        return None
    menu = "".join(f'<li><a href="/service/{n}">Service {n}</a></li>' for n in range(8))
    words = " ".join(f"{path} word {n}" for n in range(30))
    links = "".join(f'<p><a href="/article/{n}">Article {n}</a> about {n}</p>' for n in range(12))
    body = f"<h1>{path}</h1><p>{words}</p>{links if path == '/' else ''}"
    return f"<html><body><ul>{menu}</ul><div>{body}</div></body></html>"


def crawled(name: str, output: Path) -> tuple[Crawl, list[str]]:
    """Crawl the site in one of the ways to order it; return also the paths in the order of their requests."""
    with LocalSite(small_site) as site:
        crawl = run_crawl("plain", site.url, output, {**ADDON, **ONE_BY_ONE, **SETTINGS[name]})
    paths = site.targets
    assert len(paths) == len(set(paths)) == 21
    assert " ERROR: " not in crawl.log
    return crawl, paths


@pytest.mark.exhaustive
def test_without_an_order_the_menu_comes_first(tmp_path: Path) -> None:
    _, paths = crawled("off", tmp_path)
    assert paths[1:9] == [f"/service/{n}" for n in range(8)]


def test_with_it_what_is_left_of_the_menu_waits_for_the_articles(tmp_path: Path) -> None:
    crawl, paths = crawled("template", tmp_path)
    assert paths[:2] == ["/", "/service/0"]
    assert paths[2:14] == [f"/article/{n}" for n in range(12)]
    assert paths[14:] == [f"/service/{n}" for n in range(1, 8)]
    assert crawl.stats["templcrawl/links/waited"] == 7


def test_links_of_a_role_that_has_led_to_nothing_new_wait(tmp_path: Path) -> None:
    with LocalSite(listings(article=range(10), copy=range(150), more=range(30))) as site:
        crawl = run_crawl("plain", site.url, tmp_path, {**ADDON, **ONE_BY_ONE})
    copies = [place for place, path in enumerate(site.targets) if path.startswith("/copy/")]
    assert len(site.targets) == len(set(site.targets)) == 191
    assert sum(place < 41 for place in copies) <= 10
    assert crawl.stats["templcrawl/links/waited"] >= 20
    assert crawl.log.count("because the pages behind them had next to no new text") == bool(
        crawl.stats.get("templcrawl/links/starved")
    )
    assert crawl.stats["templcrawl/links/starved"] >= 10
    assert " ERROR: " not in crawl.log


def chain_of_articles(path: str) -> str | None:
    """Articles that lead to the next one, and each to ten copies of one text."""
    kind, _, number = path.strip("/").partition("/")
    if kind == "copy":
        return f"<h1>Copy</h1><p>{'equal words of all copies ' * 20}"
    at = int(number or 0)
    words = " ".join(f"article{at}word{n}" for n in range(60))
    copies = "".join(f'<li><a href="/copy/{10 * at + n}">Copy {n}</a>' for n in range(10))
    more = f'<div><p><a href="/article/{at + 1}">Next</a></div>' if at < 14 else ""
    return f"<body><h1>{at}</h1><p>{words}</p><ul>{copies}</ul>{more}</body>"


def test_with_a_scheduler_of_ones_own_a_link_has_its_step_when_it_is_yielded(tmp_path: Path) -> None:
    settings = {**ADDON, **PAGE_BY_PAGE, **OWN_SCHEDULER}
    with LocalSite(chain_of_articles) as site:
        crawl = run_crawl("plain", site.url, tmp_path, settings)
    assert len(site.targets) == len(set(site.targets)) == 1 + 14 + 150
    assert crawl.stats["templcrawl/demoted/enqueue"] >= 50
    assert "templcrawl/demoted/requeue" not in crawl.stats
    articles = [place for place, path in enumerate(site.targets) if path.startswith("/article/")]
    assert sorted(articles)[9] < 30, "in the order in which links were found it is the 111th"
    assert "templcrawl does not replace the queue" in crawl.log
