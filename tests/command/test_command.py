"""``templcrawl ADDRESS -o FOLDER`` as a user types it: a real crawl of a site on this machine."""

from __future__ import annotations

import csv
import gzip
import json
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

import templcrawl
from lab.sites.generated import generate_demo_site
from lab.sites.server import Answer, LocalSite, Response
from tests.command.shops import Shop, scripted
from tests.scrapy_processes import WITHOUT, run_program
from tests.tools.readers.archives import Answer as Saved
from tests.tools.readers.archives import write_warc

pytest.importorskip("turbohtml")
pytest.importorskip("jinja2")

PACKAGE = Path(templcrawl.__file__).parent
ROOT = PACKAGE.parent


@dataclass
class Run:
    """A run of the command: exit code, what it wrote to stdout and stderr, and its folder."""

    code: int
    output: str
    said: str
    folder: Path

    @property
    def pages(self) -> dict[str, dict[str, Any]]:
        lines = (self.folder / "pages.jsonl").read_text(encoding="utf-8").splitlines()
        rows = [json.loads(line) for line in lines]
        assert len({row["url"] for row in rows}) == len(rows)
        return {row["url"].partition("//")[2].partition("/")[2]: row for row in rows}

    @property
    def changes(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {"new": [], "changed": [], "gone": []}
        for line in map(json.loads, (self.folder / "changes.jsonl").read_text("utf-8").splitlines()):
            found[line["change"]].append(line["url"].partition("//")[2].partition("/")[2])
        return {change: sorted(urls) for change, urls in found.items()}


def run(address: object, folder: Path, *options: str) -> Run:
    """Run the command in a process of its own."""
    output, log = folder.with_name("output.txt"), folder.with_name("said.txt")
    status = run_program("templcrawl", [str(address), "-o", str(folder), *options], output, log)
    return Run(status >> 8, output.read_text("utf-8"), log.read_text("utf-8"), folder)


@pytest.fixture(scope="module")
def shop() -> Iterator[tuple[Shop, LocalSite]]:
    """A shop that is served."""
    lives = Shop()
    with LocalSite(lives.answer) as site:
        yield lives, site


@pytest.fixture(scope="module")
def first(
    shop: tuple[Shop, LocalSite], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Run, dict[str, Any]]:
    """A crawl of the shop, and its pages."""
    found = run(shop[1].url, tmp_path_factory.mktemp("crawl") / "shop", "--markdown-files")
    return found, found.pages


def test_a_crawl_leaves_its_files_and_says_where_they_are(first: tuple[Run, dict[str, Any]]) -> None:
    found, pages = first
    assert found.code == 0, found.said
    assert not found.output
    assert {*pages} == {"", "about", *(f"p/{number}" for number in range(12))}
    bowl = pages["p/7"]
    assert bowl["content_markdown"].startswith("# Bowl 7\n\nPrice: £7.50")
    assert "Home of the shop" not in bowl["content_markdown"]
    assert bowl["page_type"] == pages["p/8"]["page_type"] != pages[""]["page_type"]
    assert bowl["metadata"] == {"headline": "Bowl 7", "inLanguage": "en"}
    assert bowl["first_seen"] == bowl["last_changed"] <= bowl["last_read"]
    for name in ("pages.jsonl", "tables", "report.html", "changes.jsonl", "pages"):
        assert str(found.folder / name) in found.said
        assert (found.folder / name).exists()
    assert "Traceback" not in found.said
    assert {path.name for path in found.folder.iterdir()} == {
        "pages.jsonl", "pages", "tables", "report.html", "changes.jsonl", "job",
    }  # fmt: skip


@pytest.mark.exhaustive
def test_the_same_line_again_brings_all_files_up_to_date(
    shop: tuple[Shop, LocalSite], first: tuple[Run, dict[str, Any]]
) -> None:
    (lives, site), (found, before) = shop, first
    lives.goods = [number for number in (*range(12), 40) if number not in (3, 4)]
    lives.edited = {7, 8}
    again = run(site.url, found.folder, "--markdown-files")
    assert again.code == 0, again.said
    assert again.changes == {"new": ["p/40"], "changed": ["", "p/7", "p/8"], "gone": ["p/3", "p/4"]}
    pages = again.pages
    assert {*pages} == {*before, "p/40"} - {"p/3", "p/4"}
    assert "lid and a saucer" in pages["p/7"]["content_markdown"]
    assert pages["p/7"]["first_seen"] == before["p/7"]["first_seen"]
    assert pages["p/5"]["last_changed"] == before["p/5"]["last_changed"]
    trees = {path.name for path in (again.folder / "pages").rglob("p/*.md")}
    assert trees == {f"{number}.md" for number in (*range(12), 40) if number not in (3, 4)}
    (table,) = (again.folder / "tables").glob("p*.csv")
    with table.open(encoding="utf-8", newline="") as file:
        urls = {row["url"].partition("/p/")[2] for row in csv.DictReader(file)}
    assert {"40", "7"} <= urls
    assert urls.isdisjoint({"3", "4"})


@pytest.mark.exhaustive
def test_a_crawl_that_was_killed_goes_on_with_the_same_line(tmp_path: Path) -> None:
    folder, shop = tmp_path / "shop", Shop(goods=[*range(150)])
    with LocalSite(shop.answer, delay=0.1) as site:
        for number in (signal.SIGKILL, signal.SIGINT):
            command = [sys.executable, "-m", "templcrawl", site.url, "-o", str(folder)]
            known = len(site.targets)
            process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)
            while len(site.targets) < known + 25:
                time.sleep(0.01)
            process.send_signal(number)
            said = process.communicate()[1]
            if number == signal.SIGINT:
                assert process.returncode == 130
                assert "the same line goes on" in said
                assert 20 < len((folder / "pages.jsonl").read_text("utf-8").splitlines()) < 152
        last = run(site.url, folder)
        assert last.code == 0, last.said
        assert "continues where it was stopped, with " in last.said
        assert len(last.pages) == 152
        assert last.changes["new"] == sorted(last.pages)
        assert len(site.targets) <= 152 + 2 * 30  # what was under way, and half a second before a kill


