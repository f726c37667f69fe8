"""Crawls that are killed (``kill -9``) at several points, with every class of disk queue; a program of its own.

    python -m tests.components.killed_crawls FOLDER

begins a job with each of ``QUEUES`` in each of ``WAYS``, kills it at each of ``POINTS``, goes on with it until
it ends, and prints a JSON object: "queue, way, point" -> what was fetched before, what was under way at the
kills, what the last crawl did, and which files it found.  Each crawl is a process, forked from one that has
imported Scrapy.
"""

from __future__ import annotations

import json
import os
import pickle
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import scrapy.squeues
from scrapy import Request
from scrapy.core.scheduler import Scheduler
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.utils.request import request_from_dict

from tests.components.crawls import ONE_LINE
from tests.components.small_crawls import Answers, crawl, in_this_process

HERE = "tests.components.killed_crawls"
FIFO_AND_LIFO = ["PickleFifoDiskQueue", "PickleLifoDiskQueue", "MarshalFifoDiskQueue", "MarshalLifoDiskQueue"]
SQLITE = ["PickleFifoSQLiteQueue", "MarshalLifoSQLiteQueue"]  # since Scrapy 2.17
QUEUES = {
    **{
        name: f"scrapy.squeues.{name}"
        for name in [*FIFO_AND_LIFO, *SQLITE]
        if hasattr(scrapy.squeues, name)
    },
    "own": f"{HERE}.LinesQueue",
}
WAYS: dict[str, dict[str, Any]] = {
    "on": ONE_LINE,
    "off": {**ONE_LINE, "TEMPLCRAWL_ORDER": "off"},
    "bare": {},
}
"""How the job is begun; it is gone on with ``on`` if it was begun without templcrawl."""

POINTS: dict[str, Sequence[int | str]] = {
    "at the first page": [1],
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


class KillingAnswers(Answers):
    """Notes each page that is asked for, and ends the process at one of them."""

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
        return super().process_request(request)


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
        "KILL_AT": end if isinstance(end, int) else 0,
        "CLOSESPIDER_PAGECOUNT": 4 if isinstance(end, str) else 0,
        "CONCURRENT_REQUESTS": 1,
        "JOBDIR": str(folder / "job"),
    }
    with (folder / "said").open("w") as said:
        os.dup2(said.fileno(), 1)
    in_this_process(lambda: crawl(own))
    return True


def _files(job: Path) -> dict[str, str]:
    folder = job / "requests.queue"
    return {
        str(path.relative_to(folder)): path.read_bytes().hex() for path in folder.rglob("*") if path.is_file()
    }


def run_case(folder: Path, queue: str, way: str, point: str) -> dict[str, Any]:
    """Kill a job at a point and go on until it ends."""
    folder.mkdir()
    settings = {"SCHEDULER_DISK_QUEUE": QUEUES[queue]}
    lost = []
    for end in POINTS[point]:
        begins_anew = {**WAYS[way], **settings}
        assert _run(folder, begins_anew, end) == (end == "paused")
        if isinstance(end, int):
            lost.append((folder / "notes").read_text().split()[-1])
    before = (folder / "notes").read_text().split()
    found = _files(folder / "job")
    assert _run(folder, {**ONE_LINE, **WAYS[way], **settings}, None), "the last crawl did not end"
    then = json.loads((folder / "said").read_text())
    return {
        "before": before,
        "under way": lost,
        "then": then,
        "found": found,
        "left": _files(folder / "job"),
    }


def run_all(folder: Path) -> dict[str, Any]:
    """Return what was done in each case."""
    results = {}
    for number, (queue, way, point) in enumerate((q, w, p) for q in QUEUES for w in WAYS for p in POINTS):
        results[f"{queue}, {way}, {point}"] = run_case(folder / str(number), queue, way, point)
    return results


if __name__ == "__main__":
    print(json.dumps(run_all(Path(sys.argv[1]))))
