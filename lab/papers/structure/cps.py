"""CPS: common path shingles, pieces of the paths from the root to the leaves.

Source: Buttler (ICOMP 2004); Hachenberg & Gottron (CIKM 2013, section 4.2) as a baseline.  The paper
says no more than "shingling" of paths.  Taken plainly: each path is cut into its runs of four
consecutive names (a shorter path is one piece), so that paths which differ in one place still share
pieces; each piece counts once, compared by ``set_distance``.

Threshold: a class's own when classifying, as in the paper.  For clusters the paper gives none; .3 was
the best of .2 to .5 on fifteen of these sites (with another overlap), so it is in CPS's favour.
Cost: O(distinct paths * depth) a page, O(shingles) a comparison.
"""

from __future__ import annotations

from lab.papers.structure.sets import set_distance, shingles
from lab.papers.structure.shape import ByDistance
from lab.papers.structure.tags import leaf_paths
from templcrawl import Page


def features(page: Page) -> frozenset[str]:
    """Return the distinct path shingles of a page.

    >>> sorted(features(Page("<div><p><a><b><i>x</i></b></a></p><p>y</p></div>", "")))
    ['div p', 'div p a b', 'p a b i']
    """
    return frozenset().union(*(shingles(path.split("/")) for path in leaf_paths(page)))


CPS = ByDistance("CPS", features, set_distance, threshold=0.3)
