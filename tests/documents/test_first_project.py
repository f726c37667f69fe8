"""The first project, done as docs/index.md says: from an empty folder to what has changed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from docs.build.command_lines import command_lines
from docs.build.example_crawls import save_example_crawls
from lab.sites.fixed_salt import FIXED_SALT
from lab.sites.server import LocalSite, from_folder

pytestmark = pytest.mark.exhaustive

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "index.md").read_text(encoding="utf-8").partition("\n## A first project\n")[2]
SPIDER, SETTINGS = (re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL) for language in ("python", "py"))
LINES = [line.partition("#")[0] for line in command_lines(PAGE)]


def do(start: str, folder: Path, site: str = "") -> subprocess.CompletedProcess[str]:
    """Run the next command line of the page, which starts so; ``site`` is in the place of example.org."""
    line = LINES.pop(0)
    assert line.startswith(start)
    command = [sys.executable, "-m", *line.replace("https://example.org/", site).split()]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    run = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "ERROR" not in run.stderr
    return run


def test_the_page_leads_from_an_empty_folder_to_what_has_changed(tmp_path: Path) -> None:
    for library in ("jinja2", "pyarrow", "turbohtml"):
        import_module(library)
    saved, project = tmp_path / "saved", tmp_path / "courier"
    save_example_crawls(saved)
    do("scrapy startproject", tmp_path)
    (project / "courier" / "spiders" / "pages.py").write_text(*SPIDER)
    settings = project / "courier" / "settings.py"
    written = settings.read_text()
    assert written.count("\nADDONS = {}\n") == 1
    assert written.count("\nDOWNLOAD_DELAY = 1\n") == PAGE.count("`DOWNLOAD_DELAY = 1`") == 1
    salt = f"EXTENSIONS = {FIXED_SALT['EXTENSIONS']}\n"
    quick = f"DOWNLOAD_DELAY = 0\nCONCURRENT_REQUESTS_PER_DOMAIN = 1\n{salt}"
    settings.write_text(written.replace("ADDONS = {}\n", SETTINGS[0]) + quick)
    today = [from_folder(saved / "january" / "example.org")]
    with LocalSite(lambda target: today[-1](target)) as site:
        crawl = do("scrapy crawl pages", project, site.url)
        varying = re.compile(r"\d+(?= %| links waited)")  # with the port: addresses are hashed
        logged, summary = (
            varying.sub("N", re.findall(r"templcrawl: (\d+ pages of .*)", text)[0])
            for text in (crawl.stderr, PAGE)
        )
        assert logged == summary
        items = [json.loads(line) for line in (project / "pages.jsonl").read_text().splitlines()]
        assert f"{len(items)} items stripped" in summary
        assert all(item["content_text"] and item["leaf_id"] for item in items)
        assert "greyed out" in (project / "report.html").read_text()
        assert "pages: 85, hosts: 1" in do("scrapy cluster january/", project).stdout
        assert "pages: 85, kept: " in do("scrapy strip", project).stdout
        assert '"content_markdown":"# ' in (project / "stripped.jsonl").read_text()
        today.append(from_folder(saved / "february" / "example.org"))
        do("scrapy crawl pages", project, site.url)
    changes = do("scrapy changes", project).stdout
    assert re.search(r"changed: \d, new: 1, gone: 1, template only: 7\d, same: \d\n", changes)
    assert "the lantern was never lost" in (project / "changes.html").read_text()
    assert LINES == []
