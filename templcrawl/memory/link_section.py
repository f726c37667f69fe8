"""What an order of the crawl learns of a site's links, beside what they pay: a section that it brings along.

A section exists where :class:`~templcrawl.memory.options.MemoryOptions` names it, and is imported only there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from typing import TYPE_CHECKING, NamedTuple

from templcrawl.memory.snapshots import Section

if TYPE_CHECKING:
    from templcrawl.algorithms.crawl_order.focus import Judgement
    from templcrawl.memory.key_tables import NumberList
    from templcrawl.memory.leaves import Leaves
    from templcrawl.memory.place import Place
    from templcrawl.page.page import Page

MAX_LARGE = 64  # sites of a crawl whose sections are large: those met last


class LinkClasses(NamedTuple):
    """The classes that give a link its value, together with the roles in which it was found.

    key        of the role in which it was found first and of the directory, 64 bits
    target     key of its address
    directory  key of the directory into which it leads
    url        its address
    is_known   whether its page was read in an earlier crawl: links of its class leave in any order
    """

    key: int
    target: int
    directory: int
    url: str = ""
    is_known: bool = False


class SeenPage(NamedTuple):
    """A page as its site sees it.

    place      its leaf, and those near
    leaves     of the site
    judgement  that of the topic of the crawl
    named      its page type and its kind
    is_new     whether it is seen for the first time
    """

    page: Page
    place: Place
    leaves: Leaves
    judgement: Judgement | None
    named: Set[str | None]
    is_new: bool


class FiledPage(NamedTuple):
    """A page whose links were filed.

    shingles  of its pagelets
    new       numbers of its links that stand in no pagelet known before

    content_pagelets  page -> pagelets with a link to it that are no template
    """

    seen: SeenPage
    shingles: Sequence[int]
    new: Iterable[int]
    content_pagelets: Callable[[int], Sequence[int]]


class LinkSection(Section):
    """A section of a site's links; this one learns nothing.

    Where its methods get ``roles`` or ``pagelets``, these are those of the links that led to a page.
    """

    is_large = False  # whether a crawl can have it for few sites only

    def file(self, filed: FiledPage) -> None:
        """Learn from a page whose links were filed."""

    def credit(self, page: Page, pagelets: NumberList, relevance: float) -> bool:
        """Learn that a page, of whatever site, is so relevant; return whether links of this one led to it."""
        return False

    def judge(self, seen: SeenPage, roles: NumberList) -> bool | None:
        """Learn from a page whether it is wanted, and return it; None where no page is."""
        return None

    def add_example(self, page: Page, leaf: int, roles: NumberList, leaves: Leaves) -> None:
        """Let pages of the page type of an example be wanted, by the types as they are known then."""

    def class_of(self, url: str, directory: int) -> int:
        """Return the key of the class of addresses of a link."""
        return directory

    def value(self, link: LinkClasses, roles: NumberList) -> float | None:
        """Return the value of a link; None: it goes by what its classes have paid."""
        return None

    def clear(self) -> None:
        """Free what is large."""
