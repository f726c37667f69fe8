"""The page of a response: whether it is one, its text, as Scrapy has decoded it, and its type.

Cost: O(length of the text), most of it in Scrapy.
"""

from __future__ import annotations

from typing import Any

from scrapy import Request
from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.utils.request import RequestFingerprinter

from templcrawl.page.page import Page
from templcrawl.page.tokens import Limits


def why_unread(response: Response) -> str:
    """Return why a response is no page, "" if it is one."""
    if not 200 <= response.status < 300:
        return f"its status is {response.status}"
    return "" if isinstance(response, HtmlResponse) else f"it is a {type(response).__name__}, no HtmlResponse"


def page_of(response: TextResponse, limits: Limits | None = None, request: str = "") -> Page:
    """Return a response as a page.

    limits   how much of it is read; None: as much as by default
    request  what tells it from other pages of its address (:func:`request_of`)
    """
    content_type = (response.headers.get("Content-Type") or b"").decode("latin-1")
    return Page.from_html(
        response.text, response.url, content_type=content_type, limits=limits or Limits(), request=request
    )


def request_of(request: Request, response: TextResponse, fingerprinter: Any) -> str:
    """Return the fingerprint of a request in hexadecimal digits, "" where its address says it all.

    That is so of a GET without a body, unless the project's fingerprinter takes it for another request than
    one of nothing but the address; and where the page has another address than the request (a service that
    renders pages).
    """
    is_plain = request.method == "GET" and not request.body
    is_elsewhere = request.url.partition("#")[0] != response.url.partition("#")[0]
    if is_elsewhere or fingerprinter is None or (is_plain and type(fingerprinter) is RequestFingerprinter):
        return ""
    fingerprint: bytes = fingerprinter.fingerprint(request)
    try:
        is_usual = fingerprinter.fingerprint(Request(request.url)) == fingerprint
    except Exception:  # the project's own: it needs what such a request lacks
        is_usual = is_plain
    return "" if is_usual else fingerprint.hex()
