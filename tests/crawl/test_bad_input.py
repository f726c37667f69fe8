"""Pages that break parsers: the crawl goes on, nothing fails, what was cut short is said."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote

import pytest

from lab.sites.hostile import HOSTILE_PAGES
from lab.sites.server import LocalSite
from templcrawl import CrawlMemory, Page
from tests.crawl.crawls import ADDON, run_crawl
from tests.memory.invariants import check
from tests.parts import exhaustive_but


@pytest.mark.parametrize("name", exhaustive_but(["empty_page", "utf16_page"], HOSTILE_PAGES))
def test_each_is_judged_and_nothing_of_its_text_is_lost(name: str) -> None:
    body = HOSTILE_PAGES[name]()
    memory = CrawlMemory()
    for number in range(2):
        page = Page.from_html(body + b"<p>page %d" % number, f"https://hostile.example/{number}")
        separation = memory.observe(page)
        kept, whole = separation.text_lengths
        assert 0 <= kept <= whole <= len(page.text)
        assert len(separation.content_html) <= 3 * len(page.text) + 100
    check(memory)


@pytest.mark.exhaustive
def test_a_crawl_over_all_of_them_goes_on(tmp_path: Path) -> None:
    paths = {f"/{name}": name for name in HOSTILE_PAGES}

    def answer(path: str) -> tuple[int, str, bytes]:
        path = unquote(path)
        if path == "/":
            links = "".join(f"<a href='{path}'>x</a> " for path in (*paths, "/missing", "/image"))
            return 200, "text/html", f"<html><p>{links}".encode()
        if path == "/image":
            return 200, "image/png", b"\x89PNG\r\n\x1a\n\0\0\0"
        return (200, "text/html", HOSTILE_PAGES[paths[path]]()) if path in paths else (404, "text/html", b"")

    with LocalSite(answer) as site:
        crawl = run_crawl(
            "hostile",
            site.url,
            tmp_path,
            {**ADDON, "HTTPCACHE_ENABLED": False},
        )
    urls = {item["url"].removeprefix(site.url[:-1]): item for _, item in crawl.items}
    assert set(urls) == {"/", *paths}
    assert not [name for name in crawl.stats if name.startswith("templcrawl/errors")]
    assert urls["/nested_elements"]["truncated"] == ["max_tags"]
    assert urls["/ten_megabytes_in_one_line"]["truncated"][0] == "max_characters"
    assert urls["/unclosed_comments"]["truncated"] == []
    assert crawl.stats["templcrawl/pages/truncated/max_tags"] >= 1
    assert crawl.stats["templcrawl/pages/truncated/max_characters"] >= 1
