"""Kill -9 at random moments of a crawl with a JOBDIR and every kind of sink, again and again until it ends.

    python -m lab.bench.kills [--kills 200] [--pages 2000] [--seed 0] [--postgresql URL] [--python PROGRAM]

Each job is killed again and again, after some random number of pages more, and resumed, until it ends by
itself; then the next begins.  Beside it one job of Scrapy alone, killed as often.

lost           items of pages that a sink does not have in the end; for Scrapy alone, pages never fetched
again          fetches of pages that an earlier run had fetched, for each kill
twice          items that a sink has twice in the end

A kill costs the pages that were not yet done: those of the last half second, and those whose items were in a
batch (of ``BATCH`` pages) that was not yet stored.  The start page is fetched at every start.

--postgresql   a database for the half of the jobs; the others use SQLite.  The table of items is emptied.
--python       the interpreter of the crawls, one that has another Scrapy
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pyarrow.parquet as pq
from rich.table import Table

from lab.bench.kept_tables import keep_tables
from lab.bench.killed_crawl import BATCH, CSV, JSON_LINES, PARQUET, SENT, url_of
from lab.bench.options import add_figures, at_least_one, new_parser
from lab.bench.tables import show
from templcrawl.outputs.archive.parts import Archive

LEAST, MOST = 20, 250  # pages between two kills
SQLITE = "sqlite:///items.sqlite"


class Played(NamedTuple):
    """What became of a job.

    kills     how often it was killed
    again     fetches of pages that an earlier run had fetched, in each run but the first
    never     pages that were never fetched
    sinks     name of a sink -> the addresses of its items
    failure   what the last run said, if it did not end well
    """

    kills: int
    again: list[int]
    never: int
    sinks: dict[str, list[str]]
    failure: str


def play(folder: Path, pages: int, database: str, chance: random.Random, kills: int, python: str) -> Played:
    """Kill a job again and again, at most so often, and let it end."""
    folder.mkdir()
    command = [python, "-m", "lab.bench.killed_crawl", str(folder), str(pages), database]
    killed = 0
    with (folder / "err.log").open("wb") as errors:
        while killed < kills:
            due = len(_fetches(folder)) + chance.randint(LEAST, MOST)
            process = subprocess.Popen(command, stderr=errors, stdout=errors)
            while process.poll() is None and len(_fetches(folder)) < due:
                time.sleep(0.01)
            process.send_signal(signal.SIGKILL)
            if process.wait() != -signal.SIGKILL:
                break
            killed += 1
        else:
            subprocess.run(command, stderr=errors, stdout=errors, check=False)
    fetches = _fetches(folder)
    runs = list(dict.fromkeys(run for run, _ in fetches))
    seen, again = set[str](), Counter[str]()
    for run in runs:
        numbers = [number for at, number in fetches if at == run]
        again[run] = sum(number in seen for number in numbers)
        seen.update(numbers)
    failure = (folder / "err.log").read_text().strip()[-500:]
    sinks = {} if database == "none" else dict(_sinks(folder, database))
    return Played(killed, [again[run] for run in runs[1:]], pages - len(seen), sinks, failure)


def _fetches(folder: Path) -> list[tuple[str, str]]:
    log = folder / "fetched.log"
    lines = log.read_text().split("\n")[:-1] if log.exists() else []
    return [(run, number) for run, _, number in (line.partition(" ") for line in lines)]


def _sinks(folder: Path, database: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each sink with the addresses of its items; raises where one cannot be read."""
    yield "JSON lines", [json.loads(line)["url"] for line in _lines(folder / JSON_LINES)]
    with (folder / CSV).open(newline="") as file:
        yield "CSV", [row["url"] for row in csv.DictReader(file) if row["url"] != "url"]
    # A batch that a kill has cut is no file of Parquet: its pages were fetched again.
    batches = [path for path in (folder / PARQUET).iterdir() if path.read_bytes()[-4:] == b"PAR1"]
    yield "Parquet", [url for path in batches for url in pq.read_table(path)["url"].to_pylist()]
    sent = [line for path in (folder / SENT).glob("*.jsonl") for line in _lines(path)]
    yield "sent elsewhere", [json.loads(line)["url"] for line in sent]
    yield "archive", Archive(str(folder / "archive")).read("pages", ["url"])["url"].to_pylist()
    query = "SELECT url FROM items"
    if database == SQLITE:
        with closing(sqlite3.connect(folder / "items.sqlite")) as connection:
            yield "SQLite", [url for (url,) in connection.execute(query)]
    else:
        import psycopg

        with psycopg.connect(database) as server:
            yield "PostgreSQL", [url for (url,) in server.execute(query)]


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def _emptied(database: str) -> str:
    """Return a database whose tables of before are gone."""
    import psycopg

    with psycopg.connect(database) as server:
        server.execute("DROP TABLE IF EXISTS items, page_types")
    return database


