"""The score of a text run: positive where it speaks for content, negative where it speaks for template.

It is linear in what the run, its neighbours and its place say, times the logarithm of its words::

    score = log(1 + words) * (content + repeated r + on_every_page r^3
                              + common       [r of 0.8 or more, and of at least 4 pages]
                              + linked       [in a link]
                              + furniture    [in nav, aside, menu, header, footer, or their ARIA roles]
                              + named        [in an element named like one: nav..., header..., footer...]
                              + named_repeated r [the same]
                              + dialog       [in a dialog, an alert, a search form ...]
                              + article      [in article or main]
                              + level        levels below the body
                              + near_start   50 / (50 + words of the page before it)
                              + near_end     50 / (50 + words of the page after it)
                              + linked_neighbours    the share of linked runs among its neighbours
                              + repeated_neighbours  the mean r of its neighbours)

where r, its *share*, is the share of earlier pages of the site that have the same run, 0 without earlier
pages.  Neighbours are the 6 runs before it and the 6 after it for links, 15 and 15 for shares.

The weights are 0.6 times those that were chosen by hand on 27 sites, for the first eight and ``dialog``, and
0.32 times those of a ridge-penalised logistic regression on the runs of 76 sites.  The regression alone is
better on sites of unknown software and worse on single sites; the mean of both is better on both.

Source: our own; ``python -m experiments.vote_weights`` fits the weights, and scores them on sites whose
software was left out.  n runs.  Cost: O(n).
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from templcrawl.page.runs import TextRuns
from templcrawl.page.vocabulary import ALL_HINTS, ARTICLE, DIALOG, FURNITURE, LINKED, NAMED

Floats = npt.NDArray[np.float64]

COMMON = 0.8
NEAR = 50.0
LINKED_REACH = 6
REPEATED_REACH = 15


class Weights(NamedTuple):
    """What each part of a score weighs (see the formula of this module)."""

    content: float = 0.0
    repeated: float = 0.0
    on_every_page: float = 0.0
    common: float = 0.0
    linked: float = 0.0
    furniture: float = 0.0
    named: float = 0.0
    named_repeated: float = 0.0
    dialog: float = 0.0
    article: float = 0.0
    level: float = 0.0
    near_start: float = 0.0
    near_end: float = 0.0
    linked_neighbours: float = 0.0
    repeated_neighbours: float = 0.0


BY_HAND = Weights(
    content=3.0,
    repeated=-1.5,
    on_every_page=-2.25,
    common=-2.0,
    linked=-2.25,
    furniture=-3.5,
    named=-1.0,
    named_repeated=-3.0,
    dialog=-2.0,
)
"""The part of the weights that is not learned."""

WEIGHTS = BY_HAND


@lru_cache(maxsize=4)
def by_hints(weights: Weights) -> tuple[Floats, Floats]:
    """Return hints of a run -> what they weigh; what a share of 1 weighs beside them."""
    hints = np.arange(ALL_HINTS)
    is_named = hints & NAMED > 0
    of_hints = (
        weights.content
        + weights.linked * (hints & LINKED > 0)
        + weights.furniture * (hints & FURNITURE > 0)
        + weights.named * (is_named & (hints & FURNITURE == 0))
        + weights.dialog * (hints & DIALOG > 0)
        + weights.article * (hints & ARTICLE > 0)
    )
    return of_hints, weights.repeated + weights.named_repeated * is_named


def numbers_of(weights: Weights) -> list[float]:
    """Return all numbers of a score, as ``kernel/src/run_scores.rs`` reads them."""
    of_hints, of_repetition = by_hints(weights)
    others = (weights.on_every_page, weights.common, weights.level, weights.near_start, weights.near_end)
    neighbours = (weights.linked_neighbours, weights.repeated_neighbours)
    return [*of_hints, *of_repetition, *others, *neighbours, COMMON, NEAR, LINKED_REACH, REPEATED_REACH]


def run_scores(
    runs: TextRuns,
    shares: Floats,
    of_many: bool,
    claims: int = ALL_HINTS - 1,
    weights: Weights = WEIGHTS,
) -> Floats:
    """Return run -> its score.

    shares   run -> share of earlier pages that have it, 0 to 1
    of_many  whether the shares are of enough pages to judge what stands on nearly all of them
    claims   the hints that count
    """
    hints = runs.hints & np.uint8(claims)
    of_hints, of_repetition = by_hints(weights)
    sums: Floats = of_hints[hints] + shares * (of_repetition[hints] + weights.on_every_page * shares**2)
    if of_many:
        sums[shares >= COMMON] += weights.common
    before = np.cumsum(runs.words) - runs.words
    after = runs.words.sum() - before - runs.words
    sums += weights.level * runs.depths[runs.elements]
    sums += weights.near_start * (NEAR / (NEAR + before))
    sums += weights.near_end * (NEAR / (NEAR + after))
    sums += weights.linked_neighbours * neighbour_means((hints & LINKED > 0).astype(float), LINKED_REACH)
    sums += weights.repeated_neighbours * neighbour_means(shares, REPEATED_REACH)
    scores: Floats = sums * np.log1p(runs.words)
    return scores


def neighbour_means(values: Floats, reach: int) -> Floats:
    """Return run -> the mean of what is said of the ``reach`` runs before it and after it; its own if alone.

    >>> neighbour_means(np.array([1.0, 0.0, 0.0, 1.0]), 1).tolist()
    [0.0, 0.5, 0.5, 0.0]
    >>> neighbour_means(np.array([1.0]), 6).tolist()
    [1.0]
    """
    count = len(values)
    if count < 2:
        return values.copy()
    before = np.concatenate(([0.0], np.cumsum(values)))
    at = np.arange(count)
    first, last = np.maximum(at - reach, 0), np.minimum(at + reach + 1, count)
    means: Floats = (before[last] - before[first] - values) / (last - first - 1)
    return means
