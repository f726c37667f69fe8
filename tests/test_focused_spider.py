"""``scrapy crawl focused`` over local servers, as a user would type it."""

from __future__ import annotations

from pathlib import Path

import pytest
import scrapy
from scrapy.crawler import Crawler

from lab.sites.server import LocalSite
from spiders.focused import FocusedSpider
from tests.crawl.test_focus import PAGES, on_topic, two_topics
from tests.parts import exhaustive_but
from tests.spider_runs import run_spider

HARVEST = 0.9 if scrapy.version_info >= (2, 18) else 0.75
"""Of the pages; half of them would be luck.  Before 2.18 a request is taken before a page's links are in."""


def crawl(*arguments: str, output: Path) -> tuple[list[dict], str]:
    given = [part for argument in arguments for part in ("-a", argument)]
    return run_spider("focused", *given, "-s", "CONCURRENT_REQUESTS=1", output=output)


def test_it_finds_the_pages_on_a_topic_and_stops_after_so_many(tmp_path: Path) -> None:
    with LocalSite(two_topics) as site:
        items, log = crawl(
            f"seeds={site.url}", "topic=wind", f"pages={PAGES}", output=tmp_path / "pages.jsonl"
        )
    paths = ["/" + item["url"].removeprefix(site.url) for item in items]
    assert len(items) == len(set(paths)) == PAGES
    assert on_topic(paths) > HARVEST * (PAGES - 1)
    assert all((item["relevance"] >= 0.5) == on_topic([path]) for item, path in zip(items, paths))
    assert items[-1]["content_text"].startswith("/page/")
    assert f"harvest rate {on_topic(paths) / PAGES:.3f}" in log
    assert " ERROR: " not in log


@pytest.mark.parametrize("stay", exhaustive_but(["1"], ["1", "0"]))
def test_it_stays_on_the_hosts_of_the_seeds_unless_told_otherwise(stay: str, tmp_path: Path) -> None:
    with LocalSite({"/": "<p>wind"}) as other:
        away = other.url.replace("127.0.0.1", "localhost")
        with LocalSite({"/": f"<p>wind<a href={away}>away</a>", "/2": "<p>wind"}) as site:
            seeds = tmp_path / "seeds.txt"
            seeds.write_text(
                f"# where to start\n{site.url}\n\n{site.url}2 # a second one\u2028 of two\n", encoding="utf-8"
            )
            items, _ = crawl(f"seeds={seeds}", "topic=wind", f"stay={stay}", output=tmp_path / "pages.jsonl")
    expected = {site.url, f"{site.url}2", *([away] if stay == "0" else [])}
    assert {item["url"] for item in items} == expected


@pytest.mark.exhaustive
def test_it_goes_by_example_pages(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    examples = tmp_path / "examples"
    examples.mkdir()
    for number in (0, 2, 4):
        (examples / f"{number}.html").write_text(two_topics(f"/page/{number}") or "")
    with LocalSite(two_topics) as site:
        items, _ = crawl(
            f"seeds={site.url}", f"examples={examples}", f"pages={PAGES}", output=tmp_path / "pages.jsonl"
        )
    assert on_topic(["/" + item["url"].removeprefix(site.url) for item in items]) > HARVEST * (PAGES - 1)


SEED = "seeds=http://127.0.0.1:9/"


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        (["topic=wind"], "say where to start"),
        (["topic=wind", "seeds=no/such/file"], "say where to start"),
        (["topic=wind", "seeds=ftp://x.example/"], "an address starts with http:// or https://"),
        ([SEED], "say what to look for"),
        ([SEED, "topic=wind", "examples=here"], "not by both"),
        ([SEED, "topic=,"], "give words or phrases"),
    ],
)
def test_what_is_missing_or_wrong_is_explained(arguments: list[str], advice: str) -> None:
    given = dict(argument.split("=", 1) for argument in arguments)
    with pytest.raises(ValueError, match=advice):
        FocusedSpider.from_crawler(Crawler(FocusedSpider), **given)
