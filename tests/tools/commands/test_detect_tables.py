"""``scrapy detect --method dom|text|mdl``: shares and tables of every site from the HTML of its pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

from templcrawl.memory.detectors import WHOLE_SITE, load_detector
from templcrawl.page.saved_pages import MAX_BYTES
from templcrawl.tools.detection.separated_pages import (
    COLUMNS,
    SEPARATED_PAGES,
    SITE_TABLES,
    TEMPLATE_PATHS,
    template_amounts,
)
from tests.memory.pages import article
from tests.tools.commands.running import run
from tests.tools.detection.archived_sites import expected_tables, site_pages, write_site_archive
from tests.tools.readers.archives import write_folder

HOSTS = {"a.example": 6, "b.example": 3}
KEYS = {"format", "input", "method", "engine", "unreadable", "capped", "overall", "host_count", "hosts"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    pages = {
        f"{host}/articles/{number}.html": article(number, host=host).text
        for host, many in HOSTS.items()
        for number in range(many)
    }
    return write_folder(tmp_path / "saved", pages)


@pytest.mark.parametrize("method", WHOLE_SITE)
def test_the_shares_of_each_site(method: str, folder: Path, capsys) -> None:
    found = run(capsys, "detect", folder, "--method", method, "--json", "-")
    assert (found.code, found.err) == (0, "")
    report = found.json
    assert set(report) == {*KEYS, *SITE_TABLES[method]}
    assert (report["format"], report["method"], report["unreadable"]["count"]) == (1, method, 0)
    assert (report["engine"], report["capped"], report["separated_pages"]) == ("duckdb", 0, 9)
    assert [(one["host"], one["pages"]) for one in report["hosts"]] == list(HOSTS.items())
    for host in report["hosts"]:
        pages = [article(number, host=host["host"]) for number in range(host["pages"])]
        site = load_detector(method)()
        for page in pages:
            site.learn(page)
        amounts = [template_amounts(site.separate(page)) for page in pages]
        words = sum(template.words for template, _ in amounts), sum(whole.words for _, whole in amounts)
        assert host["word_share"] == words[0] / words[1]
    assert report["overall"]["pages"] == 9
    assert [path.name for path in Path().iterdir()] == ["saved"]


def test_a_table_of_the_largest_sites(folder: Path, capsys) -> None:
    lines = run(capsys, "detect", folder, "--method", "dom", "--top", 1).out.splitlines()
    assert lines[0] == "pages: 9, hosts: 2"
    assert "by dom" in lines[2]
    assert [line.split()[-1] for line in lines[-2:]] == ["a.example", "all"]
    assert [line.split()[:2] for line in lines[-2:]] == [["6", "100%"], ["9", "100%"]]


@pytest.fixture
def archive(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return write_site_archive(tmp_path / "crawl", site_pages())


def table(folder: Path, name: str) -> list[tuple[Any, ...]]:
    """Return the sorted rows of a table."""
    found = pyarrow.parquet.read_table(folder / name)
    assert found.column_names == list(COLUMNS[name])
    return sorted(tuple(row.values()) for row in found.to_pylist())


@pytest.mark.parametrize("at_once", [1, 5_000])
@pytest.mark.parametrize("method", SITE_TABLES)
def test_the_tables_of_an_archive(method: str, at_once: int, archive: Path, capsys, monkeypatch) -> None:
    monkeypatch.setattr("templcrawl.outputs.arrow.ROWS", at_once)
    found = run(capsys, "detect", archive, "--method", method, "--memory", "1GB")
    assert (found.code, found.err) == (0, "")
    assert found.out.startswith("pages: 18, hosts: 4\n")
    assert ("paths in templates: " in found.out) == (method == "mdl")
    for name, rows in expected_tables(site_pages(), method, max_bytes=MAX_BYTES).items():
        assert table(archive / "detected" / method, name) == rows


def test_a_folder_gets_tables_where_it_is_said(folder: Path, capsys) -> None:
    assert run(capsys, "detect", folder, "--method", "mdl", "-o", "out").code == 0
    assert sorted(path.name for path in Path("out").iterdir()) == [
        "host_shares",
        "manifest.json",
        SEPARATED_PAGES,
        TEMPLATE_PATHS,
    ]
    assert len(table(Path("out"), SEPARATED_PAGES)) == 9


def test_an_archive_may_be_a_uri(archive: Path, capsys) -> None:
    assert run(capsys, "detect", f"file://{archive}", "--method", "text", "-o", "out").code == 0
    assert len(table(Path("out"), SEPARATED_PAGES)) == 18
