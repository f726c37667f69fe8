"""Every block of Python in the README and the documents runs: settings (``py``) and programs (``python``)."""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
import subprocess
import sys
import unittest
from collections import Counter
from contextlib import closing
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Spider
from scrapy.http import HtmlResponse, Request
from scrapy.settings import Settings, default_settings
from scrapy.utils.misc import load_object
from scrapy.utils.test import get_crawler

from lab.bench.crawl import ADDON, Pages, crawl
from lab.sites.living import BASE, generate_living_site
from templcrawl import CrawlMemory, Page
from templcrawl.crawl.extension import CrawlExtension
from templcrawl.crawl.settings import SETTINGS, TemplcrawlSettings
from templcrawl.memory.page_types import TypedLeaf
from templcrawl.outputs.page_type_files import write_page_types

pytestmark = pytest.mark.exhaustive

ROOT = Path(__file__).parent.parent.parent
PAGES = {
    path.name: path.read_text(encoding="utf-8")
    for path in (ROOT / "README.md", *(ROOT / "docs").glob("*.md"))
}
FENCED = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
INDENTED_SETTING = re.compile(r"^ {4}([A-Z][A-Z_]+ = .*)$", re.MULTILINE)
GIVEN = ("item", "crawler", "response")  # names that a block takes from its surroundings
OF_OTHERS = ("ADDONS", "JOBDIR", "REDIS_URL", "SCRAPY_POET_PROVIDERS", "SCHEDULER_PERSIST")


def fenced(language: str) -> list[tuple[str, str]]:
    """Return the blocks of a language, each with the name of its page."""
    blocks = ((name, *block.groups()) for name, text in PAGES.items() for block in FENCED.finditer(text))
    return [(name, code) for name, found, code in blocks if found == language]


SETTINGS_SHOWN = [
    *fenced("py"),
    *(
        (name, line)
        for name, text in PAGES.items()
        for line in INDENTED_SETTING.findall(FENCED.sub("", text))
    ),
]


def paths_in(value: object) -> list[str]:
    """Return the import paths in the value of a setting."""
    parts = [*value, *value.values()] if isinstance(value, dict) else value
    if isinstance(parts, (list, tuple)):
        return [path for part in parts for path in paths_in(part)]
    return [value] if isinstance(value, str) and re.fullmatch(r"(templcrawl|scrapy)(\.\w+)+", value) else []


@pytest.mark.parametrize(("page", "block"), SETTINGS_SHOWN)
def test_settings_are_accepted(page: str, block: str) -> None:
    written: dict[str, Any] = {}
    exec(block, written)
    given = {name: value for name, value in written.items() if name.isupper()}
    assert given
    ours = {name: value for name, value in given.items() if name.startswith("TEMPLCRAWL_")}
    assert not {*ours} - {*SETTINGS}
    assert not {*given} - {*ours} - {*vars(default_settings)} - {*OF_OTHERS}
    assert all(load_object(path) for value in given.values() for path in paths_in(value))
    read = TemplcrawlSettings.from_settings(Settings(ours))
    for name, value in ours.items():
        field = name.removeprefix("TEMPLCRAWL_").lower()
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            assert getattr(read, field, getattr(read.memory, field, None)) == value


def test_no_name_in_a_program_is_unknown() -> None:
    import_module("ruff")
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--select=E9,F", "--ignore=F401", "-"]
    for page, block in fenced("python"):
        known = "".join(f"{name} = {{}}\n" for name in GIVEN if name in block)
        run = subprocess.run(command, input=known + block, capture_output=True, text=True, check=False)
        assert run.returncode == 0, f"{page}: {run.stdout}{run.stderr}"


def program(page: str, part: str, **names: object) -> dict[str, Any]:
    """Run the program of a page that has a part; return the names that it has made."""
    (block,) = (block for name, block in fenced("python") if name == page and part in block)
    exec(block, names)
    return names


