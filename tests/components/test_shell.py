"""What ``scrapy shell`` is shown of a response: as it was observed, or as a page that comes alone."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from scrapy.http import HtmlResponse, Request

from sites.generated import generate_demo_site
from templcrawl import CrawlMemory, Page, view_content

PAGES = [(path, page.html) for path, page in generate_demo_site().pages.items() if "article" in path][:8]


def test_a_page_is_shown_as_it_was_observed(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    memory = CrawlMemory(sample_salt=0)
    for path, html in PAGES:
        observation = memory.observe(Page(html, f"https://a.example{path}"))
    extension: Any = SimpleNamespace(observation_of=lambda response: observation)
    crawler: Any = SimpleNamespace(get_extension=lambda kind: extension)
    path, html = PAGES[-1]
    response = HtmlResponse(
        f"https://a.example{path}", body=html.encode(), request=Request("https://a.example")
    )
    shown = view_content(response, crawler)
    assert opened == [shown.as_uri()]
    written = shown.read_text()
    shown.unlink()
    assert observation.content_text.splitlines()[1] in written
    assert '<span class="t"' in written or ' class="t"' in written


def test_a_page_alone_is_judged_by_itself() -> None:
    response = HtmlResponse("https://a.example/1", body=b"<nav>Menu of it</nav><p>Some words of a page.")
    shown = view_content(response, is_opened=False)
    written = shown.read_text()
    shown.unlink()
    assert "<nav>Menu of it</nav><p>Some words of a page." in written
