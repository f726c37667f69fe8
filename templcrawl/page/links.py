"""The links of a page: absolute URL, anchor text, and the element that each one sits in.

Cost: O(tokens of the page); URLs are resolved once for each distinct tag.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from templcrawl.page.addresses import link_resolver
from templcrawl.page.ancestors import Keys
from templcrawl.page.columns import View
from templcrawl.page.elements import Elements
from templcrawl.page.entities import unescape
from templcrawl.page.structure import anchor_paths
from templcrawl.page.tags import COMMENT, TEXT
from templcrawl.page.texts import hashes_of
from templcrawl.page.tokens import TokenStream
from templcrawl.page.vocabulary import ANCHOR, INLINE, VOID

_MOST_TOKENS = 200
_WITHOUT_GAP = (INLINE - VOID) | {"wbr"}


class Link(NamedTuple):
    """A link to another page.

    url      absolute, without its fragment
    text     anchor text, white space folded, at most that of the first 200 tokens
    element  the ``a`` or ``area`` element (an index into :class:`~templcrawl.page.elements.Elements`)
    rel      the ``rel`` attribute in lower case, "" without one
    """

    url: str
    text: str
    element: int
    rel: str


class Links(View):
    """The links of a page in document order; links to no other page are left out.

    urls       link -> absolute URL without fragment
    elements   link -> its element
    form_urls  form of the start tag of a link -> its absolute URL
    keys       link -> 64-bit key of its URL, equal in every process
    anchor_paths  link -> key of the tag path of its anchor, classes and ids included
    """

    urls: list[str]
    elements: list[int]
    form_urls: dict[int, str]
    keys: list[int]
    anchor_paths: Keys
    _tokens: TokenStream
    _elements: Elements
    _distinct: list[str]

    def __len__(self) -> int:
        return len(self.urls)

    def __getitem__(self, number: int) -> Link:
        element = self.elements[number]
        tokens = self._tokens
        opened, closed = self._elements.opens[element], self._elements.closes[element]
        text = "".join(
            _anchor_piece(tokens.form_kinds[form], tokens.form_names[form], tokens.forms[form])
            for form in tokens.form_of[opened + 1 : min(closed, opened + _MOST_TOKENS)]
        )
        rel = tokens.form_tags[tokens.form_of[opened]].rel
        return Link(self.urls[number], " ".join(text.split()), element, rel)

    def __iter__(self) -> Iterator[Link]:
        return (self[number] for number in range(len(self)))

    @property
    def written(self) -> bytes:
        """The table that the kernel has written; nothing where Python has found the links."""
        return self.table.content if self.table else b""


def read_links(tokens: TokenStream, elements: Elements, base: str) -> Links:
    """Find the links of a page.

    base  where relative links start from
    """
    links = Links(_LATE)
    links._tokens, links._elements = tokens, elements
    links.urls, links.elements = [], []
    anchors = (elements.traits & ANCHOR).nonzero()[0]
    forms = tokens.form_array[elements.open_array[anchors]].tolist()
    links.form_urls = _resolve(tokens, dict.fromkeys(forms), base)
    for element, url in zip(anchors.tolist(), map(links.form_urls.get, forms)):
        if url is not None:
            links.urls.append(url)
            links.elements.append(element)
    return links


_LATE: Mapping[str, Callable[[Links], object]] = {
    "anchor_paths": lambda links: anchor_paths(links._tokens, links._elements, links.elements),
    "keys": lambda links: hashes_of(links.urls).tolist(),
}


def _anchor_piece(kind: int, name: str, form: str) -> str:
    """Return what a token adds to an anchor text: its words, or what keeps the words around it apart."""
    if kind == TEXT:
        return unescape(form)
    return "" if kind == COMMENT or name in _WITHOUT_GAP else " "


def _resolve(tokens: TokenStream, forms: Iterable[int], base: str) -> dict[int, str]:
    """Return form of a start tag -> where it leads, for those that lead to another page."""
    resolve = link_resolver(base)
    urls = {}
    for form in forms:
        href = tokens.form_tags[form].href
        url = resolve(href) if href else None
        if url is not None:
            urls[form] = url
    return urls
