"""The page of a response: whether it is one, its text, as Scrapy has decoded it, and its type.

Beside it the dates of a sitemap (``lastmod``; sitemaps.org), within the limits of its protocol.

Cost: O(length of the text), most of it in Scrapy; at most ``_MOST_ENTRIES`` entries of a sitemap.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timezone
from itertools import islice
from typing import Any

from scrapy import Request
from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.utils.gz import gunzip
from scrapy.utils.request import RequestFingerprinter
from scrapy.utils.sitemap import Sitemap

from templcrawl.page.page import Page
from templcrawl.page.tokens import Limits

_MOST_ENTRIES, _MOST_UNPACKED = 50_000, 50 << 20  # of a sitemap, by its protocol
_LAST_OF_DAY = 86_399


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


def lastmods(body: bytes) -> Iterator[tuple[str, int]]:
    """Yield the addresses of a sitemap, and when they have changed last, in seconds since 1970.

    >>> body = b"<urlset><url><loc>http://x.org/</loc><lastmod>1970-01-02</lastmod></url></urlset>"
    >>> list(lastmods(body))
    [('http://x.org/', 172799)]
    """
    with suppress(Exception):  # what is no sitemap says nothing
        is_packed = body[:2] == b"\x1f\x8b"
        sitemap = Sitemap(gunzip(body, max_size=_MOST_UNPACKED) if is_packed else body)
        for entry in islice(sitemap, _MOST_ENTRIES):
            text = str(entry.get("lastmod", "")).strip().replace("Z", "+00:00")
            with suppress(ValueError, OverflowError):
                at = datetime.fromisoformat(text)
                seconds = int(at.replace(tzinfo=at.tzinfo or timezone.utc).timestamp())
                yield str(entry["loc"]), seconds + (_LAST_OF_DAY if len(text) == len("2026-11-28") else 0)
