"""The interface of every detector: classify the parts of a page by its site, then learn from the page.

::

    evidence = detector.query(page, leaf)       what the site has learned that matters to the page
    separation = detector.classify(evidence)    template and content of the page by this evidence
    detector.update(evidence)                   learn from the page

Only ``update`` changes a detector: an observed page can be queried and classified again as often as needed.
The owner of a detector decides whether a page counts: a site's memory
(:mod:`templcrawl.memory.site`) and a detector of a whole site
(:mod:`templcrawl.tools.whole_site.site_detector`) let each URL count once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from templcrawl.algorithms.extraction.sandwich import PageView
from templcrawl.algorithms.similarity.near_duplicates import Content, content_of
from templcrawl.memory.labels import TemplateLabels
from templcrawl.memory.snapshot_parts import Section
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation
from templcrawl.page.tokens import Limits

if TYPE_CHECKING:
    from typing_extensions import Self

Evidence = TypeVar("Evidence")

TemplateOf = Callable[[int], int]
"""Leaf of a page type -> the template that it currently belongs to."""


class DetectorOptions(Protocol):
    """The options of a crawl's memory that detectors read."""

    @property
    def sample_pages(self) -> int:
        """Pages of a site that a page is compared with by a sample."""

    @property
    def sample_salt(self) -> int | None:
        """Which pages these are."""

    @property
    def max_siblings(self) -> int:
        """Pages of a site that are stored whole."""

    @property
    def limits(self) -> Limits:
        """How much of a page is read."""


class Detector(ABC, Generic[Evidence]):
    """A detector of one site.

    evidence  what separates template and content, in the words of the help of commands
    """

    evidence: ClassVar[str] = ""

    @abstractmethod
    def query(self, page: Page, leaf: int) -> Evidence:
        """Return what the site has learned that matters to a page.

        leaf  the leaf of its page type
        """

    @abstractmethod
    def classify(self, evidence: Evidence) -> Separation:
        """Return template and content of a page by its evidence."""

    @abstractmethod
    def update(self, evidence: Evidence) -> None:
        """Learn from a page."""


class OnlineDetector(Detector[Evidence], Section):
    """A detector that is saved between runs; made of options, and of the template of each leaf.

    view  what a page is compared by, of a detector that compares a page with one sibling page
    """

    view: ClassVar[PageView | None] = None

    @abstractmethod
    def __init__(self, options: DetectorOptions, template_of: TemplateOf) -> None:
        """Start without pages."""

    @classmethod
    def of_site(cls, host: str, options: DetectorOptions) -> tuple[TemplateLabels, Self]:
        """Return the page types of a site and a detector that uses them, both empty."""
        labels = TemplateLabels(host)
        return labels, cls(options, labels.template)

    def content(self, evidence: Evidence, separation: Separation) -> Content:
        """Return the content of a separation of a page with this evidence, as it is compared with others."""
        return content_of(separation)

    def merge(self, detectors: Sequence[Self]) -> None:
        """Merge the detectors of several workers into this empty one; by default nothing is shared."""

    def set_remote(self, remote: Self) -> None:
        """Set the merged detector of the other workers; by default nothing is shared."""

    def resample(self, salt: int) -> None:
        """Draw the sample, if there is one, by another salt."""


AnyDetector = OnlineDetector[Any]
