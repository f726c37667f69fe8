"""The base of detectors of a whole site: each page counts once, a sample of pages, a vote.

A page is identified by the key of its URL; of several texts under one URL the first counts.

Memory: about 64 bytes for each of at most ``MAX_KEYS`` pages.  Further pages of a larger site are
not recognized, and count as often as they are learned.

*Drawn pages* are a random sample, by the hashes of their URLs: the P pages of the text-based algorithm
(:mod:`templcrawl.memory.leaf_sample`).  A page is stored as a set of 64-bit keys.
Cost: O(log P) a page that is not drawn.  Memory: 8 bytes for each key of P pages.

*The vote* of a whole site learns from every page, then separates every page by all of them.  It has two
sections of a site's memory: the pages that vote, and the leaves.  It reads nothing of links, pagelets or
contents.  Cost: O(length of the page) in each pass.  Memory: at most about 13 MB, and 8 for the keys of
131,072 pages; mostly below 1 MB.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar

import numpy as np
from xxhash import xxh3_64_intdigest

from templcrawl.memory.detectors import PAGE_TYPE, Detector
from templcrawl.memory.detectors.sample_vote import Vote
from templcrawl.memory.leaf_sample import LeafSample
from templcrawl.memory.leaves import Leaves
from templcrawl.memory.memory_options import MemoryOptions
from templcrawl.memory.observation import Observation
from templcrawl.page.arrays import Keys
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation

MAX_KEYS = 2**17


class SiteDetector(Detector[Page]):
    """A detector of a whole site: ``learn`` its pages, then ``separate`` any.

    has_templates  whether it has the templates of a site as sets of paths
    """

    has_templates: ClassVar[bool] = False

    def __init__(self) -> None:
        self._learned: set[int] = set()

    @property
    def templates(self) -> Sequence[Keys]:
        """The paths of each template, ascending, for a detector that has them."""
        return ()

    def learn(self, page: Page) -> None:
        """First pass: learn from a page of the site, once."""
        if page.key in self._learned:
            return
        if len(self._learned) < MAX_KEYS:
            self._learned.add(page.key)
        self._count(page)

    @property
    @abstractmethod
    def known(self) -> int:
        """How many pages a page is compared with."""

    def observe(self, page: Page) -> Observation:
        """Second pass: separate a page by all that was learned."""
        return Observation(self.separate(page), self.known)

    @abstractmethod
    def _count(self, page: Page) -> None:
        """Learn from a page."""


def draw(sample: LeafSample[Keys], page: Page, keys_of: Callable[[Page], Keys]) -> bool:
    """Store the distinct keys of a page, ascending, if it is drawn; return whether it is."""
    rank = xxh3_64_intdigest(page.key.to_bytes(8, "little"))
    if not sample.takes(rank):
        return False
    sample.store(rank, np.unique(keys_of(page)))
    return True


class SiteVote(SiteDetector):
    """The vote of the pages of one site on each other.

    strip  what is template: what the site repeats, or what a page type does, too

    >>> site = SiteVote()
    >>> menu = "<ul><li><a href=/>Home</a><li><a href=/news>News</a></ul>"
    >>> pages = [Page(f"{menu}<p>{name} is a kind of tea", f"http://e.org/{name}") for name in "abc"]
    >>> for page in pages:
    ...     site.learn(page)
    >>> site.separate(pages[0]).content_text
    'a is a kind of tea'
    """

    def __init__(self, strip: str = PAGE_TYPE) -> None:
        super().__init__()
        self._leaves, self._vote = Leaves(), Vote(MemoryOptions(strip=strip))
        self._pages = 0

    def _count(self, page: Page) -> None:
        self._vote.learn(self._vote.query(page, self._leaves.place(page, learn=True)))
        self._pages += 1

    @property
    def known(self) -> int:
        """How many pages were learned."""
        return self._pages

    def separate(self, page: Page) -> Separation:
        """Separate a page by the votes of the other pages."""
        return self.observe(page).separation

    def observe(self, page: Page) -> Observation:
        """Separate a page, and find its leaf."""
        queried = self._vote.query(page, self._leaves.place(page, learn=False))
        separation = self._vote.stripped(self._vote.separate(queried), queried)
        return Observation(separation, self.known, leaf_id=page.host + queried.place.leaf_id)
