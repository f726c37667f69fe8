"""``sandwich`` and ``sandwich-lines``: a page is compared with one sibling page; what that lacks is content.

How two pages are compared: :mod:`templcrawl.algorithms.extraction.sandwich`.  A page without
a sibling is all content.

A page that nearly repeats another, template and all, is not compared with that one, nor stored: what a whole
page repeats is no evidence of templates.

*Siblings.*  Of a site two pages a directory and leaf are stored to compare later pages with.
Source of the rule: Rowlands, Thomas, Wan (ADCS 2009), whose sibling is the previous page crawled of
the same directory.  Here: the previous page of the same directory that is built like it
(:mod:`templcrawl.memory.leaves`); else one that is built like it; else of the directory; else of the site.
Two pages are stored where one would do, since a page is not compared with itself.  Only the *view* of a
page is stored, a list of 64-bit keys.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from typing import ClassVar, NamedTuple

from templcrawl.algorithms.extraction.sandwich import LINES, TOKENS, PageView
from templcrawl.algorithms.similarity.near_duplicates import MAX_DIFFERENCE, Content, whole_text_of
from templcrawl.memory.content_index import ContentIndex
from templcrawl.memory.detectors.detector import DetectorOptions, OnlineDetector
from templcrawl.memory.lru_dict import LruDict
from templcrawl.memory.place import Place
from templcrawl.memory.snapshots import Frozen, Lists, Numbers, Section, Snapshot
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation, whole


class PairedPage(NamedTuple):
    """A page, and its sibling.

    leaf     the leaf of its page type
    view     what it is compared by
    text     its words, template and all
    repeats  key of another page that it nearly repeats, or None
    sibling  the page that it is compared with, None without one
    """

    page: Page
    leaf: int
    view: array[int]
    text: Content
    repeats: int | None
    sibling: SiblingPage | None


class Sandwich(OnlineDetector[PairedPage]):
    """The sandwich over the token stream, with a sibling of any directory."""

    evidence = "one sibling page, by tokens"
    sections = ("_siblings", "_texts")
    view: ClassVar[PageView] = TOKENS

    def __init__(self, options: DetectorOptions) -> None:
        self._siblings = SiblingPages(limit=options.max_siblings)
        self._texts = ContentIndex(limit=options.max_siblings, max_difference=MAX_DIFFERENCE)

    def query(self, page: Page, place: Place) -> PairedPage:
        """Choose the sibling of a page."""
        text = whole_text_of(page)
        repeated = self._texts.find(page.key, text, touch=False)
        repeats = repeated.key if repeated is not None else None
        sibling = self._siblings.choose(
            page.directory,
            place.is_near,
            any_directory=self.view.any_directory,
            avoid=(page.key, repeats),
        )
        return PairedPage(page, place.leaf, self.view.keys(page), text, repeats, sibling)

    def classify(self, evidence: PairedPage) -> Separation:
        """Compare a page with its sibling."""
        page, sibling = evidence.page, evidence.sibling
        if sibling is None:
            return Separation(page, whole(page.tokens))
        filling = self.view.filling(page, evidence.view, sibling.view)
        return Separation(page, filling.spans, exact=filling.exact)

    def update(self, evidence: PairedPage) -> None:
        """Remember a page as a sibling of later ones."""
        page = evidence.page
        if evidence.repeats is not None:
            self._texts.touch(evidence.repeats)
        else:
            self._texts.insert(page.key, evidence.text)
            self._siblings.insert(SiblingPage(page.key, page.directory, evidence.leaf, evidence.view))


class LineSandwich(Sandwich):
    """The sandwich over lines, exactly as printed, with a sibling of the same directory."""

    evidence = "one sibling page, by lines"
    view = LINES


_ALIKE = 2


class SiblingPage(NamedTuple):
    """What is stored of a page.

    page       key of its URL
    directory  its directory
    leaf       its page type's leaf
    view       the keys that its detector compares
    """

    page: int
    directory: str
    leaf: int
    view: array[int]


class SiblingPages(Section):
    """The latest pages of each directory and leaf; bounded, the least recently inserted are evicted."""

    def __init__(self, *, limit: int) -> None:
        self._pages: LruDict[int, SiblingPage] = LruDict(limit)

    def __len__(self) -> int:
        return len(self._pages)

    def insert(self, page: SiblingPage) -> None:
        """Insert a page as the latest of its directory and leaf; the oldest of three is evicted."""
        alike = [
            stored.page
            for stored in self._pages.values()
            if stored.directory == page.directory and stored.leaf == page.leaf
        ]
        if len(alike) >= _ALIKE and page.page not in alike:
            self._pages.pop(alike[0])
        self._pages[page.page] = page

    def choose(
        self,
        directory: str,
        is_near: Callable[[int], bool],
        *,
        any_directory: bool = True,
        avoid: Iterable[int | None] = (),
    ) -> SiblingPage | None:
        """Return the page to compare a page with, or None.

        directory      the page's directory
        is_near        leaf -> whether its pages are built like the page
        any_directory  whether a page of another directory will do
        avoid          keys of pages that will not do: the page itself, and what it nearly repeats
        """
        avoided = set(avoid)
        best: SiblingPage | None = None
        best_rank = 0
        for page in self._pages.values():
            if page.page in avoided:
                continue
            same_directory = page.directory == directory
            rank = same_directory + any_directory * (1 + 2 * is_near(page.leaf))
            if rank and rank >= best_rank:
                best, best_rank = page, rank
        return best

    def columns(self) -> Frozen:
        """Return the pages, the least recently inserted first."""
        pages = list(self._pages.values())
        return {
            "pages": Numbers([page.page for page in pages]),
            "leaves": Numbers([page.leaf for page in pages]),
            "directories": Lists([page.directory.encode("utf-8", "surrogatepass") for page in pages], "u1"),
            "views": Lists([page.view for page in pages]),
        }

    def load(self, snapshot: Snapshot) -> None:
        """Take the pages."""
        keys, leaves = (snapshot.numbers(name).tolist() for name in ("pages", "leaves"))
        directories = snapshot.strings("directories", count=len(keys))
        views = snapshot.arrays("views", count=len(keys))
        rows = zip(keys, directories, leaves, views, strict=True)
        pages = [
            SiblingPage(key, directory.decode("utf-8", "surrogatepass"), leaf, array("Q", view.tobytes()))
            for key, directory, leaf, view in rows
        ]
        self._pages.fill(keys, pages)
