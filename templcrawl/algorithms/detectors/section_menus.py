"""The menus of sections: lists of links that stand together on some pages of a site, and on no others.

A side bar that half of the pages have is on half of the sampled ones, and its share says little against it.
What gives it away is that all of it stands on the same pages.  A *section menu* is a stretch of at least
eight text runs, nine tenths of its words in links, each of which the same pages have, at least four of them.
Its share is then n / (n + 1) if that is larger, n being how many those are: that of pages of its own kind
(:mod:`templcrawl.algorithms.detectors.outsiders`).

The entries of a list that is the content of a page stand on other pages too, but each on other ones.  Why
lists of links alone: text that the same pages have is often content (what products of one kind have in
common, the members that a class inherits); without that condition 10 of 59 sites lose up to .08.

Source: our own.  n text runs.  Cost: O(n).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from templcrawl.algorithms.detectors.outsiders import LEAST_PAGES
from templcrawl.page.hints import LINKED
from templcrawl.page.text_runs import TextRuns

Floats = npt.NDArray[np.float64]

_LEAST_RUNS = 8
_LINKED_SHARE = 0.9


def with_section_menus(runs: TextRuns, shares: Floats, masks: npt.NDArray[np.uint32]) -> Floats:
    """Return the shares of a page's text runs.

    shares  run -> share of the sampled pages that have it
    masks   run -> which ones they are, a bit each
    """
    edges = np.concatenate(([0], np.flatnonzero(masks[1:] != masks[:-1]) + 1, [len(masks)]))
    is_long = np.diff(edges) >= _LEAST_RUNS
    starts, stops = edges[:-1][is_long], edges[1:][is_long]
    if not len(starts):
        return shares
    words = np.concatenate(([0], np.cumsum(runs.words)))
    linked = np.concatenate(([0], np.cumsum(runs.words * (runs.hints & LINKED > 0))))
    is_list = linked[stops] - linked[starts] >= _LINKED_SHARE * (words[stops] - words[starts])
    larger: Floats = shares.copy()
    for start, stop in zip(starts[is_list].tolist(), stops[is_list].tolist()):
        having = int(masks[start]).bit_count()
        if having >= LEAST_PAGES:
            np.maximum(shares[start:stop], having / (having + 1), out=larger[start:stop])
    return larger
