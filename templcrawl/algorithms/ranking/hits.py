"""HITS: hubs and authorities of a graph of links, by power iteration; the graphs of pages and of pagelets.

Source: Kleinberg (JACM 1999); as Clever it is run by Bar-Yossef & Rajagopalan (WWW 2002), section 4 (Case 1)
and section 5, in its pure form: every link weighs 1.  A good authority is linked from good hubs, and a good
hub links to good authorities.

How: A is the matrix of links, hub -> authority.  From a = (1, ..., 1), take h = A a and a = A^T h in turn,
each scaled to length 1, until a stays where it is.  Hubs and authorities need not be the same things: A may
have any shape.  It finds the principal eigenvector of A^T A nearest to the start.  So, where the graph falls
into parts:

- the part with the largest singular value takes all the score, the others have 0 (or what is left of them
  when the iteration stops): the TKC effect, by which one dense clique silences everything else;
- parts with equal largest values share the score as the start vector has it;
- without any link all scores are 0.

*Graphs*, six versions, all from one base set of pages:

    version         hubs are   authorities are   left out first
    page            pages      pages             nothing
    page-fnm        pages      pages             pages that do not match the query
    pagelet         pagelets   pages             nothing
    pagelet-fnm     pagelets   pages             pagelets that do not match the query
    pagelet-ft      pagelets   pages             template pagelets
    pagelet-ft-fnm  pagelets   pages             template pagelets, and those that do not match

A hub links to an authority if it contains a link to it, once however often; links of a page to itself never
count.  Matching means that the text holds the query, the anchor texts of a pagelet included.  (By Definition
2 a heading above a list of links is no part of the list's pagelet: a list matches by its entries.)

Two things the paper leaves open.  In the pagelet versions FNM filters pagelets, so a page whose own text does
not match stays an authority; ``matching_authorities`` takes such pages out as well.  Links within a host,
which Kleinberg leaves out as nepotistic, are kept: the paper calls that a hack which cleaning makes needless,
and a crawl of one site has no other links.  ``between_hosts`` leaves them out.

Of a base set a page that no link of the graph leads to is not ranked, nor one whose score is within the
tolerance of the iteration: nothing is known of it but that it belongs to a weaker community.

e links, k iterations.  Cost: O(k e), and O(e log e) for the hubs of the authorities.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from templcrawl.errors import InvalidOption, MissingExtra


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


VERSIONS = ("page", "page-fnm", "pagelet", "pagelet-fnm", "pagelet-ft", "pagelet-ft-fnm")


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
    of_hubs, *left_out = version.split("-")
    by_pagelet, no_templates, only_matching = of_hubs == "pagelet", "ft" in left_out, "fnm" in left_out
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


Scores = npt.NDArray[np.float64]

TOLERANCE = 1e-9
MAX_ITERATIONS = 1_000


class HubsAndAuthorities(NamedTuple):
    """The scores of a graph, 0 or more; each vector has length 1, or 0 without links.

    hubs         hub -> score
    authorities  authority -> score
    """

    hubs: Scores
    authorities: Scores


def hits(
    hubs: Sequence[int],
    authorities: Sequence[int],
    *,
    shape: tuple[int, int],
    weights: Sequence[float] | None = None,
) -> HubsAndAuthorities:
    """Return the scores of all hubs and authorities.

    hubs, authorities  link -> the hub it comes from, the authority it leads to
    shape              how many hubs and authorities there are
    weights            link -> its weight, 0 or more; None: 1 each; weights of equal links add up
    Raises InvalidOption if these do not fit together, MissingExtra without scipy.

    Two hubs link to authority 0, one of them to 1 as well:

    >>> found = hits([0, 1, 1], [0, 0, 1], shape=(2, 2))
    >>> found.authorities.round(3).tolist(), found.hubs.round(3).tolist()
    ([0.851, 0.526], [0.526, 0.851])
    """
    _check(hubs, authorities, shape, weights)
    values = np.ones(len(hubs)) if weights is None else np.asarray(weights, dtype=np.float64)
    values = values / (values.max(initial=0) or 1)  # the heaviest link is taken as 1
    links = np.asarray(hubs, dtype=np.intp), np.asarray(authorities, dtype=np.intp)
    matrix = load_scipy_sparse().coo_array((values, links), shape=shape).tocsr()
    matrix.eliminate_zeros()
    if not matrix.nnz:
        return HubsAndAuthorities(np.zeros(shape[0]), np.zeros(shape[1]))
    transposed = matrix.T.tocsr()
    hub_scores = np.zeros(shape[0])
    scores = _scaled(np.ones(shape[1]))
    for _ in range(MAX_ITERATIONS):
        hub_scores = _scaled(matrix @ scores)
        before, scores = scores, _scaled(transposed @ hub_scores)
        if np.abs(scores - before).max() <= TOLERANCE:
            break
    return HubsAndAuthorities(hub_scores, scores)


def load_scipy_sparse() -> Any:
    """Return scipy's sparse matrices.  Raises MissingExtra."""
    try:
        import scipy.sparse
    except ImportError as error:
        raise MissingExtra("ranking", "rank") from error
    return scipy.sparse


def _scaled(scores: Scores) -> Scores:
    """Return a vector that is not zero at length 1; scaled by its largest entry first, against underflow."""
    scores = scores / scores.max()
    return scores / np.sqrt(scores @ scores)


def _check(
    hubs: Sequence[int],
    authorities: Sequence[int],
    shape: tuple[int, int],
    weights: Sequence[float] | None,
) -> None:
    if len(hubs) != len(authorities):
        raise InvalidOption("authorities", len(authorities), f"as many as hubs, {len(hubs)}")
    for name, numbers, count in ("hubs", hubs, shape[0]), ("authorities", authorities, shape[1]):
        if len(numbers) and not (min(numbers) >= 0 and max(numbers) < count):
            raise InvalidOption(name, (min(numbers), max(numbers)), f"numbers from 0 to {count - 1}")
    if weights is not None:
        if len(weights) != len(hubs):
            raise InvalidOption("weights", len(weights), f"as many as links, {len(hubs)}")
        if len(weights) and not (np.isfinite(weights).all() and min(weights) >= 0):
            raise InvalidOption("weights", min(weights), "finite numbers of 0 or more")


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
    The other arguments are those of :func:`~templcrawl.algorithms.ranking.hits.link_graph`.
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
