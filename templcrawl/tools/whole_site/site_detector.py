"""The base of detectors of a whole site, for which a page counts once; and a random sample of its pages.

A page is identified by the key of its URL; of several texts under one URL the first counts.

Memory: about 64 bytes for each of at most ``MOST_KEYS`` pages.  Further pages of a larger site are
not recognized, and count as often as they are learned.

*Drawn pages* are a random sample, by the hashes of their URLs: the P pages of the text-based algorithm.
Bottom-k sampling (Broder 1997): of all pages ever offered those with the smallest hashes are stored.  So the
sample is a uniform one, whatever the order and number of the pages, a page offered twice counts once, and
a smaller sample is a part of a larger one.  A page is stored as a set of 64-bit keys.
Cost: O(log P) a page that is not drawn.  Memory: 8 bytes for each key of P pages.
"""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_left
from collections.abc import Sequence
from operator import itemgetter
from typing import Any, ClassVar, NamedTuple, final

import numpy as np
from xxhash import xxh3_64_intdigest

from templcrawl.errors import InvalidOption
from templcrawl.memory.detectors.detector import Detector, Evidence
from templcrawl.memory.observation import Observation
from templcrawl.memory.place import ALONE, Place
from templcrawl.page.arrays import Keys
from templcrawl.page.page import Page

MOST_KEYS = 2**17
_BYTES_A_KEY = 64


class SiteDetector(Detector[Evidence]):
    """A detector of a whole site: ``learn`` its pages, then ``separate`` any.

    has_templates  whether it has the templates of a site as sets of paths
    """

    has_templates: ClassVar[bool] = False

    def __init__(self) -> None:
        self._learned: set[int] = set()

    @property
    def size(self) -> int:
        """Bytes that it takes, about."""
        return _BYTES_A_KEY * len(self._learned) + self._table_size()

    @property
    def templates(self) -> Sequence[Keys]:
        """The paths of each template, ascending, for a detector that has them."""
        return ()

    @final
    def learn(self, page: Page) -> None:
        """First pass: learn from a page of the site, once."""
        if page.key in self._learned:
            return
        if len(self._learned) < MOST_KEYS:
            self._learned.add(page.key)
        self.update(self.query(page, self._place_of(page, learn=True)))

    @final
    def separate(self, page: Page) -> Observation:
        """Second pass: separate a page by all that was learned."""
        return self._observation(self.query(page, self._place_of(page, learn=False)))

    def _observation(self, evidence: Evidence) -> Observation:
        return Observation(self.classify(evidence), pages_known=self.pages)

    def _place_of(self, page: Page, *, learn: bool) -> Place:
        return ALONE

    @property
    @abstractmethod
    def pages(self) -> int:
        """How many pages its answers are based on."""

    @abstractmethod
    def _table_size(self) -> int:
        """Return the bytes that its table takes, about."""


AnySiteDetector = SiteDetector[Any]


class DrawnPage(NamedTuple):
    """What is stored of a page.

    rank  the hash of its URL, smaller than those of the pages that were not drawn
    page  the key of its URL
    keys  its distinct keys, ascending
    """

    rank: int
    page: int
    keys: Keys


class DrawnPages:
    """At most ``most`` pages.

    most   pages that are stored, at least 1
    salt   which pages are drawn: another number, another draw
    pages  those that are stored, by their ranks
    """

    def __init__(self, most: int, *, salt: int = 0) -> None:
        if most < 1:
            raise InvalidOption("sample", most, "a whole number of 1 or more")
        self.most = most
        self.salt = salt
        self.pages: list[DrawnPage] = []

    def __len__(self) -> int:
        return len(self.pages)

    @property
    def size(self) -> int:
        """Bytes that it takes, about."""
        return sum(page.keys.nbytes for page in self.pages)

    def accepts(self, page: int) -> bool:
        """Return whether a page would be drawn, by the key of its URL."""
        _, index = self._place(page)
        is_there = index < len(self.pages) and self.pages[index].page == page
        return index < self.most and not is_there

    def insert(self, page: int, keys: Keys) -> None:
        """Insert a page if it is accepted; the one with the largest rank is evicted."""
        if self.accepts(page):
            rank, index = self._place(page)
            self.pages.insert(index, DrawnPage(rank, page, np.unique(keys)))
            del self.pages[self.most :]

    def _place(self, page: int) -> tuple[int, int]:
        rank = xxh3_64_intdigest(page.to_bytes(8, "little"), seed=self.salt)
        return rank, bisect_left(self.pages, rank, key=itemgetter(0))
