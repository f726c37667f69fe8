"""One crawl of many hosts for ``lab.bench.broad``, in a process of its own, without a network.

A download handler answers each request after a delay with a page that it puts together: of 10 to 50 KB,
a template for each host, links to the host's other pages.  Delays differ, so that answers do not come in one
turn of the event loop.  The spider asks for the first page of every host and follows the links; answers that
are no HTML have none, so there it asks for all.

seconds, CPU  from the first request to the end of the crawl, all threads
stall         how late a call that is due every ``TICK`` seconds came at most: so long was the event loop busy
              with something else; and the CPU of its thread meanwhile: much less on a machine that was busy
              with others, or where something was waited for

Cost: some 0.1 ms a page, the same with templcrawl and without.  Nothing here loads templcrawl: the crawl
takes it from the folder that it is told.
"""

from __future__ import annotations

import asyncio
import gc
import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from scrapy import Request, Spider, signals
from scrapy.crawler import AsyncCrawlerProcess, Crawler
from scrapy.http import Headers, Response
from scrapy.linkextractors import LinkExtractor
from scrapy.responsetypes import responsetypes

from lab.bench.cost_crawl import SpiderHandler
from lab.sites.fixed_salt import FIXED_SALT
from lab.sites.words import Writer

ROOT = Path(__file__).parents[2]
KINDS = ("html", "json", "pdf", "404")
TICK = 0.005
SPREAD = 0.5
"""By how much of the latency an answer may come sooner or later; the same for a page in every crawl."""
PATIENCE = 1_200.0
"""Seconds after which a process is taken for hung."""
FOLLOWED = r"/page/\d+$"
_TYPES = {"json": b"application/json", "pdf": b"application/pdf"}
_POOL = 4_000
_MENU = 24
_PARAGRAPHS = (20, 120)
"""Fewest and most paragraphs of a page; each has some 370 characters."""

QUIET = {
    "DOWNLOAD_HANDLERS": {"http": "lab.bench.broad_crawl.Delayed", "https": None, "ftp": None, "s3": None},
    "LOG_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
}
ADDON = {"ADDONS": {"templcrawl.Addon": 500}, **FIXED_SALT}


@dataclass(frozen=True)
class Job:
    """A crawl to do.

    addon     checkout whose templcrawl is switched on; None: Scrapy alone
    kind      what is answered: one of ``KINDS``
    pages     of each host
    latency   seconds before an answer, on average
    settings  of the crawl
    collects  new objects between two garbage collections; 0: as Python, or the add-on, has it
    """

    addon: str | None
    hosts: int
    pages: int
    kind: str = "html"
    latency: float = 0.0
    settings: Mapping[str, Any] = field(default_factory=dict)
    collects: int = 0


@dataclass(frozen=True)
class Figures:
    """What a crawl did: answers in all, pages that it did not fetch, and what it took."""

    answers: int
    missing: int
    seconds: float
    cpu_seconds: float
    stall: float
    stall_cpu: float
    megabytes: float


@cache
def _pool() -> tuple[list[str], list[str]]:
    """Return sentences and titles."""
    writer = Writer("broad crawl")
    return [writer.sentence() for _ in range(_POOL)], [writer.title() for _ in range(_POOL)]


class Website:
    """The answers of all hosts, put together from one pool of sentences."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._sentences, self._titles = _pool()
        self._template = cache(self._new_template)

    def answer(self, url: str) -> Response:
        """Return the answer to an address ``http://h<host>.example/page/<number>``."""
        host = int(url.split(".", 1)[0].rpartition("h")[2])
        number = int(url.rpartition("/")[2])
        kind = self._job.kind
        body = self._html(host, number) if kind in ("html", "404") else self._data(host, number)
        headers = Headers({b"Content-Type": _TYPES.get(kind, b"text/html; charset=utf-8")})
        response_class = responsetypes.from_args(headers=headers, url=url, body=body)
        return response_class(url, status=404 if kind == "404" else 200, headers=headers, body=body)

    def _data(self, host: int, number: int) -> bytes:
        chance = Random(host * 1_000_003 + number)
        records = [{"title": title} for title in chance.choices(self._titles, k=200)]
        body = json.dumps({"title": self._titles[number % _POOL], "records": records}).encode()
        return b"%PDF-1.5\n%\x00\x01\n" + body if self._job.kind == "pdf" else body

    def _new_template(self, host: int) -> tuple[str, str]:
        """Return what stands before the content of a host's pages, and after it."""
        chance = Random(host)
        style = f"c{host % 97}"
        menu = "".join(
            f'<li class="{style}-item"><a class="{style}-entry" href="/section/{at}/">{title}</a></li>\n'
            for at, title in enumerate(chance.choices(self._titles, k=chance.randrange(6, 2 * _MENU)))
        )
        sides = " ".join(chance.choices(self._sentences, k=6))
        before = (
            f'<link rel="stylesheet" href="/{style}.css"></head>\n<body class="{style}"><header><a href="/">'
            f'Home of {host}</a></header>\n<nav><ul class="{style}-menu">\n{menu}</ul></nav>\n<main>\n'
        )
        after = f'</main>\n<aside class="{style}-side"><p>{sides}</p></aside>\n<footer>Imprint</footer>\n'
        return before, after

    def _html(self, host: int, number: int) -> bytes:
        before, after = self._template(host)
        chance = Random(host * 1_000_003 + number)
        title = chance.choice(self._titles)
        count = round(chance.triangular(*_PARAGRAPHS, _PARAGRAPHS[0]))
        said = chance.choices(self._sentences, k=5 * count)
        text = "".join(f"<p>{' '.join(said[at : at + 5])}</p>\n" for at in range(0, len(said), 5))
        pages = self._job.pages
        links = "".join(
            f'<li><a href="/page/{other}">{self._titles[(host + other) % _POOL]}</a></li>\n'
            for other in range(number + 1, min(pages, number + 21))
        )
        head = f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>\n'
        return f"{head}{before}<h1>{title}</h1>\n{text}<ul>{links}</ul>{after}</body></html>".encode()


