"""LCTS: longest common tag subsequence ("LTCS" in the paper's tables).

Source: Gottron (ECIR 2008); Hachenberg & Gottron (CIKM 2013, section 4.2) as a baseline.

    distance(a, b) = 1 - length of the longest common subsequence / length of the longer page

Threshold: the paper names none for LCTS; taken as a class's own, like the other metrics but CTSS.  For
clusters .2, that of CTSS, as both measure a share of the longer page.
Cost: O(tags) a page, O(tags^2 / 64) a comparison (bit-parallel, rapidfuzz); a sample of the pages.
"""

from __future__ import annotations

from rapidfuzz.distance import LCSseq

from lab.papers.structure.shape import ByDistance
from lab.papers.structure.tags import tag_sequence
from templcrawl import Page


def features(page: Page) -> tuple[str, ...]:
    """Return the tag sequence of a page."""
    return tuple(tag_sequence(page))


def distance(a: tuple[str, ...], b: tuple[str, ...]) -> float:
    """Return the share of the longer page's tags that is in no longest common subsequence.

    >>> distance(("p", "b", "b", "p"), ("p", "p"))
    0.5
    """
    return LCSseq.normalized_distance(a, b)


LCTS = ByDistance("LCTS", features, distance, threshold=0.2, is_slow=True)
