"""Other extractors of content, all in one shape, to be measured beside ours.

A peer *learns* the pages of a site and gives a function that answers (HTML, URL) -> text.  All but one
judge a page alone and learn nothing.  Their libraries are imported when a peer is loaded, never before:

    pip install 'templcrawl[bench]'

all-text        every visible word, template and content, as our own page renders it
trafilatura     comments left out, in favour of recall; "trafilatura-balanced" without that favour
resiliparse     main content as plain text
readability     the summary of readability-lxml, its text nodes
justext         without a stoplist: there is none for some languages of the saved sites
boilerpy3       the default extractor, which is made for any kind of page, not for articles alone
turbohtml       the main content of the page, as text
pagesift        its Markdown without the addresses of links (not in the extra)
deboiler        a method of the whole site: subtrees that pages next to each other share are template; it
                compares the pages sorted by URL, in its faster mode
dom, text       our own two-pass algorithms of the whole site, see ``templcrawl.algorithms.site_detectors``
mdl             pages clustered by TEXT-MDL, see there

Cost: linear in the page, except that methods of the whole site read all its pages before they answer.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from typing import Any

from lxml.html import document_fromstring

from templcrawl import Page
from templcrawl.algorithms.page_types.text_mdl import text_mdl
from templcrawl.page.separation import Separation
from templcrawl.tools.whole_site.mdl_templates import MdlTemplates
from templcrawl.tools.whole_site.site_detector import SiteDetector
from templcrawl.tools.whole_site.two_pass_dom import TwoPassDom
from templcrawl.tools.whole_site.two_pass_text import TwoPassText

Pages = Sequence[tuple[str, str]]
"""(HTML, URL) of each page of a site, in the order in which they are read."""

Ask = Callable[[str, str], str]
"""HTML, URL -> text of the content."""

Learn = Callable[[Pages], Ask]
"""Pages of a site -> how its pages are answered."""

ALL_TEXT = "all-text"
_TARGET = re.compile(r"\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+\"[^\"]*\")?\)")


class PeerMissing(ImportError):
    """A library that the benchmark compares with cannot be imported."""

    def __init__(self, library: str, reason: str) -> None:
        super().__init__(
            f"{library}: {reason}; it comes with the extra bench: pip install 'templcrawl[bench]'"
        )


def library(name: str) -> Any:
    """Import a library of the extra ``bench``; raises PeerMissing."""
    try:
        return import_module(name)
    except ImportError as error:
        raise PeerMissing(name.partition(".")[0], str(error)) from error


def _silence(name: str) -> None:
    """Drop what a library logs; failures are counted from outside."""
    logger = logging.getLogger(name)
    logger.propagate = False
    logger.addHandler(logging.NullHandler())


def _alone(module: str, ask: Callable[[Any, str, str], str | None]) -> Callable[[], Learn]:
    """Return how a peer is loaded that judges each page alone.

    ask  (the module, HTML, URL) -> text
    """

    @cache
    def load() -> Learn:
        found = library(module)
        _silence(module.partition(".")[0])
        return lambda pages: lambda html, url: ask(found, html, url) or ""

    return load


def _all_text(html: str, url: str) -> str:
    page = Page(html, url)
    return Separation(page, [(0, len(page.tokens))]).content_text


def _trafilatura(*, favor_recall: bool) -> Callable[[], Learn]:
    options = {"favor_recall": favor_recall, "include_comments": False}
    return _alone("trafilatura", lambda library, html, url: library.extract(html, url=url, **options))


def _readability(library: Any, html: str, url: str) -> str:
    summary = library.Document(html, url=url).summary()
    return " ".join(document_fromstring(summary).itertext()) if summary.strip() else ""


def _justext(library: Any, html: str, url: str) -> str:
    paragraphs = library.justext(html, frozenset(), stopwords_low=0, stopwords_high=0)
    return "\n".join(paragraph.text for paragraph in paragraphs if not paragraph.is_boilerplate)


def _turbohtml(library: Any, html: str, url: str) -> str:
    content = library.parse(html).main_content()
    return "" if content is None else str(content.to_text())


def drop_targets(markdown: str) -> str:
    """Return Markdown without the addresses of links and pictures, whose words no reader sees.

    >>> drop_targets("A [pot](https://tea.example/pot) ![of](brass.png)")
    'A [pot] ![of]'
    """
    return _TARGET.sub("]", markdown)


def _deboiler() -> Learn:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    deboiler = library("deboiler")
    dataset = library("deboiler.dataset").ListDataset
    root.handlers[:] = handlers
    root.setLevel(level)
    for name in ("Deboiler", "ParsedPage", "ListDataset"):
        _silence(name)

    def learn(pages: Pages) -> Ask:
        records = [{"url": url, "content": html} for html, url in pages]
        site = dataset(records, status_key=None, content_type_key=None, verbose=False)
        method = deboiler.Deboiler(operation_mode="performance", verbose=False)
        method.fit(site)
        return lambda html, url: str(method.transform_page(url, site).cleaned_text)

    return learn


def _of_site(start: Callable[[], SiteDetector]) -> Callable[[], Learn]:
    """Return how a detector of ours that reads the whole site first is loaded."""

    def learn(pages: Pages) -> Ask:
        site = start()
        for html, url in pages:
            site.learn(Page(html, url))
        return lambda html, url: site.separate(Page(html, url)).content_text

    return lambda: learn


PEERS: dict[str, Callable[[], Learn]] = {
    ALL_TEXT: lambda: lambda pages: _all_text,
    "dom": _of_site(TwoPassDom),
    "text": _of_site(TwoPassText),
    "mdl": _of_site(lambda: MdlTemplates(text_mdl)),
    "trafilatura": _trafilatura(favor_recall=True),
    "trafilatura-balanced": _trafilatura(favor_recall=False),
    "resiliparse": _alone(
        "resiliparse.extract.html2text",
        lambda library, html, url: library.extract_plain_text(html, main_content=True),
    ),
    "readability": _alone("readability", _readability),
    "justext": _alone("justext", _justext),
    "boilerpy3": _alone(
        "boilerpy3.extractors", lambda library, html, url: library.DefaultExtractor().get_content(html)
    ),
    "turbohtml": _alone("turbohtml", _turbohtml),
    "pagesift": _alone(
        "pagesift", lambda library, html, url: drop_targets(library.convert(html, url=url).markdown)
    ),
    "deboiler": cache(_deboiler),
}
"""Name -> what imports the peer and returns it; raises PeerMissing."""
