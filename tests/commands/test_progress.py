from __future__ import annotations

import sys
from pathlib import Path

import pytest

from templcrawl.commands import progress, tables
from templcrawl.readers.folder import FolderReader
from tests.readers.archives import html, write_folder


@pytest.fixture
def reader(tmp_path: Path) -> FolderReader:
    return FolderReader(write_folder(tmp_path, {f"{number}.html": html(number) for number in range(4)}))


def test_without_a_terminal_there_is_a_line_now_and_then(reader, capsys: pytest.CaptureFixture[str]) -> None:
    assert len(list(progress.tracked(reader, seconds=0))) == 4
    assert capsys.readouterr().err.splitlines() == [
        f"{done} pages, {done * 25}% of the files" for done in (1, 2, 3, 4)
    ]
    assert len(list(progress.tracked(reader, seconds=1e9))) == 4
    assert capsys.readouterr().err == ""


def test_what_the_pages_are_read_for_is_said(reader, capsys: pytest.CaptureFixture[str]) -> None:
    assert len(list(progress.tracked(reader, doing="learning, 1 of 2", seconds=0))) == 4
    assert capsys.readouterr().err.splitlines()[1] == "learning, 1 of 2: 2 pages, 50% of the files"


def test_on_a_terminal_there_is_a_bar(
    reader, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("rich")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert len(list(progress.tracked(reader, doing="learning"))) == 4
    out, err = capsys.readouterr()
    assert out == ""
    assert "learning: 4 pages" in err


def test_on_a_terminal_tables_are_drawn_and_markup_is_text(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("rich")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    tables.show_table("Cups", ["pages", "path"], [["12", "[red]a[/red]"]], numbers=1)
    out = capsys.readouterr().out
    assert "Cups" in out
    assert "[red]a[/red]" in out


def test_without_rich_and_without_a_terminal_a_table_is_plain_text(
    capsys: pytest.CaptureFixture[str],
) -> None:
    tables.show_table("Cups", ["pages", "path"], [["12", "a\x1b"]], numbers=1)
    assert capsys.readouterr().out == "Cups\npages  path\n   12  a?\n"
