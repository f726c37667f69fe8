"""Where a page lives and what its links point to: hosts, directories, absolute URLs, link keys."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from urllib.parse import urljoin, urlsplit

from w3lib.url import safe_url_string
from xxhash import xxh3_64_intdigest

_PLAIN = re.compile(r"[A-Za-z0-9\-._~:/?@!$&'()*+,;=%\[\]]*").fullmatch
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.\-]*:").match
_HAS_DOTS = re.compile(r"(?:^|/)\.").search


def host_of(url: str) -> str:
    """Return what a site's memory is filed under: the host with its port, or ``file`` for saved pages.

    >>> host_of("https://Example.org:8080/a/b"), host_of("file:///saved/a.html")
    ('example.org:8080', 'file')
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return parts.netloc.lower().rpartition("@")[2] or parts.scheme


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
    return xxh3_64_intdigest(url.partition("#")[0].encode("utf-8", "surrogatepass"))


def link_resolver(base: str) -> Callable[[str], str | None]:
    """Return a function from a written ``href`` to the absolute URL as Scrapy would request it.

    It answers ``None`` where the link leads to no other page: a fragment, or a scheme that is not
    http, https or file.  The fragment is cut off.

    >>> resolve = link_resolver("https://example.org/a/b.html")
    >>> resolve("c.html#top"), resolve("/d?x=1&amp;y=2"), resolve("#top"), resolve("mailto:me@x.org")
    ('https://example.org/a/c.html', 'https://example.org/d?x=1&y=2', None, None)
    """
    try:
        parts = urlsplit(base)
    except ValueError:
        parts = urlsplit("")
    scheme = f"{parts.scheme}:"
    origin = f"{parts.scheme}://{parts.netloc}"
    directory = origin + parts.path.rpartition("/")[0] + "/"

    def resolve(href: str) -> str | None:
        if "&" in href:
            href = unescape(href)
        href = href.partition("#")[0].strip()
        if not href:
            return None
        if not _PLAIN(href):
            try:
                href = safe_url_string(href)
            except ValueError:
                return None
        if _SCHEME(href):
            if href[:4].lower() == "http" or href[:5].lower() == "file:":
                return href if href.count("/") > 2 else urljoin(base, href)
            return None
        if href[0] == "/":
            if href[1:2] == "/":
                return scheme + href
            return origin + href if not _HAS_DOTS(href) else _join(base, href)
        if href[0] == "?" or _HAS_DOTS(href):
            return _join(base, href)
        return directory + href

    return resolve


def _join(base: str, href: str) -> str | None:
    try:
        return urljoin(base, href)
    except ValueError:
        return None
