"""Link graphs for HITS: hubs are pages or pagelets, cleaned in two ways.

Source: Bar-Yossef & Rajagopalan (WWW 2002), section 4 (Case 1) and section 5.  Six versions:

    version         hubs are   authorities are   left out first
    page            pages      pages             nothing
    page-fnm        pages      pages             pages that do not match the query
    pagelet         pagelets   pages             nothing
    pagelet-fnm     pagelets   pages             pagelets that do not match the query
    pagelet-ft      pagelets   pages             template pagelets
    pagelet-ft-fnm  pagelets   pages             template pagelets, and those that do not match

A hub links to an authority if it contains a link to it, once however often.  All versions start from one base
set of pages.  Matching means that the text holds the query, the anchor texts of a pagelet included.  (By
Definition 2 a heading above a list of links is no part of the list's pagelet: a list matches by its entries.)

Two things the paper leaves open.  In the pagelet versions FNM filters pagelets, so a page whose own text
does not match stays an authority; ``matching_authorities`` takes such pages out as well.  Links within a
host, which Kleinberg leaves out as nepotistic, are kept: the paper calls that a hack which cleaning makes
needless, and a crawl of one site has no other links.  ``between_hosts`` leaves them out.
Links of a page to itself never count.

Cost: O(pages + links of the base set).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from templcrawl.errors import InvalidOption


class BasePagelet(NamedTuple):
    """A pagelet of a base set.

    page         the page that owns it (its index in the base set)
    targets      pages of the base set that it links to
    matches      whether its text holds the query
    is_template  whether it stands on several pages
    """

    page: int
    targets: Sequence[int]
    matches: bool = False
    is_template: bool = False


class BaseSet(NamedTuple):
    """The pages that are ranked for a query.

    hosts     page -> its host
    matches   page -> whether its text holds the query
    pagelets  the pagelets that link to pages of the base set
    """

    hosts: Sequence[str]
    matches: Sequence[bool]
    pagelets: Sequence[BasePagelet]


class Version(NamedTuple):
    """A version of the graph: whether hubs are pages or pagelets, and which are left out."""

    by_pagelet: bool
    no_templates: bool
    only_matching: bool


VERSIONS = {
    "page": Version(False, False, False),
    "page-fnm": Version(False, False, True),
    "pagelet": Version(True, False, False),
    "pagelet-fnm": Version(True, False, True),
    "pagelet-ft": Version(True, True, False),
    "pagelet-ft-fnm": Version(True, True, True),
}


class LinkGraph(NamedTuple):
    """A graph of links from hubs to authorities.

    hubs         hub -> its page or its pagelet (its index in the base set)
    authorities  authority -> its page
    sources      link -> its hub
    targets      link -> its authority
    """

    hubs: Sequence[int]
    authorities: Sequence[int]
    sources: Sequence[int]
    targets: Sequence[int]


def link_graph(
    base: BaseSet, version: str, *, between_hosts: bool = False, matching_authorities: bool = False
) -> LinkGraph:
    """Return the graph of a version of the algorithm.

    between_hosts         leave out links within a host
    matching_authorities  in the versions with FNM, leave out pages that do not match
    Raises InvalidOption for a version that does not exist.

    Page 0 has a menu, which page 1 has as well, and a list of links that matches:

    >>> menu, links = [1, 2], [2]
    >>> base = BaseSet(["a", "b", "c"], [True, False, True], [
    ...     BasePagelet(0, menu, is_template=True), BasePagelet(0, links, matches=True),
    ...     BasePagelet(1, menu, is_template=True)])
    >>> link_graph(base, "page")
    LinkGraph(hubs=[0, 1], authorities=[0, 1, 2], sources=[0, 0, 1], targets=[1, 2, 2])
    >>> link_graph(base, "pagelet-ft-fnm")
    LinkGraph(hubs=[1], authorities=[0, 1, 2], sources=[0], targets=[2])
    """
    if version not in VERSIONS:
        raise InvalidOption("version", version, f"one of {', '.join(VERSIONS)}")
    by_pagelet, no_templates, only_matching = VERSIONS[version]
    filters_pages = only_matching and (matching_authorities or not by_pagelet)
    authorities = [page for page, matches in enumerate(base.matches) if matches or not filters_pages]
    column = {page: index for index, page in enumerate(authorities)}
    hosts = base.hosts
    links: dict[int, dict[int, None]] = {}
    for number, pagelet in enumerate(base.pagelets):
        if no_templates and pagelet.is_template:
            continue
        if only_matching and not (pagelet.matches if by_pagelet else base.matches[pagelet.page]):
            continue
        page = pagelet.page
        targets = {
            target: None
            for target in pagelet.targets
            if target != page and target in column and not (between_hosts and hosts[target] == hosts[page])
        }
        if targets:
            links.setdefault(number if by_pagelet else page, {}).update(targets)
    return LinkGraph(
        list(links),
        authorities,
        [hub for hub, targets in enumerate(links.values()) for _ in targets],
        [column[target] for targets in links.values() for target in targets],
    )
