"""Sections: optional state of a site that an order, a part of a crawl or an item field needs.

A section is one class, found by its row in :data:`~templcrawl.memory.memory_options.SECTIONS`, and loaded
where :class:`~templcrawl.memory.memory_options.MemoryOptions` asks for it.  The memory of a site calls its
methods and saves it.  What it adds to the observation of a page becomes an attribute there.  No other module
of the memory names a section, and no section names another.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from templcrawl.errors import InvalidOption
from templcrawl.memory.memory_options import SECTIONS, MemoryOptions
from templcrawl.memory.snapshots import Section

if TYPE_CHECKING:
    from templcrawl.memory.key_tables import NumberList
    from templcrawl.memory.leaves import LeafDistances, Leaves
    from templcrawl.memory.observation import Observation
    from templcrawl.memory.record_rows import RecordRows
    from templcrawl.page.page import Page
    from templcrawl.page.separation import Separation


MAX_LARGE = 64  # sites of a crawl whose sections are large: those met last


class SeenPage(NamedTuple):
    """A page as its site sees it.

    key     by which readings of it are compared
    at      when it was read, in seconds since 1970
    is_new  whether it is seen for the first time
    place   its leaf, and those near
    leaves  of the site
    roles   of the links that led to it
    judged  the page as template and content, before the furniture of its type is taken from the content
    given   the same as a spider gets it
    said    attributes of its observation until now
    """

    page: Page
    key: int
    at: int
    is_new: bool
    place: LeafDistances
    leaves: Leaves
    roles: NumberList
    judged: Separation
    given: Separation
    said: dict[str, Any]


class FiledPage(NamedTuple):
    """A page whose links were filed.

    shingles  of its pagelets
    new       numbers of its links that stand in no pagelet known before

    content_pagelets  page -> pagelets with a link to it that are not template
    """

    seen: SeenPage
    shingles: Sequence[int]
    new: Iterable[int]
    content_pagelets: Callable[[int], Sequence[int]]


class UnreadPage(NamedTuple):
    """A known page that a crawl has not read, so that it has no content.

    is_unmodified  whether the server has answered that it was not modified
    last_read      in seconds since 1970
    """

    url: str
    is_unmodified: bool
    last_read: int


class SiteSection(Section):
    """A section of a site's memory; the methods do nothing unless a section has its own.

    is_of_spider  whether it is stored apart for each spider
    is_large      whether a crawl can have it for few sites only
    """

    is_of_spider: ClassVar[bool] = False
    is_large: bool = False

    def __init__(self, options: MemoryOptions) -> None:
        """Start empty; arguments beside the ``options`` of the memory come by keyword."""

    def use_rows(self, rows: Callable[[int], RecordRows]) -> None:
        """Store what is large as rows of the store; ``rows`` returns so many of this site."""

    def page_seen(self, seen: SeenPage) -> Mapping[str, Any]:
        """Learn from a page, before the site does; return attributes for its observation: name -> value."""
        return {}

    def page_seen_again(self, seen: SeenPage, earlier: Observation) -> Mapping[str, Any]:
        """Return the answers now for a page that was observed earlier; learn nothing from it."""
        return {}

    def page_elsewhere(self, page: Page, pagelets: NumberList, said: Mapping[str, float]) -> bool:
        """Learn from a new page of any site; return whether the change should be saved.

        pagelets  those of this site with a link to it
        """
        return False

    def example_given(self, seen: SeenPage) -> None:
        """Learn that a page is an example of what is wanted."""

    def name_of(self, leaves: Collection[int]) -> str | None:
        """Return the kind of the pages of some leaves, None if it does not tell any."""
        return None

    def unread_pages(self) -> Iterable[UnreadPage]:
        """Return the pages that are known from earlier crawls, and that this crawl has not read."""
        return ()

    def clear(self) -> None:
        """Free what is large."""


class WaitingLink(NamedTuple):
    """The link of a request that waits, with the classes that give it its value.

    source     host of the page that it was found on; "": no page led to it
    host       of its address
    key        of the role in which it was found first and of the directory, 64 bits; None: the order has no
               class for it, or its site is not in memory
    target     key of its address
    directory  key of the directory into which it leads
    is_known   whether its page was read in an earlier crawl: links of its class leave in any order
    """

    url: str
    source: str = ""
    host: str = ""
    key: int | None = None
    target: int = 0
    directory: int = 0
    is_known: bool = False


class LinkSection(SiteSection):
    """A section that learns of links, beside what they pay; a site has one at most."""

    def links_filed(self, filed: FiledPage) -> None:
        """Learn from a page whose links were filed."""

    def class_of(self, url: str, directory: int) -> int:
        """Return the key of the class of addresses of a link."""
        return directory

    def value(self, link: WaitingLink, roles: NumberList) -> float | None:
        """Return the value of a link; None: it goes by what its classes have paid.

        roles  in which it was found
        """
        return None


def new_sections(options: MemoryOptions) -> dict[str, SiteSection]:
    """Return name -> new section, for the requested sections; raises InvalidOption."""
    return {
        name: _new(name, options, options.sections[name]) for name in SECTIONS if name in options.sections
    }


def _new(name: str, options: MemoryOptions, own: Mapping[str, Any]) -> SiteSection:
    module, _, kind = SECTIONS[name].path.partition(".")
    made: type[SiteSection] = getattr(import_module(f"templcrawl.memory.{module}"), kind)
    try:
        return made(options, **own)
    except TypeError as error:
        raise InvalidOption(f"sections[{name!r}]", dict(own), f"options that it has ({error})") from error
