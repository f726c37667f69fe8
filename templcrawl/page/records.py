"""The interface of every reader: records one at a time, a total for progress, a bounded list of failures.

No record is retained once the next one is read.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple, Protocol

from templcrawl.errors import TemplcrawlError
from templcrawl.page.page import Page

MAX_BYTES = 16 * 2**20
"""Bytes of a page that are read; longer pages are cut there, and counted as capped."""

SNIFFED = 1_024
"""First bytes of a file that :func:`looks_like_html` reads."""

_MAX_NAMED = 10
_LONGEST_REASON = 200
_HTML_START = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:[^-]|-(?!->))*-->\s*)*"
    rb"<(?:!doctype\s+html|html|head|body|title|meta|script|style|link|div|table|h1|p|a|br)[\s/>]",
    re.IGNORECASE,
).match


class Record(NamedTuple):
    """A page as it was saved.

    url           its address
    html          its bytes, transfer and content encodings undone, at most ``MAX_BYTES``
    content_type  its Content-Type header, None without one
    """

    url: str
    html: bytes
    content_type: str | None = None

    def page(self) -> Page:
        """Return it as a page."""
        return Page.from_html(self.html, self.url, content_type=self.content_type)


class Unreadable:
    """The records that could not be read: their number, and the names and reasons of the first ten.

    >>> unreadable = Unreadable()
    >>> unreadable.add("a.html", "no permission")
    >>> len(unreadable), unreadable.first
    (1, [('a.html', 'no permission')])
    """

    def __init__(self) -> None:
        self.count = 0
        self.first: list[tuple[str, str]] = []

    def __len__(self) -> int:
        return self.count

    def add(self, name: str, reason: str) -> None:
        """Count one more."""
        self.count += 1
        if len(self.first) < _MAX_NAMED:
            self.first.append((name, reason))

    @contextmanager
    def skipping(self, name: str) -> Iterator[None]:
        """Suppress an error in the work on a page: add the name of the page and the error.

        Errors of templcrawl itself, of the disk and of a database are raised.
        """
        try:
            yield
        except (TemplcrawlError, OSError, sqlite3.Error):
            raise
        except Exception as error:
            self.add(name, f"{type(error).__name__}: {error}"[:_LONGEST_REASON])


class CrawlReader(Protocol):
    """A finished crawl.  Iterating starts from the beginning.

    unit        what ``total`` and ``done`` count: "bytes" or "files"
    done        how much of the total has been read
    capped      pages that were cut at ``MAX_BYTES``
    unreadable  what could not be read
    """

    unit: str
    done: int
    capped: int
    unreadable: Unreadable

    @property
    def total(self) -> int:
        """How much there is."""

    def __iter__(self) -> Iterator[Record]:
        """Yield its pages."""


def looks_like_html(head: bytes) -> bool:
    """Return whether a file that starts like this is HTML; only the first 1,024 bytes are read.

    >>> looks_like_html(b"<!-- saved --> <!DOCTYPE html>"), looks_like_html(b"%PDF-1.7")
    (True, False)
    """
    return _HTML_START(head[:SNIFFED]) is not None
