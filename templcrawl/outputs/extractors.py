"""The article of a separated page, by our own article mode, or a function of a library or the user.

Separation first, then extraction: a function gets the HTML without the template, as a whole document.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from templcrawl.algorithms.extraction.article import article_text
from templcrawl.errors import InvalidOption, brief, suggestion
from templcrawl.page.separation import Separation
from templcrawl.page.text import storable

Extractor = Callable[[Separation], str]  # what gives the text of a page's article; "" where it finds none

HtmlExtractor = Callable[[str, str], "str | None"]  # what gives the text of the article in (HTML, URL)


def extractor(name: str) -> Extractor:
    """Return an extractor by its name or import path; raises InvalidOption."""
    if name == "article":
        return article_text
    module, _, attribute = name.rpartition(".")
    try:
        function = getattr(import_module(module), attribute)
    except Exception as error:  # what a module of the user raises may be anything
        near = suggestion([name], ["article"])
        raise InvalidOption("extractor", name, f"{ACCEPTED}{near or f' ({brief(error)})'}") from error
    if not callable(function):
        raise InvalidOption("extractor", name, ACCEPTED)
    return _content_extractor(function)


def _content_extractor(extract: HtmlExtractor) -> Extractor:
    def extract_separation(separation: Separation) -> str:
        html = f"<!DOCTYPE html>\n<html><body>{separation.content_html}</body></html>"
        return storable(extract(html, separation.page.url) or "")

    return extract_separation


ACCEPTED = "None, 'article', or the path of a function of (html, url), such as trafilatura.extract"
