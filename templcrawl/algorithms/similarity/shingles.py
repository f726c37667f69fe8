"""Shingles and MinHash sketches: the resemblance of two texts, estimated from a few kilobytes of each.

Sources: Broder, Glassman, Manasse, Zweig (WWW 1997) for w-shingles, resemblance, the sketch of the least
shingles and super-shingles; Indyk & Motwani (STOC 1998) for bands; Li, Owen, Zhang (NIPS 2012) for taking all
minima of the bands from one permutation; Shrivastava & Li (UAI 2014) for filling empty bins.

Notation: a text is a sequence of terms; its shingles are the hashes of every ``width`` consecutive terms, a
set S.  resemblance(A, B) = |A & B| / |A | B|.  A sketch holds two things:

minima  the least shingles of the text.  Of the k least shingles of A | B the share that both have estimates
        the resemblance r with a standard deviation of sqrt(r (1 - r) / k): .018 at .85 for k = 384.
        Two texts of no more than k shingles each are compared exactly.
bands   one hash for each band of ``ROWS`` bins.  A bin is an equal part of the range of hashes and
        counts by its least shingle, so that two texts agree in it with a probability of r; they share at
        least one of ``BANDS`` bands with 1 - (1 - r ** ROWS) ** BANDS, here

            r  .3    .5    .7    .8    .85    .9
            P  .012  .223  .865  .992  .9995  .999995

Hashes are 64 bits and equal in every process: xxh3 of each term, a polynomial over the terms of a shingle,
then a bit mixer.  Cost: O(terms) for shingles, O(shingles log shingles) for a sketch. Departure: a text
shorter than ``width`` terms has one shingle, of all its terms.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from xxhash import xxh3_64_intdigest

from templcrawl.page.arrays import MASK, MIX, Indices, distinct
from templcrawl.page.text import hashes_of

Hashes = npt.NDArray[np.uint64]

WIDTH = 5  # terms of a shingle
MINIMA = 384  # k: 3 KB of a text
BANDS, ROWS = 16, 6  # .9995 of the pairs that resemble each other by .85 share a band, .22 of those by .5

_QUARTERS = np.arange(4, dtype=np.uint64) << np.uint64(62)
_BASE = np.uint64(MIX)
_MIXING = ((np.uint64(30), np.uint64(0xBF58476D1CE4E5B9)), (np.uint64(27), np.uint64(0x94D049BB133111EB)))
_ROTATION = np.uint64(0xD1B54A32D192ED03)


def combine(hashes: Hashes, *, width: int = WIDTH) -> Hashes:
    """Return the shingle that starts at each term, in order; of fewer than ``width`` terms, one of all."""
    width = min(width, len(hashes))
    if not width:
        return hashes
    combined = hashes[: len(hashes) - width + 1].copy()
    for offset in range(1, width):
        combined *= _BASE
        combined += hashes[offset : offset + len(combined)]
    return _mix(combined)


def shingles(terms: Iterable[str], *, width: int = WIDTH) -> Hashes:
    """Return the distinct shingles of a text, ascending.

    >>> len(shingles("a rose is a rose is a rose".split(), width=4))
    3
    """
    return distinct(combine(hashes_of(terms), width=width))


def _mix(values: Hashes) -> Hashes:
    """Spread every bit of the input over the whole word (the finaliser of splitmix64)."""
    for shift, factor in _MIXING:
        values = (values ^ (values >> shift)) * factor
    return values ^ (values >> np.uint64(31))


class Sketch(NamedTuple):
    """A sketch of a text: its least shingles, ascending; how many it has; a hash of each band."""

    minima: Hashes
    size: int
    bands: tuple[int, ...]


def sketch(shingles: Hashes, *, minima: int = MINIMA) -> Sketch:
    """Return the sketch of a text from its shingles, in any order and number."""
    ordered = distinct(shingles)
    return Sketch(ordered[:minima].copy(), len(ordered), bands(bin_minima(ordered)))


def bin_minima(ordered: Hashes, *, bins: int = BANDS * ROWS) -> Hashes:
    """Return the least shingle of each bin, from ascending shingles; of no shingles, nothing.

    An empty bin borrows from the next one that is not, and tells how far away that is.
    """
    if not len(ordered):
        return ordered
    at = np.arange(bins)
    edges = at.astype(np.uint64) * np.uint64(2**64 // bins)
    least = ordered[ordered.searchsorted(edges) % len(ordered)]
    distance = (edges.searchsorted(least, side="right") - 1 - at) % bins
    return least + distance.astype(np.uint64) * _ROTATION


def bands(minima: Hashes, *, rows: int = ROWS) -> tuple[int, ...]:
    """Return one hash for each ``rows`` bins in turn."""
    written, size = minima.tobytes(), minima.itemsize * rows
    return tuple(xxh3_64_intdigest(written[at : at + size]) for at in range(0, len(written), size))


def estimate_resemblance(a: Sketch, b: Sketch) -> float:
    """Return an estimate of the resemblance; exact if neither text has more shingles than minima."""
    merged = np.concatenate((a.minima, b.minima))
    merged.sort()
    common = merged[1:] == merged[:-1]
    union = len(merged) - int(np.count_nonzero(common))
    compared = min((len(text.minima) for text in (a, b) if text.size > len(text.minima)), default=union)
    if not compared:
        return 1.0
    smaller = np.arange(len(common)) - np.cumsum(common) + common
    return int(np.count_nonzero(common & (smaller < compared))) / compared


def shingle_of(shingles: Hashes) -> int:
    """Return one hash of a set of shingles that most small changes leave as it is (the paper's s(p)).

    It is a super-shingle over the least shingle of each quarter of the range of hashes: texts of
    resemblance r share it with a probability of about r ** 4.
    """
    ordered = np.sort(shingles)
    firsts = np.searchsorted(ordered, _QUARTERS)
    return xxh3_64_intdigest(ordered[firsts % max(1, len(ordered))].tobytes()) if len(ordered) else 0


def shingles_of_spans(hashes: Hashes, spans: Indices) -> list[int]:
    """Return the one shingle of each span of a text, as ``shingle_of`` its shingles: those of all at once.

    spans  rows of (first term, term after the last), none of them empty

    >>> hashes = hashes_of("a rose is a rose is a rose".split())
    >>> shingles_of_spans(hashes, np.array([(0, 6)])) == [shingle_of(combine(hashes[:6]))]
    True
    """
    starts, stops = spans.T
    is_long = stops - starts >= WIDTH
    firsts = np.empty((len(spans), len(_QUARTERS)), dtype=np.uint64)
    if np.count_nonzero(is_long) < len(spans):
        sums = []
        for start, stop in zip(starts[~is_long].tolist(), stops[~is_long].tolist()):
            combined = 0
            for term in hashes[start:stop].tolist():
                combined = (combined * MIX + term) & MASK  # what ``combine`` mixes, modulo 2^64
            sums.append(combined)
        firsts[~is_long] = _mix(np.array(sums, dtype=np.uint64))[:, None]
    if np.count_nonzero(is_long):
        bounds = spans[is_long]
        bounds[:, 1] -= WIDTH - 1
        firsts[is_long] = _least_of_quarters(combine(hashes), bounds)
    return list(bands(firsts, rows=len(_QUARTERS)))


def _least_of_quarters(shingles: Hashes, bounds: Indices) -> Hashes:
    """Return the least shingle of each span from each quarter on; where there is none, of the span.

    What is less than a quarter is greater than all others where the quarter is taken off, modulo 2^64.
    """
    padded = np.append(shingles, np.uint64(0))
    least = np.minimum.reduceat(padded - _QUARTERS[:, None], bounds.ravel(), axis=1)
    return least[:, ::2].T + _QUARTERS
