"""Conditional requests: whether a known page was modified since an earlier crawl (RFC 9110, section 13).

A page is asked for by its ``ETag`` and ``Last-Modified``.  An answer 304 is an unchanged page that the spider
does not see, so it finds no link there.  Such requests are not sent where the project sends its own, caches
pages, or does without no page.  Cost: O(1) a request.
"""

from __future__ import annotations

from collections.abc import Iterable

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from templcrawl.crawl.settings import TemplcrawlSettings
from templcrawl.memory.key_tables import LruDict
from templcrawl.memory.visit_records import MAX_VALIDATORS

_CONDITIONS = ("If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range")
_OURS = _CONDITIONS[:2]
_MAX_ASKED = 200_000


class Conditions:
    """The conditional requests of a crawl."""

    def __init__(self, crawler: Crawler, settings: TemplcrawlSettings) -> None:
        does_without = bool(settings.may_miss or settings.skip_unchanged)
        self._are_sent = does_without and not crawler.settings.getbool("HTTPCACHE_ENABLED")
        self._asked: LruDict[int, bool] = LruDict(_MAX_ASKED)  # addresses, by their keys

    def has(self, address: int) -> bool:
        """Return whether an address was asked for by such a request."""
        return address in self._asked

    def renounce(self, request: Request, sources: Iterable[int]) -> None:
        """Remove our conditions from a request whose address others have redirected to: they are theirs."""
        if any(map(self.has, sources)):
            for name in _OURS:
                request.headers.pop(name, None)

    def make_conditional(self, request: Request, address: int, validators: bytes) -> None:
        """Make the request for an address a conditional one, if the project does not see to that itself."""
        handled = {"handle_httpstatus_list", "handle_httpstatus_all"} & request.meta.keys()
        if not self._are_sent or handled or any(name in request.headers for name in _CONDITIONS):
            return
        for name, value in zip(_OURS, validators.split(b"\n")):
            if value:
                request.headers[name] = value
        self._asked[address] = True


def validators_of(response: Response) -> bytes:
    """Return ETag and Last-Modified of a response, a line each; nothing if they are too long."""
    etag, modified = (response.headers.get(name) or b"" for name in ("ETag", "Last-Modified"))
    both = etag + b"\n" + modified
    return both if len(both) <= MAX_VALIDATORS and both.count(b"\n") == 1 else b"\n"
