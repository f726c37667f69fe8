"""Whether two pages are near-duplicates: the same page under two addresses, give or take a few words.

Source: Broder et al. (WWW 1997), who call two documents near-duplicates by resemblance alone.
Departure: pages of a site share their template, so a high resemblance alone would call every two
pages with little content near-duplicates, and no template would ever be learned from them.  Two
pages are near-duplicates here if they also *differ* by less than a short paragraph.

Notation: r resemblance, a and b the numbers of shingles.  The union has (a + b) / (1 + r) shingles
and the two differ in (1 - r) / (1 + r) * (a + b) of them; one changed word changes up to 2 * width.
"""

from __future__ import annotations

from templcrawl.algorithms.shingles import Sketch, estimate_resemblance

MIN_RESEMBLANCE = 0.85
MAX_DIFFERENCE = 100


def difference(resemblance: float, a: int, b: int) -> float:
    """Return in how many shingles two sets of ``a`` and ``b`` shingles differ.

    >>> difference(0.5, 30, 30)  # 20 in common, 10 more in each
    20.0
    """
    return (1 - resemblance) / (1 + resemblance) * (a + b)


def are_near_duplicates(a: Sketch, b: Sketch) -> bool:
    """Say whether the texts of two sketches are near-duplicates."""
    resemblance = estimate_resemblance(a, b)
    return resemblance >= MIN_RESEMBLANCE and difference(resemblance, a.size, b.size) <= MAX_DIFFERENCE
