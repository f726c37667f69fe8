"""A job that is killed goes on: no page and no item is lost, and what was done is not fetched again.

Run as a program,

    python -m tests.crawl.test_killed_crawls FOLDER WAYS POINTS

begins a job in each of some ``WAYS``, kills it at each of some ``POINTS`` (JSON lists of their names), goes
on with it until it ends, and prints a JSON object: "way, point" -> what was asked for before, what the last
crawl did, what the feed has, and what is left of the job.  Each crawl is a process, forked from one that has
imported Scrapy.  A job is committed more often than a page comes.
"""

from __future__ import annotations

import asyncio
import csv
import json
import os
import signal
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import chain, product
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from scrapy import Request
from scrapy.core.scheduler import Scheduler
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse, Response

from templcrawl.crawl.job import job
from templcrawl.state_file import JOB_FILE
from tests.crawl.crawls import ONE_LINE
from tests.crawl.small_crawls import Follow, crawl, in_new_process, in_this_process
from tests.parts import exhaustive_but

START = "http://small.example/"
URLS = [START, *(f"http://{host}.example/{number}" for number in range(6) for host in ("small", "other"))]
AGAIN = URLS[4]
"""The page that is asked for twice, by equal requests that the dupefilter lets pass."""

WAYS: dict[str, dict[str, Any]] = {
    "one by one": {"CONCURRENT_REQUESTS": 1},
    "several": {"CONCURRENT_REQUESTS": 4},
    "focus": {
        "CONCURRENT_REQUESTS": 2,
        "TEMPLCRAWL_ORDER": "focus",
        "TEMPLCRAWL_RELEVANCE": "tests.crawl.small_crawls.relevant",
    },
    "no reactor": {"CONCURRENT_REQUESTS": 2, "TWISTED_REACTOR_ENABLED": False},
}

POINTS: dict[str, Sequence[int | str]] = {
    "while links are queued": ["queueing"],
    "at the second page": [2],
    "at the fifth page": [5],
    "at the last page": [14],
    "twice": [4, 4],
    "after a pause": ["paused", 3],
    "at the close": ["closed"],
    "at the close, its list cut": ["cut"],
}
"""Point -> how each crawl of the job ends, but for the last: killed at its nth page, or as it closes."""

SECONDS_OF_A_PAGE = 0.01

FEEDS = {
    "items.csv": ["url"],
    "found.csv": None,
    "items.json": ["url"],
    "items.xml": ["url"],
    "run-%(batch_time)s.json": ["url"],
    "run-%(batch_time)s.xml": ["url"],
}
"""Name of a feed -> its fields, None for those of the first item."""


class Links(Follow):
    """Follows the links of the start page; no other page has any."""

    name = "links"

    async def start(self) -> Any:
        yield Request(START)

    def parse(self, response: Any) -> Iterator[Any]:
        self.fetched.append(response.url)
        for url in response.css("a::attr(href)").getall():
            for _ in range(1 + (url == AGAIN)):
                yield Request(url, dont_filter=url == AGAIN)
        if self.settings["END"] == "queueing":
            _die()
        yield {"url": response.url, "html": response.text}


class KillingAnswers:
    """Answers every request, notes it, and ends the process at one of them."""

    def __init__(self, notes: str, most: int) -> None:
        self._notes, self._left = Path(notes), most

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> KillingAnswers:
        return cls(crawler.settings["NOTES"], crawler.settings.getint("KILL_AT"))

    async def process_request(self, request: Request) -> Response:
        await asyncio.sleep(SECONDS_OF_A_PAGE)
        with self._notes.open("a") as notes:
            notes.write(f"{request.url}\n")
        self._left -= 1
        if not self._left:
            _die()
        menu = "".join(f'<li><a href="{url}">A page</a></li>' for url in URLS[1:] if request.url == START)
        words = " ".join(f"word{n}of{request.url[7:]}" for n in range(40))
        body = f"<title>{request.url}</title><ul>{menu}</ul><p>{words}</p>"
        return HtmlResponse(request.url, body=body.encode(), encoding="utf-8")


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _kill_at_close(text: str | None) -> None:
    """Let the process end as Scrapy writes its list of queues, or midway."""

    def write(scheduler: Scheduler, folder: str, state: object) -> None:
        if text is not None:
            Path(folder, "active.json").write_text(text)
        _die()

    Scheduler._write_dqs_state = write  # type: ignore[method-assign]


