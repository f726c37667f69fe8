"""Spark gives the same tables as DuckDB, row for row."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pyarrow.parquet
import pytest

pytest.importorskip("pyspark", reason="make test-spark installs it")

from lab.sites.generated import generate_demo_site
from lab.sites.skewed_archives import SHAPES, write_skewed
from templcrawl.memory.crawl_memory import CrawlMemory
from templcrawl.outputs.archive.archive_parts import Archive
from templcrawl.outputs.archive.tables import page_rows
from templcrawl.outputs.archive.writer import ArchiveWriter
from templcrawl.page.page import Page
from templcrawl.page.saved_pages import MAX_BYTES
from templcrawl.tools.detection.separated_pages import SITE_TABLES, separate_archive
from templcrawl.tools.detection.template_tables import METHODS, detect_templates
from templcrawl.tools.engines import Columns, Engine, EngineFailed, Groups
from templcrawl.tools.engines.duckdb import DuckDBEngine
from templcrawl.tools.engines.spark import SparkEngine, _worker_python
from tests.outputs.archive.tables import NOW, Written, write_tables
from tests.tools.commands.running import run
from tests.tools.detection.archived_sites import expected_tables, site_pages, write_site_archive
from tests.tools.engines.whole_groups import joined

pytestmark = pytest.mark.filterwarnings("ignore:::pyspark", "ignore:::py4j", "ignore::ResourceWarning")

TABLES = ("duplicates", "templates", "template_pagelets", "host_shares", "overall_shares")


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Archive:
    """Return the archive of the generated site, beside a copy of it on another host."""
    folder = str(tmp_path_factory.mktemp("crawled"))
    writer, memory = ArchiveWriter(folder, part_pages=60), CrawlMemory()
    for host in ("demo.example", "mirror.example"):
        for path, page in generate_demo_site(articles=20, products=8, chapters=6).pages.items():
            seen = memory.observe(Page.from_html(page.html, f"http://{host}{path}"))
            writer.add(page_rows(seen, NOW))
    writer.close()
    return Archive(folder)


def drawn(seed: int) -> list[Written]:
    """Return pages with shingles, links and sketches drawn by chance."""
    chance = random.Random(seed)
    keys = [chance.getrandbits(50) - 2**49 for _ in range(40)]
    shingles = [None, *(chance.getrandbits(50) - 2**49 for _ in range(8))]
    return [
        Written(
            page,
            chance.choices(shingles, k=chance.randrange(6)),
            chance.choices(keys, k=chance.randrange(4)),
            chance.sample(range(200), chance.randrange(17)),
            chance.choice(["a.example", "b.example"]),
        )
        for page in keys
    ]


def tables(engine: Engine, archive: Archive, method: str) -> dict[str, list[tuple[object, ...]]]:
    detect_templates(engine, archive, method)
    return {name: sorted(engine.rows(f"SELECT * FROM {name}")) for name in TABLES}


@pytest.mark.parametrize("method", METHODS)
def test_a_crawl(method: str, spark: SparkEngine, crawled: Archive, tmp_path: Path) -> None:
    with DuckDBEngine() as duckdb:
        expected = tables(duckdb, crawled, method)
    assert tables(spark, crawled, method) == expected
    assert len(expected["templates"]) > 10
    spark.save("templates", str(tmp_path / "out"))
    written = pyarrow.parquet.read_table(tmp_path / "out").to_pylist()
    assert sorted(tuple(row.values()) for row in written) == expected["templates"]


@pytest.mark.parametrize("method", METHODS)
def test_pages_drawn_by_chance(method: str, spark: SparkEngine, tmp_path: Path) -> None:
    archive = Archive(str(write_tables(tmp_path, drawn(seed=1))))
    with DuckDBEngine() as duckdb:
        expected = tables(duckdb, archive, method)
    assert tables(spark, archive, method) == expected
    assert expected["duplicates"]
    assert expected["templates"]


def longest(pieces: Iterator[Columns]) -> Iterator[Columns]:
    """Yield a row for a group; its texts come in the order of their numbers."""
    group = joined(pieces)
    assert np.all(np.diff(group["number"]) > 0)
    yield {"key": group["key"][:1], "last": group["text"][-1:], "is_long": np.array([len(group["key"]) > 1])}


@pytest.mark.parametrize("batch_rows", [1, 1_000])
def test_both_give_a_function_the_same_groups(batch_rows: int, spark: SparkEngine) -> None:
    columns = {"key": "string", "last": "string", "is_long": "boolean"}
    select = """SELECT * FROM (VALUES ('é', 2, 'tea'), ('b', 1, ''), ('é', 3, 'ünï'), ('é', 1, 'milk'))
        AS texts(key, number, text)"""
    with DuckDBEngine() as duckdb:
        for engine in (duckdb, spark):
            engine.apply("found", Groups(select, "key", ["number"], batch_rows), longest, columns)
            assert sorted(engine.rows("SELECT * FROM found")) == [("b", "", False), ("é", "ünï", True)]


def test_what_is_defined_is_kept_in_a_folder_until_the_end(
    spark: SparkEngine, crawled: Archive, tmp_path: Path, monkeypatch
) -> None:
    with DuckDBEngine() as duckdb:
        expected = tables(duckdb, crawled, "global")
    monkeypatch.setattr(spark, "_folder", f"file://{tmp_path}/kept")
    assert tables(spark, crawled, "global") == expected
    assert list((tmp_path / "kept").glob("*-templates/*.parquet"))
    spark._remove(f"file://{tmp_path}/kept")
    assert not (tmp_path / "kept").exists()


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("method", METHODS)
def test_skewed_archives(method: str, shape: str, spark: SparkEngine, tmp_path: Path) -> None:
    archive = Archive(str(write_skewed(tmp_path / "crawl", shape, 400, links=5, part=100)))
    with DuckDBEngine() as duckdb:
        expected = tables(duckdb, archive, method)
    assert tables(spark, archive, method) == expected
    assert expected["templates"]


def test_workers_run_what_is_named(monkeypatch) -> None:
    monkeypatch.delenv("PYSPARK_PYTHON", raising=False)
    assert _worker_python("local[2]", None) == sys.executable
    assert _worker_python("spark://host:7077", None) == "python3"
    assert _worker_python("spark://host:7077", "/opt/python") == "/opt/python"
    monkeypatch.setenv("PYSPARK_PYTHON", "mine")
    assert _worker_python("local[2]", "/opt/python") == "mine"


def failing(pieces: Iterator[Columns]) -> Iterator[Columns]:
    for piece in pieces:
        yield {"key": piece["key"] // 0}


def test_a_function_that_fails_and_tables_that_cannot_be_written(spark: SparkEngine, tmp_path: Path) -> None:
    with pytest.raises(EngineFailed, match="the engine spark failed"):
        spark.apply("found", Groups("SELECT 1 AS key", "key"), failing, {"number": "bigint"})
    (tmp_path / "file").touch()
    spark.define("numbers", "SELECT 1 AS number")
    with pytest.raises(EngineFailed, match="the engine spark failed"):
        spark.save("numbers", str(tmp_path / "file" / "out"))


@pytest.mark.parametrize("method", SITE_TABLES)
def test_the_detectors_of_a_whole_site(method: str, spark: SparkEngine, tmp_path: Path) -> None:
    pages = site_pages()
    archive = Archive(str(write_site_archive(tmp_path, pages)))
    expected = expected_tables(pages, method, max_bytes=MAX_BYTES)
    with DuckDBEngine() as duckdb:
        for engine in (duckdb, spark):
            separate_archive(engine, archive, method, max_bytes=MAX_BYTES)
            assert {name: sorted(engine.rows(f"SELECT * FROM {name}")) for name in expected} == expected


def test_the_command_writes_the_same_tables_and_shows_the_same_shares(
    spark: SparkEngine, tmp_path: Path, capsys, monkeypatch
) -> None:
    archive = write_site_archive(tmp_path / "crawl", site_pages())
    damaged = min((archive / "bodies").iterdir())
    damaged.write_bytes(damaged.read_bytes()[:-7])
    monkeypatch.setattr("templcrawl.tools.engines.spark.SparkEngine", lambda folder: nullcontext(spark))
    options = "detect", archive, "--method", "mdl", "--json", "-"
    shown = {
        engine: run(capsys, *options, "--engine", engine, "-o", tmp_path / engine)
        for engine in ("duckdb", "spark")
    }
    assert {found.code for found in shown.values()} == {3}
    one, other = (found.json for found in shown.values())
    assert one == {**other, "engine": "duckdb"}
    assert one["unreadable"]["count"] == 1
    assert f"bodies/{damaged.name}" in shown["spark"].err
    for table in SITE_TABLES["mdl"]:
        rows = [
            sorted(
                tuple(row.values()) for row in pyarrow.parquet.read_table(tmp_path / name / table).to_pylist()
            )
            for name in shown
        ]
        assert rows[0] == rows[1]
        assert rows[0]
