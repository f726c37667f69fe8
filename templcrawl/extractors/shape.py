"""The shape of an extractor."""

from __future__ import annotations

from collections.abc import Callable

from templcrawl.page.separation import Separation

Extractor = Callable[[Separation], str]
"""What gives the text of a page's article; "" where it finds none."""

HtmlExtractor = Callable[[str, str], "str | None"]
"""What gives the text of the article in (HTML, URL)."""
