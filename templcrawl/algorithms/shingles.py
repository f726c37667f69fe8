"""Shingles and sketches: whether two texts say nearly the same, from a few hundred bytes of each.

Sources: Broder, Glassman, Manasse, Zweig (WWW 1997) for w-shingles, resemblance and super-shingles;
Li, Owen, Zhang (NIPS 2012) for taking all minima of a sketch from one permutation; Shrivastava & Li
(UAI 2014) for filling its empty bins.

Notation: a text is a sequence of terms; its shingles are the hashes of every ``width`` consecutive
terms, a set S.  resemblance(A, B) = |A & B| / |A | B|.  A sketch holds, for each of ``bins`` equal
parts of the range of hashes, the least shingle that falls into it; two sketches agree in a bin with
a probability equal to the resemblance.  A super-shingle is one hash of a group of bins.

Hashes are 64 bits and equal in every process: xxh3 of each term, a polynomial over the terms of a
shingle, then a bit mixer.  Cost: O(terms) for shingles, O(shingles log shingles) for a sketch.
Departure: a text shorter than ``width`` terms has one shingle, of all its terms.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from xxhash import xxh3_64_intdigest

from templcrawl.page.terms import TermHashes

Hashes = npt.NDArray[np.uint64]

WIDTH = 5
BINS = 384
GROUPS = 24

_QUARTERS = np.arange(4, dtype=np.uint64) << np.uint64(62)
_BASE = 0x9E3779B97F4A7C15
_ROTATION = np.uint64(0xD1B54A32D192ED03)


def term_hashes(terms: Iterable[str]) -> Hashes:
    """Return the hash of each term, in order."""
    hashes = TermHashes()
    return np.array([hashes[term] for term in terms], dtype=np.uint64)


def combine(hashes: Hashes, *, width: int = WIDTH) -> Hashes:
    """Return the shingle that starts at each term, in order; of fewer than ``width`` terms, one of all."""
    width = min(width, len(hashes))
    if not width:
        return hashes
    combined = np.zeros(len(hashes) - width + 1, dtype=np.uint64)
    for offset in range(width):
        combined *= np.uint64(_BASE)
        combined += hashes[offset : offset + len(combined)]
    return _mix(combined)


def shingles(terms: Iterable[str], *, width: int = WIDTH) -> Hashes:
    """Return the distinct shingles of a text, ascending.

    >>> len(shingles("a rose is a rose is a rose".split(), width=4))
    3
    """
    distinct: Hashes = np.unique(combine(term_hashes(terms), width=width))
    return distinct


def _mix(values: Hashes) -> Hashes:
    """Spread every bit of the input over the whole word (the finaliser of splitmix64)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: Hashes = values ^ (values >> np.uint64(31))
    return mixed


def resemblance(a: Hashes, b: Hashes) -> float:
    """Return the resemblance of two sets of shingles, 0 to 1; two empty sets resemble each other fully."""
    common = len(np.intersect1d(a, b, assume_unique=True))
    union = len(a) + len(b) - common
    return common / union if union else 1.0


class Sketch(NamedTuple):
    """A sketch of a text.

    minima  the least shingle of each bin, borrowed from the next one where a bin is empty
    size    how many distinct shingles the text has
    """

    minima: Hashes
    size: int


def sketch(found: Hashes, *, bins: int = BINS) -> Sketch:
    """Return the sketch of a text from its shingles, in any order; of an empty text, all zero."""
    if not len(found):
        return Sketch(np.zeros(bins, dtype=np.uint64), 0)
    ordered = np.sort(found)
    edges = np.arange(bins, dtype=np.uint64) * np.uint64(2**64 // bins)
    first = np.searchsorted(ordered, edges)
    distance = np.searchsorted(edges, ordered[first % len(ordered)], side="right") - 1
    distance = (distance - np.arange(bins)) % bins
    size = 1 + int(np.count_nonzero(ordered[1:] != ordered[:-1]))
    return Sketch(ordered[first % len(ordered)] + distance.astype(np.uint64) * _ROTATION, size)


def estimate_resemblance(a: Sketch, b: Sketch) -> float:
    """Return the share of bins in which two sketches agree: an estimate of the resemblance."""
    return float(np.mean(a.minima == b.minima))


def super_shingles(of: Sketch, *, groups: int = GROUPS) -> tuple[int, ...]:
    """Return one hash for each group of bins: texts that share one are near-duplicate candidates."""
    size = len(of.minima) // groups
    return tuple(
        xxh3_64_intdigest(of.minima[start : start + size].tobytes())
        for start in range(0, size * groups, size)
    )


def shingle_of(found: Hashes) -> int:
    """Return one hash of a set of shingles that most small changes leave as it is (the paper's s(p)).

    It is a super-shingle over the least shingle of each quarter of the range of hashes: texts of
    resemblance r share it with a probability of about r ** 4.
    """
    ordered = np.sort(found)
    firsts = np.searchsorted(ordered, _QUARTERS)
    return xxh3_64_intdigest(ordered[firsts % max(1, len(ordered))].tobytes()) if len(ordered) else 0


def shingle(terms: Iterable[str], *, width: int = WIDTH) -> int:
    """Return the one shingle of a text, 0 for an empty one."""
    return shingle_of(combine(term_hashes(terms), width=width))
