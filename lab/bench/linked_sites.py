"""A saved site as a crawler meets it: each page at one address, its links absolute and working.

Pages are the first ones of the saved site, breadth first, that can be reached from its start page.  A link
to one of them is rewritten to the one address of that page, since a folder does not say under which other
addresses the site answered; all other links stay as they are and lead nowhere.

Content is counted in distinct 5-word shingles of the marked content, so that what stands on several pages
counts once.  Imported by benchmarks, not run.  Cost: each page is read twice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
import numpy.typing as npt
from w3lib.url import safe_url_string

from lab.bench.crawl import Pages
from lab.bench.saved_sites import SavedSite
from templcrawl import Page
from templcrawl.algorithms.similarity.shingles import shingles

MIN_PAGES = 20
"""Sites of which fewer pages can be reached are left out of crawls."""
_IDEOGRAPHS = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_WORD = re.compile(rf"[{_IDEOGRAPHS}]|[^\W{_IDEOGRAPHS}]+")
_HREF = re.compile(r"""(\shref\s*=\s*)("[^"]*"|'[^']*'|[^\s>]+)""", re.IGNORECASE)

Numbers = npt.NDArray[np.intp]
_NONE: Numbers = np.zeros(0, dtype=np.intp)


@dataclass(frozen=True)
class LinkedSite:
    """A saved site, ready to be crawled.

    start     address of the start page
    bodies    address -> HTML, of every page that can be reached
    targets   address -> addresses it links to, each once, in document order
    contents  address -> text of its marked content
    types     address -> its page type, None where it is not scored
    shingles  address -> numbers of the shingles of its content
    distinct  how many shingles there are
    """

    name: str
    group: str
    host: str
    start: str
    bodies: dict[str, str]
    targets: dict[str, list[str]]
    contents: dict[str, str]
    types: dict[str, str | None]
    shingles: dict[str, Numbers]
    distinct: int

    @property
    def pages(self) -> Pages:
        """What a crawl is given."""
        return Pages([self.start], self.bodies, self.targets)

    def content_shares(self, order: Sequence[str], budgets: Iterable[int]) -> list[float]:
        """Return for each budget, ascending, the share of all content on the first so many pages.

        order  addresses in the order in which they came; those of no page have no content
        """
        seen = np.zeros(self.distinct, dtype=bool)
        shares, done = [], 0
        for budget in budgets:
            for url in order[done:budget]:
                seen[self.shingles.get(url, _NONE)] = True
            done = budget
            shares.append(float(seen.mean()) if self.distinct else 0.0)
        return shares


def linked_site(site: SavedSite, limit: int) -> LinkedSite:
    """Read the first ``limit`` pages of a saved site, and keep those that can be reached."""
    pages = list(site.pages(limit))
    address = {site.find(saved.url): safe_url_string(saved.url) for saved in pages}
    of_url = {safe_url_string(saved.url): saved for saved in pages}
    bodies = {
        url: _set_one_address(saved.page, lambda target: address.get(site.find(target)))
        for url, saved in of_url.items()
    }
    targets = {
        url: [
            target
            for target in dict.fromkeys(Page(html, url).links.urls)
            if target in bodies and target != url
        ]
        for url, html in bodies.items()
    }
    start = safe_url_string(pages[0].url)
    kept = reachable(start, targets)
    contents = {url: of_url[url].gold or "" for url in kept}
    return LinkedSite(
        site.name,
        site.group,
        site.hosts[0],
        start,
        {url: bodies[url] for url in kept},
        {url: targets[url] for url in kept},
        contents,
        {url: site.scored_type(of_url[url].url) for url in kept},
        *number_shingles(contents),
    )


def reachable(start: str, targets: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the pages that links lead to from a start page, breadth first.

    >>> reachable("a", {"a": ["c", "b"], "b": ["a"], "c": ["b"], "d": ["a"]})
    ['a', 'c', 'b']
    """
    reached = {start: None}
    queue = [start]
    for url in queue:
        for target in targets[url]:
            if target not in reached:
                reached[target] = None
                queue.append(target)
    return queue


def number_shingles(texts: Mapping[str, str]) -> tuple[dict[str, Numbers], int]:
    """Return address -> numbers of the 5-word shingles of its text, and how many there are.

    >>> numbers, distinct = number_shingles({"a": "a b c d e f", "b": "b c d e f", "c": ""})
    >>> {url: len(found) for url, found in numbers.items()}, distinct
    ({'a': 2, 'b': 1, 'c': 0}, 2)
    """
    hashes = {url: shingles(_WORD.findall(text)) for url, text in texts.items()}
    known = np.unique(np.concatenate(list(hashes.values())))
    return {url: np.searchsorted(known, own) for url, own in hashes.items()}, len(known)


def _set_one_address(page: Page, address_of: Callable[[str], str | None]) -> str:
    """Return the HTML of a page with its links to pages of the site rewritten to their addresses."""
    tokens = page.tokens
    forms = list(tokens.forms)
    for form, target in page.links.form_urls.items():
        url = address_of(target)
        if url is not None:
            forms[form] = set_href(forms[form], url)
    return "".join(forms[form] for form in tokens.form_of)


def set_href(tag: str, url: str) -> str:
    """Return a start tag with another ``href``.

    >>> set_href("<a class=x href='b.html#top'>", "http://x.org/b?c=1&d")
    '<a class=x href="http://x.org/b?c=1&amp;d">'
    """
    return _HREF.sub(lambda match: f'{match[1]}"{escape(url)}"', tag, count=1)