def test_every_block_is_found_and_every_program_tried() -> None:
    """Four programs elsewhere: by the tests of kinds, the first project, the README and a browser."""
    assert {"index.md", "recipes.md", "crawling.md", "README.md"} <= {page for page, _ in SETTINGS_SHOWN}
    pages = {"crawling.md": 4, "how-it-decides.md": 2, "index.md": 1, "many-machines.md": 1, "recipes.md": 6}
    assert Counter(page for page, _ in fenced("python")) == pages


def test_items_of_a_feed_join_their_page_types(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    items = [{"url": "a", "leaf_id": "x1"}, {"url": "b", "leaf_id": "x2"}, {"url": "c", "leaf_id": None}]
    (tmp_path / "pages.jsonl").write_text("\n".join(map(json.dumps, items)), encoding="utf-8")
    leaves = (("x1", "/product/*"), ("x2", "/blog/*"))
    rows = [TypedLeaf(leaf_id=name, page_type=page_type, pages=1, kind=None) for name, page_type in leaves]
    write_page_types(tmp_path / "page-types.json", rows)
    products = program("recipes.md", "page-types.json")["products"]
    assert [(item["url"], item["page_type"], item["pages"]) for item in products] == [("a", "/product/*", 1)]


def test_a_callback_goes_by_the_page_type() -> None:
    parse = program("crawling.md", "page_type")["parse"]
    spider = SimpleNamespace(parse_product=lambda response: [response.url])
    for page_type, answers in (("product", ["u"]), ("listing", []), (None, [])):
        response = SimpleNamespace(url="u", meta={"templcrawl": {"page_type": page_type}})
        assert list(parse(spider, response)) == answers


def test_markdown_is_cut_where_the_page_is() -> None:
    page = Page("<p>Before.<h1>Tea</h1><p>Of leaves.<h2>Green</h2><p>Of Uji.", "https://a.example/")
    seen = CrawlMemory().observe(page)
    item = {"content_headings": seen.content_headings, "content_markdown": seen.content_markdown}
    made = program("crawling.md", "content_headings", item=item)
    assert (made["title"], made["text"].split()) == ("Tea > Green", ["##", "Green", "Of", "Uji."])


def test_a_callback_of_scrapy_poet_has_the_text() -> None:
    parse = program("crawling.md", "Observation")["parse"]
    page = Page("<p>A lamp.", "https://a.example/1")
    (item,) = parse(None, SimpleNamespace(url=page.url), CrawlMemory().observe(page))
    assert item == {"url": page.url, "text": "A lamp."}


def test_items_that_lost_a_field_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"url": f"u{price}", "price": price, "content_text": "It is 12."} for price in ("12", "9")]
    (tmp_path / "pages.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    program("how-it-decides.md", "lost their price")
    assert capsys.readouterr().out == "1 of 2 items lost their price: ['u9']\n"


def n_grams(text: str, size: int = 6) -> set[tuple[str, ...]]:
    words = re.findall(r"\w+", re.sub(r"(?m)\]\([^)]*\)|^\d+\. ", " ", text))
    return {tuple(words[at : at + size]) for at in range(len(words) - size + 1)}


def test_an_index_stays_equal_to_a_site_that_lives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has all text of each page as it is now, none that it had before, and no page that is gone."""
    (block,) = (block for name, block in fenced("py") if name == "recipes.md" and "changes.jsonl" in block)
    settings: dict[str, Any] = {}
    exec(block, settings)
    settings = {name: value for name, value in settings.items() if name.isupper()}
    settings["FEEDS"] = {str(tmp_path / name): feed for name, feed in settings["FEEDS"].items()}
    settings["TEMPLCRAWL_CHANGES"] = str(tmp_path / settings["TEMPLCRAWL_CHANGES"])
    settings["TEMPLCRAWL_STORE"] = f"sqlite:{tmp_path / 'memory.sqlite'}"
    monkeypatch.chdir(tmp_path)
    earlier: dict[str, set[tuple[str, ...]]] = {}
    gone = set[str]()
    for version in generate_living_site(5, seed=3, posts=60, chapters=40):
        host = BASE.rstrip("/")
        bodies = {host + path: page.html for path, page in version.pages.items()}
        targets = {host + path: [host + link for link in page.links] for path, page in version.pages.items()}
        pages = Pages([BASE], bodies, targets, {host + path: version.headers(path) for path in version.pages})
        began = version.published.timestamp()
        crawled = crawl(pages, {**ADDON, **settings}, warm_up=False, began=began)
        assert " ERROR: " not in crawled.errors
        program("recipes.md", "fts5")
        with closing(sqlite3.connect("index.sqlite")) as index:
            found: dict[str, str] = {}
            for url, text in index.execute("SELECT url, text FROM sections ORDER BY rowid"):
                found[url] = f"{found.get(url, '')}\n{text}"
        gone |= {*earlier} - {*bodies}
        assert {*found} == {*bodies}
        for path, page in version.pages.items():
            now, indexed = n_grams(" ".join(page.words)), n_grams(found[host + path])
            assert now <= indexed, path
            assert not (earlier.get(host + path, set()) - now) & indexed, path
            earlier.setdefault(host + path, set()).update(now)
    assert gone


def failures(stats: dict[str, int]) -> list[str]:
    """Return the tests of the monitor that fail over stats."""
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(
        program("recipes.md", "Monitor")["TemplcrawlMonitor"]
    )
    for monitor in suite:
        monitor.data = SimpleNamespace(stats=stats)
    result = suite.run(unittest.TestResult())
    assert not result.errors
    return [monitor._testMethodName for monitor, _ in result.failures]


def test_monitors_fail_where_something_is_wrong_and_only_there() -> None:
    pytest.importorskip("spidermon")
    good = {"templcrawl/pages": 50, "templcrawl/items/stripped": 45, "templcrawl/items/left_as_is": 5}
    assert failures(good) == failures({"templcrawl/pages": 3}) == []
    assert failures({**good, "templcrawl/items/left_as_is": 6}) == ["test_items_are_filled"]
    assert failures({**good, "templcrawl/errors/KeyError": 1}) == ["test_there_are_no_errors"]
    assert failures({**good, "templcrawl/unreadable_sites": 4}) == ["test_no_site_is_lost"]


def test_the_shell_shows_a_page_with_its_template(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.chdir(tmp_path)
    extension = CrawlExtension.from_crawler(crawler := get_crawler(Spider))
    monkeypatch.setattr(crawler, "get_extension", lambda kind: extension)
    for number in range(4):
        request = Request(f"https://a.example/{number}")
        body = f"<nav><a href=/menu>Menu of all pages</a></nav><p>Some words of page {number}.".encode()
        response = HtmlResponse(request.url, body=body, request=request)
        extension.observe(request, response)
    program("recipes.md", "greyed_page", crawler=crawler, response=response)
    assert opened == [(tmp_path / "page.html").as_uri()]
    shown = (tmp_path / "page.html").read_text().split("<body>")[1]
    assert "Some words of page 3." in shown
    assert '"t"' in shown


def test_hosts_are_shared_out_among_processes(tmp_path: Path) -> None:
    seeds = tmp_path / "seeds.txt"
    urls = [f"https://{name}.example/" for name in "abcdefgh"]
    seeds.write_text("\n".join(urls))
    kind = program("many-machines.md", "class Hosts")["Hosts"]
    spiders = [kind(seeds=str(seeds), part=str(part), parts="2") for part in (0, 1)]

    async def started(spider: Any) -> list[str]:
        return [request.url async for request in spider.start()]

    parts = [asyncio.run(started(spider)) for spider in spiders]
    assert sorted(parts[0] + parts[1]) == urls
    assert all(parts)
    body = "".join(f"<a href={url}x>x</a>" for url in urls).encode()
    item, *requests = spiders[0].parse(HtmlResponse(parts[0][0], body=body, request=Request(parts[0][0])))
    assert item["url"] == parts[0][0]
    assert [request.url for request in requests] == [f"{url}x" for url in urls if url in parts[0]]
