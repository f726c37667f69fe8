"""The links of a page: absolute URL, anchor text, and the element that each one sits in.

Cost: O(tokens of the page); URLs are resolved once for each distinct tag.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from templcrawl.page.addresses import link_resolver, url_key
from templcrawl.page.blobs import Blobs
from templcrawl.page.elements import Elements
from templcrawl.page.entities import unescape
from templcrawl.page.tags import COMMENT, TEXT
from templcrawl.page.tokens import TokenStream
from templcrawl.page.vocabulary import INLINE, VOID

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


class Links:
    """The links of a page in document order; links to no other page are left out.

    urls       link -> absolute URL without fragment
    elements   link -> its element
    form_urls  form of the start tag of a link -> its absolute URL
    blobs      what the kernel has written of the page and its links, if it has found them
    """

    __slots__ = ("__dict__", "_elements", "_tokens", "elements", "form_urls", "urls")
    blobs: Blobs | None = None

    def __init__(self, tokens: TokenStream, elements: Elements, base: str) -> None:
        self.urls: list[str] = []
        self.elements: list[int] = []
        self._tokens = tokens
        self._elements = elements
        form_of, owners = tokens.form_of, elements.owners
        self.form_urls = _resolve(tokens, {form_of[position] for position in elements.anchors}, base)
        for position in elements.anchors:
            url = self.form_urls.get(form_of[position])
            if url is not None:
                self.urls.append(url)
                self.elements.append(owners[position])

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

    @cached_property
    def keys(self) -> list[int]:
        """Link -> 64-bit key of its URL, equal in every process."""
        return list(map(url_key, self.urls))


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
