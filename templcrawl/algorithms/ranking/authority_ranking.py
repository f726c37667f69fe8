"""Rank the pages of a base set as authorities by HITS, with the strongest hubs that link to each.

Source: Bar-Yossef & Rajagopalan (WWW 2002), section 4, Case 1: HITS
(:mod:`templcrawl.algorithms.ranking.hits`) run as it is on the graph of pages or pagelets
(:mod:`templcrawl.algorithms.ranking.pagelet_graph`).

A page that no link of the graph leads to is not ranked, nor one whose score is within the tolerance of
the iteration: nothing is known of it but that it belongs to a weaker community.

Cost: that of HITS, and O(links log links) for the hubs.
"""

from __future__ import annotations

from typing import NamedTuple

from templcrawl.algorithms.ranking.hits import TOLERANCE, hits
from templcrawl.algorithms.ranking.pagelet_graph import BaseSet, link_graph

MAX_HUBS = 3


class Hub(NamedTuple):
    """A hub that links to an authority.

    number  its page in the page versions, its pagelet in the pagelet versions
    score   of the hub
    """

    number: int
    score: float


class RankedPage(NamedTuple):
    """An authority.

    page   its index in the base set
    score  of the authority
    hubs   the strongest hubs that link to it, at most ``MAX_HUBS``
    """

    page: int
    score: float
    hubs: tuple[Hub, ...]


def rank_pages(
    base: BaseSet,
    version: str,
    *,
    between_hosts: bool = False,
    matching_authorities: bool = False,
    top: int | None = None,
) -> list[RankedPage]:
    """Return the authorities of a base set, best first; equals in the order of the base set.

    top  how many at most
    The other arguments are those of :func:`~templcrawl.algorithms.ranking.pagelet_graph.link_graph`.
    Raises InvalidOption, MissingExtra.
    """
    graph = link_graph(base, version, between_hosts=between_hosts, matching_authorities=matching_authorities)
    shape = len(graph.hubs), len(graph.authorities)
    solution = hits(graph.sources, graph.targets, shape=shape)
    scores = solution.authorities.tolist()
    best = sorted(
        (authority for authority, score in enumerate(scores) if score > TOLERANCE), key=lambda at: -scores[at]
    )
    hubs_of: dict[int, list[Hub]] = {authority: [] for authority in best[:top]}
    for source, target in zip(graph.sources, graph.targets):
        if target in hubs_of:
            hubs_of[target].append(Hub(graph.hubs[source], float(solution.hubs[source])))
    return [
        RankedPage(
            graph.authorities[authority],
            scores[authority],
            tuple(sorted(hubs, key=lambda hub: (-hub.score, hub.number))[:MAX_HUBS]),
        )
        for authority, hubs in hubs_of.items()
    ]
