"""The strippers of ``scrapy strip``: the detectors, in a form for finished crawls.

A stripper reads every page to learn, if it needs to, then every page again to answer.  Pages are never
stored.  A new detector has a stripper by its row in one of the two tables of detectors
(:mod:`templcrawl.memory.detectors.detector_table`, :mod:`templcrawl.tools.whole_site.site_detector_table`):

- one of a whole site, and the vote as a detector of a whole site, by :class:`SiteStripper`
- one that compares a page with one sibling page by :class:`SiblingStripper`, or by the pages before it
- any other by the memory of a crawl, :class:`MemoryStripper`

*The nearest name.*  A page of a finished crawl is compared with one of the same directory.
Source: Rowlands, Thomas, Wan (ADCS 2009), section 4: "that page in the same directory whose name was
closest", by edit distance.  Departures: a page that is the same as the one at hand, whatever its name, is
passed over; of a large directory the names next to the page's in alphabetical order are searched, 500 on
either side; and of these the five nearest are compared.  Where all five are of pages that are the same as the
one at hand, it has no sibling: one of seven equal pages beside another page may have none.

n pages.  Cost: O(1) edit distances a page.  Memory: the names, some 200 bytes a page; what is compared of
the pages lies in a temporary file.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import NamedTuple, Protocol

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from templcrawl.algorithms.extraction.sandwich import PageView
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.memory.detectors.detector import PAGE_TYPE
from templcrawl.memory.detectors.detector_table import DETECTORS
from templcrawl.memory.observation import Observation
from templcrawl.memory.store import SqliteStore
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation, whole
from templcrawl.state_file import StateFile
from templcrawl.tools.commands.spilled_sites import BUDGET, SpilledSites
from templcrawl.tools.whole_site.site_detector import AnySiteDetector
from templcrawl.tools.whole_site.site_detector_table import SITE_DETECTORS, SiteVote

NEAREST, ARRIVAL = "nearest", "arrival"
SIBLINGS = (NEAREST, ARRIVAL)

_MAX_SITES = 100


class Stripper(Protocol):
    """What every stripper can do.

    learns  whether all pages are read once before the first is answered
    """

    learns: bool

    def learn(self, page: Page) -> None:
        """Learn from a page."""

    def separate(self, page: Page) -> Observation:
        """Return the observation of a page."""

    def close(self) -> None:
        """Remove temporary files."""


class MemoryStripper:
    """By the memory of a crawl; sites that are evicted from it are in temporary files.

    A page that comes again is judged by all pages but itself, and is not learned again.
    """

    def __init__(self, detector: str, *, learns: bool) -> None:
        self.learns = learns
        self._folder = TemporaryDirectory(prefix="templcrawl-")
        self._file = StateFile(Path(self._folder.name, "sites.sqlite"))
        store = SqliteStore(self._file)
        self._memory = CrawlMemory(detector=detector, sample_salt=0, max_sites=_MAX_SITES, store=store)

    def learn(self, page: Page) -> None:
        """Observe a page for the first time."""
        self._memory.observe(page)

    def separate(self, page: Page) -> Observation:
        """Observe a page."""
        return self._memory.observe(page)

    def close(self) -> None:
        """Remove temporary files."""
        self._file.close()
        self._folder.cleanup()


class SiblingStripper:
    """By the page of the same directory whose name is nearest; a page without one is all content."""

    learns = True

    def __init__(self, view: PageView) -> None:
        self._view = view
        self._names = NearestNames(any_directory=view.any_directory)

    def learn(self, page: Page) -> None:
        """Remember a page as a sibling of others."""
        self._names.insert(page, self._view.keys(page))

    def separate(self, page: Page) -> Observation:
        """Compare a page with its sibling."""
        keys = self._view.keys(page)
        sibling = self._names.sibling(page, keys)
        if sibling is None:
            return Observation(Separation(page, whole(page.tokens)))
        filling = self._view.filling(page, keys, sibling)
        return Observation(Separation(page, filling.spans, exact=filling.exact), pages_known=1)

    def close(self) -> None:
        """Remove temporary files."""
        self._names.close()


class SiteStripper:
    """By a detector of the whole site, of which each site has one of its own."""

    learns = True

    def __init__(self, make: Callable[[], AnySiteDetector], *, budget: int = BUDGET) -> None:
        self._sites = SpilledSites(lambda _: make(), budget=budget)

    def learn(self, page: Page) -> None:
        """First pass over a page."""
        with self._sites.using(page.host) as site:
            site.learn(page)

    def separate(self, page: Page) -> Observation:
        """Second pass over a page."""
        with self._sites.using(page.host) as site:
            return site.separate(page)

    def close(self) -> None:
        """Remove temporary files."""
        self._sites.close()


VOTE = "vote"
# Detector that compares a page with one sibling page -> what it compares.
VIEWS = {name: detector.view for name, detector in DETECTORS.items() if detector.view is not None}

# Detector -> what makes its stripper: a row of one of the two tables of detectors is a row here.
STRIPPERS: Mapping[str, Callable[[], Stripper]] = {
    **{name: partial(MemoryStripper, name, learns=name not in VIEWS) for name in DETECTORS},
    **{name: partial(SiteStripper, detector) for name, detector in SITE_DETECTORS.items()},
    VOTE: partial(SiteStripper, SiteVote),
}


def stripper(detector: str, siblings: str = NEAREST, strip: str = PAGE_TYPE) -> Stripper:
    """Return a stripper.

    detector  a key of ``STRIPPERS``
    siblings  one of ``SIBLINGS``, for a detector that compares a page with one sibling page
    strip     what is template (:mod:`templcrawl.memory.detectors.detector`), for the vote
    """
    if siblings == NEAREST and detector in VIEWS:
        return SiblingStripper(VIEWS[detector])
    if detector == VOTE:
        return SiteStripper(partial(SiteVote, strip))
    return STRIPPERS[detector]()


_NEIGHBOURS = 500
_COMPARED = 5


class _StoredView(NamedTuple):
    """A page by its name, with its key, and where its view lies in the file and how long it is."""

    name: str
    page: int
    start: int
    length: int


class NearestNames:
    """All pages of a crawl by their directories.

    any_directory  whether a page that is alone in its directory is compared with one of another directory
    """

    def __init__(self, *, any_directory: bool) -> None:
        self._any_directory = any_directory
        self._groups: dict[tuple[str, str], list[_StoredView]] = {}
        self._is_sorted = True
        self._views = TemporaryFile()  # noqa: SIM115
        self._written = 0

    def close(self) -> None:
        """Close the temporary file, also where the disk is full."""
        with suppress(OSError):
            self._views.close()

    def insert(self, page: Page, view: array[int]) -> None:
        """Insert a page and what it is compared by.  Raises OSError where the disk is full."""
        self._views.write(view.tobytes())
        name = page.url.partition("#")[0]
        stored = _StoredView(name, page.key, self._written, len(view))
        self._written += len(view)
        for directory in self._directories(page):
            self._groups.setdefault((page.host, directory), []).append(stored)
        self._is_sorted = False

    def _directories(self, page: Page) -> tuple[str, ...]:
        return (page.directory, "") if self._any_directory else (page.directory,)

    def sibling(self, page: Page, view: array[int]) -> array[int] | None:
        """Return what the nearest page is compared by, None where there is none."""
        if not self._is_sorted:
            for group in self._groups.values():
                group.sort()
            self._is_sorted = True
        for directory in self._directories(page):
            for stored in _nearest(page, self._groups.get((page.host, directory), [])):
                self._views.seek(8 * stored.start)
                other = array("Q", self._views.read(8 * stored.length))
                if other != view:
                    return other
        return None


def _nearest(page: Page, group: list[_StoredView]) -> Iterator[_StoredView]:
    """Yield some pages of a group that are not the page itself, the nearest name first."""
    name = page.url.partition("#")[0]
    index = bisect_left(group, (name,))
    neighbours = [
        stored
        for stored in group[max(0, index - _NEIGHBOURS) : index + _NEIGHBOURS]
        if stored.page != page.key
    ]
    names = [stored.name for stored in neighbours]
    for _, _, number in process.extract(name, names, scorer=Levenshtein.distance, limit=_COMPARED):
        yield neighbours[number]
