"""How fast does ``scrapy strip`` go through a crawl, and how much memory does it take?

    python -m lab.bench.strip --corpora FOLDER [--pages 10000] [--work FOLDER] [--only NAME ...]

A WARC file is made of the first pages of each saved site, again and again under new hosts, until it has
``--pages`` pages; another of a tenth of it.  Each detector strips both in a process of its own, and so
does trafilatura with the larger one: read the WARC file, extract, write JSON lines.  Memory is flat if
both files take about the same.

pages/s are by CPU time of the whole process, start and all; the most memory is that of the process.

Cost: the two files (some 12 KB a page, compressed) in ``--work``; two passes of each detector.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from io import BytesIO
from itertools import count, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import NamedTuple

from rich.table import Table

from lab.bench.options import add_figures, add_work, new_parser
from lab.bench.peers import PEERS, PeerMissing, library
from lab.bench.saved_sites import corpus_sites
from lab.bench.tables import report, table_of
from templcrawl.tools.readers.warc import WarcReader
from templcrawl.tools.whole_site import SITE_DETECTORS

TRAFILATURA = "trafilatura"
OF_SITE = 25
WAYS: dict[str, list[str]] = {
    "vote": [],
    "sandwich, nearest": ["--detector", "sandwich"],
    "sandwich, arrival": ["--detector", "sandwich", "--siblings", "arrival"],
    **{name: ["--detector", name] for name in SITE_DETECTORS},
}
"""Name -> options of ``scrapy strip``."""


class Cost(NamedTuple):
    """What a process took: CPU seconds, seconds on the clock, the most memory in megabytes, bytes written."""

    seconds: float
    elapsed: float
    megabytes: float
    written: int


def repeated_pages(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield (URL, HTML) of the first pages of every site, under new hosts each time round, for ever."""
    sites = [[(page.url, page.html) for page in site.pages(OF_SITE)] for site in corpus_sites(folder)]
    for turn in count():
        for pages in sites:
            for url, html in pages:
                yield url.replace("://", f"://r{turn}."), html


def write_crawl(path: Path, folder: Path, pages: int) -> None:
    """Write a WARC file of so many pages."""
    writer_of = library("warcio.warcwriter").WARCWriter
    headers_of = library("warcio.statusandheaders").StatusAndHeaders
    with path.open("wb") as file:
        writer = writer_of(file, gzip=True)
        for url, html in islice(repeated_pages(folder), pages):
            headers = headers_of("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
            record = writer.create_warc_record(url, "response", payload=BytesIO(html), http_headers=headers)
            writer.write_record(record)
            record.raw_stream.close()


def cost_of(command: Sequence[str], output: Path) -> Cost:
    """Run a command and return what it took; raises CalledProcessError if it fails."""
    began = perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    written = output.stat().st_size
    output.unlink()
    return Cost(usage.ru_utime + usage.ru_stime, perf_counter() - began, usage.ru_maxrss / 1024, written)


def command_of(way: str, crawl: Path, output: Path) -> list[str]:
    """Return what strips a crawl."""
    if way == TRAFILATURA:
        return [sys.executable, "-m", "lab.bench.strip", "--extract", str(crawl), str(output)]
    return [sys.executable, "-m", "scrapy", "strip", str(crawl), "-o", str(output), *WAYS[way]]


def extract(crawl: Path, output: Path) -> None:
    """Write what trafilatura makes of the pages of a crawl."""
    ask = PEERS[TRAFILATURA]()([])
    with output.open("w", encoding="ascii") as file:
        for record in WarcReader(crawl):
            page = record.page()
            file.write(json.dumps({"url": page.url, "text": ask(page.text, page.url)}) + "\n")


def cost_table(costs: dict[str, dict[int, Cost]], pages: int) -> Table:
    """Return a row a way."""
    small = pages // 10
    rows = [
        (
            *(way, f"{pages / of[pages].seconds:,.0f}", f"{of[pages].elapsed:,.0f}"),
            *(f"{of[pages].megabytes:,.0f}", f"{of[small].megabytes:,.0f}" if small in of else ""),
            f"{of[pages].written / 2**20:,.0f}",
        )
        for way, of in costs.items()
    ]
    heads = ("", "pages/s", "s", "MB", f"MB of {small:,} pages", "output MB")
    return table_of(f"Stripping a crawl of {pages:,} pages", heads, rows)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = new_parser("lab.bench.strip", __doc__, corpora=False)
    add = parser.add_argument
    add("--pages", metavar="N", type=int, default=10_000, help="pages of the crawl (default 10,000)")
    add_work(parser)
    add("--only", metavar="NAME", nargs="+", choices=[*WAYS, TRAFILATURA], help="ways")
    add_figures(parser)
    add("--extract", nargs=2, type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.extract:
        extract(*options.extract)
        return
    if not options.corpora or options.pages < 10:
        parser.error("give --corpora, and --pages of 10 or more")
    costs: dict[str, dict[int, Cost]] = {}
    with TemporaryDirectory(dir=options.work) as folder:
        crawls = {pages: Path(folder, f"{pages}.warc.gz") for pages in (options.pages // 10, options.pages)}
        try:
            for pages, crawl in crawls.items():
                write_crawl(crawl, options.corpora, pages)
        except PeerMissing as error:
            parser.error(str(error))
        for way in options.only or (*WAYS, TRAFILATURA):
            for pages, crawl in crawls.items():
                if way != TRAFILATURA or pages == options.pages:
                    output = Path(folder, "out.jsonl")
                    cost = cost_of(command_of(way, crawl, output), output)
                    costs.setdefault(way, {})[pages] = cost
                    print(way, pages, cost, file=sys.stderr, flush=True)
    report({"costs": cost_table(costs, options.pages)}, options.figures)


if __name__ == "__main__":
    main()
