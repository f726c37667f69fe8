"""The roles of links: the tag path of the pagelet, with the query names of the address.

A *role* is a part of pages and a kind of address: the tag path of the link's pagelet (names with their
first class word, digits read as ``#``; rows and paragraphs without class, so that striped tables have one
role), and the names of the parameters in the query of the link's address, so that links with a session id
or a filter are not taken for what they copy.

A role is one of the two classes by which the value of a link goes
(:mod:`templcrawl.algorithms.crawl_order.link_value`).

Source: ours, measured on real link graphs against the rule of Bar-Yossef & Rajagopalan (WWW 2002, section
4, case 2) that links of template pagelets wait.
m elements.  Cost: O(m) a page, for the ancestors of its pagelets alone; O(1) a role.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from templcrawl.algorithms.pagelets.partition import (
    MIN_LINKS,
    Pagelet,
    pagelet_shingles,
    pagelets_of_links,
    partition_pagelets,
    written_rules,
)
from templcrawl.page.arrays import MASK, MIX
from templcrawl.page.columns import Task
from templcrawl.page.page import Page, native
from templcrawl.page.text import MAX_CHARACTERS, text_key

# Names that count without their class -> their keys.
_PLAIN = {name: text_key(name) for name in ("li", "tr", "td", "th", "p", "dt", "dd")}


class LinkPlaces(NamedTuple):
    """Where the links of a page stand.

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
    ask=lambda page, *, min_links=MIN_LINKS: (
        page.links.written,
        written_rules(min_links, tuple(_PLAIN), MAX_CHARACTERS),
    ),
    answer=lambda *columns: LinkPlaces(*(column.tolist() for column in columns)),
)
def link_places(page: Page, *, min_links: int = MIN_LINKS) -> LinkPlaces:
    """Return where the links of a page stand.

    Raises InvalidOption if ``min_links`` is below 1.

    >>> page = Page("<p><a href=a>tea</a> <a href=b?c=1>milk</a>", "http://e.org/")
    >>> shingles, pagelets, roles = link_places(page)
    >>> len(shingles), pagelets, len(set(roles))
    (1, [0, 0], 2)
    """
    pagelets = partition_pagelets(page, min_links=min_links)
    of_links = pagelets_of_links(page, pagelets)
    paths = pagelet_paths(page, pagelets)
    roles = [role_of(paths[at], url) if at >= 0 else 0 for at, url in zip(of_links, page.links.urls)]
    return LinkPlaces(pagelet_shingles(page, pagelets), of_links, roles)


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
    """Return the role of a link.

    path  key of the tag path of its pagelet
    url   where it leads

    >>> role_of(7, "http://x.org/a") == role_of(7, "http://x.org/b") != role_of(7, "http://x.org/a?sid=1")
    True
    """
    if "?" not in url:
        return path
    query = url.partition("?")[2][:MAX_CHARACTERS]
    names = sorted({part.partition("=")[0] for part in query.split("&")})
    return path ^ text_key("&".join(names))
