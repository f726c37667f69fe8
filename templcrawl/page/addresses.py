"""Where a page lives and what its links point to: hosts, directories, absolute URLs, link keys."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

from w3lib.url import safe_url_string

from templcrawl.page.encoding import text_key
from templcrawl.page.memo import Cache

MAX_BASE = 2_083
"""Characters of a base that relative links are resolved from: Scrapy's limit of what it requests."""

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
_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.\-]*):").match
_CLIMB = re.compile(r"(?:\.\.?/)+").match
_MOST_ESCAPED = 12
_WHITE_SPACE = " \t\n\f\r"
FOLLOWED_SCHEMES = frozenset({"http", "https", "file"})


def host_of(url: str) -> str:
    """Return what a site's memory is filed under: the host with its port, or ``file`` for saved pages.

    It can be written as UTF-8, and is never ``*``, which stands for all sites.

    >>> host_of("https://Example.org:8080/a/b"), host_of("file:///saved/a.html")
    ('example.org:8080', 'file')
    """
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
    try:
        return urlsplit(url).path.rpartition("/")[0] + "/"
    except ValueError:
        return "/"


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
    """What the relative links of a page start from.

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


def read_base(base: str) -> Base:
    """Return what links start from that are relative to an address.

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
    if len(base) > _MOST_ESCAPED * MAX_BASE:
        base = directory = ""
    parts = urlsplit(base)
    return Base(base, parts.scheme, f"{parts.scheme}://{parts.netloc}", directory, is_long)


_RESOLVED = Cache[str]()
"""Where a page is and what it links to, as written -> the absolute URL, for most links."""


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
    is_plain = bool(_PLAIN_URL(directory))
    directories = [directory]
    place = f"{is_long:d}{directory} "

    def resolve(href: str) -> str | None:
        known = _RESOLVED.get(place + href)
        return known if known is not None else work_out(href.partition("#")[0].strip(_WHITE_SPACE), href)

    def work_out(href: str, written: str) -> str | None:
        if not href or (is_long and href[0] != "/" and not _SCHEME(href)):
            return None
        if base_scheme and _PLAIN_PATH(href):
            return _RESOLVED.keep(place + written, (origin if href[0] == "/" else directory) + href)
        if _PLAIN_URL(href):
            return href
        scheme = _SCHEME(href)
        if scheme and scheme[1].lower() not in FOLLOWED_SCHEMES:
            return None
        climb = _CLIMB(href) if is_plain else None
        if climb:
            rest = href[climb.end() :]
            if not rest or (rest[0] != "/" and _PLAIN_PATH(rest)):
                above = _above(directories, climb[0].count("../"), len(origin))
                return _RESOLVED.keep(place + written, above + rest)
        return _join(base, href)

    return resolve


def _above(directories: list[str], levels: int, least: int) -> str:
    """Return the directory so many levels above the first of some; above the highest one there is none.

    directories  those above it as far as they were asked for, each above the one before
    least        characters of the origin
    """
    while len(directories) <= levels:
        below = directories[-1]
        above = below.rstrip("/").rpartition("/")[0] + "/"
        directories.append(above if len(above) > least else below)
    return directories[levels]


def _join(base: str, href: str) -> str | None:
    """Return what Scrapy would request, whatever the base and the link look like."""
    try:
        url = urljoin(base, href)
        if not _PLAIN_URL(url):
            url = safe_url_string(url)
    except ValueError:
        return None
    scheme = _SCHEME(url)
    return None if scheme and scheme[1].lower() not in FOLLOWED_SCHEMES else url
