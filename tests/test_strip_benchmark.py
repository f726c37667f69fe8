"""``python -m benchmarks.strip``."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

import pytest

from benchmarks import strip
from benchmarks.strip import Cost, cost_table, repeated_pages

pytestmark = pytest.mark.exhaustive


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two saved sites of two pages each."""
    for name in ("shed", "shop"):
        (tmp_path / name).mkdir()
        for number in range(2):
            html = f"<html><body><ul><li>Menu of the {name}</ul><p>Page {number} says more</body></html>"
            (tmp_path / name / f"{number}.html").write_text(html, encoding="utf-8")
    sites = {name: {"start": "0.html", "content": ["//p"]} for name in ("shed", "shop")}
    (tmp_path / "sites.json").write_text(json.dumps(sites), encoding="utf-8")
    return tmp_path


def test_pages_are_repeated_under_new_hosts(folder: Path) -> None:
    found = list(islice(repeated_pages(folder), 6))
    assert [url for url, _ in found[:3]] == [
        "http://r0.shed.example/0.html",
        "http://r0.shed.example/1.html",
        "http://r0.shop.example/0.html",
    ]
    assert found[4] == ("http://r1.shed.example/0.html", found[0][1])


def test_a_crawl_is_stripped_by_both(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("fastwarc")
    raw = tmp_path / "figures.json"
    strip.main(["--corpora", str(folder), "--pages", "20", "--only", "dom", "--json", str(raw)])
    shown = capsys.readouterr().out
    assert "Stripping a crawl of 20 pages" in shown
    figures = json.loads(raw.read_text(encoding="utf-8"))
    assert figures["dom"].keys() == {"2", "20"}
    assert all(min(cost) > 0 for cost in figures["dom"].values())


def test_the_table_has_a_row_a_way() -> None:
    cost = Cost(10.0, 20.0, 150.0, 2**20)
    assert cost_table({"vote": {10: cost, 100: cost}, "trafilatura": {100: cost}}, 100).row_count == 2
