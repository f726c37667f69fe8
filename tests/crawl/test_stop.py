"""A site that is spent is reported; where that is asked for, its links are not sent, and none is lost."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lab.sites.server import LocalSite
from tests.crawl.crawls import ADDON, ONE_BY_ONE, run_crawl
from tests.parts import exhaustive_but

ARTICLES, COPIES = 45, 120
PAGES = 1 + ARTICLES + COPIES
REACTORS = exhaustive_but([{}], [{}, {"TWISTED_REACTOR_ENABLED": False}])
SETTINGS = {**ADDON, **ONE_BY_ONE}
ADVICE = re.compile(
    r"127.0.0.1:\d+: the last 30 pages brought (\d+) % of .* on average; ([\d,]+) links? waits?"
)


def site_of_copies(path: str) -> tuple[int, str, bytes]:
    """A front page that names articles of their own words, then copies of one text."""
    _, kind, number = path.split("/") if path.count("/") == 2 else ("", "", "")
    if path != "/" and not (kind in ("copy", "article") and number.isdigit()):
        return 404, "text/html", b""
    if path == "/":
        lists = (
            f"<ul class={kind}>{''.join(f'<li><a href=/{kind}/{n}>{n}</a>' for n in range(count))}</ul>"
            for kind, count in (("article", ARTICLES), ("copy", COPIES))
        )
        return 200, "text/html", f"<html><body>{''.join(lists)}</body></html>".encode()
    words = " ".join(f"{path if kind == 'article' else 'the same'} word {n}" for n in range(90))
    return 200, "text/html", f"<html><body><h1>{kind}</h1><p>{words}</p></body></html>".encode()


@pytest.mark.parametrize("reactor", REACTORS, ids=lambda reactor: "no reactor" if reactor else "reactor")
def test_a_site_whose_last_pages_paid_nothing_is_reported_once(reactor: object, tmp_path: Path) -> None:
    with LocalSite(site_of_copies) as site:
        crawl = run_crawl("plain", site.url, tmp_path, {**SETTINGS, **reactor})
    assert len(set(site.targets)) == len(site.targets) == PAGES
    assert crawl.stats["templcrawl/stop/advised"] == 1
    ((share, waiting),) = ADVICE.findall(crawl.log)
    assert int(share) < 10
    assert 0 < int(waiting) < COPIES
    assert " ERROR: " not in crawl.log


@pytest.mark.exhaustive
def test_of_a_site_that_pays_to_the_end_nothing_is_reported(tmp_path: Path) -> None:
    def answer(path: str) -> tuple[int, str, bytes]:
        return site_of_copies(path.replace("/copy/", "/article/9"))

    with LocalSite(answer) as site:
        crawl = run_crawl("plain", site.url, tmp_path, SETTINGS)
    assert len(site.targets) == PAGES
    assert "templcrawl/stop/advised" not in crawl.stats
    assert "the last 30 pages" not in crawl.log


@pytest.mark.parametrize("reactor", REACTORS, ids=lambda reactor: "no reactor" if reactor else "reactor")
@pytest.mark.parametrize("in_flight", exhaustive_but([1], [1, 8]))
@pytest.mark.parametrize("then", exhaustive_but([False], [False, True]), ids=lambda stop: f"then {stop}")
def test_a_site_that_is_stopped_keeps_its_links_in_the_job(
    in_flight: int, *, then: bool, reactor: object, tmp_path: Path
) -> None:
    """A resumed crawl fetches them all; where it stops again, it has looked at 30 more."""
    settings = {**SETTINGS, **reactor, "JOBDIR": str(tmp_path / "job"), "CONCURRENT_REQUESTS": in_flight}
    with LocalSite(site_of_copies) as site:
        crawl = run_crawl("plain", site.url, tmp_path, {**settings, "TEMPLCRAWL_STOP": True})
        first = {*site.targets}
        again = run_crawl("plain", site.url, tmp_path, {**settings, "TEMPLCRAWL_STOP": then})
    assert crawl.stats["finish_reason"] == "templcrawl_stop"
    assert sum(path.startswith("/article/") for path in first) + 1 > ARTICLES
    assert len(first) < PAGES - 30
    assert crawl.stats["templcrawl/stop/skipped"] == PAGES - len(first)
    assert f"has left {PAGES - len(first)} links of 1 site" in crawl.log
    if then:
        assert again.stats["finish_reason"] == "templcrawl_stop"
        assert len(first) + 29 <= len({*site.targets}) < PAGES
    else:
        assert again.stats["finish_reason"] == "finished"
        assert len({*site.targets}) == PAGES
        assert "templcrawl/stop/skipped" not in again.stats
    assert len(site.targets) == len({*site.targets}) + 1, "the start page alone is fetched twice"
    assert " ERROR: " not in crawl.log + again.log


OWN_QUEUES = exhaustive_but(
    ["scrapy.pqueues.ScrapyPriorityQueue"],
    ["scrapy.pqueues.ScrapyPriorityQueue", "lab.sites.shop.components.OwnQueue"],
)


@pytest.mark.parametrize("own", OWN_QUEUES)
def test_a_queue_of_the_project_stops_nothing_and_the_log_says_so_but_not_how_many_wait(
    own: str, tmp_path: Path
) -> None:
    settings = {**SETTINGS, "SCHEDULER_PRIORITY_QUEUE": own, "TEMPLCRAWL_STOP": True}
    with LocalSite(site_of_copies) as site:
        crawl = run_crawl("plain", site.url, tmp_path, settings)
    assert len(site.targets) == PAGES
    assert "TEMPLCRAWL_STOP stops no site" in crawl.log
    assert re.search(r"the last 30 pages brought \d+ % of what its pages brought on average\n", crawl.log)
