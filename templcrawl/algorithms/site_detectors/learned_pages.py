"""What the detectors of a whole site have in common: a page counts once, however often it is learned.

A page is told by the key of its URL; of several texts under one URL the first counts.

Memory: about 64 bytes for each of at most ``MOST_KEYS`` pages.  Of a larger site the pages behind these are
not known again, and count as often as they are learned.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import final

from templcrawl.page.page import Page
from templcrawl.page.separation import Separation

MOST_KEYS = 2**17
_BYTES_A_KEY = 64


class SiteDetector(ABC):
    """A detector of a whole site: ``learn`` its pages, then ``separate`` any."""

    def __init__(self) -> None:
        self._learned: set[int] = set()

    @property
    def size(self) -> int:
        """Bytes that it takes, about."""
        return _BYTES_A_KEY * len(self._learned) + self._table_size()

    @final
    def learn(self, page: Page) -> None:
        """First pass: take note of a page of the site, once."""
        if page.key in self._learned:
            return
        if len(self._learned) < MOST_KEYS:
            self._learned.add(page.key)
        self._take(page)

    @abstractmethod
    def separate(self, page: Page) -> Separation:
        """Second pass: return the separation of a page by all that was learned."""

    @abstractmethod
    def _take(self, page: Page) -> None:
        """Take note of a page that was not learned before."""

    @abstractmethod
    def _table_size(self) -> int:
        """Return the bytes that what was noted takes, about."""
