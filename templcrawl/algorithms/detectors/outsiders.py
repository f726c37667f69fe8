"""Outsiders: pages that have next to nothing in common with their site, to be judged by their own kind.

A site may be built of sections that share no template: a shop, its manual, its blog.  A sample of the whole
site holds few pages of a small section, so that its menu would stand on a small share of them and be kept.
Where the site says nothing, pages of the same page type are asked as well.

An *outsider* is a page of whose text runs fewer than a tenth stand on half of the sampled pages or more, of
four at least.  A run's share is then the larger of two: that in the sample, and n / (n + 1) of its share
among n >= 4 outsiders of the same template.

The other way round a sampled page is a *stranger* to a page if it has fewer than a tenth as many of its runs
as the median of the sample.  It tells nothing about the template of that page, and does not vote.

Why outsiders alone: within a page type also what belongs to the content is repeated ("add to cart",
an author's name), and pages of one type are often near-duplicates.  Asked on every page, the pages of its
type cost .02 to .05 F1 on the saved sites; asked on outsiders they gain .03 on one site, .006 on another,
and lose .008 on a third.

Source: our own.  n text runs.  Cost: O(n).
"""

from __future__ import annotations

from statistics import median

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

LEAST_PAGES = 4
"""Pages that must be known before they say what is repeated."""

_COMMON = 0.5
_FEW = 0.1


def is_outsider(shares: Floats, pages: int) -> bool:
    """Say whether a page has next to nothing in common with its site.

    shares  run -> share of the sampled pages of the site that have it
    pages   how many pages were sampled

    >>> is_outsider(np.array([0.0, 0.2, 0.0]), 16), is_outsider(np.array([0.0, 0.9, 0.0]), 16)
    (True, False)
    """
    return pages >= LEAST_PAGES and bool(np.count_nonzero(shares >= _COMMON) < _FEW * len(shares))


def voters(common: npt.NDArray[np.integer]) -> npt.NDArray[np.bool_]:
    """Say which of some pages are asked about a page: strangers to it are not, if four others are left.

    common  page -> how many of the text runs it has

    >>> voters(np.array([30, 1, 28, 31, 29])).tolist(), voters(np.array([30, 1, 28])).tolist()
    ([True, False, True, True, True], [True, True, True])
    """
    votes: npt.NDArray[np.bool_] = common >= _FEW * median(common.tolist())
    return votes if np.count_nonzero(votes) >= LEAST_PAGES else np.ones(len(common), dtype=bool)


def with_own_kind(shares: Floats, own: Floats, pages: int) -> Floats:
    """Return the shares of an outsider's text runs.

    shares  run -> share of the sampled pages of the site
    own     run -> share of the known outsiders of the page's template
    pages   how many those are

    >>> with_own_kind(np.array([0.0, 0.25]), np.array([1.0, 0.0]), 4).tolist()
    [0.8, 0.25]
    """
    if pages < LEAST_PAGES:
        return shares
    larger: Floats = np.maximum(shares, own * (pages / (pages + 1)))
    return larger
