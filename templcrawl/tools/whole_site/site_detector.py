"""The base of detectors of a whole site: a page counts once, however often it is learned.

A page is identified by the key of its URL; of several texts under one URL the first counts.

Memory: about 64 bytes for each of at most ``MOST_KEYS`` pages.  Further pages of a larger site are
not recognized, and count as often as they are learned.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, final

from templcrawl.memory.detectors.detector import Detector, Evidence
from templcrawl.memory.observation import Observation
from templcrawl.page.arrays import Keys
from templcrawl.page.page import Page

MOST_KEYS = 2**17
_BYTES_A_KEY = 64
_NO_LEAF = 0


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
        self.update(self.query(page, self._leaf_of(page, learn=True)))

    @final
    def separate(self, page: Page) -> Observation:
        """Second pass: separate a page by all that was learned."""
        evidence = self.query(page, self._leaf_of(page, learn=False))
        return self._observation(evidence)

    def _observation(self, evidence: Evidence) -> Observation:
        """Return the observation of a page: its separation, and what else the detector has found."""
        return Observation(self.classify(evidence), pages_known=self.pages)

    def _leaf_of(self, page: Page, *, learn: bool) -> int:
        """Return the leaf of a page's type, for a detector that needs it."""
        return _NO_LEAF

    @property
    @abstractmethod
    def pages(self) -> int:
        """How many pages its answers are based on."""

    @abstractmethod
    def _table_size(self) -> int:
        """Return the bytes that its table takes, about."""


AnySiteDetector = SiteDetector[Any]
