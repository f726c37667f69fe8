"""``scrapy report`` on finished crawls."""

from __future__ import annotations

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