@pytest.mark.exhaustive
def test_a_full_disk_stops_the_crawl_and_costs_no_page(tmp_path: Path) -> None:
    """No file may grow beyond 400 kB, as on a full disk; then all may."""
    folder, shop = tmp_path / "shop", Shop(goods=[*range(150)])
    command = [sys.executable, "-m", "templcrawl", "-o", str(folder)]
    with LocalSite(shop.answer) as site:
        full = subprocess.run(
            [*command, site.url], cwd=ROOT, stderr=subprocess.PIPE, text=True, check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000)),
        )  # fmt: skip
        assert full.returncode in (2, 130), full.stderr
        assert 0 < len(site.targets) < 150
        last = run(site.url, folder)
    assert last.code == 0, last.said
    assert len(last.pages) == 152
    assert last.changes["new"] == sorted(last.pages)


@pytest.mark.exhaustive
def test_a_limit_is_that_of_the_folder(tmp_path: Path) -> None:
    shop = Shop()
    with LocalSite(shop.answer) as site:
        first = run(site.url, tmp_path / "shop", "--limit", "5")
        assert len(first.pages) == 5
        assert "the folder is full: --limit 5" in first.said
        again = run(site.url, tmp_path / "shop", "--limit", "5")
        assert {*again.pages} == {*first.pages}
        assert again.changes == {"new": [], "changed": [], "gone": []}
        more = run(site.url, tmp_path / "shop", "--limit", "0")
        assert len(more.pages) == 14


@pytest.mark.exhaustive
@pytest.mark.parametrize("options", [["--topic", "word3x1"], ["--like", "p/5"]], ids=["topic", "like"])
def test_topics_and_examples_choose_their_order_and_a_later_crawl_that_of_changes(
    options: list[str], tmp_path: Path
) -> None:
    shop = Shop()
    with LocalSite(shop.answer) as site:
        options = [option.replace("p/5", f"{site.url}p/5") for option in options]
        assert len(run(site.url, tmp_path / "shop", *options).pages) == 14
        shop.goods.remove(3)
        shop.edited = {5}
        again = run(site.url, tmp_path / "shop", *options)
        assert again.code == 0, again.said
        assert again.changes["changed"] == ["", "p/5"]
        assert again.changes["new"] == []


