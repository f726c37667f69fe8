"""FP: this library's template fingerprints of 25 entries, with their index.

Source: Hachenberg & Gottron (CIKM 2013), sections 3 to 5; see
``templcrawl.algorithms.fingerprints``.  Two pages are alike when
their fingerprints differ by one edit at most; clusters are the connected components of that.

    distance(a, b) = Levenshtein distance / 25

Cost: O(tags read) a page, O(1) to look up.
"""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz.distance import Levenshtein

from lab.papers.structure.clusterings import by_key
from lab.papers.structure.shape import Folds, Judgement, judge_by_search
from templcrawl import Page
from templcrawl.algorithms.fingerprints.fingerprint import (
    FINGERPRINT_LENGTH,
    FingerprintIndex,
    template_fingerprint,
)


def distance(a: bytes, b: bytes) -> float:
    """Return the edits that tell two fingerprints apart, as a share of 25.

    >>> distance(bytes([0, 0, 1]), bytes([0, 2, 1, 1]))
    0.08
    """
    return Levenshtein.distance(a, b) / FINGERPRINT_LENGTH


class _Index(FingerprintIndex):
    """The index, with distances."""

    def find(self, fingerprint: bytes) -> Sequence[tuple[float, bytes]]:
        return [(distance(neighbour, fingerprint), neighbour) for neighbour in self.similar(fingerprint)]


class Fingerprints:
    """Pages are alike when their fingerprints differ by one edit at most."""

    name = "FP"
    is_slow = False
    threshold = 1 / FINGERPRINT_LENGTH

    def features(self, page: Page) -> bytes:
        """Return the fingerprint of a page."""
        return template_fingerprint(page.text)

    def distance(self, a: bytes, b: bytes) -> float:
        """Return the share of their entries by which two fingerprints differ."""
        return distance(a, b)

    def cluster(self, features: Sequence[bytes]) -> list[int]:
        """Cluster by chains of single edits."""
        index = FingerprintIndex()
        for fingerprint in features:
            index.add(fingerprint)
        return by_key([index.cluster(fingerprint) for fingerprint in features])

    def judge(self, features: Sequence[bytes], folds: Folds) -> Judgement:
        """Look up each page's fingerprint among those of the other folds; an equal one is nearer."""
        return judge_by_search(features, folds, _Index)


FP = Fingerprints()
