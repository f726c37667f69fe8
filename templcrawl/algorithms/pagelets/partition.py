"""The pagelets of a page, its regions that have one topic or one function, and the shingles of each.

Source: Bar-Yossef & Rajagopalan (WWW 2002), Definition 2 and Figure 3.  An element is a pagelet if none of
its children contains at least k links, and none of its ancestors is a pagelet.

How: count the links between the start and the end of every element; an element with a child of k links or
more is split.  What is above a split element is split too, so an element is a pagelet if its parent is split
and it is not.

k = 3 links as in the paper.  m elements, l links.  Cost: O(m log l), in numpy. Departures: a link counts if
it leads to another page (no fragments, no ``mailto:``); words that stand directly in a split element belong
to no pagelet, as in the paper's figure.

The content of a pagelet is its words and the addresses of its links; by its one shingle it is met again
(:mod:`templcrawl.algorithms.similarity.shingles`).  t terms.  Cost: O(t log t) for the shingles of all.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from templcrawl.algorithms.similarity.shingles import WIDTH, Hashes, combine, shingles_of_spans
from templcrawl.errors import InvalidOption
from templcrawl.page.arrays import MASK, MIX, Indices, indices
from templcrawl.page.kernel_columns import Task
from templcrawl.page.kernel_tables import MAX_NUMBER, numbers, texts
from templcrawl.page.page import Page, native
from templcrawl.page.text import MAX_CHARACTERS, text_key

MIN_LINKS = 3  # k, as in the paper


class Pagelet(NamedTuple):
    """A pagelet of a page: its element, the span of its tokens, its links to other pages."""

    element: int
    start: int
    stop: int
    links: int


def check_min_links(min_links: int) -> None:
    """Raise InvalidOption if ``min_links`` is below 1."""
    if min_links < 1:
        raise InvalidOption("min_links", min_links, "a whole number of 1 or more")


@cache
def encode_rules(min_links: int, names: tuple[str, ...] = (), most_characters: int = 0) -> bytes:
    """Return the rules of a partition as the kernel takes them.

    names            tags that count without their class where roles are told apart
    most_characters  of a query that count there

    Raises InvalidOption if ``min_links`` is below 1.
    """
    check_min_links(min_links)
    return numbers((min(min_links, MAX_NUMBER), most_characters)) + texts(names)


def _pagelets(*fields: Indices) -> list[Pagelet]:
    return list(map(Pagelet, *(field.tolist() for field in fields)))


@native(
    Task.PAGELETS,
    columns=("element", "start", "stop", "links"),
    ask=lambda page, *, min_links=MIN_LINKS: (encode_rules(min_links),),
    answer=_pagelets,
)
def partition_pagelets(page: Page, *, min_links: int = MIN_LINKS) -> list[Pagelet]:
    """Return the pagelets of a page, in document order; their tokens do not overlap.

    Raises InvalidOption if ``min_links`` is below 1.

    >>> page = Page.from_html("<ul><li><a href=1>1<li><a href=2>2<li><a href=3>3</ul><p><a href=4>4</p>")
    >>> [(page.elements.names[pagelet.element], pagelet.links) for pagelet in partition_pagelets(page)]
    [('ul', 3), ('p', 1)]
    """
    check_min_links(min_links)
    elements = page.elements
    opens, closes = elements.open_array, elements.close_array
    linked = opens[indices(page.links.elements)]
    links = linked.searchsorted(closes) - linked.searchsorted(opens)
    is_split = np.zeros(len(elements), dtype=bool)
    is_split[elements.parent_array[1:][links[1:] >= min_links]] = True
    is_pagelet = ~is_split
    is_pagelet[1:] &= is_split[elements.parent_array[1:]]
    return _pagelets(*(field[is_pagelet] for field in (np.arange(len(elements)), opens, closes, links)))


def pagelets_of_links(page: Page, pagelets: Sequence[Pagelet]) -> list[int]:
    """Return link of the page -> number of its pagelet in ``pagelets``, or -1 if it is in none."""
    starts = [pagelet.start for pagelet in pagelets]
    opens = page.elements.opens
    owners = []
    for element in page.links.elements:
        position = opens[element]
        number = bisect_right(starts, position) - 1
        owners.append(number if number >= 0 and position < pagelets[number].stop else -1)
    return owners


def shingles_of_pagelets(page: Page, pagelets: Iterable[Pagelet]) -> Iterator[Hashes]:
    """Yield the shingles of each of some pagelets of a page."""
    starts, hashes = page.terms.starts, page.terms.hashes
    page_shingles = combine(hashes)
    for pagelet in pagelets:
        first, stop = starts[pagelet.start], starts[pagelet.stop]
        is_short = stop - first < WIDTH
        yield combine(hashes[first:stop]) if is_short else page_shingles[first : stop - WIDTH + 1]


def pagelet_shingles(page: Page, pagelets: Sequence[Pagelet]) -> list[int]:
    """Return pagelet -> its one shingle; 0 for one without links."""
    linked = [(pagelet.start, pagelet.stop) for pagelet in pagelets if pagelet.links]
    spans = page.terms.start_array[np.array(linked, dtype=np.intp).reshape(-1, 2)]
    shingles = iter(shingles_of_spans(page.terms.hashes, spans))
    return [next(shingles) if pagelet.links else 0 for pagelet in pagelets]


# Names that count without their class -> their keys.
_PLAIN = {name: text_key(name) for name in ("li", "tr", "td", "th", "p", "dt", "dd")}


class LinkPlaces(NamedTuple):
    """The places of the links of a page.

    shingles  pagelet of the page -> its one shingle; 0 for one without links
    pagelets  link -> number of its pagelet, or -1 if it is in none
    roles     link -> its role, 0 if it is in no pagelet
    """

    shingles: list[int]
    pagelets: list[int]
    roles: list[int]


@native(
    Task.PAGELETS,
    columns=("shingle", "link_pagelet", "link_role"),
    ask=lambda page, *, min_links=MIN_LINKS: (encode_rules(min_links, tuple(_PLAIN), MAX_CHARACTERS),),
    answer=lambda *columns: LinkPlaces(*(column.tolist() for column in columns)),
)
def link_places(page: Page, *, min_links: int = MIN_LINKS) -> LinkPlaces:
    """Return the places of the links of a page: pagelets, and roles.

    Raises InvalidOption if ``min_links`` is below 1.

    >>> page = Page("<p><a href=a>tea</a> <a href=b?c=1>milk</a>", "http://e.org/")
    >>> shingles, pagelets, roles = link_places(page)
    >>> len(shingles), pagelets, len(set(roles))
    (1, [0, 0], 2)
    """
    pagelets = partition_pagelets(page, min_links=min_links)
    link_pagelets = pagelets_of_links(page, pagelets)
    paths = pagelet_paths(page, pagelets)
    roles = [role_of(paths[at], url) if at >= 0 else 0 for at, url in zip(link_pagelets, page.links.urls)]
    return LinkPlaces(pagelet_shingles(page, pagelets), link_pagelets, roles)


def pagelet_paths(page: Page, pagelets: Sequence[Pagelet]) -> list[int]:
    """Return pagelet -> key of its tag path, equal in every process."""
    tokens, elements = page.tokens, page.elements
    form_tags, form_of = tokens.form_tags, tokens.form_of
    opens, parents = elements.opens, elements.parents
    path_of = {0: 0}
    for pagelet in pagelets:
        way = []
        element = pagelet.element
        while element not in path_of:
            way.append(element)
            element = parents[element]
        path = path_of[element]
        for element in reversed(way):
            tag = form_tags[form_of[opens[element]]]
            step = _PLAIN.get(tag.name) or tag.step
            path = path_of[element] = (path * MIX + step) & MASK  # as ``arrays.path_keys``, modulo 2^64
    return [path_of[pagelet.element] for pagelet in pagelets]


def role_of(path: int, url: str) -> int:
    """Return the role of a link, from the key of the tag path of its pagelet, and where it leads.

    >>> role_of(7, "http://x.org/a") == role_of(7, "http://x.org/b") != role_of(7, "http://x.org/a?sid=1")
    True
    """
    if "?" not in url:
        return path
    query = url.partition("?")[2][:MAX_CHARACTERS]
    names = sorted({part.partition("=")[0] for part in query.split("&")})
    return path ^ text_key("&".join(names))