def _tables(jobs: Sequence[Played], alone: Played, pages: int) -> Iterator[Table]:
    again = sorted(cost for job in jobs for cost in job.again)
    title = f"Kill -9 of crawls of {pages} pages, at 16 in flight, resumed until they end"
    table = Table(
        "crawl", "kills", "pages never fetched", "fetched again a kill: median", "worst", title=title
    )
    ours = sum(job.kills for job in jobs), sum(job.never for job in jobs), median(again), again[-1]
    table.add_row("with templcrawl", *map(str, ours))
    table.add_row(
        "Scrapy alone",
        str(alone.kills),
        str(alone.never),
        *map(str, (median(alone.again or [0]), max(alone.again, default=0))),
    )
    yield table
    table = Table("sink", "jobs", "items lost", "items twice", title="Items after all kills")
    every = {url_of(number) for number in range(pages)}
    for sink in dict.fromkeys(sink for job in jobs for sink in job.sinks):
        having = [job.sinks[sink] for job in jobs if sink in job.sinks]
        lost = sum(len(every - set(urls)) for urls in having)
        twice = sum(len(urls) - len(set(urls)) for urls in having)
        table.add_row(sink, *map(str, (len(having), lost, twice)))
    yield table


def _parser() -> argparse.ArgumentParser:
    parser = new_parser("lab.bench.kills", __doc__)
    add = parser.add_argument
    add("--kills", metavar="N", type=at_least_one, default=200, help="of all jobs (default 200)")
    add("--pages", metavar="N", type=at_least_one, default=2000, help="of a job (default 2000)")
    add("--seed", metavar="N", type=int, default=0, help="of chance")
    add("--postgresql", metavar="URL", help="database of the half of the jobs")
    add("--python", metavar="PROGRAM", default=sys.executable, help="interpreter of the crawls")
    add_figures(parser)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Play jobs, with templcrawl and without; return 1 if anything was lost, or a job did not end well."""
    options = _parser().parse_args(arguments)
    chance = random.Random(options.seed)
    jobs: list[Played] = []
    with TemporaryDirectory() as folder:
        while (left := options.kills - sum(job.kills for job in jobs)) > 0:
            has_server = options.postgresql and len(jobs) % 2
            database = _emptied(options.postgresql) if has_server else SQLITE
            at = Path(folder, str(len(jobs)))
            jobs.append(play(at, options.pages, database, chance, left, options.python))
            print(f"job {len(jobs)}: {jobs[-1].kills} kills", file=sys.stderr, flush=True)
        kills = max(job.kills for job in jobs)
        alone = play(Path(folder, "alone"), options.pages, "none", chance, kills, options.python)
    tables = dict(zip(("kills", "kills_sinks"), _tables(jobs, alone, options.pages)))
    for table in tables.values():
        show(table)
    keep_tables(options.figures, tables)
    every = {url_of(number) for number in range(options.pages)}
    failures = [job.failure for job in jobs if job.failure]
    print(f"batches of {BATCH}; runs that said anything: {failures or 'none'}")
    is_lost = any(job.never or any(every - set(urls) for urls in job.sinks.values()) for job in jobs)
    return int(is_lost or bool(failures))


if __name__ == "__main__":
    sys.exit(main())
