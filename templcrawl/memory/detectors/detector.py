"""The interface of every detector: ``separate`` template and content of a page, ``learn`` from a page.

Online, a page is separated, then learned, and both go by one look at it::

    evidence = detector.query(page, place)      what the site has learned that matters to the page
    separation = detector.separate(evidence)    template and content of the page by this evidence
    detector.learn(evidence)                    learn from the page

A detector of a whole site (:mod:`templcrawl.tools.whole_site.site_detector`) learns every page, then
separates every page: its evidence is the page itself.

Only ``learn`` changes a detector: a page can be separated again as often as needed.  The owner of an online
detector, a site's memory (:mod:`templcrawl.memory.site`), lets each URL count once; one of a whole site
does so itself.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from templcrawl.algorithms.similarity.near_duplicates import Content, content_of
from templcrawl.memory.leaf_distances import LeafDistances
from templcrawl.memory.snapshots import Section
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation
from templcrawl.page.tokens import Limits

if TYPE_CHECKING:
    from templcrawl.algorithms.extraction.sandwich import PageView

Evidence = TypeVar("Evidence")

SITE, PAGE_TYPE = "site", "page type"
# What is template: what the site repeats; by the detector ``vote`` what a page type does, too.
STRIPPED = (SITE, PAGE_TYPE)
MAX_PAGES = 31  # that a sample can have: a slot each in a mask of 32 bits, and one to spare


class DetectorOptions(Protocol):
    """The options of a crawl's memory that detectors read."""

    @property
    def sample_pages(self) -> int:
        """Pages of a site that a page is compared with by a sample."""

    @property
    def sample_salt(self) -> int | None:
        """Which pages these are."""

    @property
    def strip(self) -> str:
        """What is template: one of ``STRIPPED``."""

    @property
    def max_siblings(self) -> int:
        """Pages of a site that are stored whole, to compare tokens with."""

    @property
    def max_sibling_bytes(self) -> int:
        """Bytes of those that are stored to compare lines with."""

    @property
    def limits(self) -> Limits:
        """How much of a page is read."""


class Detector(ABC, Generic[Evidence]):
    """A detector of one site."""

    @abstractmethod
    def separate(self, evidence: Evidence) -> Separation:
        """Return template and content of a page by its evidence."""

    @abstractmethod
    def learn(self, evidence: Evidence) -> None:
        """Learn from a page."""


class OnlineDetector(Detector[Evidence], Section):
    """A detector that is saved between runs; made of options.

    view  what a page is compared by, of a detector that compares a page with one sibling page
    """

    view: ClassVar[PageView | None] = None

    @abstractmethod
    def __init__(self, options: DetectorOptions) -> None:
        """Start without pages."""

    @abstractmethod
    def query(self, page: Page, place: LeafDistances) -> Evidence:
        """Return what the site has learned that matters to a page.

        place  its leaf, and those that are near
        """

    def stripped(self, separation: Separation, evidence: Evidence) -> Separation:
        """Return a separation without what the page's type repeats, if that is to go."""
        return separation

    def content(self, evidence: Evidence, separation: Separation) -> Content:
        """Return the content of a separation of a page with this evidence, as it is compared with others."""
        return content_of(separation)


AnyDetector = OnlineDetector[Any]
