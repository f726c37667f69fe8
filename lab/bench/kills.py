"""Kill -9 at random moments of a crawl with a JOBDIR and every kind of sink, again and again until it ends.

Each job is killed again and again, after some random number of pages more, and resumed, until it ends by
itself; then the next begins.  Its sinks are feeds in local files (JSON lines, CSV, XML), feeds that are
stored at their end (Parquet, and one that is sent elsewhere), a database, an archive.  Beside it one job of
Scrapy alone, with the local feeds, killed as often.

lost           items of pages that a sink does not have in the end; for Scrapy alone, pages never fetched
again          fetches of pages that an earlier run had fetched, for each kill
twice          items that a sink has twice in the end

A kill costs the pages that were not yet done: those of the last half second, and those whose items were in a
batch (of ``BATCH`` pages) that was not yet stored.  The start page is fetched at every start.

--power        each kill is a power failure, too: what was not synced is lost (:mod:`lab.bench.power_failure`)
--postgresql   a database for the half of the jobs; the others use SQLite.  The table of items is emptied.
"""

from __future__ import annotations

import csv
import json
import random
import shutil
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import IO, Any, NamedTuple
from xml.etree import ElementTree as ET

import pyarrow.parquet as pq
from rich.table import Table
from scrapy.extensions.feedexport import BlockingFeedStorage

from lab.bench import power_failure
from lab.bench.crawl import Server, crawl
from lab.bench.generated import Numbered
from lab.bench.options import add_number, new_parser
from lab.bench.tables import report, table_of
from templcrawl.outputs.archive.archive_parts import Archive

LEAST, MOST = 20, 250  # pages between two kills
BATCH = 50
ANSWERS_AFTER = Server(0.004, 0)
JSON_LINES, CSV, XML, PARQUET, SENT = "items.jsonl", "items.csv", "items.xml", "parquet", "sent"
NOTES = "notes"
SQLITE = "SQLite"


class Played(NamedTuple):
    """What became of a job.

    kills     how often it was killed
    again     fetches of pages that an earlier run had fetched, in each run but the first
    never     pages that were never fetched
    sinks     name of a sink -> the addresses of its items
    failure   what the runs said
    """

    kills: int
    again: list[int]
    never: int
    sinks: dict[str, list[str]]
    failure: str


class Sent(BlockingFeedStorage):
    """A storage that has a feed only when it is whole, as S3 and FTP do."""

    def __init__(self, uri: str, *, feed_options: object = None) -> None:
        self._path = Path(uri.removeprefix("sent:"))

    def _store_in_thread(self, file: IO[bytes]) -> None:
        file.seek(0)
        part = self._path.with_suffix(".part")
        with part.open("wb") as target:
            shutil.copyfileobj(file, target)
        part.replace(self._path)


def settings_of(folder: Path, database: str | None, *, fails_power: bool = False) -> dict[str, Any]:
    """Return the settings of a job in a folder; without a database it is Scrapy alone."""
    local = {
        str(folder / JSON_LINES): {"format": "jsonlines"},
        str(folder / CSV): {"format": "csv"},
        str(folder / XML): {"format": "xml"},
    }
    settings = {"JOBDIR": str(folder / "job"), "LOG_ENABLED": True, "LOG_LEVEL": "ERROR", "FEEDS": local}
    if database is None:
        return settings
    batches = "%(batch_time)s-%(batch_id)d"
    return {
        **settings,
        "ADDONS": {
            "templcrawl.Addon": 500,
            "lab.sites.shop.components.SmallParts": 1,
            **({"lab.bench.power_failure.Disk": 2} if fails_power else {}),
        },
        "POWER_NOTES": str(folder / NOTES),
        "SHOP_PART_PAGES": BATCH,
        "TEMPLCRAWL_DATABASE": _sqlite(folder) if database == SQLITE else database,
        "TEMPLCRAWL_ARCHIVE": str(folder / "archive"),
        "FEED_STORAGES": {"sent": "lab.bench.kills.Sent"},
        "FEEDS": {
            **local,
            f"{folder / PARQUET}/{batches}.parquet": {"format": "parquet", "batch_item_count": BATCH},
            f"sent:{folder / SENT}/{batches}.jsonl": {"format": "jsonlines", "batch_item_count": BATCH},
        },
    }


def _sqlite(folder: Path) -> str:
    return f"sqlite:///{folder / 'items.sqlite'}"


def play(
    folder: Path,
    pages: int,
    database: str | None,
    chance: random.Random,
    kills: int,
    *,
    fails_power: bool = False,
) -> Played:
    """Kill a job again and again, at most so often, and let it end."""
    (folder / SENT).mkdir(parents=True)
    site, settings = Numbered(pages), settings_of(folder, database, fails_power=fails_power)
    killed, failure = 0, ""
    seen, again = set[str](), list[int]()
    while True:
        kill_at = chance.randint(LEAST, MOST) if killed < kills else None
        run = crawl(site, settings, ANSWERS_AFTER, kill_at=kill_at, warm_up=False)
        again.append(sum(url in seen for url in run.requests))
        seen.update(run.requests)
        failure += run.errors
        if not run.code:
            break
        killed += 1
        if fails_power:
            power_failure.fail(folder, folder / "job", folder / NOTES, folder / SENT)
    sinks = {} if database is None else dict(_sinks(folder, database))
    return Played(killed, again[1:], pages - len(seen), sinks, failure.strip()[-500:])


