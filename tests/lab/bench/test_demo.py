"""``make demo`` does what it says."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pyarrow.parquet
import pytest

from tests.memory.pages import article

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[3]
SEPARATORS = "\u2028\u2029\x85\x1c"


class Demo(NamedTuple):
    """A run of the demo.

    printed  what it printed, each table's row on a line of its own
    """

    printed: str
    output: Path

    @property
    def items(self) -> list[dict]:
        with (self.output / "pages.jsonl").open(encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]

    def row(self, name: str) -> list[str]:
        """Return the cells of a row of its tables, by the first one."""
        (row,) = (
            cells
            for line in self.printed.splitlines()
            if (cells := [cell.strip() for cell in re.split("[│┃]", line)[1:-1]]) and cells[0] == name
        )
        return row


def run_demo(folder: Path, *arguments: str) -> Demo:
    for name in ("lab", "settings", "spiders"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-W", "error::DeprecationWarning", "-m", "lab.bench.demo", *arguments]
    wide = {**os.environ, "COLUMNS": "200"}
    run = subprocess.run(command, cwd=folder, env=wide, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "Warning" not in run.stderr
    return Demo(run.stdout, folder / "demo-output")


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    return run_demo(tmp_path_factory.mktemp("generated"), "--pages", "120")


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    """The demo over a saved site: separators of lines in its texts, links by both schemes."""
    folder = tmp_path_factory.mktemp("saved")
    site = folder / "tea.example"
    site.mkdir()
    names = [f"{number}.html" for number in range(12)]
    links = "".join(f"<p><a href='{scheme}://tea.example/{name}'>Tea</a>" for name in names for scheme in
                    ("http", "https"))  # fmt: skip
    for number, name in enumerate(names):
        text = article(number).text.replace("</html>", f"<p>One{SEPARATORS}two{links}</html>")
        (site / name).write_text(text, encoding="utf-8")
    return run_demo(folder, "--site", str(site), "--host", "tea.example")


def test_the_demo_crawls_the_generated_site_and_stores_it_three_times(generated: Demo) -> None:
    items, output = generated.items, generated.output
    assert len(items) == 120
    assert pyarrow.parquet.read_table(output / "pages.parquet").num_rows == 120
    with closing(sqlite3.connect(output / "pages.sqlite")) as database:
        assert database.execute("SELECT count(*) FROM items").fetchone() == (120,)
    last = [item for item in items if "/news/article-" in item["url"]][-1]
    assert "Back to the top" not in last["content_text"]
    assert last["title"].partition(" – ")[0] in last["content_text"]


def test_its_counts_agree_with_each_other_and_with_the_report(generated: Demo) -> None:
    types = generated.printed.partition(" in all")[0]
    assert sum(int(count) for count in re.findall(r"│ +(\d+) +│", types)) == 120
    assert generated.row("pages")[1] == "120"
    report = (generated.output / "report.html").read_text(encoding="utf-8")
    assert "<dt>pages</dt><dd>120</dd>" in report


def test_what_separates_lines_in_a_text_ends_no_item(saved: Demo) -> None:
    assert any(SEPARATORS[1] in item["content_html"] for item in saved.items)
    assert saved.row("pages")[1] == "12"


def test_a_saved_page_is_fetched_once_whatever_scheme_its_links_name(saved: Demo) -> None:
    assert sorted(item["url"].rpartition("/")[2] for item in saved.items) == sorted(
        f"{number}.html" for number in range(12)
    )
