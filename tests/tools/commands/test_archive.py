"""``scrapy archive``: what an archive holds, its manifest, its parts put together."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.outputs.archive.tables import some_rows, write_archive
from tests.tools.commands.running import run


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    folder = write_archive(tmp_path / "crawl", some_rows(8))
    max((folder / "pages").iterdir()).unlink()
    return folder


def test_what_it_holds(archive: Path, capsys) -> None:
    shown = run(capsys, "archive", archive)
    assert (shown.code, shown.err) == (0, "")
    assert shown.out.startswith("parts: 3, files that do not count: 2\n")
    assert shown.out.splitlines()[-3].split() == ["6", "3", "pages"]
    report = run(capsys, "archive", archive, "--json", "-").json
    assert {"format", "input", "parts", "tables", "unreadable", "leftovers"} == set(report)
    assert not (archive / "manifest.json").exists()


def test_parts_are_put_together_and_a_manifest_is_written(archive: Path, capsys) -> None:
    report = run(capsys, "archive", archive, "--compact", "--part-pages", 4, "--json", "-").json
    assert report["compacted"] == {"joined": 2, "written": 1, "removed": 2 + 6}
    assert (report["parts"], report["leftovers"]) == (2, 0)
    assert json.loads((archive / "manifest.json").read_text())["tables"] == report["tables"]
    (archive / "manifest.json").unlink()
    assert run(capsys, "archive", archive, "--manifest").code == 0
    assert json.loads((archive / "manifest.json").read_text())["tables"] == report["tables"]


def test_a_damaged_part_is_named(archive: Path, capsys) -> None:
    damaged = min((archive / "links").iterdir())
    damaged.write_bytes(damaged.read_bytes()[:-7])
    shown = run(capsys, "archive", archive, "--compact")
    assert (shown.code, f"links/{damaged.name}" in shown.err) == (3, True)
    assert damaged.exists()


def test_a_damaged_file_of_page_types_is_named_and_the_rest_is_shown(archive: Path, capsys) -> None:
    (archive / "page_types").mkdir()
    (archive / "page_types" / "20260102T030405-00000000.parquet").write_bytes(b"PAR1")
    for more in ([], ["--manifest"], ["--compact"]):
        shown = run(capsys, "archive", archive, *more)
        assert (shown.code, "page_types/20260102T030405-00000000.parquet" in shown.err) == (3, True)
        assert shown.out.splitlines()[-3].split()[-1] == "pages"
