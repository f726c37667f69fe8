"""CP: common paths from the root to the leaves of the element tree.

Source: Buttler (ICOMP 2004) and Joshi et al. (KDD 2003) for bags of paths; Hachenberg & Gottron (CIKM
2013, section 4.2) as a baseline.  Taken plainly: paths of tag names to elements that hold no element,
each path once, compared by ``set_distance``.

Threshold: a class's own when classifying, as in the paper.  For clusters the paper gives none; .3 was
the best of .2 to .5 on fifteen of these sites (with another overlap), so it is in CP's favour.
Cost: O(elements * depth) a page, O(paths) a comparison.
"""

from __future__ import annotations

import sys

from lab.papers.structure.sets import set_distance
from lab.papers.structure.shape import ByDistance
from lab.papers.structure.tags import leaf_paths
from templcrawl import Page


def features(page: Page) -> frozenset[str]:
    """Return the distinct paths to the leaves of a page.

    >>> sorted(features(Page("<div><p>a</p><p>b</p><ul><li>c</ul></div>", "")))
    ['div/p', 'div/ul/li']
    """
    return frozenset(map(sys.intern, leaf_paths(page)))


CP = ByDistance("CP", features, set_distance, threshold=0.3)
