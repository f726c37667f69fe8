"""The texts of the pages of one host without its template, as a stage of a data pipeline.

The first pages of a host are held back: all of them are learned, then each is read again and judged by all
the others.  Later pages are read once, judged by all before them.

n pages, of which h are held back.  Cost: n + h readings of a page.  Memory: h pages and what is learned of a
host, whatever n is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import NamedTuple
from urllib.parse import urlsplit

from templcrawl import CrawlMemory, Page

HELD_PAGES = 100
"""Pages of a host that are held back; no more of them are in memory at once."""


class HostText(NamedTuple):
    """The text of a page.

    text   without the template of its host, "" if nothing is left
    pages  pages of the host that were learned by then, this one among them; 1 for a page that came alone
    """

    text: str
    pages: int


def host_texts(pages: Iterable[tuple[str | bytes, str]], held: int = HELD_PAGES) -> Iterator[HostText]:
    """Yield the text of each page of one host, given its HTML and URL, in the order of the pages.

    >>> html = "<nav>Lamps and chairs</nav><p>A lamp of {}</p>"
    >>> pages = [(html.format(what), f"https://shop.example/{what}") for what in ("brass", "oak", "paper")]
    >>> [found.text for found in host_texts(pages)]
    ['A lamp of brass', 'A lamp of oak', 'A lamp of paper']
    """
    left = iter(pages)
    first = list(islice(left, held))
    memory = CrawlMemory(sample_salt=0)
    for html, url in first:
        memory.observe(Page.from_html(html, url=url))
    for number, (html, url) in enumerate(chain(first, left), 1):
        observation = memory.observe(Page.from_html(html, url=url))
        yield HostText(observation.content_text, max(number, len(first)))


def host_of(url: str) -> str:
    """Return the host of a URL in lower case, "" if it has none.

    >>> host_of("https://Shop.example:443/lamps")
    'shop.example'
    """
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
