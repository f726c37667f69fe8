"""The page of a response: its text as Scrapy reads it, empty elements as its type has them."""

from __future__ import annotations

from pathlib import Path

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse
from scrapy.utils.request import RequestFingerprinter

from templcrawl.crawl.response_page import page_of, request_of
from templcrawl.page.page import Page
from templcrawl.page.saved_pages import FolderReader

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


class _ByRendering(RequestFingerprinter):
    """A project's: a page that a browser has rendered is another."""

    def fingerprint(self, request: Request) -> bytes:
        return super().fingerprint(request) + (b"r" if request.meta.get("rendered") else b"")


def test_a_request_tells_a_page_from_others_of_its_address_where_the_fingerprinter_says_so() -> None:
    page, elsewhere = (HtmlResponse(url) for url in ("https://h.org/a", "https://h.org/rendered"))
    form = Request("https://h.org/a", method="POST", body=b"page=2")
    plain = RequestFingerprinter()
    assert request_of(Request("https://h.org/a#top"), page, plain) == ""
    assert request_of(form, page, plain) == plain.fingerprint(form).hex()
    assert request_of(form, elsewhere, plain) == request_of(form, page, None) == ""
    own = _ByRendering()
    asked = [Request("https://h.org/a", meta={"rendered": rendered}) for rendered in (False, True)]
    assert list(map(bool, (request_of(request, page, own) for request in asked))) == [False, True]


def test_a_saved_file_may_be_xhtml(tmp_path: Path) -> None:
    for name in ("a.xhtml", "b.html"):
        (tmp_path / name).write_text(BODY)
    assert [len(record.page().elements) > 4 for record in FolderReader(tmp_path)] == [True, False]
