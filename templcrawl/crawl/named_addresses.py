"""Read sitemaps and feeds: the addresses that they name, and the date of change of each.

Sitemaps and their indexes (sitemaps.org), RSS and Atom, also packed by gzip.  What is broken is read as far
as it goes; any other document names nothing.  A date without a time is taken for the end of its day.  RSS
has no date of a change: an entry has the latest of its dates.

Cost: O(length); at most ``MAX_ENTRIES`` entries of ``_MAX_UNPACKED`` bytes, the limits of the protocol.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import NamedTuple

import lxml.etree
from scrapy.utils.gz import gunzip

MAX_ENTRIES, _MAX_UNPACKED = 50_000, 50 << 20
PAGE, SITEMAP, ENTRY = "url", "sitemap", "entry"
_KINDS = {"url": PAGE, "sitemap": SITEMAP, "item": ENTRY, "entry": ENTRY}  # by the names of elements
_DATES = ("lastmod", "updated", "modified", "date", "published", "pubdate")
_ADDRESSES = ("loc", "link")
_LAST_OF_DAY = 86_399
_STEP = 2**16  # bytes that are read at a time
_LONGEST = 2_083  # characters of an address


class Named(NamedTuple):
    """An address that a document names.

    kind  ``PAGE`` of a sitemap, ``SITEMAP`` of an index, or ``ENTRY`` of a feed
    at    when it has changed last, in seconds since 1970; None: nothing is said
    """

    url: str
    kind: str
    at: int | None


def named_addresses(body: bytes) -> list[Named]:
    """Return the addresses that a document names.

    >>> named_addresses(b"<urlset><url><loc>http://x.org/</loc><lastmod>1970-01-02</lastmod></url></urlset>")
    [Named(url='http://x.org/', kind='url', at=172799)]
    >>> body = b"<feed><entry><link href='http://x.org/a'/><updated>1970-01-01T00:01Z</updated></entry></feed>"
    >>> named_addresses(body)
    [Named(url='http://x.org/a', kind='entry', at=60)]
    """
    reader = _Reader()
    parser = lxml.etree.XMLParser(
        target=reader, recover=True, resolve_entities=False, no_network=True, load_dtd=False
    )
    with suppress(Exception):  # what is not such a document names nothing more
        is_packed = body[:2] == b"\x1f\x8b"
        text = gunzip(body, max_size=_MAX_UNPACKED) if is_packed else body[:_MAX_UNPACKED]
        for start in range(0, len(text), _STEP):
            parser.feed(text[start : start + _STEP])
            if len(reader.found) >= MAX_ENTRIES:
                break
    return reader.found[:MAX_ENTRIES]


class _Reader:
    """Takes the elements of a document one by one, so that no tree of them fills the memory."""

    def __init__(self) -> None:
        self.found: list[Named] = []
        self._kind, self._depth = "", 0  # of the entry that is read; elements that are open in it
        self._url, self._at, self._text = "", 0, ""
        self._reads = False

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        name = _name(tag)
        if not self._depth:
            self._kind = _KINDS.get(name, "")
            self._url, self._at = "", 0
            self._depth = bool(self._kind)
            return
        self._depth += 1
        self._text, self._reads = "", self._depth == 2 and (name in _ADDRESSES or name in _DATES)
        if self._reads and name == "link" and attributes.get("rel", "alternate") == "alternate":
            self._url = self._url or attributes.get("href", "")

    def data(self, text: str) -> None:
        if self._reads and len(self._text) <= _LONGEST:
            self._text += text

    def end(self, tag: str) -> None:
        name, text = _name(tag), self._text.strip()
        if self._reads and name in _DATES:
            self._at = max(self._at, _seconds(text) or 0)
        elif self._reads:
            self._url = self._url or text
        elif self._depth == 1 and 0 < len(self._url) <= _LONGEST:
            self.found.append(Named(self._url.strip(), self._kind, self._at or None))
        self._reads = False
        self._depth = max(0, self._depth - 1)

    def close(self) -> None:
        """Do nothing at the end."""


def _name(tag: str) -> str:
    return tag.rpartition("}")[2].lower()


def _seconds(text: str) -> int | None:
    with suppress(ValueError, OverflowError, TypeError):
        is_iso = text[:4].isdigit()
        at = datetime.fromisoformat(text.replace("Z", "+00:00")) if is_iso else parsedate_to_datetime(text)
        seconds = int(at.replace(tzinfo=at.tzinfo or timezone.utc).timestamp())
        return max(0, seconds + (_LAST_OF_DAY if len(text) == len("2026-11-28") else 0))
    return None
