"""Articles by trafilatura, set to keep more rather than less, without comments."""

from __future__ import annotations

from templcrawl.errors import MissingExtra

try:
    import trafilatura
except ImportError as error:
    raise MissingExtra("The extractor trafilatura", "trafilatura") from error


def extract(html: str, url: str) -> str:
    """Return the text of the article in a page, "" where there is none."""
    text: str | None = trafilatura.extract(html, url=url or None, favor_recall=True, include_comments=False)
    return text or ""
