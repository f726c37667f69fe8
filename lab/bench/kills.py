"""Kill -9 at random moments of a crawl with a JOBDIR, SQLite, Parquet and an archive, then go on to the end.

    python -m lab.bench.kills [--rounds 200] [--seed 0]

Each round kills a crawl after a random number of pages, looks at what it has left, resumes it, and looks
again.  Beside it the same kills without templcrawl: what Scrapy itself loses.  Broken promises are printed,
each with its round, and the program ends with 1.  Pages come from memory; every fetch and every item is
written to a log at once, so that it is known what the killed crawl has seen.
"""

from __future__ import annotations

import json
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import scrapy
from rich.table import Table

from lab.bench.killed_crawl import CONCURRENT, INTERVAL, PAGES, PART_PAGES, URLS
from lab.bench.options import at_least_one, new_parser
from lab.bench.tables import show
from templcrawl.memory.site import SiteMemory
from templcrawl.memory.store import saved_snapshots
from templcrawl.outputs.archive.parts import Archive
from templcrawl.state_file import JOB_FILE

GRACE = 0.5
FEEDS_AT_KILL = 2 if scrapy.version_info >= (2, 18) else PAGES
"""Parquet feeds that a kill may leave without an end: the one that is written, and the one being closed.

Scrapy closed all batches of a feed at the end of the crawl before 2.18."""

_DOCUMENTED = re.compile(
    r"job/(?:requests\.seen|requests\.queue(?:/.*)?|spider\.state|templcrawl\.lock|templcrawl\.sqlite(?:-wal|-shm)?)"
    r"|out/(?:items\.sqlite|feed-[^/]+\.parquet|archive/(?:pages|links|pagelets|page_types)/[^/]+\.parquet)"
    r"|out/archive/_aside/(?:(?:archive|writers)\.lock|[^/]+\.parquet)"  # parts of a kill: swept a day later
    r"|(?:fetched|items)\.log|stats\.json|err\.log"
)


class Line(NamedTuple):
    """A line of a log: when it was written, and the URL."""

    at: float
    url: str


class Round(NamedTuple):
    """What a kill has cost.

    broken     promises of ours that were broken
    pages      pages that were fetched before the kill
    never      pages that no crawl has fetched
    again      fetches of pages that were fetched before
    sqlite     items that neither SQLite nor the outbox has, at the kill
    archive    pages that were fetched and are not in the archive, at the kill
    learned    pages that were fetched and not learned of for good, at the kill
    """

    broken: list[str]
    pages: int
    never: int
    again: int
    sqlite: int = 0
    archive: int = 0
    learned: int = 0


def play(folder: Path, after: int, pause: float, *, ours: bool = True) -> Round:
    """Kill a crawl after so many pages and seconds, look, resume it, and look again."""
    folder.mkdir()
    killed_at = _killed(folder, after, pause, ours=ours)
    fetched = _lines(folder / "fetched.log")
    broken, lost = _left(folder, fetched, killed_at) if ours else ([], (0, 0, 0))
    with (folder / "err.log").open("wb") as errors:
        code = _start(folder, errors, ours=ours).wait()
    stats = json.loads((folder / "stats.json").read_text()) if (folder / "stats.json").exists() else {}
    if code or stats.get("finish_reason") != "finished" or (ours and stats.get("log_count/ERROR")):
        broken.append(f"the resumed crawl failed: {(folder / 'err.log').read_text()[-300:]!r}")
    every = _lines(folder / "fetched.log")
    seen = {line.url for line in every}
    if ours:
        broken += _after(folder, seen)
    return Round(broken, len(fetched), PAGES - len(seen), len(every) - len(seen), *lost)


def _killed(folder: Path, after: int, pause: float, *, ours: bool) -> float:
    """Start a crawl and kill it; return when."""
    process = _start(folder, subprocess.DEVNULL, ours=ours)
    while process.poll() is None and len(_lines(folder / "fetched.log")) < after:
        time.sleep(0.005)
    time.sleep(pause)
    process.send_signal(signal.SIGKILL)
    killed_at = time.monotonic()
    process.wait()
    return killed_at


def _start(folder: Path, errors: Any, *, ours: bool) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "lab.bench.killed_crawl", str(folder), *(["ours"] if ours else [])]
    return subprocess.Popen(command, stderr=errors, stdout=errors)


def _lines(log: Path) -> list[Line]:
    if not log.exists():
        return []
    words = (line.split() for line in log.read_text().splitlines())
    return [Line(float(at), url) for at, url in words]


