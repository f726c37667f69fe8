"""Extractors by name: ours, a library's, or a user's own function by its import path.

Separation first, then extraction: a library is given the HTML that is left when the template is gone,
as a whole document.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from templcrawl.algorithms.detectors.article import article_text
from templcrawl.errors import InvalidOption, brief
from templcrawl.page.separation import Separation

Extractor = Callable[[Separation], str]
"""What gives the text of a page's article; "" where it finds none."""

HtmlExtractor = Callable[[str, str], "str | None"]
"""What gives the text of the article in (HTML, URL)."""

LIBRARIES = ("readability", "resiliparse", "trafilatura")
ACCEPTED = f"None, 'article', {', '.join(map(repr, LIBRARIES))}, or the path of a function of (html, url)"


def extractor(name: str) -> Extractor:
    """Return an extractor by name; raises InvalidOption, or MissingExtra where its library is missing."""
    if name == "article":
        return article_text
    if name in LIBRARIES:
        return _of_content(import_module(f"templcrawl.extractors.{name}").load())
    module, _, attribute = name.rpartition(".")
    try:
        function = getattr(import_module(module), attribute)
    except Exception as error:  # what a module of the user raises may be anything
        raise InvalidOption("extractor", name, f"{ACCEPTED} ({brief(error)})") from error
    if not callable(function):
        raise InvalidOption("extractor", name, ACCEPTED)
    return _of_content(function)


def _of_content(extract: HtmlExtractor) -> Extractor:
    def of_separation(separation: Separation) -> str:
        html = f"<!DOCTYPE html>\n<html><body>{separation.content_html}</body></html>"
        return extract(html, separation.page.url) or ""

    return of_separation
