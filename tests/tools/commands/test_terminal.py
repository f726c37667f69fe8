from __future__ import annotations

import sys
from pathlib import Path

import pytest

from templcrawl.page.page import Page
from templcrawl.page.saved_pages import FolderReader, Record, Unreadable
from templcrawl.tools.commands import terminal
from tests.tools.readers.archives import html, write_folder


@pytest.fixture
def reader(tmp_path: Path) -> FolderReader:
    return FolderReader(write_folder(tmp_path, {f"{number}.html": html(number) for number in range(4)}))


def told(reader, patch: pytest.MonkeyPatch, *, after: float, doing: str = "") -> None:
    """Read all pages, and say after so many seconds how far it is."""
    patch.setattr(terminal, "SECONDS", after)
    patch.setattr(terminal, "TERMINAL_SECONDS", after)
    pages: list[Page] = []
    terminal.each_page(reader, pages.append, doing)
    assert len(pages) == 4


LINES = [f"{done} {'page' if done == 1 else 'pages'}, {done * 25}% of the files" for done in (1, 2, 3, 4)]


def test_without_a_terminal_there_is_a_line_now_and_then(reader, capsys, monkeypatch) -> None:
    told(reader, monkeypatch, after=0)
    assert capsys.readouterr().err.splitlines() == LINES
    told(reader, monkeypatch, after=1e9)
    assert capsys.readouterr().err == ""


def test_on_a_terminal_the_line_is_written_over(reader, capsys, monkeypatch) -> None:
    """Also what the pages are read for is said."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    told(reader, monkeypatch, after=0, doing="learning, 1 of 2")
    out, err = capsys.readouterr()
    *lines, cleared, rest = err.split("\r")
    assert (out, rest, cleared.strip()) == ("", "", "")
    assert [line.strip() for line in lines] == [f"learning, 1 of 2: {line}" for line in LINES]


def test_a_page_without_an_address_is_counted_and_named() -> None:
    records = [Record("", b"<p>tea"), Record("http://a.example/", b"<p>tea")]
    pages: list[Page] = []

    class Reading:
        unit, done, total, capped, unreadable = "files", 0, 2, 0, Unreadable()

        def __iter__(self):
            return iter(records)

    reading = Reading()
    terminal.each_page(reading, pages.append)
    assert [page.url for page in pages] == ["http://a.example/"]
    assert reading.unreadable.first == [("record 1", "it has no URL")]


def test_a_line_hides_the_one_before_and_fits_the_terminal(capsys, monkeypatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "11")
    with terminal.StatusLine() as line:
        line.show("a long text of a page")
        line.show("tea")
    assert capsys.readouterr().err == "a long tex\rtea       \r   \r"


def test_without_a_terminal_there_is_no_line_to_write_over(capsys) -> None:
    with terminal.StatusLine() as line:
        line.show("tea")
    assert capsys.readouterr().err == ""
