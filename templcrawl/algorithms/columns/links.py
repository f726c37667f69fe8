"""Tell the links that are data from those of the template.

A text that all pages of a type have may lead elsewhere on each: "Website", "PDF".  Then its addresses are the
values.  On pages those are links to other hosts and to files, by their address or by the text; on records, to
other pages of the site too, as each has one.  What leads to the page itself by way of another host shares it,
and is none.

Source: our own.  n links.  Cost: O(n).
"""

from __future__ import annotations

import re
from collections.abc import Collection
from urllib.parse import urljoin

MIN_HOSTS = 3  # that a text links to which is always the same: the address is the value
_EACH = 0.8  # of the pages, or records, with a text: those where it leads to another address
NO_PAGES = ("mailto:", "tel:", "sms:", "callto:", "skype:")  # addresses of no pages
_HOST = re.compile(r"(?:https?:)?//(?:www\.)?([^/?#]*)").match
_IS_FILE = re.compile(
    r"(?:[^?#]*/)?[^?#/]*\.(?:pdf|epub|mobi|djvu|ps|docx?|odt|rtf|xlsx?|ods|csv|tsv|json|pptx?|bib|ris|zip|[tr]ar"
    r"|t?gz|bz2|xz|7z|jar|exe|dmg|deb|rpm|apk|iso|mp[34]|ogg|wav|flac|webm|gpx|kml|ics)(?:[?#]|$)",
    re.IGNORECASE,
).match
_SAYS_FILE = re.compile(
    r"\b(?:downloads?|src|source|pdf|epub|mp3|csv|zip|bibtex|ris|télécharger|descargar|herunterladen|scarica|baixar"
    r"|скачать)\b|ダウンロード|下载|下載",
    re.IGNORECASE,
).search
_LONGEST = 40  # characters of a text that says so
_SHARES = re.compile(r"https?(?::|%3a)", re.IGNORECASE).search  # in the rest of an address
# In an address: it does something with the page, or shows the file that the page is made of.
_ACTS = re.compile(
    r"[/?&](?:(?:edit|new|login|share|send)\b|(?:text|title|subject|body|status|message|ur[li]|u)=|(?:blob|tree|raw)/)",
    re.IGNORECASE,
).search

# Hosts of the pages of a site, without "www."; None of records, which are on one page.
Hosts = frozenset[str] | None


def host_of(link: str) -> str:
    """Return the host of a link as written, without "www."; "" for a relative one.

    >>> host_of("https://www.a.example?page=2"), host_of("//a.example/b"), host_of("/b")
    ('a.example', 'a.example', '')
    """
    match = _HOST(link)
    return match[1] if match else ""


def leads(link: str) -> bool:
    """Return whether a link leads anywhere."""
    return link != "" and not link.startswith(("#", "javascript:"))


def absolute(link: str, base: str) -> str:
    """Return the address that a link leads to; one that cannot be read as it is written.

    >>> absolute("b", "http://a.example/"), absolute("//[b", "http://a.example/")
    ('http://a.example/b', '//[b')
    """
    try:
        return urljoin(base, link)
    except ValueError:
        return link


def within(link: str, url: str, base: str) -> str:
    """Return a link to a place on its own page as its fragment, others as they are written.

    >>> url = "http://a.example/tea.html"
    >>> within("tea.html#green", url, url), within("/coffee.html#green", url, url), within("#green", url, url)
    ('#green', '/coffee.html#green', '#green')
    """
    address, sign, fragment = link.partition("#")
    is_own = address and sign and url.endswith(address[-1]) and absolute(address, base) == url
    return f"#{fragment}" if is_own else link


def are_data(text: str, links: Collection[str], number: int, own: Hosts) -> bool:
    """Return whether the links of one text are its values.

    links   each once
    number  of the pages, or records, with that text
    own     hosts of the pages; None of records
    """
    each = max(MIN_HOSTS, _EACH * number)
    if own is None:
        return len(links) >= each
    hosts = {host_of(link) for link in links}.difference(("", *own))
    is_named = says_file(text)
    several = sum(_is_elsewhere(link, own) or (is_named and not _ACTS(link)) for link in links)
    return len(hosts) >= MIN_HOSTS or several >= each


def says_file(text: str) -> bool:
    """Return whether the text of a link says that it leads to a file, before a colon.

    >>> [says_file(text) for text in ("A PDF", "Resource", "Download all of the pages that you have read")]
    [True, False, False]
    """
    said = text.partition(":")[0]
    return len(said) <= _LONGEST and _SAYS_FILE(said) is not None


def _is_elsewhere(link: str, own: frozenset[str]) -> bool:
    """Return whether a link leads to a file or to another host, but not by way of that to its own page.

    >>> own = frozenset({"a.example"})
    >>> [_is_elsewhere(link, own) for link in ("tea.pdf", "/tea", "http://www.a.example/b", "//b.example/b")]
    [True, False, False, True]
    >>> _is_elsewhere("https://b.example/share?u=http%3A//a.example", own)
    False
    """
    host = host_of(link)
    is_out = host not in ("", *own) and not _SHARES(link, 6) and not _ACTS(link)
    return is_out or is_file(link)


def is_file(link: str) -> bool:
    """Return whether a link leads to a file that is no page."""
    return _IS_FILE(link) is not None
