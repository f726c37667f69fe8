"""What templcrawl costs a crawl: CPU a page with the add-on and without it, links extracted in both.

    python -m benchmarks.crawl_cost [--folder FOLDER] [--rounds 3]

Each crawl runs in a process of its own; its pages come from memory, so that no network and no server
is in the figures.  Rounds are interleaved; start-up is taken off by a crawl of one page.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any

from rich.table import Table

from benchmarks.console import show
from benchmarks.options import add_saved, new_parser
from benchmarks.page_sets import LARGE, SMALL, generated, saved

_COUNT = 150
_ADDON = {"ADDONS": {"templcrawl.Addon": 500}, "TEMPLCRAWL_SAMPLE_SALT": 0}
_MODES = {
    "without": {},
    "with the add-on, bare items": {**_ADDON, "TEMPLCRAWL_ITEM_FIELDS": {}},
    "with the add-on, stripped items": _ADDON,
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Print CPU a page and the ratio, for each set of pages."""
    parser = new_parser("benchmarks.crawl_cost", __doc__)
    add_saved(parser)
    parser.add_argument("--rounds", metavar="N", type=int, default=3, help="crawls of each kind (default 3)")
    parser.add_argument("--crawl", metavar="JSON", type=json.loads, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.crawl:
        _crawl(*options.crawl)
        return
    if options.rounds < 1:
        parser.error("--rounds is 1 or more")
    sets = (
        {"saved": (options.folder, 0)} if options.folder else {"small": (None, SMALL), "large": (None, LARGE)}
    )
    table = Table("pages", "crawl", "CPU ms a page", "ratio", "of it observing, ms", title="Cost of a crawl")
    for name, (source, size) in sets.items():
        cpu: dict[str, list[float]] = {mode: [] for mode in _MODES}
        ours: dict[str, list[float]] = {mode: [] for mode in _MODES}
        for _ in range(options.rounds):
            for mode in _MODES:
                start, _ = _measure(mode, source, size, 1)
                whole, observing = _measure(mode, source, size, _COUNT)
                cpu[mode].append(1000 * (whole - start) / (_COUNT - 1))
                ours[mode].append(1000 * observing / _COUNT)
        base = median(cpu["without"])
        for mode in _MODES:
            spent = median(cpu[mode])
            table.add_row(name, mode, f"{spent:.2f}", f"{spent / base:.2f}", f"{median(ours[mode]):.2f}")
    show(table)


def _measure(mode: str, source: str | None, size: int, count: int) -> tuple[float, float]:
    """Crawl in a new process; return its CPU seconds, and those that observing pages took."""
    arguments = json.dumps([mode, source, size, count])
    command = [sys.executable, "-m", "benchmarks.crawl_cost", "--crawl", arguments]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    cpu, observing = json.loads(run.stdout.splitlines()[-1])
    return cpu, observing


def _crawl(mode: str, source: str | None, size: int, count: int) -> None:
    """Crawl ``count`` pages in this process, and print what it cost."""
    from scrapy import Request, Spider
    from scrapy.crawler import AsyncCrawlerProcess
    from scrapy.http import HtmlResponse, Response
    from scrapy.linkextractors import LinkExtractor

    pages = [(url, html.encode()) for url, html in (saved(source) if source else generated(size))]
    bodies = [pages[number % len(pages)] for number in range(count)]

    class FromMemory:
        """Answers from memory: page n for the address /n."""

        def process_request(self, request: Request) -> Response:
            number = request.url.rpartition("/")[2]
            if not number.isdigit():
                return Response(request.url, status=404)
            return HtmlResponse(request.url, body=bodies[int(number)][1], encoding="utf-8")

    class Reader(Spider):
        """Reads every page, and asks for the links of each, which the dupefilter then knows."""

        name = "reader"
        allowed_domains = ("bench.example",)
        extractor = LinkExtractor()

        async def start(self) -> Any:
            for number in range(count):
                yield Request(f"http://bench.example/{number}")

        def parse(self, response: Any) -> Iterator[Any]:
            yield {"url": response.url, "title": response.css("title::text").get()}
            for link in self.extractor.extract_links(response):
                yield Request(link.url)

    settings = {
        "LOG_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
        "REMOTE_CONTROL_ENABLED": False,
        "ROBOTSTXT_OBEY": False,
        "HTTPERROR_ALLOW_ALL": False,
        "DOWNLOADER_MIDDLEWARES": {FromMemory: 960},
        **_MODES[mode],
    }
    process = AsyncCrawlerProcess(settings)
    crawler = process.create_crawler(Reader)
    started = time.process_time()
    process.crawl(crawler)
    process.start()
    print(json.dumps([time.process_time() - started, crawler.stats.get_value("templcrawl/seconds", 0.0)]))


if __name__ == "__main__":
    main()