class Delayed(SpiderHandler):
    """Answers after a delay, and notes what was asked for."""

    async def download_request(self, request: Request) -> Response:
        await asyncio.sleep(self._spider.job.latency * Random(request.url).uniform(1 - SPREAD, 1 + SPREAD))
        self._spider.answered.append(request.url)
        response: Response = self._spider.site.answer(request.url)
        return response


class Reader(Spider):
    """Reads every page of every host."""

    name = "reader"
    extractor = LinkExtractor(allow=FOLLOWED)

    def __init__(self, job: Job) -> None:
        super().__init__()
        self.job = job
        self.site = Website(job)
        self.answered: list[str] = []
        self.figures: Figures | None = None
        self._stall, self._stall_cpu, self._tick_cpu = 0.0, 0.0, 0.0
        self._tick: asyncio.TimerHandle | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Reader:
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.finish, signals.engine_stopped)
        return spider

    async def start(self) -> Any:
        if self.job.collects:
            gc.set_threshold(self.job.collects, *gc.get_threshold()[1:])
        self._started, self._cpu = time.monotonic(), time.process_time()
        self._next_tick()
        numbers = range(1 if self.job.kind == "html" else self.job.pages)
        for number in numbers:
            for host in range(self.job.hosts):
                yield Request(f"http://h{host}.example/page/{number}")

    def parse(self, response: Any) -> Iterator[Any]:
        if self.job.kind == "html":
            yield {"url": response.url, "title": response.css("title::text").get()}
            for link in self.extractor.extract_links(response):
                yield Request(link.url)
        elif self.job.kind == "json":
            yield {"url": response.url, "title": response.json()["title"]}
        else:
            yield {"url": response.url, "title": None}

    def finish(self) -> None:
        """Note what the crawl did; it has ended."""
        self._note_stall()
        self.figures = Figures(
            len(self.answered),
            self.job.hosts * self.job.pages - len(set(self.answered)),
            time.monotonic() - self._started,
            time.process_time() - self._cpu,
            self._stall,
            self._stall_cpu,
            resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000,
        )

    def _note_stall(self) -> None:
        if self._tick is None:
            return
        late = asyncio.get_running_loop().time() - self._tick.when()
        if late > self._stall:
            self._stall, self._stall_cpu = late, time.thread_time() - self._tick_cpu

    def _next_tick(self) -> None:
        self._note_stall()
        self._tick_cpu = time.thread_time()
        self._tick = asyncio.get_running_loop().call_later(TICK, self._next_tick)


@cache
def _topic() -> Any:
    from templcrawl.algorithms.crawl_order.focus import TopicWords

    return TopicWords("harbour")


def about_harbours(page: Any) -> float:
    """Judge how relevant a page is, for crawls in the order "focus"."""
    relevance: float = _topic()(page)
    return relevance


def process_for(addon: str | None, settings: Mapping[str, Any]) -> AsyncCrawlerProcess:
    """Return what runs the one crawl of this process, with the add-on of a checkout or without."""
    if addon is None:
        return AsyncCrawlerProcess({**QUIET, **settings})
    sys.path.insert(0, addon)
    import templcrawl

    assert Path(templcrawl.__file__).is_relative_to(Path(addon).resolve()), templcrawl.__file__
    return AsyncCrawlerProcess({**QUIET, **ADDON, **settings})


def in_new_process(module: str, job: Any) -> Any:
    """Run a module of this repository on a job, in a process of its own; return what it printed."""
    command = [sys.executable, "-m", module, json.dumps(asdict(job))]
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, timeout=PATIENCE)
    if run.returncode:
        raise RuntimeError(f"{job}: {run.stderr[-2_000:]}")
    return json.loads(run.stdout.splitlines()[-1])


def main(given: str) -> None:
    """Crawl, and print the figures."""
    job = Job(**json.loads(given))
    process = process_for(job.addon, job.settings)
    crawler = process.create_crawler(Reader)
    process.crawl(crawler, job)
    process.start()
    assert ("templcrawl" in sys.modules) == (job.addon is not None)
    assert isinstance(crawler.spider, Reader)
    assert crawler.spider.figures is not None
    print(json.dumps(asdict(crawler.spider.figures)))


if __name__ == "__main__":
    main(sys.argv[1])
