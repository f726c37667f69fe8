"""How well clusters say what classes say, and how well classes are found.

Clusters, over the table of pages by cluster and class; a pair is two pages:

purity     share of the pages that are of the most frequent class of their cluster
rand       share of the pairs that are together in both or apart in both (Rand, JASA 1971)
ari        the same, adjusted: 1 for equal partitions, 0 on average for random ones
           (Hubert & Arabie, 1985)
f1         of the pairs together in a cluster against those of one class

Departure: the paper has "average cluster purity" without a formula; weighted by pages, it is the usual
purity and not a matter of how many clusters have one page.

Classes: precision, recall and F1 of each class, then their means, a class that no page is put into
having a precision of 0 (as a recall of .2250 beside a precision of .5760 in the paper's Table 5
suggests).  Accuracy: over pages and classes, each a yes or no.

Cost: O(pages + clusters * classes).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt


class Clustering(NamedTuple):
    """Scores of a clustering; all but ``clusters`` are shares, and that is no whole number in a mean."""

    clusters: float
    purity: float
    rand: float
    ari: float
    f1: float


class Classification(NamedTuple):
    """Scores of a classification, means over the classes."""

    precision: float
    recall: float
    f1: float
    accuracy: float


def _numbers(labels: Sequence[Hashable]) -> list[int]:
    known: dict[Hashable, int] = {}
    return [known.setdefault(label, len(known)) for label in labels]


def _pairs(counts: npt.NDArray[np.int64]) -> int:
    return int((counts * (counts - 1) // 2).sum())


def score_clusters(clusters: Sequence[Hashable], classes: Sequence[Hashable]) -> Clustering:
    """Compare the clusters of one page or more with their classes.

    >>> score_clusters("aaab", "xxyy")
    Clustering(clusters=2, purity=0.75, rand=0.5, ari=0.0, f1=0.4)
    """
    rows, columns = _numbers(clusters), _numbers(classes)
    table = np.zeros((max(rows) + 1, max(columns) + 1), dtype=np.int64)
    np.add.at(table, (rows, columns), 1)
    pages = len(rows)
    every = pages * (pages - 1) // 2
    both, together, same = _pairs(table), _pairs(table.sum(axis=1)), _pairs(table.sum(axis=0))
    by_chance = together * same / every if every else 0.0
    most = (together + same) / 2
    return Clustering(
        len(table),
        int(table.max(axis=1).sum()) / pages,
        (every + 2 * both - together - same) / every if every else 1.0,
        (both - by_chance) / (most - by_chance) if most != by_chance else 1.0,
        2 * both / (together + same) if together + same else 1.0,
    )


def score_classes(assigned: npt.NDArray[np.bool_], classes: npt.NDArray[np.intp]) -> Classification:
    """Score which classes each page was put into.

    assigned    page, class -> whether it was
    classes  class of each page
    """
    truth = classes[:, None] == np.arange(assigned.shape[1])
    hits = (assigned & truth).sum(axis=0)
    put, true = assigned.sum(axis=0), truth.sum(axis=0)
    return Classification(
        float((hits / np.maximum(put, 1)).mean()),
        float((hits / np.maximum(true, 1)).mean()),
        float((2 * hits / np.maximum(put + true, 1)).mean()),
        float((assigned == truth).mean()),
    )
