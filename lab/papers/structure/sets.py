"""Sets of shingles, and the distance of two sets, which CP, CPS and CTSS share.

    distance(A, B) = 1 - |A & B| / max(|A|, |B|)

Hachenberg & Gottron (CIKM 2013) print no formula.  The share of the larger set is, as far as known to
us, that of their reference [7] (Gottron, ECIR 2008); 0.8 of it is their threshold for CTSS.

Cost: O(min(|A|, |B|)) a comparison.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

WIDTH = 4
"""Tags of a shingle.  The paper gives none; four is our choice, for CPS and CTSS alike."""


def shingles(names: Sequence[str], width: int = WIDTH) -> set[str]:
    """Return the distinct runs of ``width`` consecutive names; a shorter sequence is one shingle.

    >>> sorted(shingles("ul li li li ul".split(), width=2)), shingles(["p"], width=2)
    (['li li', 'li ul', 'ul li'], {'p'})
    """
    count = max(1, len(names) - width + 1) if names else 0
    return {sys.intern(" ".join(names[start : start + width])) for start in range(count)}


def set_distance(a: frozenset[str], b: frozenset[str]) -> float:
    """Return one less the share of the larger set that both have; two empty sets are equal.

    >>> set_distance(frozenset("abc"), frozenset("bcde"))
    0.5
    """
    larger = max(len(a), len(b))
    return 1 - len(a & b) / larger if larger else 0.0
