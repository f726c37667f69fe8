"""The page of a response: its text, as Scrapy has decoded it, and its type.

Cost: O(length of the text), most of it in Scrapy.
"""

from __future__ import annotations

from scrapy.http import TextResponse

from templcrawl.page.page import Page
from templcrawl.page.tokens import Limits


def page_of(response: TextResponse, limits: Limits | None = None) -> Page:
    """Return a response as a page.

    limits  how much of it is read; None: as much as by default
    """
    content_type = (response.headers.get("Content-Type") or b"").decode("latin-1")
    return Page.from_html(response.text, response.url, content_type=content_type, limits=limits or Limits())
