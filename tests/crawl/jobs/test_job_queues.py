"""A job goes on with the queues that it was begun with, in every direction."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from scrapy import Request, Spider
from scrapy.squeues import PickleFifoDiskQueue, PickleLifoDiskQueue
from scrapy.utils.test import get_crawler

from templcrawl.crawl.jobs.job_queues import BegunQueues, begun_queues
from tests.crawl.resumed_crawls import WAYS
from tests.crawl.small_crawls import URLS, in_new_process


@pytest.fixture(scope="module")
def crawls(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    return in_new_process("crawl.resumed_crawls", str(tmp_path_factory.mktemp("jobs")))


@pytest.mark.exhaustive
def test_every_pair_of_ways_fetches_every_page_without_an_error(
    crawls: dict[str, list[dict[str, Any]]],
) -> None:
    clean = {name: pair for name, pair in crawls.items() if "killed" not in name}
    assert len(clean) == len(WAYS) ** 2
    for name, (first, then) in clean.items():
        assert 3 <= len(set(first["fetched"])) < len(URLS) - 3, name
        assert {*first["fetched"], *then["fetched"]} == set(URLS), name
        assert (then["reason"], then["failure"], first["log"], then["log"]) == ("finished", "", [], []), name
        again = set(first["fetched"]) & set(then["fetched"])
        assert again <= {URLS[0]}, name


@pytest.mark.exhaustive
def test_after_a_kill_no_pair_fails(crawls: dict[str, list[dict[str, Any]]]) -> None:
    killed = {name: then for name, (_, then) in crawls.items() if "killed" in name}
    assert len(killed) == len(WAYS) ** 2
    for name, then in killed.items():
        assert (then["reason"], then["failure"], then["log"]) == ("finished", "", []), name


@pytest.mark.parametrize(
    ("queue_class", "disk_queue"),
    [
        (PickleFifoDiskQueue, "scrapy.squeues.PickleFifoDiskQueue"),
        (PickleLifoDiskQueue, "scrapy.squeues.PickleLifoDiskQueue"),
    ],
)
@pytest.mark.parametrize("slot", ["", "small.example-0123456789abcdef0123456789abcdef"])
def test_what_lies_in_a_job_says_what_queues_it_has(
    queue_class: Any, disk_queue: str | None, slot: str, tmp_path: Path
) -> None:
    folder = tmp_path / "requests.queue"
    crawler = get_crawler(Spider)
    crawler.spider = Spider("any")
    for key in ("0s", "-10"):
        queue = queue_class.from_crawler(crawler, str(folder / slot / key))
        queue.push(Request(URLS[0]))
        queue.close()
    assert begun_queues(str(tmp_path)) == BegunQueues(not slot, disk_queue)


def test_a_queue_of_another_kind_is_left_to_the_project(tmp_path: Path) -> None:
    queue = tmp_path / "requests.queue" / "0"
    queue.parent.mkdir()
    sqlite3.connect(queue).execute("CREATE TABLE queue (item BLOB)").connection.close()
    assert begun_queues(str(tmp_path)) == BegunQueues(over_hosts=True, disk_queue=None)


def test_an_empty_job_and_none_have_no_queues_yet(tmp_path: Path) -> None:
    assert begun_queues(None) == begun_queues(str(tmp_path)) == BegunQueues(None, None)
    (tmp_path / "requests.queue" / "small.example-0123456789abcdef0123456789abcdef").mkdir(parents=True)
    assert begun_queues(str(tmp_path)) == BegunQueues(None, None)
