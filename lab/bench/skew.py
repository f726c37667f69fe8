"""What detection costs where pages, hosts or pagelets are far from even: time, memory, temporary files.

    python -m lab.bench.skew --pages 25000 100000 --engine duckdb spark --method global

Archives of four shapes (``lab/bench/skewed_archives.py``): hosts of 100 pages (even); one host that has nine
tenths of the pages (host); one pagelet on all pages, whose links lead anywhere (pagelet); hosts of one page
(lone).  ``dom``, ``text`` and ``mdl`` read pages of a fifth of the number that is given, and their HTML.

Every measurement is a process of its own.  Its memory is the peak of that process and its children; its
temporary files are what lay in their folder at most, looked at ten times a second, the engine's own tables
among them.  The last column is how many times as long it took as with the number of pages before.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import Any

from lab.bench.archive import peak_memory, start
from lab.bench.options import add_json, add_work, new_parser
from lab.sites.skewed_archives import SHAPES, write_skewed
from templcrawl.outputs.archive.parts import Archive
from templcrawl.tools.commands.detect_command import ENGINES
from templcrawl.tools.detection.separated_pages import SITE_TABLES, separate_archive
from templcrawl.tools.detection.template_tables import METHODS, detect_templates

_MAX_BYTES = 10**7
_FEWER = 5
_LOOKS_A_SECOND = 10
_HEAD = (
    f"{'engine':8}{'method':8}{'shape':9}{'pages':>9}{'links':>11}{'s':>8}{'GB':>7}{'aside MB':>10}{'x':>6}"
)


@contextmanager
def _watched(folder: Path) -> Iterator[list[int]]:
    """Give a list whose one number is the most bytes that files in a folder have taken."""
    most, done = [0], Event()

    def look() -> None:
        while not done.wait(1 / _LOOKS_A_SECOND):
            size = 0
            for path in folder.rglob("*"):
                with suppress(OSError):
                    size += path.stat().st_size
            most[0] = max(most[0], size)

    watcher = Thread(target=look)
    watcher.start()
    try:
        yield most
    finally:
        done.set()
        watcher.join()


def measure(archive: str, method: str, engine_name: str, memory: str, folder: str) -> dict[str, Any]:
    """Detect; return seconds, peak memory in kilobytes, and peak of the temporary files in bytes."""
    started = time.perf_counter()
    with _watched(Path(folder)) as most, start(engine_name, memory, folder) as engine:
        if method in METHODS:
            detect_templates(engine, Archive(archive), method)
            rows = engine.rows("SELECT count(*) FROM template_pagelets")[0][0]
        else:
            separate_archive(engine, Archive(archive), method, max_bytes=_MAX_BYTES)
            rows = engine.rows("SELECT count(*) FROM separated_pages")[0][0]
        seconds = time.perf_counter() - started
        kilobytes = peak_memory()
    return {"rows": rows, "seconds": seconds, "kilobytes": kilobytes, "aside": most[0]}


def measured(*arguments: str) -> dict[str, Any]:
    """Measure in a process of its own."""
    command = [sys.executable, "-m", "lab.bench.skew", "--measure", *arguments]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        return {"failed": (run.stderr.strip().splitlines() or ["no reason"])[-1]}
    figures: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    return figures


def _line(figures: dict[str, Any], before: dict[str, Any] | None) -> str:
    named = "{engine:8}{method:8}{shape:9}{pages:9,}{links:11,}".format(**figures)
    if "failed" in figures:
        return f"{named}  {figures['failed']}"
    sizes = f"{figures['seconds']:8.1f}{figures['kilobytes'] / 2**20:7.2f}{figures['aside'] / 1e6:10,.0f}"
    times = f"{figures['seconds'] / before['seconds']:6.1f}" if before and "failed" not in before else ""
    return named + sizes + times


def _parser() -> argparse.ArgumentParser:
    parser = new_parser("lab.bench.skew", __doc__)
    add = parser.add_argument
    add("--pages", metavar="N", type=int, nargs="+", default=[25_000, 100_000], help="of an archive")
    add("--links", metavar="N", type=int, default=20, help="of a page")
    add("--shape", choices=SHAPES, nargs="+", default=[*SHAPES])
    add("--engine", choices=ENGINES, nargs="+", default=["duckdb"])
    add("--method", choices=(*METHODS, *SITE_TABLES), nargs="+", default=[*METHODS, *SITE_TABLES])
    add("--memory", default="4GB", help="of DuckDB, or of Spark's driver")
    add_work(parser)
    add_json(parser)
    add("--measure", nargs=5, help=argparse.SUPPRESS)
    return parser


def main(arguments: Sequence[str] | None = None) -> None:
    """Write archives, measure, and print a line for each."""
    options = _parser().parse_args(arguments)
    if options.measure:
        print(json.dumps(measure(*options.measure)))
        return
    lines: list[dict[str, Any]] = []
    last: dict[tuple[str, ...], dict[str, Any]] = {}
    print(_HEAD)
    for shape in options.shape:
        for pages in options.pages:
            for figures in _measurements(shape, pages, options):
                kind = (figures["engine"], figures["method"], shape)
                print(_line(figures, last.get(kind)), flush=True)
                last[kind] = figures
                lines.append(figures)
    if options.json:
        options.json.write_text(json.dumps(lines, indent=1), encoding="utf-8")


def _measurements(shape: str, pages: int, options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Yield the figures of all methods and engines over archives of one shape and size."""
    for methods, count, bodies in ((METHODS, pages, False), (SITE_TABLES, pages // _FEWER, True)):
        asked = [method for method in options.method if method in methods]
        if not asked:
            continue
        with TemporaryDirectory(dir=options.work) as work:
            archive = write_skewed(Path(work, "archive"), shape, count, links=options.links, bodies=bodies)
            for engine in options.engine:
                for method in asked:
                    aside = Path(work, f"{engine}-{method}")
                    aside.mkdir()
                    found = measured(str(archive), method, engine, options.memory, str(aside))
                    named = {"engine": engine, "method": method, "shape": shape, "pages": count}
                    yield {**named, "links": options.links * count, **found}


if __name__ == "__main__":
    main()
