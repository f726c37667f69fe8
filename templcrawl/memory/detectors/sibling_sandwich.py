"""``sandwich`` and ``sandwich-lines``: a page is compared with one sibling page; what that lacks is content.

How two pages are compared: :mod:`templcrawl.algorithms.extraction.sandwich`.  A page without a sibling is all
content.  A page that nearly repeats another, template and all, is not compared with that one, nor stored:
what a whole page repeats is not evidence of templates.  Only the *view* of a page is stored, a list of 64-bit
keys.

Source: Rowlands, Thomas, Wan (ADCS 2009), whose sibling is the previous page crawled of the same directory.
Of each directory the last two pages are stored, since a page is not compared with itself.  Departures:
:class:`Sandwich`, :class:`LineSandwich`.  Cost: O(1) a page by lines, O(``max_siblings``) by tokens.  Memory:
``max_sibling_bytes`` by lines.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, NamedTuple

from templcrawl.algorithms.extraction.sandwich import LINES, TOKENS, PageView
from templcrawl.algorithms.similarity.near_duplicates import MAX_DIFFERENCE, Content, whole_text_of
from templcrawl.errors import InvalidSnapshot
from templcrawl.memory.content_index import ContentIndex, packed
from templcrawl.memory.detectors import DetectorOptions, OnlineDetector
from templcrawl.memory.key_tables import LruDict
from templcrawl.memory.leaves import LeafDistances
from templcrawl.memory.snapshots import MAX_COUNT, Frozen, Lists, Numbers, Section, Snapshot
from templcrawl.page.addresses import directories_above
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation, whole
from templcrawl.page.text import text_key


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
    """The sandwich over the token stream, with a sibling of any directory.

    The sibling is the previous page of the same directory that is built like the page
    (:mod:`templcrawl.memory.leaves`); else one that is built like it; else of the directory; else of the
    site.
    """

    sections = ("_siblings", "_texts")
    view: ClassVar[PageView] = TOKENS

    def __init__(self, options: DetectorOptions) -> None:
        self._siblings = self._new_siblings(options)
        self._texts = ContentIndex(limit=self._siblings.limit, max_difference=MAX_DIFFERENCE)

    def _new_siblings(self, options: DetectorOptions) -> SiblingPages:
        """Return an empty table of siblings."""
        return SiblingPages(limit=options.max_siblings)

    def query(self, page: Page, place: LeafDistances) -> PairedPage:
        """Choose the sibling of a page."""
        text = whole_text_of(page)
        repeated = self._texts.find(page.key, text, touch=False)
        repeats = repeated.key if repeated is not None else None
        sibling = self._siblings.choose(page.directory, place.is_near, avoid=(page.key, repeats))
        return PairedPage(page, place.leaf, self.view.keys(page), text, repeats, sibling)

    def separate(self, evidence: PairedPage) -> Separation:
        """Compare a page with its sibling."""
        page, sibling = evidence.page, evidence.sibling
        if sibling is None:
            return Separation(page, whole(page.tokens))
        filling = self.view.filling(page, evidence.view, sibling.view)
        return Separation(page, filling.spans, exact=filling.exact, voters=1)

    def learn(self, evidence: PairedPage, at: int = 0) -> None:
        """Remember a page as a sibling of later ones."""
        page, text = evidence.page, evidence.text
        if evidence.repeats is None:
            size = 8 * len(evidence.view) + 2 * len(packed(text)) + len(page.directory)
            sibling = SiblingPage(page.key, page.directory, evidence.leaf, size, evidence.view)
            for left in self._siblings.insert(sibling):
                self._texts.drop(left)
            self._texts.insert(page.key, text)


class LineSandwich(Sandwich):
    """The sandwich over lines, as printed, with a sibling of the same directory, or of the nearest above.

    The sibling is the previous page of the directory.  Departure: of a directory without another page, the
    previous page of the nearest directory above that has one in it or below it; addresses such as ``/slug/``
    are a directory each.
    """

    view = LINES

    def _new_siblings(self, options: DetectorOptions) -> SiblingPages:
        return DirectoryPages(max_bytes=options.max_sibling_bytes)


_ALIKE = 2
_TABLES, _ABOVE = 600, 200  # bytes of the tables that find a page again, and for each directory above it


class SiblingPage(NamedTuple):
    """A stored page.

    page       key of its URL
    directory  its directory
    leaf       its page type's leaf
    size       bytes of all that is stored of it, but the tables that find it
    view       the keys that its detector compares
    """

    page: int
    directory: str
    leaf: int
    size: int
    view: array[int]


class SiblingPages(Section):
    """The latest pages of each directory and leaf; bounded, the least recently inserted are evicted.

    limit  pages that are stored
    """

    def __init__(self, *, limit: int) -> None:
        self.limit = limit
        self._pages: LruDict[int, SiblingPage] = LruDict(limit)

    def __len__(self) -> int:
        return len(self._pages)

    def insert(self, page: SiblingPage) -> list[int]:
        """Insert a page as the latest of its directory and leaf; return the keys of those that leave.

        The oldest of three leaves, and the oldest of too many.
        """
        alike = [
            stored.page
            for stored in self._pages.values()
            if stored.directory == page.directory and stored.leaf == page.leaf
        ]
        left = []
        if len(alike) >= _ALIKE and page.page not in alike:
            self._pages.pop(alike[0])
            left.append(alike[0])
        evicted = self._pages.set(page.page, page)
        return left if evicted is None else [*left, evicted]

    def choose(
        self, directory: str, is_near: Callable[[int], bool], *, avoid: Iterable[int | None] = ()
    ) -> SiblingPage | None:
        """Return the page to compare a page with, or None.

        directory  the page's directory
        is_near    leaf -> whether its pages are built like the page
        avoid      keys of pages that will not do: the page itself, and what it nearly repeats
        """
        avoided = set(avoid)
        best: SiblingPage | None = None
        best_rank = 0
        for page in self._pages.values():
            if page.page in avoided:
                continue
            rank = 1 + 2 * is_near(page.leaf) + (page.directory == directory)
            if rank >= best_rank:
                best, best_rank = page, rank
        return best

    def columns(self) -> Frozen:
        """Return the pages, the least recently inserted first."""
        pages = list(self._pages.values())
        return {
            "pages": Numbers([page.page for page in pages]),
            "leaves": Numbers([page.leaf for page in pages]),
            "sizes": Numbers([page.size for page in pages]),
            "directories": Lists([page.directory.encode("utf-8", "surrogatepass") for page in pages], "u1"),
            "views": Lists([page.view for page in pages]),
        }

    def load(self, snapshot: Snapshot) -> None:
        """Restore the pages; raises InvalidSnapshot for one that comes twice."""
        keys = snapshot.numbers("pages").tolist()
        leaves = snapshot.numbers("leaves", count=len(keys)).tolist()
        sizes = snapshot.numbers("sizes", count=len(keys), below=MAX_COUNT).tolist()
        directories = snapshot.strings("directories", count=len(keys))
        views = snapshot.arrays("views", count=len(keys))
        if len(set(keys)) < len(keys):
            raise InvalidSnapshot("pages", "a page comes twice")
        for key, leaf, size, directory, view in zip(keys, leaves, sizes, directories, views):
            name = directory.decode("utf-8", "surrogatepass")
            self.insert(SiblingPage(key, name, leaf, size, array("Q", view.tobytes())))


class DirectoryPages(SiblingPages):
    """The latest two pages of each directory, as many as some bytes hold, and where each is found.

    size  bytes that all take
    """

    def __init__(self, *, max_bytes: int) -> None:
        super().__init__(limit=max_bytes // _TABLES + 2)
        self._max_bytes = max_bytes
        self._inside: dict[str, tuple[int, ...]] = {}  # directory -> its latest two pages, the latest last
        self._below: dict[int, tuple[int, ...]] = {}  # key of a directory -> those in it or below it
        self.size = 0

    def insert(self, page: SiblingPage) -> list[int]:
        """Insert a page as the latest of its directory; return the keys of those that leave.

        The oldest of three leaves, and the oldest of those that are too much, but never the page itself.
        """
        self._drop(page.page)
        inside = self._inside.get(page.directory, ())
        left = list(inside[: 1 - _ALIKE]) if len(inside) >= _ALIKE else []
        for key in left:
            self._drop(key)
        self._pages[page.page] = page
        self.size += _bytes_of(page)
        self._inside[page.directory] = _latest(self._inside.get(page.directory, ()), page.page)
        for above in _keys_of(page.directory):
            self._below[above] = _latest(self._below.get(above, ()), page.page)
        while self.size > self._max_bytes and len(self) > 1:
            left.append(self._pages.least_recent())
            self._drop(left[-1])
        return left

    def _drop(self, key: int) -> None:
        """Remove a page, if it is there."""
        page = self._pages.pop(key)
        if page is None:
            return
        self.size -= _bytes_of(page)
        _remove(self._inside, page.directory, key)
        for above in _keys_of(page.directory):
            _remove(self._below, above, key)

    def choose(
        self, directory: str, is_near: Callable[[int], bool], *, avoid: Iterable[int | None] = ()
    ) -> SiblingPage | None:
        """Return the previous page of a directory, else of the nearest above; None where there is none."""
        avoided = set(avoid)
        inside = self._inside.get(directory, ())
        below = (self._below.get(key, ()) for key in _keys_of(directory))
        found = (key for pages in (inside, *below) for key in reversed(pages) if key not in avoided)
        key = next(found, None)
        return None if key is None else self._pages.get(key)


def _latest(pages: tuple[int, ...], page: int) -> tuple[int, ...]:
    return (*pages[1 - _ALIKE :], page)


def _remove(lists: dict[Any, tuple[int, ...]], name: object, page: int) -> None:
    """Remove a page from a list, and an empty list from its table."""
    if name in lists:
        lists[name] = tuple(key for key in lists[name] if key != page)
        if not lists[name]:
            del lists[name]


def _bytes_of(page: SiblingPage) -> int:
    return page.size + _TABLES + _ABOVE * len(directories_above(page.directory))


def _keys_of(directory: str) -> list[int]:
    """Return the key of a directory, and of those above it."""
    return [text_key(name) for name in (directory, *directories_above(directory))]
