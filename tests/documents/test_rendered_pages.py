"""The recipe for pages that a browser assembles, with a browser."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lab.sites.server import Answer, LocalSite

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
pytestmark = [
    pytest.mark.exhaustive,
    pytest.mark.skipif(BROWSER is None, reason="without a browser (Debian: apt install chromium)"),
]

ROOT = Path(__file__).parents[2]
RECIPE = (
    (ROOT / "docs" / "recipes.md").read_text(encoding="utf-8").split("## Pages that a browser assembles")[1]
)
SETTINGS, SPIDER = (
    re.search(rf"^```{language}\n(.*?)^```", RECIPE, re.MULTILINE | re.DOTALL)[1]
    for language in ("py", "python")
)
PAGES = 6
APP = """<!DOCTYPE html><html><head><title>Pottery</title><script src=/app.js defer></script></head>
<body><noscript>This shop needs JavaScript.</noscript><div id=root></div></body></html>"""
SCRIPT = """
fetch("/data" + location.pathname).then(answer => answer.json()).then(data => setTimeout(() => {
  const links = data.links.map(n => `<li><a href="/bowl/${n}">Bowl ${n}</a></li>`).join("");
  document.getElementById("root").innerHTML =
    `<nav><ul>${links}</ul></nav><main><h1>${data.name}</h1><p>${data.text}</p></main>`;
}, 300));
"""
RUN = """
import sys
from scrapy.crawler import AsyncCrawlerProcess
{settings}
{spider}
given = {{name: value for name, value in globals().items() if name.isupper()}}
process = AsyncCrawlerProcess({{**given, "TELNETCONSOLE_ENABLED": False, "LOG_LEVEL": "INFO"}})
process.crawl(Rendered, start=sys.argv[1])
process.start()
"""


def shop(path: str) -> Answer:
    """A shop whose pages have scripts alone; their data comes later."""
    kind, _, number = path.rpartition("/")
    if path == "/app.js":
        return 200, "text/javascript", SCRIPT.encode()
    if not number.isdigit() or int(number) >= PAGES:
        return None
    if kind == "/bowl":
        return APP
    words = " ".join(f"glaze{number}x{n}" for n in range(40))
    data = {"name": f"Bowl of clay {number}", "text": words, "links": [*range(PAGES)]}
    return 200, "application/json", json.dumps(data).encode()


def crawl(folder: Path, spider: str) -> tuple[dict[str, str], str]:
    """Run the recipe; return URL -> text of its items, and the log."""
    browser = {"executable_path": BROWSER, "args": ["--no-sandbox", "--disable-gpu"]}
    feeds = {"items.jsonl": {"format": "jsonlines", "overwrite": True}}
    more = f"PLAYWRIGHT_LAUNCH_OPTIONS = {browser!r}\nFEEDS = {feeds!r}\n"
    script = folder / "run.py"
    script.write_text(RUN.format(settings=SETTINGS + more, spider=spider), encoding="utf-8")
    with LocalSite(shop) as site:
        ran = subprocess.run(
            [sys.executable, str(script), f"{site.url}bowl/0"],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=200,
        )
    lines = (folder / "items.jsonl").read_text(encoding="utf-8").splitlines()
    items = {item["url"].rpartition("/")[2]: item["content_text"] for item in map(json.loads, lines)}
    return items, ran.stderr


def test_pages_have_the_text_that_a_browser_shows(tmp_path: Path) -> None:
    pytest.importorskip("scrapy_playwright")
    items, log = crawl(tmp_path, SPIDER)
    assert {*items} == {str(number) for number in range(PAGES)}, log
    for number, text in items.items():
        assert f"Bowl of clay {number}\n" in text
        assert f"glaze{number}x39" in text
    assert sum("Bowl 3" not in text for text in items.values()) >= PAGES - 2  # the menu is template
    assert "next to no text" not in log
    assert " ERROR: " not in log


def test_without_the_browser_the_log_names_the_recipe(tmp_path: Path) -> None:
    pytest.importorskip("scrapy_playwright")
    items, log = crawl(tmp_path, SPIDER.replace('"playwright": True, ', ""))
    assert items == {"0": ""}
    assert re.search(
        r"WARNING: 127\.0\.0\.1:\d+: 1 of its 1 pages have scripts and next to no text of their own", log
    )
    assert "recipe" in log
