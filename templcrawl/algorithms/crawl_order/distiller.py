"""The paper's focused crawl: a distiller over pagelets that are no template; links of template pagelets wait.

Source: Bar-Yossef & Rajagopalan (WWW 2002), sections 2.2 and 4, case 2, over the crawler FOCUS (Chakrabarti,
van den Berg & Dom, WWW 1999).  Pages that relevant pages point to are good pages to fetch, and so are those
that hubs point to:

    hub(p)   = sum over the links of pagelet p to a fetched page v of  r(v) * auth(v)
    auth(v)  = sum over the pagelets p with a link to v of             r(v) * hub(p)
    score(u) = max(r of the pages with a link to u, hub of the pagelets with a link to u)
    promise  = (1 + score) / 2;  score / 2 if all pagelets with a link to u are template

p runs over the pagelets that are no template, r is relevance; the best hub has hub 1.  So no link of template
pagelets alone comes before another ("a reduced priority").

The paper prints no formulas.  Ours: a link weighs as much as its target is relevant, as FOCUS weighs links to
authorities; hubs are computed within their own site; the larger of r and hub counts.

e links.  Cost: O(e) an iteration of :func:`templcrawl.algorithms.ranking.hits.hits`; O(pagelets) a link.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from templcrawl.algorithms.ranking.hits import hits


def hub_scores(
    links: Iterable[tuple[int, Iterable[int]]], relevance: Mapping[int, float]
) -> dict[int, float]:
    """Return pagelet -> hub score, 1 for the best one; of those with a link to a relevant page.

    links      (page, pagelets with a link to it that are not template)
    relevance  page -> how relevant it is, 0 to 1; other pages do not count

    Pagelet 7 leads to both relevant pages, 8 to one of them, 9 to one that is not relevant:

    >>> scores = hub_scores([(1, [7, 8]), (2, [7]), (3, [9])], {1: 1.0, 2: 1.0, 3: 0.0})
    >>> {pagelet: round(score, 3) for pagelet, score in scores.items()}
    {7: 1.0, 8: 0.618}
    """
    hubs: dict[int, int] = {}
    pages: dict[int, int] = {}
    ends: list[tuple[int, int, float]] = []
    for page, pagelets in links:
        weight = relevance.get(page, 0.0)
        if weight > 0:
            number = pages.setdefault(page, len(pages))
            ends += [(hubs.setdefault(pagelet, len(hubs)), number, weight) for pagelet in pagelets]
    if not ends:
        return {}
    sources, targets, weights = zip(*ends)
    scores = hits(sources, targets, shape=(len(hubs), len(pages)), weights=weights).hubs
    return dict(zip(hubs, (scores / scores.max()).tolist()))


def promise_of(parent: float, hubs: Iterable[float], *, is_template: bool) -> float:
    """Return how promising a link is, in [0, 1].

    parent       relevance of the most relevant page with a link to it
    hubs         hub scores of the pagelets that it stands in
    is_template  whether these are all template

    >>> promise_of(0.5, [0.25], is_template=False), promise_of(0.5, [1.0], is_template=True)
    (0.75, 0.5)
    """
    score = max(parent, *hubs, 0.0)
    return score / 2 if is_template else (1 + score) / 2
