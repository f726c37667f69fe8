"""``scrapy report`` on finished crawls."""

from __future__ import annotations

import sys
import webbrowser
from pathlib import Path

import pytest

from tests.crawl.crawls import DEMO_SITE
from tests.outputs.report.reading import assert_inert
from tests.tools.commands.running import run
from tests.tools.readers.archives import answers, write_warc

pytest.importorskip("jinja2")


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    folder = tmp_path / "demo.example"
    folder.mkdir()
    for number, page in enumerate(list(DEMO_SITE.pages.values())[:40]):
        (folder / f"{number}.html").write_text(page.html, encoding="utf-8")
    return folder


def test_a_folder(saved: Path, tmp_path: Path, capsys) -> None:
    target = tmp_path / "report.html"
    found = run(capsys, "report", saved, "-o", target)
    assert (found.code, found.err) == (0, "")
    assert found.out.startswith("pages: 40, ")
    assert found.out.endswith(f" of their text is template, written to {target}\n")
    reader = assert_inert(target.read_text(encoding="utf-8"))
    assert "demo.example" in reader.text
    assert reader.pictures


def test_a_warc_file_to_stdout(tmp_path: Path, capsys) -> None:
    path = tmp_path / "crawl.warc.gz"
    write_warc(path, answers(20))
    found = run(capsys, "report", path, "-o", "-")
    assert (found.code, found.err) == (0, "")
    assert "20 pages of 1 site" in assert_inert(found.out).text


def test_the_report_goes_into_the_folder_where_one_is(
    saved: Path, tmp_path: Path, capsys, monkeypatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    monkeypatch.chdir(tmp_path)
    assert run(capsys, "report", saved, "--open").code == 0
    assert opened == [(tmp_path / "report.html").as_uri()]


def test_what_cannot_be_read_is_said_and_counted(tmp_path: Path, capsys) -> None:
    path = tmp_path / "crawl.warc.gz"
    starts = write_warc(path, answers(5))
    path.write_bytes(path.read_bytes()[: starts[4] + 40])
    found = run(capsys, "report", path, "-o", tmp_path / "report.html")
    assert (found.code, found.out.startswith("pages: 4,")) == (3, True)
    assert "could not be read: 1\n" in found.err


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        ([], "give one INPUT"),
        (["a", "b"], "give one INPUT"),
        (["/no/such"], "there is no such file"),
        (["empty"], "no pages in empty"),
        (["empty", "--no-such"], "unknown option"),
        (["empty", "--open", "-o", "-"], "--open needs a file"),
        (["empty", "-o", "no/such/folder.html"], "cannot write"),
        (["empty", "-o", "."], "cannot write"),
        (["empty", "-o", "report.csv"], "ends in .html"),
    ],
)
def test_what_is_not_accepted(arguments: list[str], advice: str, tmp_path: Path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    found = run(capsys, "report", *arguments)
    assert found.code == 2
    assert advice in found.err
    assert not (tmp_path / "report.html").exists()


def test_without_jinja_the_extra_is_named(saved: Path, capsys, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    found = run(capsys, "report", saved)
    assert found.code == 2
    assert "templcrawl[report]" in found.err


def test_the_help_says_what_to_type(capsys) -> None:
    found = run(capsys, "report", "--help")
    assert found.code == 0
    assert "folder of saved pages" in found.out
    assert "--open" in found.out
