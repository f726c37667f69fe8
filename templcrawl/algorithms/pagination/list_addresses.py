"""Read an address as that of one page of a list.

An address names a page by a parameter (``?page=2``, ``?start=20``) or a segment (``/page/2/``,
``-p2.html``).  Two addresses are of one list if they are equal once that is taken out.  Where nothing
names a page, it may be the number that the path ends with, or none: such an address stands for two lists.

Scheme, "www.", letter case, session numbers, the order of parameters and the name of an index page do
not count.  ``updated-max``, by which Blogger pages, names a page and is no date.

A date: ``/2026/05``, ``?m=20260516``, ``/day/7``, ``calendar``.

Cost: O(length of the address); one of more than ``LONGEST`` characters is a list by itself.
"""

from __future__ import annotations

import re
from typing import NamedTuple

LONGEST = 1_000

_NAMES = (
    r"(?:pages?|pag|pg|p|seite|pagina|p%c3%a1gina|strona|sayfa|sida|side|stranka|sivu|oldal|halaman|trang)"
)
_PARAMETER = re.compile(
    rf"[&;](?:amp;)?(?:(?:{_NAMES}|[a-z_-]{{0,30}}page(?:[_-]?(?:no|num|number|id|index|nr|n))?"
    r"|paged|pn|pagen_\d+|start|offset|from|skip|limitstart|str|st|o)=\d{1,6}|updated-max=[^&;]*)(?![^&;])"
)
_SEGMENT = re.compile(
    rf"/{_NAMES}[-_=/:,.]?\d{{1,6}}(?=/|\.[a-z]{{2,5}}$|$)"
    rf"|[-_,;.]{_NAMES}[-_=,]?\d{{1,6}}(?=\.[a-z]{{2,5}}$|/?$)"
)
_SESSION = re.compile(r"[&;]\w{0,20}(?:s|id)=[0-9a-z]{20,64}(?![^&;])")
_DATES = re.compile(
    r"(?:19|20)(?<!\d\d\d)\d\d(?:[/.\-_]?(?:0[1-9]|1[0-2])(?:[/.\-_]?[0-3]\d)?|[/.\-_][1-9](?:[/.\-_]\d{1,2})?)(?!\d)"
    r"|[/?&;_.-](?:day|week|month|year|date|jahr|monat|tag|woche|jour|mois|annee)[=/-]\d+"
    r"|[?&;][mdy]=\d+|calendar"
).findall
_ENDINGS = (".html", ".htm", ".php", ".aspx", ".asp")
_INDICES = ("/index", "/default")
_DIGITS = "0123456789"
_MOST_DIGITS = 5


class Address(NamedTuple):
    """An address as a sign of pagination.

    host        its host
    target      the address without what does not count
    names_page  whether a parameter or a segment names a page
    lists       the addresses, without their pages, of the lists that it may be a page of
    dates       the dates that it holds
    """

    host: str
    target: str
    names_page: bool
    lists: tuple[str, ...]
    dates: list[str]


def read_address(url: str) -> Address:
    """Read an address.

    >>> address = read_address("https://www.example.org/2026/05/page/3/?sort=new")
    >>> address.names_page, address.lists, address.dates
    (True, ('example.org/2026/05?&sort=new',), ['2026/05'])
    >>> read_address("https://example.org/tea/3").lists
    ('example.org/tea/3', 'example.org/tea')
    """
    if len(url) > LONGEST:
        return Address(_parts(url[:LONGEST])[0], url, False, (url,), [])
    host, path, query = _parts(url)
    if query:
        query = "&" + query
        if "=" in query:
            query = _SESSION.sub("", query)
    rest = _PARAMETER.sub("", query) if query else ""
    without_segment = _SEGMENT.sub("", path, count=1)
    names_page = rest != query or without_segment != path
    stem = _stem(without_segment)
    lists: tuple[str, ...] = (_join(stem, rest),)
    if not names_page:
        root = stem.rstrip(_DIGITS)
        if 0 < len(stem) - len(root) <= _MOST_DIGITS:
            lists = (lists[0], _join(_stem(root[:-1] if root[-1:] in ("-", "_", ",", "/") else root), rest))
    return Address(host, path + query, names_page, lists, _DATES(without_segment + rest))


def _parts(url: str) -> tuple[str, str, str]:
    """Return (host, host and path, query), in lower case."""
    path, _, query = url.lower().partition("?")
    path = path.partition("//")[2].removeprefix("www.")
    return path.partition("/")[0], path, query


def _stem(path: str) -> str:
    """Return a path without the name of an index page, the ending of a file and the last slash."""
    path = path.rstrip("/")
    if path.endswith(_ENDINGS):
        path = path.rpartition(".")[0]
    return path.rpartition("/")[0] if path.endswith(_INDICES) else path


def _join(path: str, query: str) -> str:
    return f"{path}?{'&'.join(sorted(query.split('&')))}" if query else path
