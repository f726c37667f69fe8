"""The page of a response: its text as Scrapy reads it, empty elements as its type has them."""

from __future__ import annotations

from pathlib import Path

import pytest
from scrapy.http import HtmlResponse

from templcrawl.crawl.response_page import page_of
from templcrawl.page.page import Page
from templcrawl.page.records import FolderReader

BODY = '<html><head><title/><script src="x"/></head><body><a id="top"/><p>Tea</p><p/>Milk<br/></body></html>'


@pytest.mark.parametrize(
    ("content_type", "names"),
    [
        ("application/xhtml+xml; charset=utf-8", ["title", "script", "body", "a", "p", "p", "br"]),
        ("text/html", ["title"]),
    ],
)
def test_empty_elements_are_those_of_the_type(content_type: str, names: list[str]) -> None:
    response = HtmlResponse("https://h.org/", headers={"Content-Type": content_type}, body=BODY.encode())
    pages = page_of(response), Page.from_html(BODY.encode(), content_type=content_type)
    assert [page.elements.names[3:] for page in pages] == [names, names]


def test_a_response_may_have_no_type() -> None:
    assert page_of(HtmlResponse("https://h.org/a", body=b"<p>Tea")).text == "<p>Tea"


def test_a_saved_file_may_be_xhtml(tmp_path: Path) -> None:
    for name in ("a.xhtml", "b.html"):
        (tmp_path / name).write_text(BODY)
    assert [len(record.page().elements) > 4 for record in FolderReader(tmp_path)] == [True, False]
