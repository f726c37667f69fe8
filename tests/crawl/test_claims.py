"""What a crawl has to itself among those of its process."""

from __future__ import annotations

import gc
import logging
import re
from datetime import datetime, timezone
from pathlib import Path
from weakref import ref

import pytest
from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.utils.test import get_crawler

from templcrawl.crawl import claims
from templcrawl.crawl.claims import claim_target
from templcrawl.crawl.job.job import Job
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
    target = claim_target(crawler, "S", names)
    assert re.fullmatch(r"shop-news-7-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.html", Path(target).name)
    assert claim_target(crawler, "S", "100%.html") == "100%.html"
    for wrong in ("%(nothing)s.html", "%(broken)s.html"):
        with pytest.raises(InvalidOption, match="attributes of the spider"):
            claim_target(crawler, "S", wrong)


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
        claim_target(first, "S", str(tmp_path / name)) for name in ("%(time)s", "%(time)s.html")
    )
    assert report == f"{archive}.html"
    assert claim_target(second, "S", str(tmp_path / "%(time)s.txt")) > report


def test_two_crawls_at_a_time_never_have_one_target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    first, second = crawl_of("first"), crawl_of("second")
    assert claim_target(first, "TEMPLCRAWL_ARCHIVE", "archive") == "archive"
    assert claim_target(first, "TEMPLCRAWL_ARCHIVE", "archive") == "archive", "it has it already"
    with pytest.raises(InvalidOption, match=r"%\(name\)s"):  # two paths of one file are one target
        claim_target(second, "TEMPLCRAWL_REPORT", str(tmp_path / "archive"))
    first.crawling = False
    assert claim_target(second, "TEMPLCRAWL_ARCHIVE", "archive") == "archive"


def test_a_job_that_has_begun_is_locked_until_it_is_closed(tmp_path: Path) -> None:
    first, second = crawl_of("first"), crawl_of("second")
    job = Job(first, str(tmp_path))
    for is_open, is_crawling in ((False, True), (True, True), (True, False)):
        job.is_open, first.crawling = is_open, is_crawling
        with pytest.raises(InvalidOption, match="another crawl"):
            Job(second, str(tmp_path))
    job.is_open = False
    job.close()
    Job(second, str(tmp_path)).close()


def test_a_job_whose_start_has_failed_leaves_its_folder_to_others(tmp_path: Path) -> None:
    first, second = crawl_of("first"), crawl_of("second")
    failed = Job(first, str(tmp_path))
    first.crawling = False
    Job(second, str(tmp_path)).close()
    assert not failed.is_open


def test_claims_keep_no_crawl_alive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logging.root.manager, "disable", logging.CRITICAL)  # records refer to the crawler
    crawler = crawl_of("first")
    claim_target(crawler, "TEMPLCRAWL_REPORT", str(tmp_path / "report.html"))
    Job(crawler, str(tmp_path))
    known = ref(crawler)
    del crawler
    gc.collect()
    assert known() is None