def _run(folder: Path, settings: dict[str, Any], end: int | str | None) -> bool:
    """Crawl in a process of its own; say whether it ended by itself."""
    process = os.fork()
    if process:
        return os.waitpid(process, 0)[1] == 0
    job._COMMIT_SECONDS = SECONDS_OF_A_PAGE / 10
    if end in ("closed", "cut"):
        _kill_at_close("" if end == "cut" else None)
    own = {
        **ONE_LINE,
        **settings,
        "DOWNLOADER_MIDDLEWARES": {KillingAnswers: 940},
        "NOTES": str(folder / "notes"),
        "END": end,
        "KILL_AT": end if isinstance(end, int) else 0,
        "CLOSESPIDER_PAGECOUNT": 4 if isinstance(end, str) else 0,
        "JOBDIR": str(folder / "job"),
        "FEEDS": {
            str(folder / name): {"format": name.rpartition(".")[2], "fields": fields, "indent": 2}
            for name, fields in FEEDS.items()
        },
    }
    with (folder / "said").open("w") as said:
        os.dup2(said.fileno(), 1)
    in_this_process(lambda: crawl(own, Links), with_reactor=settings.get("TWISTED_REACTOR_ENABLED", True))
    sys.stdout.flush()
    os._exit(0)


def run_case(folder: Path, way: str, point: str) -> dict[str, Any]:
    """Kill a job at a point and go on until it ends."""
    folder.mkdir()
    for end in POINTS[point]:
        is_done = _run(folder, WAYS[way], end)
        assert is_done == (end == "paused"), f"{way}, {point}: {(folder / 'said').read_text()}"
    before = (folder / "notes").read_text().split()
    assert _run(folder, WAYS[way], None), "the last crawl did not end"
    with closing(sqlite3.connect(folder / "job" / JOB_FILE)) as file:
        rows = file.execute("SELECT count(*) FROM requests").fetchone()[0]
    return {
        "before": before,
        "then": json.loads((folder / "said").read_text()),
        "feed": (folder / "items.csv").read_text().split(),
        "documents": {path.name: _read(path) for path in folder.glob("*.[cjx]*")},
        "left": [rows, *(path.name for path in (folder / "job" / "requests.queue").iterdir())],
    }


def _read(path: Path) -> list[str]:
    """Return the addresses in a feed, which is one document; raises an error of what reads it."""
    if path.suffix == ".csv":
        with path.open(newline="") as file:
            return [row["url"] for row in csv.DictReader(file)]
    if path.suffix == ".json":
        return [item["url"] for item in json.loads(path.read_text())]
    return [str(item.findtext("url")) for item in ET.parse(path).getroot()]


def run_all(folder: Path, ways: list[str], points: list[str]) -> dict[str, Any]:
    """Return what was done in each case."""
    return {
        f"{way}, {point}": run_case(folder / str(number), way, point)
        for number, (way, point) in enumerate(product(ways, points))
    }


@pytest.mark.parametrize("way", exhaustive_but(["several"], WAYS))
def test_a_kill_at_any_point_costs_what_was_in_flight(way: str, tmp_path: Path) -> None:
    names = json.dumps([way]), json.dumps([*POINTS])
    crawls = in_new_process("crawl.test_killed_crawls", str(tmp_path), *names)
    assert len(crawls) == len(POINTS)
    for (name, done), ends in zip(crawls.items(), POINTS.values()):
        then, fetched = done["then"], Counter(done["before"])
        header, *feed = done["feed"]
        documents = done["documents"]
        assert (header, documents.pop("items.csv")) == ("url", feed), name
        for kind in ("csv", "json", "xml"):
            one = {"csv": "found.csv"}.get(kind, f"items.{kind}")
            assert Counter(documents.pop(one)) == Counter(feed), f"{name}: {kind}"
            of_runs = [urls for run, urls in documents.items() if run.endswith(kind)]
            assert kind == "csv" or Counter(chain.from_iterable(of_runs)) == Counter(feed), f"{name}: {kind}"
        assert (then["failure"], then["reason"], then["log"], then["warnings"]) == ("", "finished", [], []), (
            name
        )
        assert {*fetched, *then["fetched"]} == {*feed} == {*URLS}, name
        again = {url for url in then["fetched"] if url in fetched and url != AGAIN}
        again |= {url for url, times in fetched.items() if times > 1 and url != AGAIN}
        assert len(again) <= 3 * WAYS[way]["CONCURRENT_REQUESTS"] * len(ends), name
        assert Counter(feed) <= fetched + Counter(then["fetched"]), name
        assert done["left"] == [0, "active.json"], "nothing of what is done"


if __name__ == "__main__":
    print(json.dumps(run_all(Path(sys.argv[1]), *map(json.loads, sys.argv[2:4]))))
