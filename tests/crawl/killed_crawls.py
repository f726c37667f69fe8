"""Crawls that are killed (``kill -9``) at several points, with every class of disk queue; run as a program.

    python -m tests.crawl.killed_crawls FOLDER QUEUES WAYS POINTS

begins a job with each of some ``QUEUES`` in each of some ``WAYS``, kills it at each of some ``POINTS`` (JSON
lists of their names), goes on with it until it ends, and prints a JSON object: "queue, way, point" -> what
was asked for before, what was under way at the kills, what the last crawl did, and which files it left.
Each crawl is a process, forked from one that has imported Scrapy.
"""

from __future__ import annotations

import json
import os
import pickle
import signal
import sys
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import scrapy.squeues
from scrapy import Request
from scrapy.core.scheduler import Scheduler
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse, Response
from scrapy.utils.request import request_from_dict

from tests.crawl.crawls import ONE_LINE
from tests.crawl.small_crawls import Follow, crawl, in_this_process
from tests.scrapy_processes import import_all

START = "http://small.example/"
URLS = [START, *(f"http://{host}.example/{number}" for number in range(6) for host in ("small", "other"))]
AGAIN = URLS[4]
"""The page that is asked for twice, by equal requests that the dupefilter lets pass."""

HERE = "tests.crawl.killed_crawls"
FIFO_AND_LIFO = ["PickleFifoDiskQueue", "PickleLifoDiskQueue", "MarshalFifoDiskQueue", "MarshalLifoDiskQueue"]
SQLITE = ["PickleFifoSQLiteQueue", "MarshalLifoSQLiteQueue"]  # since Scrapy 2.17
QUEUES = {
    **{name: f"scrapy.squeues.{name}" for name in [*FIFO_AND_LIFO, *SQLITE] if hasattr(scrapy.squeues, name)},
    "own": f"{HERE}.LinesQueue",
}
WAYS: dict[str, dict[str, Any]] = {
    "on": ONE_LINE,
    "off": {**ONE_LINE, "TEMPLCRAWL_ORDER": "off"},
    "bare": {},
}
"""How the job is begun; it is gone on with ``on`` if it was begun without templcrawl."""

POINTS: dict[str, Sequence[int | str]] = {
    "while links are queued": ["queueing"],
    "at the second page": [2],
    "at the fifth page": [5],
    "twice": [4, 4],
    "after a pause": ["paused", 3],
    "at the close": ["closed"],
    "at the close, its list cut": ["cut"],
}
"""Point -> how each crawl of the job ends, but for the last: killed at its nth page, or as it closes."""


class LinesQueue:
    """A project's queue of a format that only it knows: a line for each request, written anew each time."""

    @classmethod
    def from_crawler(cls, crawler: Crawler, key: str) -> LinesQueue:
        return cls(crawler, Path(key))

    def __init__(self, crawler: Crawler, path: Path) -> None:
        self._crawler, self._path = crawler, path
        path.parent.mkdir(parents=True, exist_ok=True)
        self._lines = path.read_text().splitlines() if path.exists() else []

    def push(self, request: Request) -> None:
        self._lines.append(pickle.dumps(request.to_dict(spider=self._crawler.spider)).hex())
        self._path.write_text("\n".join(self._lines))

    def pop(self) -> Request | None:
        if not self._lines:
            return None
        plain = pickle.loads(bytes.fromhex(self._lines.pop()))
        self._path.write_text("\n".join(self._lines))
        return request_from_dict(plain, spider=self._crawler.spider)

    def close(self) -> None:
        if not self._lines:
            self._path.unlink(missing_ok=True)

    def __len__(self) -> int:
        return len(self._lines)


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

    def process_request(self, request: Request) -> Response:
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
    if end in ("closed", "cut"):
        _kill_at_close('{"small.ex' if end == "cut" else None)
    middlewares = {KillingAnswers: 940}
    own = {
        **settings,
        "DOWNLOADER_MIDDLEWARES": middlewares,
        "NOTES": str(folder / "notes"),
        "END": end,
        "KILL_AT": end if isinstance(end, int) else 0,
        "CLOSESPIDER_PAGECOUNT": 4 if isinstance(end, str) else 0,
        "CONCURRENT_REQUESTS": 1,
        "JOBDIR": str(folder / "job"),
    }
    with (folder / "said").open("w") as said:
        os.dup2(said.fileno(), 1)
    in_this_process(lambda: crawl(own, Links))
    return True


def run_case(folder: Path, queue: str, way: str, point: str) -> dict[str, Any]:
    """Kill a job at a point and go on until it ends."""
    folder.mkdir()
    settings = {"SCHEDULER_DISK_QUEUE": QUEUES[queue]}
    lost = []
    for end in POINTS[point]:
        begins_anew = {**WAYS[way], **settings}
        is_done = _run(folder, begins_anew, end)
        if is_done and way != "on" and point == "twice":  # Scrapy's own queue had nothing left
            return {"ended": True}
        assert is_done == (end == "paused"), f"{queue}, {way}, {point}: {(folder / 'said').read_text()}"
        if isinstance(end, int):
            lost.append((folder / "notes").read_text().split()[-1])
    before = (folder / "notes").read_text().split()
    assert _run(folder, {**ONE_LINE, **WAYS[way], **settings}, None), "the last crawl did not end"
    files = [path for path in (folder / "job" / "requests.queue").rglob("*") if path.is_file()]
    return {
        "before": before,
        "under way": lost,
        "then": json.loads((folder / "said").read_text()),
        # Before 2.17 Scrapy leaves empty ones: no byte, or the size 0 of a stack's last record.
        "left": [path.name for path in files if path.read_bytes().strip(b"\0")],
    }


def run_all(folder: Path, queues: list[str], ways: list[str], points: list[str]) -> dict[str, Any]:
    """Return what was done in each case."""
    results = {}
    for number, (queue, way, point) in enumerate(product(queues, ways, points)):
        results[f"{queue}, {way}, {point}"] = run_case(folder / str(number), queue, way, point)
    return results


if __name__ == "__main__":
    import_all()
    print(json.dumps(run_all(Path(sys.argv[1]), *map(json.loads, sys.argv[2:5]))))
