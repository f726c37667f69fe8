"""Addresses: hosts, directories, absolute URLs and their keys; and the links of a page.

Cost: O(length) an address; O(tokens of the page) its links, each distinct tag resolved once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

from w3lib.url import safe_url_string

from templcrawl.page.arrays import Keys, indices, lazy, lazy_list
from templcrawl.page.elements import Elements
from templcrawl.page.text import Cache, hashes_of, text_key, unescape
from templcrawl.page.tokens import COMMENT, TEXT, TokenStream
from templcrawl.page.vocabulary import ANCHOR, BLOCKS, SPACED, VOID

# Characters of a base that relative links are resolved from: Scrapy's limit of what it requests.
MAX_BASE = 2_083

_FIRST = r"[A-Za-z0-9\-_~@!$&()*+,=%]"
_ANY = r"[A-Za-z0-9\-_~@!$&()*+,=%.:]"
_QUERY = r"(?:\?[A-Za-z0-9\-_~@!$&()*+,=%.:/?;]+)?"
_PLAIN_PATH = re.compile(
    rf"(?:/|(?:/{_FIRST}{_ANY}*|{_FIRST}[A-Za-z0-9\-_~@!$&()*+,=%.]*)(?:/{_FIRST}{_ANY}*)*/?){_QUERY}"
).fullmatch
_PLAIN_URL = re.compile(rf"https?://[a-z0-9.\-]+(?::\d+)?(?:(?:/{_ANY}*)+{_QUERY})?").fullmatch
_PLAIN_BASE = re.compile(
    rf"((https?)://[a-z0-9.\-]+(?::[1-9]\d{{0,3}})?)/(?:{_FIRST}{_ANY}*/)*(?:{_FIRST}{_ANY}*)?{_QUERY}"
).fullmatch
_PLAIN_PATH_AND_QUERY = re.compile(
    r"https?://[a-z0-9.\-]+(?::\d+)?((?:/[^?#\t\r\n]*)?)(?:\?([^#\t\r\n]*))?(?:#|\Z)"
).match
_PLAIN_HOST = re.compile(r"https?://([a-z0-9.\-]+(?::\d+)?)(?:[/?#]|\Z)").match
_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.\-]*):").match
_MAX_ESCAPED = 12  # a character of four bytes, each written as %XX
_WHITE_SPACE = " \t\n\f\r"
FOLLOWED_SCHEMES = frozenset({"http", "https", "file"})


def host_of(url: str) -> str:
    """Return the key of a site's memory: the host with its port, or ``file`` for saved pages.

    It can be written as UTF-8, and is never ``*``, which stands for all sites.

    >>> host_of("https://Example.org:8080/a/b"), host_of("file:///saved/a.html")
    ('example.org:8080', 'file')
    """
    if plain := _PLAIN_HOST(url):
        return plain[1]
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    host = parts.netloc.lower().rpartition("@")[2] or parts.scheme
    if not host.isascii():
        host = host.encode("utf-8", "replace").decode()
    return "%2a" if host == "*" else host


def directory_of(url: str) -> str:
    """Return the directory of a page: its path up to the last slash.

    >>> directory_of("https://example.org/blog/2026/post.html?page=2")
    '/blog/2026/'
    """
    return path_and_query(url)[0].rpartition("/")[0] + "/"


MAX_ABOVE = 16  # directories above one that are told


def directories_above(directory: str) -> list[str]:
    """Return the directories above one, the nearest first, at most ``MAX_ABOVE``.

    >>> directories_above("/blog/2026/"), directories_above("/")
    (['/blog/', '/'], [])
    """
    above: list[str] = []
    while len(directory) > 1 and len(above) < MAX_ABOVE:
        directory = directory[:-1].rpartition("/")[0] + "/"
        above.append(directory)
    return above


def path_and_query(url: str) -> tuple[str, str]:
    """Return the path and the query of a URL; nothing of one that cannot be read."""
    if plain := _PLAIN_PATH_AND_QUERY(url):  # a tenth of the time
        return plain[1], plain[2] or ""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "", ""
    return parts.path, parts.query


def url_key(url: str) -> int:
    """Return a 64-bit key of a URL without its fragment, equal in every process."""
    return text_key(url.partition("#")[0])


def requested_url(url: str) -> str:
    """Return an absolute URL as Scrapy would request it, which is how links name it.

    >>> requested_url("https://Example.org/Zo\u00eb?q=a b")
    'https://example.org/Zo%C3%AB?q=a%20b'
    """
    return _join("", url) or url


class Base(NamedTuple):
    """The base URL of a page's relative links.

    url        absolute, as Scrapy would request it; "" if it is no address
    scheme     its scheme
    origin     its scheme and host
    directory  its address up to the last slash
    is_long    its path is too long to be started from
    """

    url: str
    scheme: str
    origin: str
    directory: str
    is_long: bool


def base_of(url: str, href: str) -> str:
    """Return the base URL of a page whose ``<base>`` has this ``href``; "" stands for no ``<base>``.

    >>> base_of("https://example.org/a/b.html", "/c/")
    'https://example.org/c/'
    """
    if not href or len(href) > MAX_BASE:
        return url
    try:
        return urljoin(url, href)
    except ValueError:
        return url


def read_base(base: str) -> Base:
    """Return the base of links relative to an address.

    >>> read_base("https://example.org/a/b.html").directory
    'https://example.org/a/'
    """
    is_long = len(base) > MAX_BASE
    plain = _PLAIN_BASE(base) if not is_long else None
    if plain:
        return Base(base, plain[2], plain[1], plain[0].partition("?")[0].rpartition("/")[0] + "/", is_long)
    try:
        base = safe_url_string(urljoin(base, "/") if is_long else base)
        directory = urljoin(base, ".")
    except ValueError:
        base = directory = ""
    if len(base) > _MAX_ESCAPED * MAX_BASE:
        base = directory = ""
    parts = urlsplit(base)
    return Base(base, parts.scheme, f"{parts.scheme}://{parts.netloc}", directory, is_long)


# Where a page is and what it links to, as written -> the absolute URL, for most links.
_RESOLVED = Cache[str]()


def link_resolver(base: str) -> Callable[[str], str | None]:
    """Return a function from an ``href``, decoded, to the absolute URL as Scrapy would request it.

    It answers ``None`` where the link leads to no other page: a fragment, or a scheme that is not
    http, https or file.  The fragment is cut off.  From a base of more than ``MAX_BASE`` characters, what
    neither starts with a slash nor with a scheme leads nowhere.

    >>> resolve = link_resolver("https://example.org/a/b.html")
    >>> resolve("c.html#top"), resolve("/d?x=1&y=2"), resolve("#top"), resolve("mailto:me@x.org")
    ('https://example.org/a/c.html', 'https://example.org/d?x=1&y=2', None, None)
    """
    base, base_scheme, origin, directory, is_long = read_base(base)
    place = f"{is_long:d}{directory} "

    def resolve(href: str) -> str | None:
        known = _RESOLVED.get(place + href)
        return known if known is not None else resolve_new(href.partition("#")[0].strip(_WHITE_SPACE), href)

    def resolve_new(href: str, written: str) -> str | None:
        if not href or (is_long and href[0] != "/" and not _SCHEME(href)):
            return None
        if base_scheme and _PLAIN_PATH(href):
            return _RESOLVED.keep(place + written, (origin if href[0] == "/" else directory) + href)
        if _PLAIN_URL(href):
            return href
        scheme = _SCHEME(href)
        if scheme and scheme[1].lower() not in FOLLOWED_SCHEMES:
            return None
        url = _join(base, href)
        if url is None:
            return None
        parts = urlsplit(href)
        is_of_directory = parts.netloc or parts.path[:1] not in (
            "",
            ";",
        )  # of "?page=2" the whole base counts
        return _RESOLVED.keep(place + written, url) if is_of_directory else url

    return resolve


def _join(base: str, href: str) -> str | None:
    """Return the address that Scrapy would request, for any base and link."""
    try:
        url = urljoin(base, href)
        if not _PLAIN_URL(url):
            url = safe_url_string(url)
    except ValueError:
        return None
    scheme = _SCHEME(url)
    return None if scheme and scheme[1].lower() not in FOLLOWED_SCHEMES else url


_MAX_TOKENS = 200
_GAPS = BLOCKS | SPACED | VOID - {"wbr"}


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
    """

    urls: list[str]
    elements: list[int]
    form_urls: dict[int, str]

    def __init__(self, tokens: TokenStream, elements: Elements) -> None:
        self._tokens = tokens
        self._elements = elements

    keys: list[int] = lazy_list("key_array")

    @lazy
    def key_array(self) -> Keys:
        """Link -> 64-bit key of its URL, equal in every process; as a list ``keys``."""
        return hashes_of(self.urls)

    @lazy
    def anchor_paths(self) -> Keys:
        """Link -> key of the tag path of its anchor, classes and ids included."""
        return self._elements.whole_paths[indices(self.elements)]

    def __len__(self) -> int:
        return len(self.urls)

    def __getitem__(self, number: int) -> Link:  # it makes lists of all tokens: not for each link of a crawl
        element = self.elements[number]
        tokens = self._tokens
        opened, closed = self._elements.opens[element], self._elements.closes[element]
        text = ""
        for form in tokens.form_of[opened + 1 : min(closed, opened + _MAX_TOKENS)]:
            kind, name = tokens.form_kinds[form], tokens.form_names[form]
            if kind == TEXT:
                text += unescape(tokens.forms[form])
            elif kind != COMMENT and name in _GAPS:
                text += " "
        rel = tokens.form_tags[tokens.form_of[opened]].rel
        return Link(self.urls[number], " ".join(text.split()), element, rel)

    def __iter__(self) -> Iterator[Link]:
        return (self[number] for number in range(len(self)))


def read_links(tokens: TokenStream, elements: Elements, base: str) -> Links:
    """Find the links of a page.

    base  where relative links start from
    """
    links = Links(tokens, elements)
    anchors = (elements.traits & ANCHOR).nonzero()[0]
    forms = tokens.form_array[elements.open_array[anchors]].tolist()
    resolve = link_resolver(base)
    urls = {form: resolve(tokens.form_tags[form].href) for form in dict.fromkeys(forms)}
    links.form_urls = {form: url for form, url in urls.items() if url is not None}
    found = [at for at in zip(forms, anchors.tolist()) if at[0] in links.form_urls]
    links.urls = [links.form_urls[form] for form, _ in found]
    links.elements = [element for _, element in found]
    return links
