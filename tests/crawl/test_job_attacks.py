"""Jobs whose project does what nobody expects; run as a program, it crawls.

    python -m tests.crawl.test_job_attacks FOLDER

crawls once for each of ``WAYS``, one after the other in one process, and prints a JSON object: name -> what
each crawl did, and what its job has left.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from scrapy import Request
from scrapy.http import Response

from templcrawl.crawl.job import requests
from templcrawl.crawl.job.requests import TakenRequests
from templcrawl.state_file import JOB_FILE, StateFile
from tests.crawl.crawls import ONE_LINE
from tests.crawl.small_crawls import HOST, URLS, Follow, crawl, in_new_process, in_this_process
from tests.crawl.test_taken_requests import crawl_with

MANY = 1_000


class Waiting(Follow):
    """Asks for many pages, and is stopped before they come."""

    name = "waiting"

    def parse(self, response: Any) -> Iterator[Any]:
        for number in range(1, MANY):
            yield Request(f"{HOST}/{number}", self.read)
        self.crawler.engine.pause()
        asyncio.get_running_loop().call_later(0.1, lambda: asyncio.ensure_future(self.crawler.stop_async()))

    def read(self, response: Response) -> None:
        """Read a page."""


class Renamed(Follow):
    """The same spider a version later: its callback has another name."""

    name = "waiting"

    async def start(self) -> AsyncIterator[Any]:
        for url in ():
            yield url


class Once(Follow):
    """Asks for no page twice."""

    retries = False


class Odd(Follow):
    """Asks for pages by requests that cannot be written, or with names of slots that are no text."""

    retries = False

    def parse(self, response: Any) -> Iterator[Any]:
        self.fetched.append(response.url)
        if response.url == URLS[0]:
            for url, priority in zip(URLS[1:5], (1.5, float("inf"), 10**30, -(10**30))):
                request = Request(url)
                request.priority = priority  # type: ignore[assignment]
                yield request
            for url, slot in zip(URLS[5:], (7, None, "", "\0", "\ud800", ("a", 1), "other")):
                yield Request(url, meta={"download_slot": slot})


class Unpicklable:
    def __reduce__(self) -> Any:
        raise RuntimeError("it has an open file")


class Unwritten(Follow):
    """Asks for pages whose meta raises what it likes when it is written."""

    retries = False

    def parse(self, response: Any) -> Iterator[Any]:
        self.fetched.append(response.url)
        for url in URLS:
            yield Request(url, meta={"connection": Unpicklable()})


class Failing:
    """A pipeline that fails at its start."""

    def open_spider(self) -> None:
        raise RuntimeError("no connection")


def failing_rows(*_: object) -> Any:
    """Fail to open the requests of a job."""
    raise OSError("input/output error")


ONCE = {"CLOSESPIDER_PAGECOUNT": 1, "CONCURRENT_REQUESTS": 1}
EMPTY = {"format": "jsonlines", "store_empty": False, "item_classes": ["builtins.set"]}
ZIPPED = {**EMPTY, "postprocessing": ["scrapy.extensions.postprocessing.GzipPlugin"]}
WAYS: dict[str, list[tuple[type[Follow], dict[str, Any]]]] = {
    "a callback is gone": [(Waiting, {}), (Renamed, {})],
    "the queue fails once": [(Once, ONCE), (Once, {"fails": True, **ONCE}), (Once, {})],
    "a start fails": [(Follow, {"ITEM_PIPELINES": {Failing: 1}}), (Follow, {})],
    "odd requests": [(Odd, {})],
    "unwritten requests": [(Unwritten, {})],
    "a feed gets nothing": [(Follow, {"FEEDS": {"none.jsonl.gz": ZIPPED}})],
}


@pytest.fixture(scope="module")
def crawls(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = in_new_process(
        "crawl.test_job_attacks", str(tmp_path_factory.mktemp("jobs"))
    )
    return found


def test_requests_whose_callback_is_gone_stay_and_are_said_once(crawls: dict[str, Any]) -> None:
    first, second = crawls["a callback is gone"]
    assert first["left"] > MANY / 2
    assert (second["reason"], second["left"]) == ("finished", first["left"])
    assert sum(second["errors"].values()) == first["left"]
    (said,) = second["log"]
    assert "(logged once)" in said


def test_a_job_whose_queue_has_failed_once_goes_on(crawls: dict[str, Any]) -> None:
    _, failed, last = crawls["the queue fails once"]
    assert (sum(failed["errors"].values()), last["reason"], last["left"]) == (1, "finished", 0)
    fetched = [url for run in crawls["the queue fails once"] for url in run["fetched"]]
    assert sorted(fetched) == sorted(URLS)


def test_a_job_whose_start_has_failed_can_begin_again_in_the_process(crawls: dict[str, Any]) -> None:
    failed, last = crawls["a start fails"]
    assert "no connection" in failed["failure"]
    assert (last["failure"], {*last["fetched"]}) == ("", {*URLS})


@pytest.mark.parametrize("way", ["odd requests", "unwritten requests", "a feed gets nothing"])
def test_every_page_is_fetched_and_none_is_left(way: str, crawls: dict[str, Any]) -> None:
    (run,) = crawls[way]
    assert ({*run["fetched"]}, run["errors"], run["log"], run["left"]) == ({*URLS}, {}, [], 0)


def test_a_long_chain_of_requests_that_cannot_be_written_is_done_at_its_end() -> None:
    pages = [Request(f"{HOST}/{number}") for number in range(3_000)]
    in_progress = {pages[0]}
    taken = TakenRequests(crawl_with(in_progress))
    taken.note_taken(pages[0], 1)
    for page, following in pairwise(pages):
        number = taken.wait_unwritten(following)
        in_progress.remove(page)
        taken.collect()
        assert taken.done == []
        taken.note_taken(following, number)
        in_progress.add(following)
    in_progress.clear()
    taken.collect()
    assert taken.done == [1]


def test_a_file_is_not_lost_where_the_working_directory_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = StateFile("state.sqlite")
    monkeypatch.chdir("/")
    assert file.commit()
    file.close()


async def _run(way: str, folder: Path) -> list[dict[str, Any]]:
    job, found = folder / way, []
    for spider, given in WAYS[way]:
        os.chdir(folder)
        settings = {**ONE_LINE, "JOBDIR": job.name, **given}
        opened = failing_rows if settings.pop("fails", False) else requests.RequestRows
        with patch.object(requests, "RequestRows", opened):
            found.append(await crawl(settings, spider))
        with closing(sqlite3.connect(job / JOB_FILE)) as file:
            ((found[-1]["left"],),) = file.execute("SELECT count(*) FROM requests").fetchall()
    return found


async def _run_all() -> dict[str, Any]:
    return {way: await _run(way, Path(sys.argv[1])) for way in WAYS}


if __name__ == "__main__":
    in_this_process(_run_all)