@pytest.mark.exhaustive
def test_only_links_of_the_site_that_are_wanted_are_followed(tmp_path: Path) -> None:
    shop = Shop(subdomain="<a href=http://localhost:1/>elsewhere</a>")
    with LocalSite(shop.answer) as site:
        found = run(
            site.url, tmp_path / "shop", "--include", "/p/", "--exclude", "/p/1", "--fields", "url,title"
        )
        assert {*found.pages} == {
            "",
            *(f"p/{number}" for number in range(12) if not str(number).startswith("1")),
        }
        assert {*found.pages["p/2"]} == {"url", "title"}


@pytest.mark.exhaustive
def test_what_is_saved_is_read_without_fetching(tmp_path: Path) -> None:
    shop, saved = Shop(), tmp_path / "saved"
    (saved / "p").mkdir(parents=True)
    nothing = run(saved, tmp_path / "nothing")
    assert (nothing.code, f"no page of {saved} was read" in nothing.said) == (1, True)
    for path in ("/", "/about", *(f"/p/{number}" for number in range(12))):
        (saved / (path.strip("/") or "index")).with_suffix(".html").write_text(
            str(shop.answer(path)), "utf-8"
        )
    first = run(saved, tmp_path / "folder")
    assert first.code == 0, first.said
    assert len(first.pages) == 14
    assert (first.folder / "tables").is_dir()
    (saved / "p" / "3.html").unlink()
    shop.edited = {7}
    (saved / "p" / "7.html").write_text(str(shop.answer("/p/7")), "utf-8")
    again = run(saved, tmp_path / "folder")
    assert again.changes == {"new": [], "changed": ["p/7.html"], "gone": ["p/3.html"]}
    assert len(again.pages) == 13


@pytest.mark.exhaustive
def test_a_wacz_file_is_read_as_its_warc_files_are(tmp_path: Path) -> None:
    pytest.importorskip("fastwarc")
    shop, file = Shop(), tmp_path / "data.warc.gz"
    paths = ("/", *(f"/p/{number}" for number in range(12)))
    write_warc(
        file, [Saved(f"https://shop.example{path}", str(shop.answer(path)).encode()) for path in paths]
    )
    with ZipFile(tmp_path / "crawl.wacz", "w") as archive:
        archive.write(file, "archive/data.warc.gz")
        archive.writestr("pages/pages.jsonl", "")
    of_warc, of_wacz = run(file, tmp_path / "warc"), run(tmp_path / "crawl.wacz", tmp_path / "wacz")
    assert len(of_wacz.pages) == 13
    texts = [{url: page["content_markdown"] for url, page in one.pages.items()} for one in (of_warc, of_wacz)]
    assert texts[0] == texts[1]
    (tmp_path / "broken.wacz").write_bytes(b"no archive")
    assert run(tmp_path / "broken.wacz", tmp_path / "broken").code == 2


@pytest.mark.exhaustive
def test_pages_of_scripts_are_named_and_a_browser_renders_them(tmp_path: Path) -> None:
    with LocalSite(scripted) as site:
        plain = run(site.url, tmp_path / "plain")
        assert "scripts and next to no text: 1 of 1" in plain.said
        assert "--render" in plain.said
        rendered = run(site.url, tmp_path / "rendered", "--render")
        try:
            import scrapy_playwright  # noqa: F401
        except ImportError:
            assert rendered.code == 2
            assert "pip install 'templcrawl[render]'" in rendered.said
            return
        if not shutil.which("chromium"):
            pytest.skip("without a browser (Debian: apt install chromium)")
        assert {*rendered.pages} == {"", "p/1", "p/2", "p/3"}, rendered.said
        assert "Goods of /p/2" in rendered.pages["p/2"]["content_markdown"]
        assert "next to no text" not in rendered.said


