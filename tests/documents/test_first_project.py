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


class Walk:
    """Somebody who does what the page says, with a site on this machine in the place of example.org."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lines = [line.partition("#")[0].strip() for line in command_lines(PAGE)]

    def do(self, start: str, site: str = "") -> subprocess.CompletedProcess[str]:
        """Run the next command line of the page, which starts so."""
        line = self.lines.pop(0)
        assert line.startswith(start)
        arguments = line.replace("https://example.org/", site).split()[1:]
        run = subprocess.run(
            [sys.executable, "-m", "scrapy", *arguments],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert run.returncode == 0, run.stderr
        assert "ERROR" not in run.stderr
        return run


def test_the_page_leads_from_an_empty_folder_to_what_has_changed(tmp_path: Path) -> None:
    for library in ("jinja2", "pyarrow", "turbohtml"):
        import_module(library)
    saved = tmp_path / "saved"
    save_example_crawls(saved)
    walk = Walk(tmp_path)
    walk.do("scrapy startproject")
    walk.folder = project = tmp_path / "courier"
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
        crawl = walk.do("scrapy crawl pages", site.url)
        summary = PAGE.split("    templcrawl: ")[1].splitlines()[0]
        varying = re.compile(
            r"\d+(?= %| links waited)"
        )  # with the port of the site: its addresses are hashed
        (logged,) = re.findall(r"templcrawl: (\d+ pages of .*)", crawl.stderr)
        assert varying.sub("N", logged) == varying.sub("N", summary)
        items = [json.loads(line) for line in (project / "pages.jsonl").read_text().splitlines()]
        assert f"{len(items)} items stripped" in summary
        assert all(item["content_text"] and item["leaf_id"] for item in items)
        assert "greyed out" in (project / "report.html").read_text()
        assert "pages: 85, hosts: 1" in walk.do("scrapy cluster january/").stdout
        assert "Page types: 8" in walk.do("scrapy cluster job-january/").stdout
        table = json.loads((project / "types.json").read_text())
        assert {item["leaf_id"] for item in items} <= table.keys()
        assert "pages: 85, kept: " in walk.do("scrapy strip").stdout
        assert '"content_markdown":"# ' in (project / "stripped.jsonl").read_text()
        today.append(from_folder(saved / "february" / "example.org"))
        walk.do("scrapy crawl pages", site.url)
    changes = walk.do("scrapy changes").stdout
    assert re.search(r"changed: \d, new: 1, gone: 1, template only: 7\d, same: \d\n", changes)
    assert "the lantern was never lost" in (project / "changes.html").read_text()
    assert walk.lines == []
