"""Find all fingerprints within one edit of another, and the clusters that such pairs form.

Source: Hachenberg & Gottron (CIKM 2013), sections 3.3 (index), 5.1 (clustering).

The paper cuts every fingerprint at position l = 17 and looks both parts up: of two fingerprints that
differ in one place, one part is equal.  That (Lemma 3.1) is false where lengths differ, and short
pages have short fingerprints.  Here every length n has a class with its own cut s = 17 n / 25:

    fingerprint   is filed under class   with the keys
    length n      n                      first s(n),   last n - s(n)
    length n - 1  n as well              first s(n),   last n - s(n)

Two of length n that differ at place p share the first s(n) if p >= s(n), else the last n - s(n).
If one of length n loses the entry at p, what is left has the same first s(n) if p >= s(n); else the
last n - s(n) entries of both are equal.  So class n misses no pair of lengths (n, n) or (n, n - 1).
Full fingerprints (25) have two keys, shorter ones four.

Candidates that share a key are verified by ``same_template``.  Where they are many (a head that very
many fingerprints share), the neighbours of the fingerprint itself are looked up instead: about
1,300, whatever the size of the index.  So ``add`` and ``similar`` cost O(1).

Clusters are the connected components of "differ by one edit": the same for every order of arrival.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from templcrawl.algorithms.disjoint_sets import DisjointSets
from templcrawl.algorithms.fingerprint import FINGERPRINT_LENGTH, same_template
from templcrawl.errors import BrokenInvariant, InvalidOption, InvalidSnapshot

_MANY = 1_000


class FingerprintIndex:
    """Distinct fingerprints, found by similarity, in clusters.

    >>> index = FingerprintIndex()
    >>> a, b, c = bytes([0, 0, 1, 2]), bytes([0, 0, 1, 3]), bytes([5, 6, 7])
    >>> [list(index.add(fingerprint)) for fingerprint in (b, a, c)]
    [[0, 0, 1, 3], [0, 0, 1, 2], [5, 6, 7]]
    >>> index.similar(bytes([0, 1, 2])) == [a], index.cluster(b) == a
    (True, True)
    """

    def __init__(self, *, split: int = 17, length: int = FINGERPRINT_LENGTH) -> None:
        """Make an empty index; raises InvalidOption unless 0 < split < length.

        split   where a full fingerprint is cut (the paper's l)
        length  of a full fingerprint
        """
        if not 0 < split < length:
            raise InvalidOption("split", split, f"a whole number from 1 to {length - 1}")
        self.split = split
        self.length = length
        self._sets: DisjointSets[bytes] = DisjointSets()
        self._filed: dict[tuple[int, bool, bytes], list[bytes]] = {}

    def __len__(self) -> int:
        return sum(1 for _ in self._sets)

    def __contains__(self, fingerprint: bytes) -> bool:
        return fingerprint in self._sets

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._sets)

    def add(self, fingerprint: bytes) -> bytes:
        """Add a fingerprint; return the smallest fingerprint of its cluster, as the index now stands."""
        if fingerprint not in self._sets:
            similar = self.similar(fingerprint)
            self._sets.add(fingerprint)
            for other in similar:
                self._sets.union(fingerprint, other)
            for key in self._keys(fingerprint):
                self._filed.setdefault(key, []).append(fingerprint)
        return self._sets.smallest(fingerprint)

    def similar(self, fingerprint: bytes) -> list[bytes]:
        """Return the fingerprints of the index within one edit, ascending; itself too if it is there."""
        found = [self._filed.get(key, ()) for key in self._keys(fingerprint)]
        if sum(map(len, found)) > _MANY:
            return sorted({other for other in _neighbours(fingerprint) if other in self._sets})
        return sorted({other for filed in found for other in filed if same_template(fingerprint, other)})

    def cluster(self, fingerprint: bytes) -> bytes:
        """Return the smallest fingerprint of this one's cluster.  Raises KeyError if it was not added."""
        return self._sets.smallest(fingerprint)

    def clusters(self) -> list[list[bytes]]:
        """Return the clusters, each ascending, in the order of their smallest fingerprints."""
        return self._sets.groups()

    def _keys(self, fingerprint: bytes) -> list[tuple[int, bool, bytes]]:
        """Return the keys of a fingerprint: (class, whether it is the head, part)."""
        keys = []
        for length in (len(fingerprint), len(fingerprint) + 1):
            if length == len(fingerprint) or length <= self.length:
                cut = length * self.split // self.length
                tail = fingerprint[len(fingerprint) - (length - cut) :] if length > cut else b""
                keys += [(length, True, fingerprint[:cut]), (length, False, tail)]
        return keys

    def check(self) -> None:
        """Raise BrokenInvariant unless every fingerprint is filed once under each of its keys."""
        self._sets.check()
        filed = sum(map(len, self._filed.values()))
        expected = 0
        for fingerprint in self._sets:
            keys = self._keys(fingerprint)
            expected += len(keys)
            if any(self._filed.get(key, []).count(fingerprint) != 1 for key in keys):
                raise BrokenInvariant("FingerprintIndex", f"{fingerprint.hex()} is not filed once a key")
        if filed != expected:
            raise BrokenInvariant("FingerprintIndex", f"{filed} entries are filed, {expected} expected")

    def snapshot(self) -> dict[str, Any]:
        """Return the index as plain values."""
        return {
            "split": self.split,
            "length": self.length,
            "fingerprints": [fingerprint.hex() for fingerprint in self._sets],
        }

    @classmethod
    def from_snapshot(cls, snapshot: dict[str, Any]) -> FingerprintIndex:
        """Make an index of a snapshot; raises InvalidSnapshot."""
        try:
            index = cls(split=snapshot["split"], length=snapshot["length"])
            for fingerprint in snapshot["fingerprints"]:
                index.add(bytes.fromhex(fingerprint))
        except (KeyError, TypeError, ValueError) as error:
            raise InvalidSnapshot("fingerprints", str(error)) from error
        return index


def _neighbours(fingerprint: bytes) -> Iterator[bytes]:
    """Yield every fingerprint within one edit.  An entry refers to an earlier one, so it is below 25."""
    values = [bytes([value]) for value in range(max(FINGERPRINT_LENGTH, *fingerprint, 0) + 1)]
    yield fingerprint
    for place in range(len(fingerprint) + 1):
        head, tail = fingerprint[:place], fingerprint[place:]
        yield head + tail[1:]
        for value in values:
            yield head + value + tail[1:]
            yield head + value + tail
