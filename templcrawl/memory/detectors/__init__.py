"""The detectors, which tell template and content apart: the table of their names, and their interface.

Some judge a page *as it arrives*, by the pages before it.  Others read a *finished site* twice
(:mod:`templcrawl.tools.whole_site`): they learn every page, then separate every page, and their evidence is
the page itself.  A page is separated, then learned, with one query for both::

    evidence = detector.query(page, place)      what the site has learned that is relevant to the page
    separation = detector.separate(evidence)    template and content of the page by this evidence
    detector.learn(evidence)                    learn from the page

Only ``learn`` changes a detector: a page can be separated again as often as needed.  A site's memory, or the
detector of a whole site, lets each URL count once.  The unread rest of a page is content for all of them.

Sources: :mod:`templcrawl.algorithms.extraction.vote`; Rowlands, Thomas, Wan (ADCS 2009), section 3 and its
footnote; Alarte, Insa, Silva, Tamarit (2014); and in the files of the others.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar

from templcrawl.algorithms.similarity.near_duplicates import Content, content_of
from templcrawl.memory.leaves import LeafDistances
from templcrawl.memory.snapshots import Section
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation
from templcrawl.page.tokens import Limits

if TYPE_CHECKING:
    from templcrawl.algorithms.extraction.sandwich import PageView


class DetectorRow(NamedTuple):
    """A detector.

    path             import path of its class, loaded where it is used
    evidence         what separates template and content, in the words of the help of commands
    reads_all_first  whether it reads a finished site twice
    """

    path: str
    evidence: str
    reads_all_first: bool = False


_SANDWICH = f"{__name__}.sibling_sandwich"
_WHOLE = "templcrawl.tools.whole_site"
DETECTORS = {
    "vote": DetectorRow(f"{__name__}.sample_vote.Vote", "a vote of the site's pages"),
    "sandwich": DetectorRow(f"{_SANDWICH}.Sandwich", "one sibling page, by tokens"),
    "sandwich-lines": DetectorRow(f"{_SANDWICH}.LineSandwich", "one sibling page, by lines"),
    "dom": DetectorRow(
        f"{_WHOLE}.two_pass_dom.TwoPassDom", "elements that many pages have", reads_all_first=True
    ),
    "text": DetectorRow(
        f"{_WHOLE}.two_pass_text.TwoPassText", "phrases that many pages have", reads_all_first=True
    ),
    "mdl": DetectorRow(
        f"{_WHOLE}.mdl_templates.MdlTemplates",
        "paths that the pages of a cluster share",
        reads_all_first=True,
    ),
}
"""Name -> its row."""

ARRIVING = tuple(name for name, row in DETECTORS.items() if not row.reads_all_first)
WHOLE_SITE = tuple(name for name, row in DETECTORS.items() if row.reads_all_first)


def load_detector(name: str) -> Any:
    """Return the class of a detector."""
    module, _, class_name = DETECTORS[name].path.rpartition(".")
    return getattr(import_module(module), class_name)


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
        """The number that decides which pages are sampled."""

    @property
    def strip(self) -> str:
        """What is template: one of ``STRIPPED``."""

    @property
    def job_began(self) -> int | None:
        """When the crawl that goes on began; None: it begins now."""

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
        """Return the evidence of the site about a page.

        place  its leaf, and those that are near
        """

    @abstractmethod
    def learn(self, evidence: Evidence, at: int = 0) -> None:
        """Learn from a page; at: when it was read, in seconds since 1970."""

    def learns_again(self, page: Page) -> bool:
        """Return whether to learn again from a known page, because its stored version is old."""
        return False

    def asks_for(self, address: int) -> bool:
        """Return whether a page, by the key of its address, is to be read again before others: it votes."""
        return False

    def stripped(self, separation: Separation, evidence: Evidence) -> Separation:
        """Return a separation without what the page's type repeats, if the options ask for that."""
        return separation

    def content(self, evidence: Evidence, separation: Separation) -> Content:
        """Return the content of a separation of a page with this evidence, as it is compared with others."""
        return content_of(separation)


AnyDetector = OnlineDetector[Any]