@pytest.mark.exhaustive
def test_what_cannot_be_done_is_said_in_a_sentence(tmp_path: Path) -> None:
    with LocalSite(lambda path: None) as site:
        nothing = run(site.url, tmp_path / "nothing")
        assert nothing.code == 1
        assert f"no page of {site.url} was read" in nothing.said
        assert f"status 404, such as {site.url}" in nothing.said
        assert (run(f"{site.url}x", tmp_path / "nothing").code, run("nowhere", tmp_path / "x").code) == (2, 2)
        other = tmp_path / "other"
        other.mkdir()
        (other / "thesis.txt").write_text("mine")
        refused = run(site.url, other)
        assert refused.code == 2
        assert "a new folder" in refused.said
        for address in ("", "http://", "http://[::1", "ftp://shop.example/", "http://127.0.0.1:99999/"):
            unknown = run(address, tmp_path / "unknown")
            assert (unknown.code, "starts with http://" in unknown.said) == (2, bool(address)), unknown.said
        for name in ("pages.sqlite", "memory.sqlite"):
            path = tmp_path / "nothing" / "job" / name
            kept = path.read_bytes()
            path.write_bytes(b"damaged" * 999)
            damaged = run(site.url, tmp_path / "nothing")
            assert (damaged.code, "--fresh begins anew" in damaged.said) == (2, True), name
            path.write_bytes(kept)
        assert run(site.url, tmp_path / "nothing", "--fresh").code == 1
        (tmp_path / "file").touch()
        assert "a new folder" in run(site.url, tmp_path / "file").said
        for options, said in (
            (["--fields", "titel"], "is 'title' meant?"),
            (["--like", "http://["], "an address starts with http:// or https://"),
            (["-s", "DOWNLOAD_DELAY"], "NAME=VALUE"),
            (["--include", "("], "is not a regular expression"),
            (["-s", "TEMPLCRAWL_DETECTOR=toast"], "TEMPLCRAWL_DETECTOR"),
        ):
            wrong = run(site.url, tmp_path / "wrong", *options)
            assert (wrong.code, said in wrong.said) == (2, True), wrong.said
            assert "Traceback" not in wrong.said


@pytest.mark.exhaustive
def test_what_a_crawl_loses_is_said(tmp_path: Path) -> None:
    """Redirects in a circle and to another site, files too large, and more reasons than have a line."""
    bomb, html = gzip.compress(b"<p>aaaa" * 200_000), "text/html"
    lost: dict[str, Answer] = {
        "/circle": Response(302, "", b"", (("Location", "/circle2"),)),
        "/circle2": Response(302, "", b"", (("Location", "/circle"),)),
        "/away": Response(302, "", b"", (("Location", "http://elsewhere.example/"),)),
        "/bomb": Response(200, html, bomb, (("Content-Encoding", "gzip"),)),
        "/large": Response(200, html, b"<p>aaaa" * 200_000),
        "/data": Response(200, "application/json", b"{}"),
        "/refused": Response(403, html, b""),
        "/teapot": Response(418, html, b""),
        "/legal": Response(451, html, b""),
    }
    links = "".join(f"<a href={path}>{path}</a> " for path in lost)
    with LocalSite({"/": links, **lost}) as site:
        found = run(site.url, tmp_path / "shop", "-s", "DOWNLOAD_MAXSIZE=100000", "-s", "RETRY_TIMES=0")
    assert {*found.pages} == {""}
    said = re.findall(r"(?m)^(\d+) not read: (.*), such as \S+/(\S*)$", found.said)
    assert ("2", "more bytes than DOWNLOAD_MAXSIZE") in {(count, why) for count, why, _ in said}
    assert len(said) == 5
    assert "1 not read for other reasons, see job/log.txt" in found.said
    with LocalSite({"/": lost["/away"]}) as site:
        away = run(site.url, tmp_path / "away")
    assert "1 not read: it redirects to elsewhere.example, such as" in away.said
    with LocalSite({"/": lost["/circle"], **lost}) as site:
        circle = run(site.url, tmp_path / "circle")
    assert "1 not read: it redirects in a circle, such as" in circle.said


@pytest.mark.exhaustive
def test_frames_are_followed_and_an_address_may_have_a_comma(tmp_path: Path) -> None:
    frames = "<frameset><frame src=/menu><frame src=/main></frameset>"
    answers = {"/start,1": frames, "/menu": "<a href=/two>two</a>", "/main": "<p>one", "/two": "<p>two"}
    with LocalSite(answers) as site:
        found = run(f"{site.url}start,1", tmp_path / "shop")
    assert {*found.pages} == {"start,1", "menu", "main", "two"}


@pytest.mark.exhaustive
def test_robots_txt_is_obeyed_and_said(tmp_path: Path) -> None:
    answers = {"/robots.txt": (200, "text/plain", b"User-agent: *\nDisallow: /\n")}
    with LocalSite(lambda path: answers.get(path, "<p>secret")) as site:
        refused = run(site.url, tmp_path / "shop")
    assert refused.code == 1
    assert "Forbidden by robots.txt" in refused.said


