"""CTSS: common tag sequence shingles.

Source: Gottron (ECIR 2008); Hachenberg & Gottron (CIKM 2013, section 4.2) as a baseline.  The runs of
four consecutive tags, each once, compared by ``set_distance``.

Threshold: a similarity of .8, "as given in [7]", to classify; used to cluster too.  The width is not
given in the paper.
Cost: O(tags) a page, O(shingles) a comparison.
"""

from __future__ import annotations

from lab.papers.structure.sets import set_distance, shingles
from lab.papers.structure.shape import ByDistance
from lab.papers.structure.tags import tag_sequence
from templcrawl import Page


def features(page: Page) -> frozenset[str]:
    """Return the distinct shingles of a page's tag sequence.

    >>> sorted(features(Page("<p><b>x</b></p><p>y</p>", "")))
    ['b b p p', 'b p p p', 'p b b p']
    """
    return frozenset(shingles(list(tag_sequence(page))))


CTSS = ByDistance("CTSS", features, set_distance, threshold=0.2, is_learned=False)
