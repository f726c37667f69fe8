"""Local and global detection over archives of 10^4 to 10^6 pages: time and peak memory.

    python -m lab.bench.archive --corpora FOLDER --pages 10000 100000 --engine duckdb --memory 4GB

An archive is made of the saved sites' own rows, copied under new hosts until there are pages enough:
every copy has keys of its own, but one shingle in 20 is the same in all copies (accidental twins), one
pagelet in 20 of a copy has a shingle of its own (perturbed), and one copy in 20 is a mirror, whose pages
are duplicates of the first copy's.  Texts are left out; nothing here reads them.

Every measurement is a process of its own; its peak memory is that of the process and its children.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timezone
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from lab.bench.options import add_work, new_parser
from lab.bench.saved_sites import SavedSite, corpus_sites
from templcrawl import CrawlMemory
from templcrawl.outputs.archive.parts import Archive
from templcrawl.outputs.archive.rows import page_rows
from templcrawl.outputs.archive.schema import LINKS, PAGELETS, PAGES, record_batches, table_schema
from templcrawl.tools.commands.detect_command import ENGINES
from templcrawl.tools.detection.template_tables import METHODS, detect_templates
from templcrawl.tools.engines.duckdb import DuckDBEngine
from templcrawl.tools.engines.engine import Engine
from templcrawl.tools.engines.spark import SparkEngine

_TABLES = (PAGES, LINKS, PAGELETS)
_ONE_IN = 20
_PAGES_A_PART = 5_000
_KEYS = {PAGES: ("page",), LINKS: ("source", "target", "pagelet"), PAGELETS: ("page", "pagelet")}


class CopiedCrawl:
    """Rows of real pages, to be copied under new hosts.

    pages  how many there are
    """

    def __init__(self, sites: list[SavedSite], pages_a_site: int) -> None:
        rows: dict[str, list[Any]] = {table: [] for table in _TABLES}
        now = datetime.now(timezone.utc)
        for site in sites:
            memory = CrawlMemory(sample_salt=0)
            seen = set()
            for saved in site.pages(pages_a_site):
                of_page = page_rows(memory.observe(saved.page), now)
                if of_page.key not in seen:
                    seen.add(of_page.key)
                    for table in _TABLES:
                        rows[table] += of_page.of(table)
        self._tables = {
            table: _without_text(pa.Table.from_batches(record_batches(table, rows[table])))
            for table in _TABLES
        }
        self._chance = np.random.default_rng(2002)
        self.pages = self._tables[PAGES].num_rows

    def copy(self, number: int) -> dict[str, pa.Table]:
        """Return the tables of a copy."""
        salt = int(self._chance.integers(-(2**63), 2**63)) if number else 0
        copied = {}
        for table, rows in self._tables.items():
            for column in _KEYS[table]:
                rows = _set(rows, column, _salted(rows[column], salt))
            copied[table] = rows
        pages = copied[PAGES]
        hosts = [f"{number}.{host}" for host in pages["host"].to_pylist()]
        pages = _set(pages, "host", pa.array(hosts))
        if number % _ONE_IN != _ONE_IN - 1:
            sketches = pages["sketch"].combine_chunks()
            salted = np.asarray(sketches.values) ^ salt
            pages = _set(pages, "sketch", pa.ListArray.from_arrays(sketches.offsets, pa.array(salted)))
        copied[PAGES] = pages
        copied[PAGELETS] = _set(
            copied[PAGELETS], "shingle", self._shingles(copied[PAGELETS]["shingle"], salt)
        )
        return copied

    def _shingles(self, shingles: pa.ChunkedArray, salt: int) -> pa.Array:
        """Return the shingles of a copy."""
        values, missing = _values(shingles)
        copied = np.where(values % _ONE_IN == 0, values, values ^ salt)
        is_perturbed = self._chance.random(len(values)) < 1 / _ONE_IN
        copied = np.where(is_perturbed, self._chance.integers(-(2**63), 2**63, len(values)), copied)
        return pa.array(copied, mask=missing)


def _without_text(rows: pa.Table) -> pa.Table:
    for column in ("text", "anchor"):
        if column in rows.schema.names:
            rows = _set(rows, column, pa.array([""] * rows.num_rows))
    return rows


def _set(rows: pa.Table, column: str, values: Any) -> pa.Table:
    index = rows.schema.get_field_index(column)
    return rows.set_column(index, rows.schema.field(index), values)


def _values(column: pa.ChunkedArray) -> tuple[Any, Any]:
    missing = np.asarray(column.is_null())
    return np.asarray(column.fill_null(0)), missing


def _salted(column: pa.ChunkedArray, salt: int) -> pa.Array:
    values, missing = _values(column)
    return pa.array(values ^ salt, mask=missing)


def write_archive(crawl: CopiedCrawl, pages: int, folder: Path) -> None:
    """Write an archive of at least so many pages."""
    for table in _TABLES:
        (folder / table).mkdir(parents=True, exist_ok=True)
    copies = -(-pages // crawl.pages)
    at_once = max(1, _PAGES_A_PART // crawl.pages)
    for first in range(0, copies, at_once):
        part = [crawl.copy(number) for number in range(first, min(copies, first + at_once))]
        for table in _TABLES:
            rows = pa.concat_tables([copy[table] for copy in part]).cast(table_schema(table))
            path = folder / table / f"copies-{first:06d}.parquet"
            pq.write_table(rows, path, compression="zstd", use_dictionary=["host"])


def start(name: str, memory: str, folder: str) -> Engine:
    """Start an engine whose temporary files are in a folder."""
    if name == "duckdb":
        return DuckDBEngine(memory=memory, folder=folder)
    config = {"spark.master": "local[2]", "spark.driver.memory": memory.replace("GB", "g")}
    return SparkEngine({**config, "spark.local.dir": folder})


def measure(archive: str, method: str, engine_name: str, memory: str, folder: str) -> dict[str, Any]:
    """Detect, and return what was found, the seconds, and the peak memory in GB with child processes."""
    started = time.perf_counter()
    with start(engine_name, memory, folder) as engine:
        detect_templates(engine, Archive(archive), method)
        counted = ["templates", "template_pagelets", "duplicates"]
        counted += ["template_links"] if method == "global" else []
        figures = {table: engine.rows(f"SELECT count(*) FROM {table}")[0][0] for table in counted}
        figures["shares"] = engine.rows("SELECT * FROM overall_shares")[0]
        figures["seconds"] = time.perf_counter() - started
        return {**figures, "gigabytes": peak_memory() / 2**20}


def peak_memory() -> int:
    """Return the most kilobytes that this process and its children have had in memory."""
    return sum(map(_peak, _family(os.getpid())))


def _family(process: int) -> list[int]:
    """Return a process and its descendants, by Linux's ``/proc``."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
    family = [process]
    for member in family:
        family += [child for child, parent in parents.items() if parent == member]
    return family