@pytest.mark.exhaustive
def test_pages_go_to_stdout_and_nothing_is_kept(tmp_path: Path) -> None:
    with LocalSite(Shop().answer) as site:
        command = [sys.executable, "-m", "templcrawl", site.url, "-o", "-", "--quiet"]
        piped = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert len([json.loads(line) for line in piped.stdout.splitlines()]) == 14
    assert not piped.stderr


@pytest.mark.exhaustive
def test_the_printed_settings_crawl_in_a_project_of_ones_own(tmp_path: Path) -> None:
    with LocalSite(Shop().answer) as site:
        printed = run(
            site.url, tmp_path / "unused", "--print-settings", "--exclude", "/about", "--limit", "9"
        )
        settings, spider = re.split(r"# spiders/site\.py.*\n", printed.output)
        project = tmp_path / "project"
        (project / "shop" / "spiders").mkdir(parents=True)
        (project / "scrapy.cfg").write_text("[settings]\ndefault = shop.settings\n")
        (project / "shop" / "__init__.py").touch()
        (project / "shop" / "spiders" / "__init__.py").touch()
        (project / "shop" / "settings.py").write_text(f"SPIDER_MODULES = ['shop.spiders']\n{settings}")
        (project / "shop" / "spiders" / "site.py").write_text(spider)
        command = [sys.executable, "-m", "scrapy", "crawl", "site"]
        ran = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stderr
    rows = [json.loads(line) for line in (project / "pages.jsonl").read_text("utf-8").splitlines()]
    assert len(rows) == 9, ran.stderr
    assert any(row["content_markdown"].startswith("# Bowl") for row in rows)


def test_the_command_is_small() -> None:
    lines = sum(len(path.read_text("utf-8").splitlines()) for path in (PACKAGE / "command").glob("*.py"))
    assert lines <= 350


@pytest.mark.exhaustive
def test_the_command_of_the_readme_prints_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    (block,) = re.findall(r"(?m)^\$ templcrawl (.*)\n((?:[^$`].*\n)+)```", readme)
    site = generate_demo_site(articles=40, products=36, chapters=12)
    address, _, folder, *options = block[0].split()
    with LocalSite(site.html) as served:
        found = run(served.url, tmp_path / folder, *options)
    assert address.startswith("https://")
    masked = [re.sub(r"\d+%", "N%", text) for text in (found.said.replace(f"{tmp_path}/", ""), block[1])]
    shown, said = ([re.sub(r"  +", "  ", line) for line in text.splitlines()] for text in masked)
    assert shown == said


@pytest.mark.exhaustive
def test_the_recipe_keeps_an_index_equal_to_a_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        (ROOT / "docs" / "recipes.md").read_text("utf-8").partition("## A search index that stays equal")[2]
    )
    (program,) = re.findall(r"(?s)```python\n(.*?)```", text.partition("\n## ")[0])
    (options,) = re.findall(r"(?m)^    templcrawl \S+ -o \S+ (--.*)$", text)
    shop, index = Shop(), tmp_path / "shop" / "index.sqlite"

    def found(words: str) -> list[str]:
        with closing(sqlite3.connect(index)) as database:
            query = "SELECT url FROM sections WHERE sections MATCH ? ORDER BY url"
            return [url.partition("/p/")[2] for (url,) in database.execute(query, (words,))]

    with LocalSite(shop.answer) as site:
        for goods, edited, lids in (([*range(12)], set(), []), ([*range(2, 12), 40], {2, 5}, ["2", "5"])):
            shop.goods, shop.edited = goods, edited
            assert run(site.url, tmp_path / "shop", *options.split()).code == 0
            monkeypatch.chdir(tmp_path / "shop")
            exec(program, {})
            assert found("saucer") == lids
            assert found("price") == sorted(map(str, goods))


@pytest.mark.exhaustive
def test_what_an_extra_lacks_is_left_out_and_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(WITHOUT, "jinja2 turbohtml")
    with LocalSite(Shop().answer) as site:
        bare = run(site.url, tmp_path / "shop", "--markdown-files")
    assert bare.code == 0, bare.said
    assert bare.pages["p/7"]["content_text"].startswith("Bowl 7\nPrice: £7.50")
    for extra in ("markdown", "report"):
        assert f"pip install 'templcrawl[{extra}]'" in bare.said
    assert not (bare.folder / "report.html").exists()
    assert "Price: £7.50" in next(bare.folder.rglob("p/7.md")).read_text("utf-8")
