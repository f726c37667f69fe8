"""The score of a text run, linear in its features: positive for content, negative for template.

It is linear in features of the run, its neighbours and its place, times the logarithm of its words::

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
                                                     [r is of at least 4 pages]
                              + repeated_neighbours  the mean r of its neighbours [the same])

where r, its *share*, is the share of earlier pages of the site that have the same run, 0 without earlier
pages.  Neighbours are the 6 runs before it and the 6 after it for links, 15 and 15 for shares.

The weights of a crawl, in ``vote_weights.json``, are 0.6 times those that were chosen by hand on 27 sites (of
features of the run itself) and 0.32 times those of a ridge-penalised logistic regression over the runs of 76
sites: alone it loses up to 0.22 F1 on single sites.

Source: our own; ``python -m lab.papers.vote_weights`` fits the weights, and scores them on sites whose
software was left out.  n runs.  Cost: O(n).
"""

from __future__ import annotations

import json
from functools import lru_cache
from importlib import resources
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from templcrawl.page.arrays import Floats
from templcrawl.page.runs import TextRuns
from templcrawl.page.vocabulary import ALL_HINTS, ARTICLE, DIALOG, FURNITURE, LINKED, NAMED

COMMON = 0.8  # least share of a run that is common
NEAR = 50.0  # words after which nearness to the start or the end has halved
LINKED_REACH = 6  # runs before and after that are neighbours for links
REPEATED_REACH = 15  # the same for shares


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


_FITTED = json.loads(resources.files(__package__).joinpath("vote_weights.json").read_text("utf-8"))
WEIGHTS = Weights(**_FITTED)  # those of a crawl


@lru_cache(maxsize=4)
def by_hints(weights: Weights) -> tuple[Floats, Floats]:
    """Return (hints of a run -> their weight, hints of a run -> the weight of a share of 1 beside them)."""
    hints = np.arange(ALL_HINTS)
    is_named = hints & NAMED > 0
    hint_scores: Floats = np.full(ALL_HINTS, weights.content, dtype=np.float64)
    hint_scores[hints & LINKED > 0] += weights.linked
    hint_scores[hints & FURNITURE > 0] += weights.furniture
    hint_scores[is_named & (hints & FURNITURE == 0)] += weights.named
    hint_scores[hints & DIALOG > 0] += weights.dialog
    hint_scores[hints & ARTICLE > 0] += weights.article
    repetition_scores: Floats = np.where(
        is_named, weights.repeated + weights.named_repeated, weights.repeated
    )
    return hint_scores, repetition_scores


def numbers_of(weights: Weights) -> list[float]:
    """Return all numbers of a score, as ``kernel/src/run_scores.rs`` reads them."""
    hint_scores, repetition_scores = by_hints(weights)
    others = (weights.on_every_page, weights.common, weights.level, weights.near_start, weights.near_end)
    neighbours = (weights.linked_neighbours, weights.repeated_neighbours)
    return [
        *hint_scores,
        *repetition_scores,
        *others,
        *neighbours,
        COMMON,
        NEAR,
        LINKED_REACH,
        REPEATED_REACH,
    ]


def run_scores(
    runs: TextRuns,
    shares: Floats,
    enough_pages: bool,
    claims: int = ALL_HINTS - 1,
    weights: Weights = WEIGHTS,
) -> Floats:
    """Return run -> its score.

    shares        run -> share of earlier pages that have it, 0 to 1
    enough_pages  whether the shares are of enough pages to judge by neighbours and by what is common
    claims        the hints that count
    """
    hints, words = runs.hints & claims, runs.words
    hint_scores, repetition_scores = by_hints(weights)
    sums: Floats = hint_scores[hints] + shares * (
        repetition_scores[hints] + weights.on_every_page * shares**2
    )
    up_to = words.cumsum()
    before, after = up_to - words, up_to[-1:] - up_to
    sums += weights.level * runs.depths[runs.elements]
    sums += weights.near_start * (NEAR / (NEAR + before))
    sums += weights.near_end * (NEAR / (NEAR + after))
    if enough_pages:
        is_linked = hints & LINKED > 0
        sums[shares >= COMMON] += weights.common
        sums += weights.linked_neighbours * neighbour_means(is_linked, LINKED_REACH)
        sums += weights.repeated_neighbours * neighbour_means(shares, REPEATED_REACH)
    return sums * np.log1p(words)


def neighbour_means(values: Floats | npt.NDArray[np.bool_], reach: int) -> Floats:
    """Return run -> the mean value of the ``reach`` runs before it and after it; its own value if alone.

    >>> neighbour_means(np.array([1.0, 0.0, 0.0, 1.0]), 1).tolist()
    [0.0, 0.5, 0.5, 0.0]
    >>> neighbour_means(np.array([1.0]), 6).tolist()
    [1.0]
    """
    count = len(values)
    if count < 2:
        return values.astype(np.float64)
    padded = np.zeros(count + 2 * reach + 1)
    padded[reach + 1 : reach + 1 + count] = values
    sums = padded.cumsum()
    at = np.arange(count)
    others = np.minimum(at, reach) + np.minimum(at[::-1], reach)
    return (sums[2 * reach + 1 :] - sums[:count] - values) / others
