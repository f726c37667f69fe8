"""A crawl in a process of its own does what it says, and one that is killed loses no item of any sink."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from lab.bench import kills
from lab.bench.crawl import ADDON, Job, Running, Site, crawl
from lab.bench.generated import ManyHosts, Numbered

pytestmark = pytest.mark.exhaustive

SITE = Numbered(200)
EVERY = set(SITE.urls)


@pytest.mark.parametrize("kind", ["html", "json", "404"])
def test_a_crawl_tells_each_request_and_response_and_what_it_took(kind: str) -> None:
    """The page of the warm-up is none of them; a page that is missing is no page."""
    crawled = crawl(ManyHosts(2, 3, kind), ADDON)
    every = {f"http://h{host}.example/page/{number}" for host in range(2) for number in range(3)}
    assert set(crawled.requests) == {response["response"] for response in crawled.responses} == every
    assert set(crawled.pages) == (set() if kind == "404" else every)
    assert crawled.stats["templcrawl/pages"] >= (6 if kind == "html" else 0)
    assert crawled.end["seconds"] > 0 < crawled.end["cpu"] < 60
    assert crawled.end["megabytes"] > 10
    assert (crawled.code, crawled.errors) == (0, "")


def test_a_crawl_alone_loads_nothing_of_ours_and_ends_with_its_budget() -> None:
    crawled = crawl(SITE, {}, budget=20)
    assert len(crawled.pages) == 20
    assert not any(name.startswith("templcrawl") for name in crawled.stats)


def test_a_crawl_that_is_killed_has_told_what_it_did_and_has_no_end() -> None:
    crawled = crawl(SITE, {}, kills.ANSWERS_AFTER, kill_at=30)
    assert 30 <= len(crawled.requests) < 200
    assert (crawled.code, crawled.end) == (-9, {})


def test_a_crawl_that_fails_says_why() -> None:
    with pytest.raises(RuntimeError, match="no_such_module"):
        crawl(SITE, {"SCHEDULER": "no_such_module.Scheduler", "LOG_ENABLED": True})
    with Running(Job(Site(), spider="no_such_module.Spider")) as running:
        crawled = running.wait()
    assert crawled.code
    assert "no_such_module" in crawled.errors


@pytest.mark.parametrize("fails_power", [False, True])
def test_a_job_that_is_killed_loses_nothing_in_any_sink(fails_power: bool, tmp_path: Path) -> None:
    played = kills.play(tmp_path / "job", 200, kills.SQLITE, Random(1), 3, fails_power=fails_power)
    assert (played.never, played.failure) == (0, "")
    assert played.kills > 0
    assert [*played.sinks] == ["JSON lines", "CSV", "XML", "Parquet", "sent elsewhere", "archive", "SQLite"]
    assert {sink for sink, urls in played.sinks.items() if EVERY - set(urls)} == set()
    of_database = played.sinks["SQLite"]
    assert len(of_database) == len(set(of_database)), "an item is in the transaction of its page"


def test_scrapy_alone_loses_pages(tmp_path: Path) -> None:
    assert kills.play(tmp_path / "job", 200, None, Random(1), 3).never > 0
