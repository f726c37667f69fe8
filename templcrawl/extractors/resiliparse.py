"""Articles by Resiliparse's main-content extraction."""

from __future__ import annotations

from templcrawl.errors import MissingExtra
from templcrawl.extractors.table import HtmlExtractor


def load() -> HtmlExtractor:
    """Return (HTML, URL) -> text of the article; raises MissingExtra."""
    try:
        from resiliparse.extract.html2text import extract_plain_text
    except ImportError as error:
        raise MissingExtra("The extractor resiliparse", "resiliparse") from error
    return lambda html, url: str(extract_plain_text(html, main_content=True))
