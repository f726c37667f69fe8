"""How fast does ``scrapy strip`` go through a crawl, and how much memory does it take?

A WARC file is made of the first pages of each saved site, again and again under new hosts, until it has
``--pages`` pages.  ``scrapy strip`` and trafilatura, where that is installed, go through it, each in a
process of its own; what trafilatura does is: read the WARC file, extract, write JSON lines.

pages/s are by CPU time of the whole process, start and all; the most memory is that of the process.

Cost: the file (some 12 KB a page, compressed) in ``--work``; a pass of each.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from io import BytesIO
from itertools import count, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import NamedTuple

from lab.bench.options import add_number, new_parser
from lab.bench.peers import PEERS, PeerMissing, library
from lab.bench.saved_sites import corpus_sites
from lab.bench.tables import report, table_of
from templcrawl.tools.readers.warc import WarcReader

TRAFILATURA = "trafilatura"
OF_SITE = 25


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


def extract(crawl: Path, output: Path) -> None:
    """Write what trafilatura makes of the pages of a crawl."""
    ask = PEERS[TRAFILATURA]()([])
    with output.open("w", encoding="ascii") as file:
        for record in WarcReader(crawl):
            page = record.page()
            file.write(json.dumps({"url": page.url, "text": ask(page.text, page.url)}) + "\n")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = new_parser("lab.bench.strip", __doc__, "--corpora --work --figures")
    add_number(parser, "--pages", 10_000, "pages of the crawl")
    parser.add_argument("--extract", nargs=2, type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.extract:
        extract(*options.extract)
        return
    if not options.corpora:
        parser.error("give --corpora")
    with TemporaryDirectory(dir=options.work) as folder:
        crawl, output = Path(folder, "crawl.warc.gz"), Path(folder, "out.jsonl")
        try:
            write_crawl(crawl, options.corpora, options.pages)
        except PeerMissing as error:
            parser.error(str(error))
        commands = {"vote": ["scrapy", "strip", str(crawl), "-o", str(output)]}
        if find_spec(TRAFILATURA):
            commands[TRAFILATURA] = ["lab.bench.strip", "--extract", str(crawl), str(output)]
        costs = {way: cost_of([sys.executable, "-m", *asked], output) for way, asked in commands.items()}
    rows = [
        (
            *(way, f"{options.pages / cost.seconds:,.0f}", f"{cost.elapsed:,.0f}"),
            *(f"{cost.megabytes:,.0f}", f"{cost.written / 2**20:,.0f}"),
        )
        for way, cost in costs.items()
    ]
    title = f"Stripping a crawl of {options.pages:,} pages"
    heads = ("", "pages/s", "s", "MB", "output MB")
    report({"costs": table_of(title, heads, rows)}, options.figures)


if __name__ == "__main__":
    main()
