"""The strippers of ``scrapy strip``: the detectors, in a form for finished crawls.

A stripper reads every page to learn, if it needs to, then every page again to answer.  Pages are never
stored.  A new detector has a stripper by its row in the table of detectors
(:data:`templcrawl.memory.detectors.DETECTORS`): :class:`SiteStripper`, or :class:`SiblingStripper` for one
that compares a page with one sibling page.

Source: Rowlands, Thomas, Wan (ADCS 2009), section 4, for siblings.  n pages.  Cost: O(1) edit distances a
page. Memory: the names, some 200 bytes a page; what is compared of the pages lies in a temporary file.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress
from tempfile import TemporaryFile
from typing import Any, NamedTuple

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from templcrawl.algorithms.extraction.sandwich import PageView
from templcrawl.memory.detectors import ARRIVING, PAGE_TYPE, WHOLE_SITE, load_detector
from templcrawl.memory.memory_options import MemoryOptions
from templcrawl.memory.observation import Observation
from templcrawl.memory.site import SiteMemory
from templcrawl.page.addresses import directories_above
from templcrawl.page.page import Page
from templcrawl.page.saved_pages import CrawlReader
from templcrawl.page.separation import Separation, whole
from templcrawl.tools.commands.spilled_sites import SpilledSites
from templcrawl.tools.commands.terminal import each_page
from templcrawl.tools.whole_site import new_detector
from templcrawl.tools.whole_site.site_detector import SiteVote

NEAREST, ARRIVAL = "nearest", "arrival"
SIBLINGS = (NEAREST, ARRIVAL)
VOTE = "vote"
# Detector that compares a page with one sibling page -> what it compares.
VIEWS = {name: view for name in ARRIVING if (view := load_detector(name).view) is not None}

_NEIGHBOURS = 500
_COMPARED = 5


class SiteStripper(SpilledSites[Any]):
    """The stripper that knows whole sites: a detector of each site, or a memory of it.

    The first are the detectors of a whole site, and the vote as one.  Any other detector, and one that
    compares siblings with ``ARRIVAL``, goes by the pages before a page: the memory of a site, as a crawl has
    it.

    learns  whether all pages are read once before the first is answered
    """

    learns = True

    def learn(self, page: Page) -> None:
        """First pass over a page."""
        with self.using(page.host) as site:
            site.learn(page)

    def observe(self, page: Page) -> Observation:
        """Second pass over a page."""
        with self.using(page.host) as site:
            observation: Observation = site.observe(page)
            return observation


class _StoredView(NamedTuple):
    """A page by its name, with its key, and where its view lies in the file and how long it is."""

    name: str
    page: int
    start: int
    length: int


class SiblingStripper(AbstractContextManager["SiblingStripper"]):
    """The stripper by siblings: a page is compared with the one of its directory whose name is nearest.

    The paper takes "that page in the same directory whose name was closest", by edit distance.  Departures: a
    page that is the same as the one at hand, whatever its name, is passed over; of a large directory the
    names next to the page's in alphabetical order are searched, 500 on either side; and of these the five
    nearest are compared.  Where all five are of pages that are the same as the one at hand, it has no
    sibling: one of seven equal pages beside another page may have none.  A page without a sibling in its
    directory has one of the nearest directory above that has another page in or below it; by tokens, one of
    the site.

    view  what a page is compared by, and whether one that is alone in its directory is compared with any page
          of the site, or with those of the directories above
    """

    learns = True

    def __init__(self, view: PageView) -> None:
        self._view = view
        self._groups: dict[tuple[str, str], list[_StoredView]] = {}
        self._is_sorted = True
        self._views = TemporaryFile()  # noqa: SIM115
        self._written = 0

    def __exit__(self, *exception: object) -> None:
        with suppress(OSError):  # a full disk
            self._views.close()

    def learn(self, page: Page) -> None:
        """Remember a page as a sibling of others.  Raises OSError where the disk is full."""
        keys, name = self._view.keys(page), page.url.partition("#")[0]
        self._views.write(keys.tobytes())
        stored = _StoredView(name, page.key, self._written, len(keys))
        self._written += len(keys)
        for directory in self._directories(page):
            self._groups.setdefault((page.host, directory), []).append(stored)
        self._is_sorted = False

    def observe(self, page: Page) -> Observation:
        """Compare a page with its sibling."""
        keys = self._view.keys(page)
        sibling = self.sibling(page, keys)
        if sibling is None:
            return Observation(Separation(page, whole(page.tokens)))
        filling = self._view.filling(page, keys, sibling)
        return Observation(Separation(page, filling.spans, exact=filling.exact, voters=1), pages_known=1)

    def sibling(self, page: Page, keys: array[int]) -> array[int] | None:
        """Return the keys of the nearest page, None where there is none.

        keys  what the page itself is compared by
        """
        if not self._is_sorted:
            for group in self._groups.values():
                group.sort()
            self._is_sorted = True
        name = page.url.partition("#")[0]
        for directory in self._directories(page):
            group = self._groups.get((page.host, directory), [])
            index = bisect_left(group, (name,))
            around = group[max(0, index - _NEIGHBOURS) : index + _NEIGHBOURS]
            others = [stored for stored in around if stored.page != page.key]
            names = [stored.name for stored in others]
            for _, _, number in process.extract(name, names, scorer=Levenshtein.distance, limit=_COMPARED):
                self._views.seek(8 * others[number].start)
                other = array("Q", self._views.read(8 * others[number].length))
                if other != keys:
                    return other
        return None

    def _directories(self, page: Page) -> tuple[str, ...]:
        """Return the keys of a page: its directory, and the fallback if that has no sibling."""
        if self._view.any_directory:
            return page.directory, ""
        return page.directory, *(
            f"{above}*" for above in (page.directory, *directories_above(page.directory))
        )


Stripper = SiteStripper | SiblingStripper


def stripper(
    detector: str,
    siblings: str | None = None,
    strip: str | None = None,
    parameters: Mapping[str, float] | None = None,
) -> Stripper:
    """Return a stripper; leaving its context removes its temporary files.

    detector  a key of ``DETECTORS``
    siblings  one of ``SIBLINGS``, for a detector that compares a page with one sibling page
    strip     what is template (:mod:`templcrawl.memory.detectors`), for the vote
    parameters  of a detector of a whole site (:data:`templcrawl.tools.whole_site.PARAMETERS`)
    """
    if detector == VOTE:
        return SiteStripper(lambda host: SiteVote(strip or PAGE_TYPE))
    if detector in WHOLE_SITE:
        return SiteStripper(lambda host: new_detector(detector, parameters))
    if detector in VIEWS and siblings != ARRIVAL:
        return SiblingStripper(VIEWS[detector])
    options = MemoryOptions(detector=detector, sample_salt=0)
    online = SiteStripper(lambda host: SiteMemory(host, options))
    online.learns = False
    return online


def separate_pages(
    reader: CrawlReader, chosen: Stripper, use: Callable[[Observation], None], doing: str, lead: str = ""
) -> None:
    """Call a function with every page of a crawl, separated by all that a stripper has learned.

    doing  what the pages are separated for;  lead  what stands before it in the progress line
    """
    if chosen.learns:
        each_page(reader, chosen.learn, f"{lead}learning, 1 of 2")
    passes = f"{lead}{doing}, 2 of 2" if chosen.learns else f"{lead}{doing}"
    each_page(reader, lambda page: use(chosen.observe(page)), passes)
