"""Measures of benchmarks: words and clusters against the gold, and CPU time side by side.

precision, recall, f1  of two bags of words: a word counts as often as it stands in both
purity      share of the pages that are of the most frequent class of their cluster
ari         adjusted Rand index: 1 for equal partitions, 0 on average for random ones (Hubert & Arabie, 1985)

Departure: the paper on page types has "average cluster purity" without a formula; weighted by pages, it is
the usual purity and not a matter of how many clusters have one page.

Imported by benchmarks, not run.  Cost: O(words) a page; O(pages + clusters * classes).
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from math import ceil
from statistics import fmean, median
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from lab.bench.saved_sites import Words

T = TypeVar("T")


class Score(NamedTuple):
    """Shares from 0 to 1."""

    precision: float
    recall: float
    f1: float


NOTHING = Score(0.0, 0.0, 0.0)


def score(words: Words, gold: Words) -> Score:
    """Compare a bag of words with the gold's.

    >>> score(Words("a a b".split()), Words("a b b c".split()))
    Score(precision=0.6666666666666666, recall=0.5, f1=0.5714285714285714)
    """
    both = (words & gold).total()
    if not both:
        return NOTHING
    return Score(both / words.total(), both / gold.total(), 2 * both / (words.total() + gold.total()))


def mean(scores: Iterable[Score]) -> Score:
    """Return the mean of each share on its own; there must be a score."""
    return Score(*map(fmean, zip(*scores)))


def mean_of_some(values: Iterable[float | None]) -> float | None:
    """Return the mean of the values that are there, None if none is."""
    some = [value for value in values if value is not None]
    return fmean(some) if some else None


def until(places: Sequence[int], share: float, of: int) -> int | None:
    """Return the place at which such a share of so many is found; None if it never is.

    places  those at which one is found, ascending

    >>> until([2, 5, 9], 0.5, 3), until([2, 5, 9], 0.9, 4)
    (5, None)
    """
    wanted = ceil(share * of)
    return places[wanted - 1] if len(places) >= wanted else None


class Clustering(NamedTuple):
    """Scores of a clustering; shares.

    rand  pairs of pages that are together, or apart, in both
    """

    purity: float
    ari: float
    rand: float


def score_clusters(clusters: Sequence[Hashable], classes: Sequence[Hashable]) -> Clustering:
    """Compare the clusters of one page or more with their classes.

    >>> score_clusters("aaab", "xxyy")
    Clustering(purity=0.75, ari=0.0, rand=0.5)
    """
    rows, columns = _numbers(clusters), _numbers(classes)
    table = np.zeros((max(rows) + 1, max(columns) + 1), dtype=np.int64)
    np.add.at(table, (rows, columns), 1)
    pages = len(rows)
    every = pages * (pages - 1) // 2
    both, together, same = _pairs(table), _pairs(table.sum(axis=1)), _pairs(table.sum(axis=0))
    by_chance = together * same / every if every else 0.0
    most = (together + same) / 2
    ari = (both - by_chance) / (most - by_chance) if most != by_chance else 1.0
    rand = (every + 2 * both - together - same) / every if every else 1.0
    return Clustering(int(table.max(axis=1).sum()) / pages, ari, rand)


def _numbers(labels: Sequence[Hashable]) -> list[int]:
    known: dict[Hashable, int] = {}
    return [known.setdefault(label, len(known)) for label in labels]


def _pairs(counts: npt.NDArray[np.int64]) -> int:
    return int((counts * (counts - 1) // 2).sum())


def side_by_side(
    ways: Mapping[str, Callable[[T], object]],
    inputs: Sequence[T],
    rounds: int = 7,
    before: Callable[[], object] = gc.collect,
) -> dict[str, float]:
    """Return way -> CPU milliseconds an input: the median over interleaved rounds (A B C A B C ...).

    So a noisy machine is equally unfair to all.

    before  called before each round of each way, untimed
    """
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            gc.collect()
            before()
            started = time.process_time()
            for value in inputs:
                way(value)
            seconds[name].append(time.process_time() - started)
    return {name: 1000 * median(times) / len(inputs) for name, times in seconds.items()}
