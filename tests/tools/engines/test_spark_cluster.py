"""Detection on a standalone cluster of processes: a worker dies, the tables are those of one machine."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet
import pytest

pytest.importorskip("pyspark", reason="make test-spark installs it")

from lab.sites.skewed_archives import write_skewed
from templcrawl.outputs.archive.location import locate, read_manifest
from tests.tools.engines.spark_cluster import SparkCluster

ROOT = Path(__file__).parents[3]
PAGES = 2_000
DEFAULTS = """
spark.master {master}
spark.driver.host 127.0.0.1
spark.driver.bindAddress 127.0.0.1
spark.ui.enabled false
spark.executor.memory 512m
spark.sql.shuffle.partitions 4
"""


def detect(archive: Path, output: Path, *options: str, **environment: str) -> subprocess.Popen[str]:
    """Start the command in a process of its own."""
    command = [sys.executable, "-m", "scrapy", "detect", str(archive), "-o", str(output), *options]
    return subprocess.Popen(
        command,
        cwd=output.parent,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYSPARK_PYTHON": sys.executable, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def rows(output: Path, table: str) -> list[tuple[object, ...]]:
    """Return the rows of a table that was written, by the manifest."""
    names = read_manifest(locate(str(output)))[table]["files"]
    found = [pyarrow.parquet.read_table(output / table / name).to_pylist() for name in names]
    return sorted(tuple(row.values()) for part in found for row in part)


def test_a_run_that_loses_a_worker_ends_with_the_tables_of_one_machine(tmp_path: Path) -> None:
    archive = write_skewed(tmp_path / "crawl", "pagelet", PAGES, part=250)
    here = detect(archive, tmp_path / "here", "--method", "global")
    _, told = here.communicate()
    assert here.returncode == 0, told
    with SparkCluster(tmp_path) as cluster:
        configuration = tmp_path / "conf"
        configuration.mkdir()
        (configuration / "spark-defaults.conf").write_text(DEFAULTS.format(master=cluster.master))
        kept = tmp_path / "kept"
        kept.mkdir()
        options = ("--method", "global", "--engine", "spark", "--temp", str(kept))
        there = detect(archive, tmp_path / "there", *options, SPARK_CONF_DIR=str(configuration))
        while there.poll() is None and not list(kept.glob("*/*-template_candidates/_SUCCESS")):
            time.sleep(0.1)
        assert there.poll() is None, there.communicate()
        cluster.kill_worker(0)
        _, told = there.communicate()
        assert there.returncode == 0, told
    assert not list(kept.iterdir())
    for table in ("templates", "template_pagelets", "host_shares"):
        assert rows(tmp_path / "there", table) == rows(tmp_path / "here", table)
    assert len(rows(tmp_path / "here", "templates")) > PAGES / 100
