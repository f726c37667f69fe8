"""Build link graphs over pages or pagelets for HITS, and count co-citations.

Source: Bar-Yossef & Rajagopalan (WWW 2002), section 4 (Cases 1 and 3) and section 5; Dean & Henzinger (WWW
1999) for co-citation.  Hubs are pages or pagelets, cleaned in two ways: six versions, all from one base set
of pages.

    version         hubs are   authorities are   left out first
    page            pages      pages             nothing
    page-fnm        pages      pages             pages that do not match the query
    pagelet         pagelets   pages             nothing
    pagelet-fnm     pagelets   pages             pagelets that do not match the query
    pagelet-ft      pagelets   pages             template pagelets
    pagelet-ft-fnm  pagelets   pages             template pagelets, and those that do not match

Cost: O(pages + links of the base set); O(links of the pages that cite a page) for co-citation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from templcrawl.errors import InvalidOption


class BasePagelet(NamedTuple):
    """A pagelet and what it links to; in a base set, pages are known by their indices there.

    page         the page that owns it
    targets      the pages that it links to, in document order
    matches      whether its text holds the query
    is_template  whether it stands on several pages
    """

    page: int
    targets: Sequence[int]
    matches: bool = False
    is_template: bool = False


class BaseSet(NamedTuple):
    """The pages that are ranked for a query, and the pagelets that link to them."""

    hosts: Sequence[str]
    matches: Sequence[bool]
    pagelets: Sequence[BasePagelet]


VERSIONS = ("page", "page-fnm", "pagelet", "pagelet-fnm", "pagelet-ft", "pagelet-ft-fnm")


class LinkGraph(NamedTuple):
    """A graph of links from hubs to authorities.

    A hub links to an authority if it contains a link to it, once however often; links of a page to itself
    never count. Matching means that the text holds the query, the anchor texts of a pagelet included.  (By
    Definition 2 a heading above a list of links is not part of the list's pagelet: a list matches by its
    entries.)

    Two things the paper leaves open.  In the pagelet versions FNM filters pagelets, so a page whose own text
    does not match stays an authority; ``matching_authorities`` takes such pages out as well.  Links within a
    host, which Kleinberg leaves out as nepotistic, are kept: the paper calls that a hack which cleaning makes
    needless, and a crawl of one site has no other links.

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
    hub_kind, *left_out = version.split("-")
    by_pagelet, no_templates, only_matching = hub_kind == "pagelet", "ft" in left_out, "fnm" in left_out
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


class CoCited(NamedTuple):
    """A page that is cited beside another; ``together`` are the pages that cite both within a pagelet."""

    page: int
    score: float
    together: int


def co_citation(page: int, pagelets: Iterable[BasePagelet], *, page_weight: float = 0.0) -> list[CoCited]:
    """Return the pages cited beside a page, the most like it first; equals in the order they come.

    Citations from template pagelets are ignored, and each page that cites both counts once for the pair: 1 if
    one of its pagelets does, ``page_weight`` if two different ones do. The score of a pair is the sum.  Only
    pairs with this one page are counted, never all pairs of a pagelet.

    pagelets     those of the pages that cite it, the pagelets of a page one after the other; without
                 ``page_weight`` only those that cite it themselves matter
    page_weight  what a co-citation outside the pagelet counts, 0 to 1
    Raises InvalidOption.

    Pages 1 and 2 cite page 7; page 2 does so in its menu too:

    >>> co_citation(7, [BasePagelet(1, [7, 8]), BasePagelet(1, [5]),
    ...                 BasePagelet(2, [7, 8, 9]), BasePagelet(2, [7, 0], is_template=True)])
    [CoCited(page=8, score=2.0, together=2), CoCited(page=9, score=1.0, together=1)]
    """
    if not 0 <= page_weight <= 1:
        raise InvalidOption("page_weight", page_weight, "a number from 0 to 1")
    together: Counter[int] = Counter()
    apart: Counter[int] = Counter()
    content = (pagelet for pagelet in pagelets if not pagelet.is_template and pagelet.page != page)
    for owner, group in groupby(content, key=lambda pagelet: pagelet.page):
        beside: dict[int, None] = {}
        elsewhere: dict[int, None] = {}
        for pagelet in group:
            found = beside if page in pagelet.targets else elsewhere
            found.update(dict.fromkeys(pagelet.targets))
        together.update(target for target in beside if target not in (page, owner))
        if page in beside and page_weight:
            apart.update(target for target in elsewhere if target not in beside and target != owner)
    scores = {target: together[target] + page_weight * apart[target] for target in [*together, *apart]}
    best = sorted(scores, key=lambda target: -scores[target])
    return [CoCited(target, float(scores[target]), together[target]) for target in best]
