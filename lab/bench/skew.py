"""What detection costs where pages, hosts or pagelets are far from even: time, memory, temporary files.

    python -m lab.bench.skew --pages 25000 100000 --engine duckdb spark --method global

Archives of four shapes (``lab/sites/skewed_archives.py``): hosts of 100 pages (even); one host that has nine
tenths of the pages (host); one pagelet on all pages, whose links lead anywhere (pagelet); hosts of one page
(lone).  ``dom``, ``text`` and ``mdl`` read pages of a fifth of the number that is given, and their HTML.

Every measurement is a process of its own.  Its memory is the peak of that process and its children; its
temporary files are what lay in their folder at most, looked at ten times a second, the engine's own tables
among them.  The last column is how many times as long it took as with the number of pages before.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread

from lab.bench.options import add_work, new_parser
from lab.bench.tables import show, table_of
from lab.sites.skewed_archives import SHAPES, write_skewed
from templcrawl.outputs.archive.parts import Archive
from templcrawl.tools.commands.detect_command import ENGINES
from templcrawl.tools.detection.separated_pages import SITE_TABLES, separate_archive
from templcrawl.tools.detection.template_tables import METHODS, detect_templates
from templcrawl.tools.engines.duckdb import DuckDBEngine
from templcrawl.tools.engines.engine import Engine
from templcrawl.tools.engines.spark import SparkEngine

_MAX_BYTES = 10**7
_FEWER = 5
_LOOKS_A_SECOND = 10


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


def start(name: str, memory: str, folder: str) -> Engine:
    if name == "duckdb":
        return DuckDBEngine(memory=memory, folder=folder)
    config = {"spark.master": "local[2]", "spark.driver.memory": memory.replace("GB", "g")}
    return SparkEngine({**config, "spark.local.dir": folder})


def peak_memory() -> int:
    """Return the most kilobytes that this process and its descendants have had in memory, by ``/proc``."""
    parents, peaks = {}, {}
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parents[int(path.name)] = int((path / "stat").read_text().rpartition(")")[2].split()[1])
            about = (path / "status").read_text().partition("VmHWM:")[2].split()
            peaks[int(path.name)] = int(about[0]) if about else 0
    family = [os.getpid()]
    for member in family:
        family += [child for child, parent in parents.items() if parent == member]
    return sum(peaks.get(member, 0) for member in family)


def measure(archive: str, method: str, engine_name: str, memory: str, folder: str) -> list[float]:
    """Detect; return seconds, peak memory in kilobytes, and peak of the temporary files in bytes."""
    started = time.perf_counter()
    with _watched(Path(folder)) as most, start(engine_name, memory, folder) as engine:
        if method in METHODS:
            detect_templates(engine, Archive(archive), method)
        else:
            separate_archive(engine, Archive(archive), method, max_bytes=_MAX_BYTES)
        return [time.perf_counter() - started, peak_memory(), most[0]]


def measured(*arguments: str) -> list[float] | str:
    """Measure in a process of its own; return why where it fails."""
    command = [sys.executable, "-m", "lab.bench.skew", "--measure", *arguments]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        return (run.stderr.strip().splitlines() or ["no reason"])[-1]
    figures: list[float] = json.loads(run.stdout.splitlines()[-1])
    return figures


def rows_of(options: argparse.Namespace) -> Iterator[Sequence[str]]:
    """Write archives, and yield a row for each measurement."""
    before: dict[tuple[str, ...], float] = {}
    plans = ((METHODS, 1, False), (SITE_TABLES, _FEWER, True))
    for shape, pages, (methods, fewer, bodies) in product(options.shape, options.pages, plans):
        asked = [method for method in options.method if method in methods]
        with TemporaryDirectory(dir=options.work) as work:
            place, count = Path(work, "archive"), pages // fewer
            if asked:
                write_skewed(place, shape, count, links=options.links, bodies=bodies)
            for engine, method in product(options.engine, asked):
                aside = Path(work, f"{engine}-{method}")
                aside.mkdir()
                found = measured(str(place), method, engine, options.memory, str(aside))
                named = (engine, method, shape, f"{count:,}", f"{options.links * count:,}")
                print(*named, found, file=sys.stderr, flush=True)
                if isinstance(found, str):
                    yield (*named, found, "", "", "")
                    continue
                seconds, kilobytes, size = found
                last = before.get(named[:3])
                before[named[:3]] = seconds
                times = f"{seconds / last:.1f}" if last else ""
                yield *named, f"{seconds:.1f}", f"{kilobytes / 2**20:.2f}", f"{size / 1e6:,.0f}", times


def main(arguments: Sequence[str] | None = None) -> None:
    parser = new_parser("lab.bench.skew", __doc__)
    add = parser.add_argument
    add("--pages", metavar="N", type=int, nargs="+", default=[25_000, 100_000], help="of an archive")
    add("--links", metavar="N", type=int, default=20, help="of a page")
    add("--shape", choices=SHAPES, nargs="+", default=[*SHAPES])
    add("--engine", choices=ENGINES, nargs="+", default=["duckdb"])
    add("--method", choices=(*METHODS, *SITE_TABLES), nargs="+", default=[*METHODS, *SITE_TABLES])
    add("--memory", default="4GB", help="of DuckDB, or of Spark's driver")
    add_work(parser)
    add("--measure", nargs=5, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.measure:
        print(json.dumps(measure(*options.measure)))
        return
    heads = ("engine", "method", "shape", "pages", "links", "s", "GB", "aside MB", "times")
    show(table_of("Detection over skewed archives", heads, rows_of(options), left=3))


if __name__ == "__main__":
    main()
