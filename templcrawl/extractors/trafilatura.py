"""Articles by trafilatura, set to keep more rather than less, without comments."""

from __future__ import annotations

from templcrawl.errors import MissingExtra
from templcrawl.extractors.table import HtmlExtractor


def load() -> HtmlExtractor:
    """Return (HTML, URL) -> text of the article; raises MissingExtra."""
    try:
        from trafilatura import extract
    except ImportError as error:
        raise MissingExtra("The extractor trafilatura", "trafilatura") from error
    return lambda html, url: extract(html, url=url or None, favor_recall=True, include_comments=False)
