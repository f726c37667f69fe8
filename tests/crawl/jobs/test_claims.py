"""What a crawl has to itself among those of its process."""

from __future__ import annotations

import gc
import logging
import re
from datetime import datetime, timezone
from pathlib import Path
from weakref import ref

import pytest
from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.utils.test import get_crawler

from templcrawl.crawl.jobs import claims
from templcrawl.crawl.jobs.claims import claim, claim_target
from templcrawl.crawl.jobs.job import Job
from templcrawl.errors import InvalidOption


def crawl_of(name: str) -> Crawler:
    crawler = get_crawler(Spider, {"LOGSTATS_INTERVAL": 0})
    crawler.spider = Spider.from_crawler(crawler, name=name)
    crawler.crawling = True
    return crawler


def send(crawler: Crawler, signal: object) -> None:
    crawler.signals.send_catch_log(signal, spider=crawler.spider, reason="finished")


class Sectioned(Spider):
    section = "news"

    @property
    def broken(self) -> int:
        raise AttributeError("nobody asks for it")


def test_targets_have_the_names_that_feeds_have_and_attributes_of_the_spider(tmp_path: Path) -> None:
    crawler = get_crawler(Sectioned)
    crawler.spider = Sectioned.from_crawler(crawler, name="shop", part=7)
    names = str(tmp_path / "%(name)s-%(section)s-%(part)d-%(time)s.html")
    target = claim_target(crawler, "S", names, overwrites=True)
    assert re.fullmatch(r"shop-news-7-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.html", Path(target).name)
    assert claim_target(crawler, "S", "100%.html", overwrites=True) == "100%.html"
    for wrong in ("%(nothing)s.html", "%(broken)s.html"):
        with pytest.raises(InvalidOption, match="attributes of the spider"):
            claim_target(crawler, "S", wrong, overwrites=True)


def test_all_targets_of_a_crawl_are_named_by_one_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Clock:
        seconds = 0

        @classmethod
        def now(cls, zone: timezone) -> datetime:
            cls.seconds += 1
            return datetime.fromtimestamp(cls.seconds, zone)

    monkeypatch.setattr(claims, "datetime", Clock)
    first, second = crawl_of("first"), crawl_of("second")
    archive, report = (
        claim_target(first, "S", str(tmp_path / name), overwrites=True)
        for name in ("%(time)s", "%(time)s.html")
    )
    assert report == f"{archive}.html"
    assert claim_target(second, "S", str(tmp_path / "%(time)s.txt"), overwrites=True) > report


def test_two_crawls_of_a_process_never_overwrite_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    report, archive = str(tmp_path / "report.html"), "archive"
    first, second, again = crawl_of("first"), crawl_of("second"), crawl_of("first")
    claim_target(first, "TEMPLCRAWL_REPORT", report, overwrites=True)
    claim_target(first, "TEMPLCRAWL_ARCHIVE", archive, overwrites=False)
    for crawler in (second, again):
        for target in (report, str(tmp_path / archive)):  # two paths of one file are one target
            with pytest.raises(InvalidOption, match=r"%\(name\)s"):
                claim_target(crawler, "TEMPLCRAWL_REPORT", target, overwrites=True)
    send(first, signals.spider_opened)
    send(first, signals.spider_closed)
    with pytest.raises(InvalidOption):
        claim_target(second, "TEMPLCRAWL_REPORT", report, overwrites=True)
    assert claim_target(second, "TEMPLCRAWL_ARCHIVE", archive, overwrites=False) == archive
    assert claim_target(again, "TEMPLCRAWL_REPORT", report, overwrites=True) == report


def test_a_name_that_a_crawl_has_it_may_claim_again(tmp_path: Path) -> None:
    crawler = crawl_of("first")
    assert claim(crawler, str(tmp_path)) is claim(crawler, str(tmp_path)) is not None


def test_what_a_failed_start_had_is_undone_when_another_crawl_claims_it(tmp_path: Path) -> None:
    first, second = crawl_of("first"), crawl_of("second")
    done: list[str] = []
    undone = claim(first, str(tmp_path))
    assert undone is not None
    undone.callback(done.append, "undone")
    first.crawling = False
    assert claim(second, "a name of nobody") is not None
    assert done == []
    assert claim(second, str(tmp_path)) is not None
    assert done == ["undone"]


@pytest.mark.parametrize("overwrites", [(True, False), (False, True), (False, False)])
def test_what_one_crawl_adds_to_another_may_have_written_before(
    overwrites: tuple[bool, bool], tmp_path: Path
) -> None:
    target = str(tmp_path / "target")
    for name, is_overwriting in zip(("first", "second"), overwrites):
        crawler = crawl_of(name)
        assert claim_target(crawler, "S", target, overwrites=is_overwriting) == target
        send(crawler, signals.spider_opened)
        send(crawler, signals.spider_closed)


def test_a_crawl_that_is_being_stopped_has_its_names_until_it_is_closed(tmp_path: Path) -> None:
    archive = str(tmp_path / "archive")
    first, second = crawl_of("first"), crawl_of("second")
    claim_target(first, "TEMPLCRAWL_ARCHIVE", archive, overwrites=False)
    job = Job(first, str(tmp_path))
    send(first, signals.spider_opened)
    first.crawling = False
    with pytest.raises(InvalidOption):
        claim_target(second, "TEMPLCRAWL_ARCHIVE", archive, overwrites=False)
    with pytest.raises(InvalidOption, match="another crawl"):
        Job(second, str(tmp_path))
    send(first, signals.spider_closed)
    assert claim_target(second, "TEMPLCRAWL_ARCHIVE", archive, overwrites=False) == archive
    with pytest.raises(InvalidOption, match="another crawl"):
        Job(second, str(tmp_path))
    job.close()
    Job(second, str(tmp_path)).close()


def test_claims_keep_no_crawl_alive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logging.root.manager, "disable", logging.CRITICAL)  # records refer to the crawler
    crawler = crawl_of("first")
    claim_target(crawler, "TEMPLCRAWL_REPORT", str(tmp_path / "report.html"), overwrites=True)
    Job(crawler, str(tmp_path))
    known = ref(crawler)
    del crawler
    gc.collect()
    assert known() is None