def _left(folder: Path, fetched: list[Line], killed_at: float) -> tuple[list[str], tuple[int, int, int]]:
    """Look at what a killed crawl has left: broken promises; items, pages and learning that are not there."""
    broken = []
    pages = 0
    hosts = {url.split("/")[2] for url in URLS}
    for _, snapshot in saved_snapshots(folder / "job" / JOB_FILE, *hosts):
        memory = SiteMemory.from_snapshot(snapshot)
        memory.validate()
        pages += memory.pages
    due = sum(line.at < killed_at - INTERVAL - GRACE for line in fetched)
    if pages < due - CONCURRENT:
        broken.append(f"{due} pages were learned an interval before the kill, {pages} are saved")
    items = {line.url for line in _lines(folder / "items.log")}
    stored = {url for url, _ in _rows(folder)} | _waiting(folder)
    archived = _archived(folder, broken)
    missing = {line.url for line in fetched} - set(archived)
    if len(missing) > 2 * PART_PAGES + CONCURRENT:
        broken.append(f"the archive has lost {len(missing)} pages")
    return broken, (len(items - stored), len(missing), max(0, len(fetched) - pages))


def _after(folder: Path, seen: set[str]) -> list[str]:
    """Look at what a resumed crawl has left."""
    broken: list[str] = []
    rows = _rows(folder)
    if seen - {url for url, _ in rows}:
        broken.append(f"SQLite lacks {len(seen - {url for url, _ in rows})} pages")
    if len(set(rows)) != len(rows):
        broken.append("SQLite has an item twice")
    archived = _archived(folder, broken)
    if len(archived) != len(set(archived)) or set(archived) != seen:
        broken.append(f"the archive has {len(archived)} rows of {len(set(archived))} pages, not {len(seen)}")
    feeds, unreadable = set[str](), 0
    for path in (folder / "out").glob("feed-*.parquet"):
        try:
            feeds.update(pq.read_table(path, columns=["url"])["url"].to_pylist())
        except pa.ArrowInvalid:
            unreadable += 1
    if unreadable > FEEDS_AT_KILL or feeds != seen:
        broken.append(f"{unreadable} feeds cannot be read, the others have {len(feeds)} of {len(seen)} pages")
    files = [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]
    broken += [f"stray file: {name}" for name in files if not _DOCUMENTED.fullmatch(name)]
    broken += [f"stray file: {name}" for name in files if name.endswith(".part")]
    return broken


def _rows(folder: Path) -> list[tuple[str, str]]:
    return _query(folder / "out" / "items.sqlite", "SELECT url, item FROM items")


def _waiting(folder: Path) -> set[str]:
    """Return the addresses of the items in the outbox, that of the job or one of its own."""
    files = (folder / "job" / "templcrawl.sqlite", folder / "out" / "items.sqlite.outbox")
    return {json.loads(item)["url"] for file in files for (item,) in _query(file, "SELECT item FROM outbox")}


def _query(path: Path, query: str) -> list[Any]:
    if not path.exists():
        return []
    with closing(sqlite3.connect(path)) as database:
        try:
            return database.execute(query).fetchall()
        except sqlite3.OperationalError:  # killed before the table was made
            return []


def _archived(folder: Path, broken: list[str]) -> list[str]:
    if not list(folder.glob("out/archive/pages/*.parquet")):
        return []
    archive = Archive(str(folder / "out" / "archive"))
    broken += [f"unreadable: {name}" for name, _ in archive.unreadable]
    urls: list[str] = archive.read("pages", ["url"])["url"].to_pylist()
    return urls


def main(arguments: Sequence[str] | None = None) -> int:
    """Play all rounds, with templcrawl and without; return 1 if a promise was broken."""
    parser = new_parser("lab.bench.kills", __doc__)
    parser.add_argument("--rounds", metavar="N", type=at_least_one, default=200, help="kills (default 200)")
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="of chance")
    options = parser.parse_args(arguments)
    chance = random.Random(options.seed)
    results: dict[str, list[Round]] = {"with templcrawl": [], "Scrapy alone": []}
    with TemporaryDirectory() as folder:
        for number in range(options.rounds):
            after, pause = chance.randrange(PAGES), chance.random() / 10
            for name, done in results.items():
                ours = name == "with templcrawl"
                done.append(play(Path(folder, f"{number}-{ours}"), after, pause, ours=ours))
                for promise in done[-1].broken if ours else ():
                    print(f"round {number}, killed after {after} pages: {promise}")
    table = Table(
        "crawl",
        "kills",
        "rounds with pages never fetched",
        "such pages",
        "fetched again, mean",
        "most lost at the kill: SQLite items",
        "archive pages",
        "pages of learning",
        title=f"Kill -9 in a crawl of {PAGES} pages, then resumed",
    )
    for name, done in results.items():
        figures = [
            len(done),
            sum(played.never > 0 for played in done),
            sum(played.never for played in done),
            round(sum(played.again for played in done) / len(done), 1),
            *(max(getattr(played, field) for played in done) for field in ("sqlite", "archive", "learned")),
        ]
        table.add_row(name, *map(str, figures))
    show(table)
    kinds = Counter(
        re.sub(r"\d+", "N", promise) for played in results["with templcrawl"] for promise in played.broken
    )
    print(f"promises broken: {sum(kinds.values())} {dict(kinds) or ''}")
    return int(bool(kinds))


if __name__ == "__main__":
    sys.exit(main())
