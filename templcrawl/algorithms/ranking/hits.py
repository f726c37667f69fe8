"""HITS: hubs and authorities of a graph of links, by power iteration; the authorities of a base set of pages.

Source: Kleinberg (JACM 1999); as Clever it is run by Bar-Yossef & Rajagopalan (WWW 2002), section 4, in its
pure form: every link weighs 1, unless weights are given.  A good authority is linked from good hubs, and a
good hub links to good authorities.

e links, k iterations.  Cost: O(k e), and O(e log e) for the hubs of the authorities.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from templcrawl.algorithms.ranking.pagelet_graph import BaseSet, link_graph
from templcrawl.page.arrays import Floats

TOLERANCE = 1e-9  # change of a score that ends the iteration
MAX_ITERATIONS = 1_000  # where two singular values are nearly equal


class HubsAndAuthorities(NamedTuple):
    """The scores of a graph, 0 or more; each vector has length 1, or 0 without links."""

    hubs: Floats
    authorities: Floats


def hits(
    hubs: Sequence[int],
    authorities: Sequence[int],
    *,
    shape: tuple[int, int],
    weights: Sequence[float] | None = None,
) -> HubsAndAuthorities:
    """Return the scores of all hubs and authorities.

    A is the matrix of links, hub -> authority.  From a = (1, ..., 1), take h = A a and a = A^T h in turn,
    each scaled to length 1, until a stays where it is.  Hubs and authorities need not be the same things: A
    may have any shape.  It finds the principal eigenvector of A^T A nearest to the start.  So, where the
    graph falls into parts:

    - the part with the largest singular value takes all the score, the others have 0 (or what is left of them
      when the iteration stops): the TKC effect, by which one dense clique silences everything else;
    - parts with equal largest values share the score as the start vector has it;
    - without any link all scores are 0.

    hubs, authorities  link -> the hub it comes from, the authority it leads to; equal links add up
    shape              how many hubs and authorities there are
    weights            link -> its weight, above 0; None: 1 each

    Two hubs link to authority 0, one of them to 1 as well:

    >>> found = hits([0, 1, 1], [0, 0, 1], shape=(2, 2))
    >>> found.authorities.round(3).tolist(), found.hubs.round(3).tolist()
    ([0.851, 0.526], [0.526, 0.851])
    """
    if not hubs:
        return HubsAndAuthorities(np.zeros(shape[0]), np.zeros(shape[1]))
    sources, targets = np.array(hubs, dtype=np.intp), np.array(authorities, dtype=np.intp)
    weigh = np.ones(len(sources)) if weights is None else np.array(weights, dtype=np.float64)
    scores = _scaled(np.ones(shape[1]))
    for _ in range(MAX_ITERATIONS):
        hub_scores = _scaled(np.bincount(sources, weigh * scores[targets], shape[0]))
        before, scores = scores, _scaled(np.bincount(targets, weigh * hub_scores[sources], shape[1]))
        if np.abs(scores - before).max() <= TOLERANCE:
            break
    return HubsAndAuthorities(hub_scores, scores)


def _scaled(scores: npt.NDArray[Any]) -> Floats:
    """Return a vector that is not zero at length 1; scaled by its largest entry first, against underflow."""
    scores = scores / scores.max()
    return scores / np.sqrt(scores @ scores)


MAX_HUBS = 3  # of an authority, that are named


class Hub(NamedTuple):
    """A hub that links to an authority: a page, in the pagelet versions a pagelet."""

    number: int
    score: float


class RankedPage(NamedTuple):
    """An authority, by its index in the base set, and the strongest hubs that link to it."""

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

    A page of the base set that no link of the graph leads to is not ranked, nor one whose score is within the
    tolerance of the iteration: nothing is known of it but that it belongs to a weaker community.

    top  how many at most
    The other arguments are those of :func:`~templcrawl.algorithms.ranking.pagelet_graph.link_graph`.
    Raises InvalidOption.
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
    ranked = []
    for authority, hubs in hubs_of.items():
        hubs.sort(key=lambda hub: (-hub.score, hub.number))
        ranked.append(RankedPage(graph.authorities[authority], scores[authority], tuple(hubs[:MAX_HUBS])))
    return ranked
