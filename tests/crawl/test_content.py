"""``templcrawl.content``: in a real crawl, and where there is none."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from scrapy.http import HtmlResponse, Response

from lab.sites.server import LocalSite
from templcrawl import InvalidOption, Page, Separation, content
from templcrawl.page.separation import whole
from tests.crawl.crawls import ADDON, DEMO_SITE, run_crawl

HREF = re.compile(r"""<a\b[^>]*?\shref=["']?([^"'\s>]*)""")


def test_a_callback_selects_in_the_content_alone(tmp_path: Path) -> None:
    with LocalSite(DEMO_SITE.html) as site:
        crawl = run_crawl("selecting", site.url, tmp_path, ADDON)
    pages = [item for _, item in crawl.items if "heads" in item]
    assert len(pages) > 100
    for page in pages:
        assert page["links"] == [unescape(href) for href in HREF.findall(page["content_html"])]
    later = pages[len(pages) // 2 :]
    menu = set.intersection(*(set(page["all_links"]) for page in later))
    assert len(menu) >= 3
    assert sum(menu.isdisjoint(page["links"]) for page in later) >= 0.8 * len(later)
    assert sum(len(page["heads"]) == 1 for page in later) >= 0.5 * len(later)
    errors = [item["error"] for _, item in crawl.items if "error" in item]
    assert len(errors) == len(pages)
    assert all("the response is a copy" in error for error in errors)


@pytest.mark.parametrize(
    ("response", "why"),
    [
        (HtmlResponse("http://h.example/", body=b"<p>Tea"), "the crawl has no templcrawl"),
        (HtmlResponse("http://h.example/", status=404), "its status is 404"),
        (Response("http://h.example/tea.png"), r"it is no HTML \(Response\)"),
        (None, "it is a NoneType"),
    ],
)
def test_what_was_not_observed_is_explained(response: Any, why: str) -> None:
    with pytest.raises(InvalidOption, match=why):
        content(response)


@pytest.mark.parametrize(
    "html", ["", "<p>\0\ud83d tea", "plain tea", "<table><td>tea", "<base href=/a/><p>tea"]
)
def test_a_selector_is_made_of_any_page(html: str) -> None:
    page = Page(html, "http://h.example/")
    selector = Separation(page, whole(page.tokens)).selector
    assert ("tea" in (selector.xpath("string()").get() or "")) == bool(html)
    assert Separation(page, ()).selector.xpath("string()").get() == ""
