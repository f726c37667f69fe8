from __future__ import annotations

import sys
from pathlib import Path

import pytest

from templcrawl.page.records import FolderReader
from templcrawl.tools.commands import terminal
from tests.tools.readers.archives import html, write_folder


@pytest.fixture
def reader(tmp_path: Path) -> FolderReader:
    return FolderReader(write_folder(tmp_path, {f"{number}.html": html(number) for number in range(4)}))


def test_without_a_terminal_there_is_a_line_now_and_then(reader, capsys: pytest.CaptureFixture[str]) -> None:
    assert len(list(terminal.tracked(reader, seconds=0))) == 4
    assert capsys.readouterr().err.splitlines() == [
        f"{done} {'page' if done == 1 else 'pages'}, {done * 25}% of the files" for done in (1, 2, 3, 4)
    ]
    assert len(list(terminal.tracked(reader, seconds=1e9))) == 4
    assert capsys.readouterr().err == ""


def test_what_the_pages_are_read_for_is_said(reader, capsys: pytest.CaptureFixture[str]) -> None:
    assert len(list(terminal.tracked(reader, doing="learning, 1 of 2", seconds=0))) == 4
    assert capsys.readouterr().err.splitlines()[1] == "learning, 1 of 2: 2 pages, 50% of the files"


def test_on_a_terminal_the_line_is_written_over(
    reader, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert len(list(terminal.tracked(reader, doing="learning", seconds=0))) == 4
    out, err = capsys.readouterr()
    *lines, cleared, rest = err.split("\r")
    assert (out, rest, cleared.strip()) == ("", "", "")
    assert [line.strip() for line in lines] == [
        f"learning: {done} {'page' if done == 1 else 'pages'}, {done * 25}% of the files"
        for done in (1, 2, 3, 4)
    ]


def test_a_line_hides_the_one_before_and_fits_the_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "11")
    with terminal.StatusLine() as line:
        line.show("a long text of a page")
        line.show("tea")
    assert capsys.readouterr().err == "a long tex\rtea       \r   \r"


def test_without_a_terminal_there_is_no_line_to_write_over(capsys: pytest.CaptureFixture[str]) -> None:
    with terminal.StatusLine() as line:
        line.show("tea")
    assert capsys.readouterr().err == ""


def test_a_table_is_plain_text_without_control_characters(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.show_table("Cups", ["pages", "path"], [["12", "a\x1b"]], numbers=1)
    assert capsys.readouterr().out == "Cups\npages  path\n   12  a?\n"
