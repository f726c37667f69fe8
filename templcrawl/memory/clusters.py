"""The state shared by all sites: template clusters, and sums over pages.

A template cluster is a set of pages whose fingerprints are linked by single edits.

Sites that were built with the same theme share a cluster; it tells little about page types within one
site.  A label is a hash of the cluster's smallest fingerprint, so that the same set of pages gives the
same labels in every order.  A label can change as pages arrive (a smaller fingerprint joins, two
clusters merge); ``resolve`` returns the current label of an earlier one.

Source: Hachenberg & Gottron (CIKM 2013); see :mod:`templcrawl.algorithms.page_types.fingerprint`.
Cost: O(1) a page.  Memory: about 600 bytes for each distinct fingerprint.

It is stored together with the salt of the samples (:class:`AcrossSites`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from xxhash import xxh3_64_hexdigest

from templcrawl.algorithms.page_types.fingerprint import FINGERPRINT_LENGTH, FingerprintIndex
from templcrawl.errors import InvalidSnapshot
from templcrawl.memory.snapshots import MAX_COUNT, Frozen, Lists, Numbers, Snapshot, Text

ALL_SITES = "*"  # the host under which is stored what was learned across sites

_DIGITS = 12


class FingerprintClusters:
    """Names for the clusters of a fingerprint index; bounded.

    Once ``limit`` distinct fingerprints are known, a new one joins no cluster: it is labelled by the
    cluster of a similar one, or by itself, and is not remembered.
    """

    def __init__(self, *, split: int, limit: int) -> None:
        self.limit = limit
        self._index = FingerprintIndex(split=split)
        self._fingerprints: dict[str, bytes] = {}

    def __len__(self) -> int:
        return len(self._index)

    def __iter__(self) -> Iterator[bytes]:
        """Yield the fingerprints, in the order in which they came."""
        return iter(self._index)

    def label(self, fingerprint: bytes) -> str:
        """Return the label of a page with this fingerprint, and remember the fingerprint."""
        return _name(self._remember(fingerprint) or self._smallest(fingerprint))

    def add_fingerprints(self, fingerprints: Iterable[bytes]) -> None:
        """Add fingerprints of earlier pages or other crawls, up to the limit."""
        for fingerprint in fingerprints:
            self._remember(fingerprint)

    def _remember(self, fingerprint: bytes) -> bytes | None:
        """Remember a fingerprint and return the smallest of its cluster; None where there is no room."""
        if len(self._index) >= self.limit:
            return None
        smallest = self._index.add(fingerprint)
        self._fingerprints[_name(fingerprint)] = fingerprint
        return smallest

    def _smallest(self, fingerprint: bytes) -> bytes:
        try:
            return self._index.cluster(fingerprint)
        except KeyError:
            similar = self._index.similar(fingerprint)
            return self._index.cluster(similar[0]) if similar else fingerprint

    def resolve(self, label: str) -> str:
        """Return the current label of an earlier one; an unknown label is returned unchanged."""
        fingerprint = self._fingerprints.get(label)
        return label if fingerprint is None else _name(self._smallest(fingerprint))

    def sizes(self) -> dict[str, int]:
        """Return label of each cluster -> distinct fingerprints in it."""
        return {_name(members[0]): len(members) for members in self._index.clusters()}


def _name(fingerprint: bytes) -> str:
    return xxh3_64_hexdigest(fingerprint)[:_DIGITS]


class AcrossSites(NamedTuple):
    """What is learned across sites, and stored beside them.

    fingerprints  those that were met
    sums          attribute of pages that is a number from 0 to 1 -> pages of all sites, sum of the numbers
    salt          of the samples
    """

    fingerprints: Sequence[bytes]
    sums: Mapping[str, tuple[int, float]]
    salt: int

    @classmethod
    def from_snapshot(cls, snapshot: Snapshot) -> AcrossSites:
        """Return the object stored in a snapshot; raises InvalidSnapshot."""
        names = snapshot.text("said").split()
        pages = snapshot.numbers("pages", count=len(names), below=MAX_COUNT)
        totals = snapshot.numbers("sums", "f8", count=len(names))
        if (totals > pages).any():
            raise InvalidSnapshot("sums", "a number is above 1")
        salt = snapshot.numbers("salt", count=1).item()
        fingerprints = snapshot.strings("fingerprints", below=FINGERPRINT_LENGTH + 1)
        return cls(fingerprints, dict(zip(names, zip(pages.tolist(), totals.tolist()))), salt)

    def freeze(self) -> Frozen:
        """Return the columns that ``from_snapshot`` reads."""
        return {
            "fingerprints": Lists(self.fingerprints, "u1"),
            "said": Text(" ".join(self.sums)),
            "pages": Numbers([pages for pages, _ in self.sums.values()]),
            "sums": Numbers([total for _, total in self.sums.values()], "f8"),
            "salt": Numbers([self.salt]),
        }
