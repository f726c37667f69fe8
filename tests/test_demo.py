"""``make demo`` does what it says."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pyarrow.parquet

ROOT = Path(__file__).parent.parent


def test_the_demo_crawls_the_generated_site_and_stores_it_three_times(tmp_path: Path) -> None:
    for name in ("benchmarks", "spiders", "settings", "tests"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-W", "error::DeprecationWarning", "-m", "benchmarks.demo", "--pages", "120"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "Warning" not in run.stderr
    output = tmp_path / "demo-output"
    items = [json.loads(line) for line in (output / "pages.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(items) == 120
    assert pyarrow.parquet.read_table(output / "pages.parquet").num_rows == 120
    with closing(sqlite3.connect(output / "pages.sqlite")) as database:
        assert database.execute("SELECT count(*) FROM items").fetchone() == (120,)
    for line in ("templates", "template share of the text", "links that waited", "near-duplicates"):
        assert line in run.stdout
    article = [item for item in items if "/news/article-" in item["url"]][-1]
    assert "Back to the top" not in article["content_text"]
    assert article["title"].partition(" – ")[0] in article["content_text"]
