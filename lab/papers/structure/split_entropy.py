"""Where to cut fingerprints: the position at which both parts say equally much.

Source: Hachenberg & Gottron (CIKM 2013), section 3.4 and Figure 2.  The first entries of a
fingerprint vary little, so a cut in the middle makes heads that very many pages share; the paper
takes the position at which the entropies of head and tail meet, l = 17 on its pages.

Notation: H(head), H(tail) are entropies in bits over the fingerprints of a sample of pages.
Cost: O(pages * length).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import log2
from typing import NamedTuple

from templcrawl.algorithms.fingerprints.fingerprint import FINGERPRINT_LENGTH


class SplitEntropy(NamedTuple):
    """The entropies of the two parts at one cut.

    split  the cut: how many entries the head has
    head   entropy of the heads, bits
    tail   entropy of the tails, bits
    """

    split: int
    head: float
    tail: float


def entropy_by_split(
    fingerprints: Iterable[bytes], *, length: int = FINGERPRINT_LENGTH
) -> list[SplitEntropy]:
    """Return the entropies for every cut from 1 to ``length`` - 1; fingerprints count as often as they come.

    >>> for cut in entropy_by_split([bytes([0, 1, 5]), bytes([0, 2, 6])], length=3):
    ...     print(cut)
    SplitEntropy(split=1, head=0.0, tail=1.0)
    SplitEntropy(split=2, head=1.0, tail=1.0)
    """
    counted = Counter(fingerprints)
    return [
        SplitEntropy(
            split,
            _entropy(counted, slice(0, split)),
            _entropy(counted, slice(split, None)),
        )
        for split in range(1, length)
    ]


def balanced_split(entropies: Sequence[SplitEntropy]) -> int:
    """Return the cut at which the two entropies are nearest to each other; the later one of two equals.

    >>> balanced_split([SplitEntropy(1, 0.5, 3.0), SplitEntropy(2, 2.0, 2.1), SplitEntropy(3, 3.0, 1.0)])
    2
    """
    return min(entropies, key=lambda cut: (abs(cut.head - cut.tail), -cut.split)).split


def _entropy(counted: Counter[bytes], part: slice) -> float:
    parts: Counter[bytes] = Counter()
    for fingerprint, times in counted.items():
        parts[fingerprint[part]] += times
    total = sum(parts.values())
    entropy = sum(times / total * log2(total / times) for times in parts.values())
    return entropy + 0.0
