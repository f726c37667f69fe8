"""``make demo`` does what it says."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.memory.pages import article

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[3]


class Demo(NamedTuple):
    """A run of the demo: what it printed, and its folder."""

    printed: str
    output: Path

    @property
    def pages(self) -> list[dict]:
        with (self.output / "pages.jsonl").open(encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]

    def row(self, name: str) -> list[int]:
        """Return the numbers of a row of its curves."""
        (line,) = (line for line in self.printed.splitlines() if line.startswith(f"│ {name} "))
        return [int(cell) for cell in re.split("[│┃]", line)[2:-1]]


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


def test_the_demo_shows_a_page_before_and_after(generated: Demo) -> None:
    assert len(generated.pages) == 120
    shown = generated.printed.partition("One page:")[2].partition("Products found")[0]
    left, right = zip(*(re.split("[│┃]", line)[1:3] for line in shown.splitlines() if line.count("│") == 3))
    assert any("Home" in cell for cell in left)
    assert not any(re.search(r"\bHome\b", cell) for cell in right)


def test_its_curves_are_those_of_its_crawls(generated: Demo) -> None:
    like, scrapys = generated.row("like one product"), generated.row("Scrapy's own order")
    assert like == sorted(like)
    assert sum(like) > sum(scrapys)


def test_it_ends_with_the_line_for_ones_own_site(generated: Demo) -> None:
    assert generated.printed.rstrip().endswith("templcrawl https://example.org/ -o pages/")


def test_a_saved_site_is_shown_too(tmp_path: Path) -> None:
    site = tmp_path / "tea.example"
    site.mkdir()
    for number in range(12):
        (site / f"{number}.html").write_text(article(number).text, encoding="utf-8")
    saved = run_demo(tmp_path, "--site", str(site))
    assert len(saved.pages) == 12
    assert "as it is: " in saved.printed