def _peak(process: int) -> int:
    """Return the most kilobytes that a process has had in memory, 0 if it is gone."""
    about = ""
    with suppress(OSError):
        about = Path(f"/proc/{process}/status").read_text()
    return int((about.partition("VmHWM:")[2].split() or ["0"])[0])


def measured(*arguments: str) -> dict[str, Any]:
    """Measure in a process of its own."""
    command = [sys.executable, "-m", "lab.bench.archive", "--measure", *arguments]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        return {"failed": run.stderr.strip().splitlines()[-1]}
    figures: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    return figures


def _parser() -> argparse.ArgumentParser:
    parser = new_parser("lab.bench.archive", __doc__, corpora=False)
    add = parser.add_argument
    add("--pages", metavar="N", type=int, nargs="+", default=[10_000, 100_000], help="of an archive")
    add("--engine", choices=ENGINES, nargs="+", default=["duckdb"])
    add("--memory", default="4GB", help="of DuckDB, or of Spark's driver")
    add("--first-sites", metavar="N", type=int, help="how many of the sites are copied")
    add("--pages-a-site", metavar="N", type=int, default=25)
    add_work(parser)
    add("--measure", nargs=5, help=argparse.SUPPRESS)
    return parser


def main(arguments: Sequence[str] | None = None) -> None:
    """Write archives, measure, and print a line for each."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.measure:
        print(json.dumps(measure(*options.measure)))
        return
    if not options.corpora:
        parser.error("give --corpora")
    sites = sorted(corpus_sites(options.corpora), key=lambda site: site.name)[: options.first_sites]
    crawl = CopiedCrawl(sites, options.pages_a_site)
    for pages in options.pages:
        with TemporaryDirectory(dir=options.work) as folder:
            started = time.perf_counter()
            write_archive(crawl, pages, Path(folder, "archive"))
            about = {table: sum(map(_rows_of, Path(folder, "archive", table).iterdir())) for table in _TABLES}
            print(json.dumps({**about, "written_in": time.perf_counter() - started}), flush=True)
            for engine in options.engine:
                for method in METHODS:
                    figures = measured(str(Path(folder, "archive")), method, engine, options.memory, folder)
                    print(json.dumps({"engine": engine, "method": method, **figures}), flush=True)


def _rows_of(path: Path) -> int:
    return int(pq.read_metadata(path).num_rows)


if __name__ == "__main__":
    main()
