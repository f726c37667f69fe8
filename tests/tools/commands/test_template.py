"""``scrapy template`` on a site saved on disk, in no project."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import webbrowser
from argparse import Namespace
from pathlib import Path

import pytest

from lab.sites.menu_site import TEMPLATE, pages
from lab.sites.server import LocalSite
from templcrawl.crawl.template_spider import TemplateItem
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation
from templcrawl.tools.commands.template_command import TemplateCommand


@pytest.fixture
def saved(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "tea.example"
    (folder / "deep").mkdir(parents=True)
    for path, html in pages().items():
        (folder / (path[1:] or "index.html")).write_text(html, encoding="utf-8")
    (folder / "deep" / "page.html").write_text(pages()["/article.html"], encoding="utf-8")
    return folder


def template(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", "-m", "scrapy", "template", *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def text(html: str) -> tuple[str, ...]:
    page = Page(html, "")
    return tuple(Separation(page, [(0, len(page.tokens))]).content_text.split("\n"))


def test_a_saved_site(saved: Path, tmp_path: Path) -> None:
    done = template(saved / "article.html", "-o", "t.html", "--way", "etdm", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    assert "nodes in the template; 4 further pages loaded, compared with 4 of them" in done.stderr
    written = (tmp_path / "t.html").read_text(encoding="utf-8")
    assert text(written) == TEMPLATE
    assert f'<base href="{(saved / "article.html").as_uri()}">' in written


@pytest.mark.exhaustive
def test_pages_of_the_menu_and_pages_like_the_page_vote(saved: Path, tmp_path: Path) -> None:
    done = template(saved / "article.html", cwd=tmp_path)
    assert done.returncode == 0
    assert "7 further pages loaded, compared with 6 of them" in done.stderr
    assert set(TEMPLATE) <= set(text(done.stdout))
    page = set(text(pages()["/article.html"]))
    assert set(text(done.stdout)) < page


@pytest.mark.exhaustive
def test_a_page_deep_in_a_saved_site_to_stdout(saved: Path, tmp_path: Path) -> None:
    of_site = ("--folder", saved, "--host", "tea.example")
    done = template(saved / "deep" / "page.html", *of_site, "--scripts", "--way", "etdm", cwd=tmp_path)
    assert done.returncode == 0
    assert text(done.stdout) == TEMPLATE
    assert '<base href="http://tea.example/deep/page.html">' in done.stdout
    assert "Content-Security-Policy" not in done.stdout


@pytest.mark.exhaustive
def test_the_site_of_a_deep_page_is_the_folder_that_is_named_after_a_host(
    saved: Path, tmp_path: Path
) -> None:
    deep = saved / "deep" / "page.html"
    done = template(deep, "--way", "etdm", cwd=tmp_path)
    assert text(done.stdout) == TEMPLATE
    assert "4 further pages loaded, compared with 4 of them" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.long
@pytest.mark.parametrize("name", ["127.0.0.1:8000", "My tea_site", "..._"])
def test_a_folder_may_have_any_name(name: str, saved: Path, tmp_path: Path) -> None:
    folder = saved.rename(tmp_path / name)
    done = template(folder / "article.html", "--way", "etdm", cwd=tmp_path)
    assert "compared with 4 of them" in done.stderr
    assert text(done.stdout) == TEMPLATE


@pytest.mark.exhaustive
def test_it_is_said_what_was_taken_for_the_site_where_nothing_of_it_was_found(
    saved: Path, tmp_path: Path
) -> None:
    folder = saved.rename(tmp_path / "tea")
    done = template(folder / "deep" / "page.html", cwd=tmp_path)
    assert (done.returncode, "none to compare it with" in done.stderr) == (0, True)
    assert f"{folder / 'deep'} was taken for the folder of the site" in done.stderr
    assert "--folder" in done.stderr


@pytest.mark.exhaustive
def test_on_a_terminal_it_is_said_what_was_loaded(saved: Path, tmp_path: Path) -> None:
    terminal, end = os.openpty()
    command = [sys.executable, "-m", "scrapy", "template", str(saved / "article.html"), "-o", "t.html"]
    command += ["--way", "etdm"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=end, text=True) as process:
        os.close(end)
        written = "".join(iter(lambda: _read(terminal), ""))
    os.close(terminal)
    assert process.returncode == 0
    lines = [line.strip() for line in written.split("\r")]
    assert [line for line in lines if line.endswith("loaded")] == [
        "1 page loaded",
        *(f"{number} pages loaded" for number in range(2, 6)),
    ]
    assert lines[0].startswith("loading ")


def _read(terminal: int) -> str:
    """Return what has been written, "" once nobody can write any more."""
    try:
        return os.read(terminal, 4_096).decode()
    except OSError:
        return ""


@pytest.mark.exhaustive
def test_a_page_with_nothing_to_compare_it_with(tmp_path: Path) -> None:
    (tmp_path / "alone.html").write_text("<p>tea <a href=lost.html>lost</a>")
    done = template("alone.html", cwd=tmp_path)
    assert done.returncode == 0
    assert "1 further page loaded, none to compare it with" in done.stderr
    assert "followed with --host alone" in done.stderr


@pytest.mark.exhaustive
def test_a_page_that_cannot_be_loaded(tmp_path: Path) -> None:
    with LocalSite({}) as site:
        done = template(site.url, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith(f"no template: cannot load {site.url}")


def test_it_is_opened_in_a_browser(tmp_path: Path, monkeypatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    monkeypatch.chdir(tmp_path)
    item = TemplateItem("http://tea.example/", 4, [], "<p>Menü", 1, 2)
    TemplateCommand()._write(item, Namespace(output="t.html", open=True))
    assert opened == [(tmp_path / "t.html").as_uri()]
    assert (tmp_path / "t.html").read_bytes() == "<p>Menü".encode()


def test_it_is_said_that_a_page_was_read_in_part(capsys) -> None:
    item = TemplateItem("http://tea.example/", 4, [], "<p>Tea", 1, 2, truncated=["max_tags"])
    TemplateCommand()._write(item, Namespace(output="-", open=False))
    assert capsys.readouterr().err.endswith("none to compare it with; read in part (max_tags)\n")


@pytest.mark.exhaustive
def test_elements_may_be_equal_by_their_names_alone(saved: Path, tmp_path: Path) -> None:
    nodes = []
    for equality in ("tag", "weighted", "name"):
        way = ("--way", "etdm", "--equality", equality)
        done = template(saved / "article.html", "-o", "t.html", *way, cwd=tmp_path)
        nodes.append(int(re.search(r"(\d+) of \d+ nodes in the template", done.stderr)[1]))
    assert nodes == sorted(nodes)
    assert nodes[0] < nodes[2]
