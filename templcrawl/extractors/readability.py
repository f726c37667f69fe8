"""Articles by readability-lxml; its HTML answer is written as text by our own renderer."""

from __future__ import annotations

from templcrawl.errors import MissingExtra
from templcrawl.extractors.table import HtmlExtractor
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation, whole


def load() -> HtmlExtractor:
    """Return (HTML, URL) -> text of the article; raises MissingExtra."""
    try:
        from readability import Document
    except ImportError as error:
        raise MissingExtra("The extractor readability", "readability") from error

    def extract(html: str, url: str) -> str:
        page = Page(Document(html, url=url).summary(html_partial=True), url)
        return Separation(page, whole(page.tokens)).content_text

    return extract
