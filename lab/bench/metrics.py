"""How well a text says what the gold says: precision, recall and F1 of two bags of words.

A word counts as often as it stands in both.  Imported by benchmarks, not run.
Cost: O(words) a page.
"""

from __future__ import annotations

from collections.abc import Iterable
from statistics import fmean
from typing import NamedTuple

from lab.bench.saved_sites import Words


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
