"""The command on an archive of two sites that share a footer by accident."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet
import pytest

from tests.outputs.archive.tables import Written, write_tables
from tests.tools.commands.running import run

KEYS = {"format", "input", "method", "engine", "unreadable", "overall", "host_count", "hosts", "largest"}
KEYS |= {"duplicates", "templates", "template_pagelets"}
MENU, FOOTER = 7, 9


@pytest.fixture
def archive(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    site = [Written(page, [MENU, FOOTER], targets=[1], sketch=[page]) for page in (1, 2, 3)]
    copy = Written(4, [MENU], targets=[1], sketch=[3])
    stranger = Written(5, [FOOTER], host="b.example")
    return write_tables(tmp_path / "crawl", [*site, copy, stranger])


def test_what_it_finds_as_json_and_as_tables_in_the_archive(archive: Path, capsys) -> None:
    found = run(capsys, "detect", archive, "--json", "-")
    assert (found.code, found.err) == (0, "")
    report = found.json
    assert set(report) == KEYS
    assert (report["format"], report["method"], report["engine"]) == (1, "local", "duckdb")
    assert (report["duplicates"], report["templates"], report["template_pagelets"]) == (1, 2, 7)
    assert report["unreadable"] == {"count": 0, "first": []}
    assert report["overall"] == {
        "pages": 4,
        "template_pages": 4,
        "template_page_share": 1.0,
        "html_share": 70 / 400,
        "word_share": 14 / 80,
        "link_share": 7 / 40,
    }
    assert [(one["host"], one["pages"], one["link_share"]) for one in report["hosts"]] == [
        ("a.example", 3, 0.2),
        ("b.example", 1, 0.1),
    ]
    assert [(one["pages"], one["hosts"]) for one in report["largest"]] == [(4, 2), (3, 1)]
    assert report["largest"][0]["text"] == "some words"
    for table, rows in (("templates", 2), ("template_pagelets", 7)):
        assert pyarrow.parquet.read_table(archive / "detected" / "local" / table).num_rows == rows


def test_global_splits_what_strangers_share(archive: Path, capsys) -> None:
    found = run(capsys, "detect", archive, "--method", "global", "--json", "found.json", "-o", "out")
    assert found.code == 0
    for expected in (
        "pages: 4, hosts: 2, repeats left out: 1",
        "global templates: 2",
        "75%",
        "html > body > ul",
    ):
        assert expected in found.out
    assert pyarrow.parquet.read_table("out/template_pagelets").num_rows == 6
    assert not (archive / "detected").exists()
    assert Path("found.json").exists()


def test_pagelets_without_links_may_be_left_out(archive: Path, capsys) -> None:
    found = run(capsys, "detect", archive, "--min-links", 2, "--json", "-").json
    assert (found["templates"], found["overall"]["template_pages"]) == (0, 0)


def test_a_damaged_part_is_named_and_the_rest_is_read(archive: Path, capsys) -> None:
    write_tables(archive, [Written(99)], name="another")
    path = archive / "links" / "another.parquet"
    path.write_bytes(path.read_bytes()[:-7])
    found = run(capsys, "detect", archive, "--json", "-")
    assert found.code == 3
    assert "could not be read: 1\n  links/another.parquet: " in found.err
    assert found.json["unreadable"]["count"] == 1
    assert found.json["overall"]["pages"] == 4
