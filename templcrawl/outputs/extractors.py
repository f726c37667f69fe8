"""The article of a separated page, by our own article mode, a library, or a user's own function.

Separation first, then extraction: a library gets the HTML without the template, as a
whole document.  A library is imported when it is first used; if it is missing, the error names its extra.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from templcrawl.algorithms.extraction.article import article_text
from templcrawl.errors import InvalidOption, MissingExtra, brief, suggestion
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation, whole
from templcrawl.page.text import storable

Extractor = Callable[[Separation], str]  # what gives the text of a page's article; "" where it finds none

HtmlExtractor = Callable[[str, str], "str | None"]  # what gives the text of the article in (HTML, URL)


def extractor(name: str) -> Extractor:
    """Return an extractor by name; raises InvalidOption, or MissingExtra where its library is missing."""
    if name == "article":
        return article_text
    if name in LIBRARIES:
        try:
            return _of_content(LIBRARIES[name]())
        except ImportError as error:
            raise MissingExtra(f"The extractor {name}", name) from error
    module, _, attribute = name.rpartition(".")
    try:
        function = getattr(import_module(module), attribute)
    except Exception as error:  # what a module of the user raises may be anything
        near = suggestion([name], ["article", *LIBRARIES])
        raise InvalidOption("extractor", name, f"{ACCEPTED}{near or f' ({brief(error)})'}") from error
    if not callable(function):
        raise InvalidOption("extractor", name, ACCEPTED)
    return _of_content(function)


def _of_content(extract: HtmlExtractor) -> Extractor:
    def of_separation(separation: Separation) -> str:
        html = f"<!DOCTYPE html>\n<html><body>{separation.content_html}</body></html>"
        return storable(extract(html, separation.page.url) or "")

    return of_separation


def _readability() -> HtmlExtractor:
    """Return readability-lxml; its HTML is written as text by our own renderer."""
    from readability import Document

    def extract(html: str, url: str) -> str:
        page = Page(Document(html, url=url).summary(html_partial=True), url)
        return Separation(page, whole(page.tokens)).content_text

    return extract


def _resiliparse() -> HtmlExtractor:
    from resiliparse.extract.html2text import extract_plain_text

    return lambda html, url: str(extract_plain_text(html, main_content=True))


def _trafilatura() -> HtmlExtractor:
    """Return trafilatura, set to keep more rather than less, without comments."""
    from trafilatura import extract

    return lambda html, url: extract(html, url=url or None, favor_recall=True, include_comments=False)


# Name -> what loads a library; raises ImportError.
LIBRARIES: dict[str, Callable[[], HtmlExtractor]] = {
    "readability": _readability,
    "resiliparse": _resiliparse,
    "trafilatura": _trafilatura,
}

ACCEPTED = f"None, 'article', {', '.join(map(repr, LIBRARIES))}, or the path of a function of (html, url)"
