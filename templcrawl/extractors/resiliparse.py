"""Articles by Resiliparse's main-content extraction."""

from __future__ import annotations

from templcrawl.errors import MissingExtra

try:
    from resiliparse.extract.html2text import extract_plain_text
except ImportError as error:
    raise MissingExtra("The extractor resiliparse", "resiliparse") from error


def extract(html: str, url: str) -> str:
    """Return the text of the article in a page, "" where there is none."""
    text: str = extract_plain_text(html, main_content=True)
    return text
