"""Spark gives the same tables as DuckDB, row for row."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet
import pytest

pytest.importorskip("pyspark", reason="make test-spark installs it")

from templcrawl.archive.parts import Archive
from templcrawl.archive.rows import page_rows
from templcrawl.archive.writer import ArchiveWriter
from templcrawl.detection.template_tables import METHODS, detect_templates
from templcrawl.engines.duckdb import DuckDBEngine
from templcrawl.engines.shape import Engine
from templcrawl.engines.spark import SparkEngine
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.page.page import Page
from tests.archive.tables import NOW, Written, write_tables
from tests.websites.generated import generate_demo_site

pytestmark = pytest.mark.filterwarnings("ignore:::pyspark", "ignore:::py4j", "ignore::ResourceWarning")

TABLES = ("duplicates", "templates", "template_pagelets", "host_shares", "overall_shares")


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkEngine]:
    config = {"spark.master": "local[2]", "spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2"}
    with SparkEngine(config) as engine:
        yield engine


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
            chance.sample(range(60), chance.randrange(5)),
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
    for _ in range(2):
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
