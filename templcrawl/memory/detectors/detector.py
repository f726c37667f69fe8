"""What every detector can do: judge a page by what it knows of the site, then remember it.

::

    known = detector.query(page, leaf)        what is known that bears on the page
    separation = detector.classify(known)      what follows from it
    detector.update(known)                the page bears on later ones

Nothing but ``remember`` changes what a detector knows: a page that was observed before is asked about and
judged as often as anybody likes.  Whether a page counts is for its owner to say: a site's memory
(:mod:`templcrawl.memory.site`) and a detector of a whole site
(:mod:`templcrawl.memory.whole_site.site_detector`) let each URL count once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from templcrawl.algorithms.detectors.sandwich import PageView
from templcrawl.memory.columns import Section
from templcrawl.memory.labels import TemplateLabels
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation
from templcrawl.page.tokens import Limits

if TYPE_CHECKING:
    from typing_extensions import Self

Known = TypeVar("Known")

TemplateOf = Callable[[int], int]
"""Leaf of a page type -> the template that it belongs to by now."""


class DetectorOptions(Protocol):
    """What detectors ask of the options of a crawl's memory."""

    @property
    def sample_pages(self) -> int:
        """Pages of a site that a page is compared with by a sample."""

    @property
    def sample_salt(self) -> int | None:
        """Which pages these are."""

    @property
    def max_siblings(self) -> int:
        """Pages of a site that are kept whole."""

    @property
    def limits(self) -> Limits:
        """How much of a page is read."""


class Detector(ABC, Generic[Known]):
    """A detector of one site.

    evidence  what template and content are told apart by, as the help of commands says it
    """

    evidence: ClassVar[str] = ""

    @abstractmethod
    def query(self, page: Page, leaf: int) -> Known:
        """Return what is known that bears on a page.

        leaf  the leaf of its page type
        """

    @abstractmethod
    def classify(self, known: Known) -> Separation:
        """Tell a page apart by what is known."""

    @abstractmethod
    def update(self, known: Known) -> None:
        """Let a page bear on later ones."""


class OnlineDetector(Detector[Known], Section):
    """A detector whose knowledge is kept between runs; made of options, and of what knows the page types.

    view  what a page is compared by, of a detector that compares a page with one sibling page
    """

    view: ClassVar[PageView | None] = None

    @abstractmethod
    def __init__(self, options: DetectorOptions, template_of: TemplateOf) -> None:
        """Start without pages."""

    @classmethod
    def of_site(cls, host: str, options: DetectorOptions) -> tuple[TemplateLabels, Self]:
        """Return the page types of a site and a detector that goes by them, both empty."""
        labels = TemplateLabels(host)
        return labels, cls(options, labels.template)

    def merge(self, detectors: Sequence[Self]) -> None:
        """Become what the detectors of several workers know; by default nothing is shared."""

    def set_remote(self, remote: Self) -> None:
        """Take what those of the other workers know, merged; by default nothing is shared."""

    def resample(self, salt: int) -> None:
        """Let pages be drawn by another salt from now on, if any are drawn."""


AnyDetector = OnlineDetector[Any]
