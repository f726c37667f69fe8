"""A crawl by Scrapy in a process of its own, of pages that need no network.

    crawled = crawl(site, settings, Server(0.05), concurrency=16)
    crawled = crawl(site, settings, kill_at=200)

In that process (:mod:`lab.bench.crawling`) a download handler answers each request from a *site*, after the
delay of a *server*; one spider makes an item of each page and follows its links.  What happens is written to
a file at once, so that it is there after a kill, too:

request   the address that was answered
response  the address of a page that has reached the spider, its status, the time, and what the site notes
          of it
end       the stats of the crawl, and from its first request to its end: seconds, CPU seconds of all threads,
          the longest stall and the CPU meanwhile, and megabytes at the peak

Nothing here loads templcrawl: the crawl takes it, if its settings ask for it, from this repository.
Cost: a second to start, some 0.1 ms a page.
"""

from __future__ import annotations

import json
import math
import os
import pickle
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from random import Random
from signal import SIGKILL
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, TypeVar

from scrapy.crawler import Crawler

from lab.sites.fixed_salt import FIXED_SALT

ROOT = Path(__file__).parents[2]
ADDON: dict[str, Any] = {"ADDONS": {"templcrawl.Addon": 500}, **FIXED_SALT}
FOLLOW = "lab.bench.crawling.Follow"
PATIENCE = 1_200.0
"""Seconds after which a process is taken for hung."""
T = TypeVar("T")
R = TypeVar("R")


class Answer(NamedTuple):
    """What a site answers to a request."""

    body: bytes
    status: int = 200
    content_type: str = "text/html; charset=utf-8"
    headers: Mapping[str, str] = {}


class Site:
    """What is crawled; it is pickled.

    start  the addresses that the crawl begins with
    """

    start: Sequence[str]

    def answer(self, url: str) -> Answer:
        """Return the page at an address."""
        raise NotImplementedError

    def links(self, response: Any, found: Sequence[str]) -> Iterable[str]:
        """Return the addresses that are followed, of those that are found on a page."""
        return found

    def item(self, response: Any) -> Any:
        """Return the item of a page."""
        return {"url": response.url, "title": response.css("title::text").get()}

    def note(self, response: Any, crawler: Crawler) -> Mapping[str, Any]:
        """Return what else an event says of a page."""
        return {}


@dataclass
class Pages(Site):
    """Pages that are all known.

    bodies   address -> HTML
    targets  address -> the addresses that are followed from there
    headers  address -> what is sent beside the type; a conditional request is answered by it
    files    address -> the answer, where it is no page
    """

    start: Sequence[str]
    bodies: Mapping[str, str]
    targets: Mapping[str, Sequence[str]]
    headers: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    files: Mapping[str, Answer] = field(default_factory=dict)

    def answer(self, url: str) -> Answer:
        html = self.bodies.get(url)
        if html is None:
            return self.files.get(url) or Answer(b"", 404)
        return Answer(html.encode("utf-8", "replace"), headers=self.headers.get(url, {}))

    def links(self, response: Any, found: Sequence[str]) -> Iterable[str]:
        return self.targets.get(response.url, ())


class Server(NamedTuple):
    """How long an answer takes: lognormal, the same for a page in every crawl.

    median  seconds
    spread  standard deviation of the logarithm
    """

    median: float = 0.0
    spread: float = 0.5

    def delay(self, url: str) -> float:
        """Return the seconds before an answer."""
        return Random(url).lognormvariate(math.log(self.median), self.spread) if self.median else 0.0


AT_ONCE = Server()


@dataclass(frozen=True)
class Job:
    """A crawl to do.

    budget     responses after which it ends
    warm_up    whether it begins with a page that does not count
    spider     import path of the spider
    arguments  of a spider that is not ours
    began      the time of day when it begins, in seconds since 1970; None: now
    """

    site: Site
    settings: Mapping[str, Any] = field(default_factory=dict)
    server: Server = AT_ONCE
    concurrency: int = 16
    budget: float = math.inf
    warm_up: bool = True
    spider: str = FOLLOW
    arguments: Mapping[str, Any] = field(default_factory=dict)
    began: float | None = None


@dataclass(frozen=True)
class Crawled:
    """What a crawl did: its events, what it wrote to stderr, and its exit status; no ``end`` after a kill."""

    requests: list[str]
    responses: list[dict[str, Any]]
    end: dict[str, Any]
    errors: str
    code: int

    @property
    def pages(self) -> list[str]:
        """The addresses of its pages, in the order in which they came."""
        return [response["response"] for response in self.responses if response["status"] == 200]

    @property
    def stats(self) -> dict[str, Any]:
        stats: dict[str, Any] = self.end.get("stats", {})
        return stats


class Running:
    """A crawl that runs in a process of its own, with more of an environment."""

    def __init__(self, job: Job, environment: Mapping[str, str] | None = None) -> None:
        self._place = TemporaryDirectory()
        self._folder = Path(self._place.name)
        (self._folder / "job").write_bytes(pickle.dumps(job))
        command = [sys.executable, "-m", "lab.bench.crawling", str(self._folder)]
        with (self._folder / "errors").open("wb") as errors:
            self._process = subprocess.Popen(
                command, stdout=errors, stderr=errors, cwd=ROOT, env={**os.environ, **(environment or {})}
            )

    def __enter__(self) -> Running:
        return self

    def __exit__(self, *error: object) -> None:
        self.kill()
        self._process.wait()
        self._place.cleanup()

    def kill(self) -> None:
        self._process.send_signal(SIGKILL)

    def is_running(self) -> bool:
        return self._process.poll() is None

    def crawled(self) -> Crawled:
        """Return what it has done by now."""
        path = self._folder / "events"
        lines = path.read_text(encoding="utf-8").split("\n")[:-1] if path.exists() else []
        events = [json.loads(line) for line in lines]
        return Crawled(
            [event["request"] for event in events if "request" in event],
            [event for event in events if "response" in event],
            next((event for event in events if "stats" in event), {}),
            (self._folder / "errors").read_text(encoding="utf-8", errors="replace"),
            self._process.returncode or 0,
        )

    def wait(self) -> Crawled:
        """Wait until it has ended; return what it has done."""
        self._process.wait(PATIENCE)
        return self.crawled()


def crawl(
    site: Site,
    settings: Mapping[str, Any],
    server: Server = AT_ONCE,
    concurrency: int = 16,
    kill_at: int | None = None,
    environment: Mapping[str, str] | None = None,
    **more: Any,
) -> Crawled:
    """Crawl a site to its end, or kill the crawl (-9) when so many requests are answered.

    more  of the fields of a job

    Raises RuntimeError if it fails.
    """
    job = Job(site, settings, server, concurrency, **more)
    with Running(job, environment) as running:
        if kill_at is not None:
            while running.is_running() and len(running.crawled().requests) < kill_at:
                time.sleep(0.01)
            running.kill()
        crawled = running.wait()
    if crawled.code not in (0, -SIGKILL):
        raise RuntimeError(f"{settings}: {crawled.errors[-2_000:]}")
    return crawled


def in_processes(function: Callable[[T], R], inputs: Sequence[T], jobs: int) -> Iterator[R]:
    """Yield what a function returns for each input, each in a process of its own, in the order of inputs."""
    with get_context("spawn").Pool(jobs, maxtasksperchild=1) as pool:
        for number, result in enumerate(pool.imap(function, inputs, chunksize=1), 1):
            print(f"{number} of {len(inputs)}", file=sys.stderr, flush=True)
            yield result