def _sinks(folder: Path, database: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each sink with the addresses of its items; raises where one cannot be read."""
    yield "JSON lines", [json.loads(line)["url"] for line in _lines(folder / JSON_LINES)]
    with (folder / CSV).open(newline="") as file:
        yield "CSV", [row["url"] for row in csv.DictReader(file)]
    yield "XML", [str(item.findtext("url")) for item in ET.parse(folder / XML).getroot()]
    # A power failure may leave the name of a batch alone: its pages were fetched again.
    batches = [path for path in (folder / PARQUET).iterdir() if path.stat().st_size]
    yield "Parquet", [url for path in batches for url in pq.read_table(path)["url"].to_pylist()]
    sent = [line for path in (folder / SENT).glob("*.jsonl") for line in _lines(path)]
    yield "sent elsewhere", [json.loads(line)["url"] for line in sent]
    yield "archive", Archive(str(folder / "archive")).read("pages", ["url"])["url"].to_pylist()
    query = "SELECT url FROM items"
    if database == SQLITE:
        with closing(sqlite3.connect(folder / "items.sqlite")) as connection:
            yield SQLITE, [url for (url,) in connection.execute(query)]
    else:
        import psycopg

        with psycopg.connect(database) as server:
            yield "PostgreSQL", [url for (url,) in server.execute(query)]


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def _emptied(database: str) -> str:
    import psycopg

    with psycopg.connect(database) as server:
        server.execute("DROP TABLE IF EXISTS items, page_types")
    return database


def tables_of(jobs: Sequence[Played], alone: Played | None, site: Numbered) -> dict[str, Table]:
    again = [cost for job in jobs for cost in job.again]
    rows: list[tuple[object, ...]] = [
        (
            way,
            sum(job.kills for job in of),
            sum(job.never for job in of),
            median(costs or [0]),
            max([0, *costs]),
        )
        for way, of, costs in (
            ("with templcrawl", jobs, again),
            *([("Scrapy alone", [alone], alone.again)] if alone is not None else []),
        )
    ]
    what = "Kill -9" if alone is not None else "Power failures"
    title = f"{what} of crawls of {site.count} pages, at 16 in flight, resumed until they end"
    heads = ("crawl", "kills", "pages never fetched", "fetched again a kill: median", "worst")
    name = "kills" if alone is not None else "power"
    tables = {name: table_of(title, heads, rows)}
    every, of_sinks = {*site.urls}, []
    for sink in dict.fromkeys(sink for job in jobs for sink in job.sinks):
        having = [job.sinks[sink] for job in jobs if sink in job.sinks]
        lost = sum(len(every - {*urls}) for urls in having)
        of_sinks.append((sink, len(having), lost, sum(len(urls) - len({*urls}) for urls in having)))
    tables[f"{name}_sinks"] = table_of(
        "Items after all kills", ("sink", "jobs", "items lost", "items twice"), of_sinks
    )
    return tables


def main(arguments: Sequence[str] | None = None) -> int:
    parser = new_parser("lab.bench.kills", __doc__, "--figures")
    add_number(parser, "--kills", 200, "of all jobs")
    add_number(parser, "--pages", 2000, "of a job")
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="of chance")
    parser.add_argument("--power", action="store_true", help="each kill is a power failure, too")
    parser.add_argument("--postgresql", metavar="URL", help="database of the half of the jobs")
    options = parser.parse_args(arguments)
    chance = random.Random(options.seed)
    jobs: list[Played] = []
    with TemporaryDirectory() as folder:
        while (left := options.kills - sum(job.kills for job in jobs)) > 0:
            has_server = options.postgresql and len(jobs) % 2
            database = _emptied(options.postgresql) if has_server else SQLITE
            place = Path(folder, str(len(jobs)))
            jobs.append(play(place, options.pages, database, chance, left, fails_power=options.power))
            print(f"job {len(jobs)}: {jobs[-1].kills} kills", file=sys.stderr, flush=True)
        kills = max(job.kills for job in jobs)
        alone = None
        if not options.power:
            alone = play(Path(folder, "alone"), options.pages, None, chance, kills)
    site = Numbered(options.pages)
    report(tables_of(jobs, alone, site), options.figures)
    failures = [job.failure for job in jobs if job.failure]
    print(f"batches of {BATCH}; runs that said anything: {failures or 'none'}")
    is_lost = any(job.never or any({*site.urls} - {*urls} for urls in job.sinks.values()) for job in jobs)
    return int(is_lost or bool(failures))


if __name__ == "__main__":
    sys.exit(main())
