"""What a crawl has learned across its sites: template clusters, and relevance.

A template cluster is a set of pages whose fingerprints are linked by single edits.

Sites that were built with the same theme share a cluster; it tells little about page types within one
site.  A label is a hash of the cluster's smallest fingerprint, so that the same set of pages gives the
same labels in every order.  A label can change as pages arrive (a smaller fingerprint joins, two
clusters merge); ``resolve`` returns the current label of an earlier one.

Source: Hachenberg & Gottron (CIKM 2013); see :mod:`templcrawl.algorithms.fingerprints.fingerprint`.
Cost: O(1) a page.  Memory: about 600 bytes for each distinct fingerprint.

It is stored together with the salt of the samples.  A merge of several workers joins their fingerprints and
sums their relevance: neither the order of workers nor the distribution of pages matters.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xxhash import xxh3_64_hexdigest

from templcrawl.algorithms.crawl_order.focus import RelevanceRecord
from templcrawl.algorithms.fingerprints.fingerprint import FingerprintIndex
from templcrawl.errors import BrokenInvariant, InvalidSnapshot
from templcrawl.memory.snapshot_parts import Entries, Part, Section
from templcrawl.memory.snapshot_values import Kind, Snapshot, amount, count, entry

_DIGITS = 12


_FINGERPRINTS = Kind(
    lambda fingerprints: [fingerprint.hex() for fingerprint in fingerprints],
    lambda snapshot, name: [bytes.fromhex(text) for text in entry(snapshot, name, list)],
)


class FingerprintClusters(Section):
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

    def label(self, fingerprint: bytes) -> str:
        """Return the label of a page with this fingerprint, and remember the fingerprint."""
        return _name(self._remember(fingerprint) or self._smallest(fingerprint))

    def update(self, fingerprints: Iterable[bytes]) -> None:
        """Add fingerprints that other workers of a crawl have met, as far as the limit allows."""
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
        """Return what an earlier label has become; a label that is not known stays."""
        fingerprint = self._fingerprints.get(label)
        return label if fingerprint is None else _name(self._smallest(fingerprint))

    def sizes(self) -> dict[str, int]:
        """Return label of each cluster -> distinct fingerprints in it."""
        return {_name(members[0]): len(members) for members in self._index.clusters()}

    def validate(self) -> None:
        """Raise BrokenInvariant if the index is inconsistent or over its limit."""
        self._index.validate()
        if not len(self._fingerprints) <= len(self._index) <= self.limit:
            raise BrokenInvariant("FingerprintClusters", f"{len(self)} fingerprints, limit {self.limit}")

    @staticmethod
    def fingerprints_of(snapshot: Snapshot) -> list[bytes]:
        """Return the fingerprints of a snapshot; raises InvalidSnapshot."""
        fingerprints: list[bytes] = _FINGERPRINTS.read(snapshot, "fingerprints")
        return fingerprints

    def parts(self) -> Sequence[Part]:
        """Return the fingerprints, in the order in which they came."""
        return [Entries({"fingerprints": _FINGERPRINTS}, lambda: [list(self._index)], self._set)]

    def _set(self, fingerprints: list[bytes]) -> None:
        """Load the fingerprints of a snapshot; of more than the limit allows, those that came first."""
        for fingerprint in fingerprints:
            if fingerprint in self._index:
                raise InvalidSnapshot("fingerprints", f"{fingerprint.hex()} comes twice")
            self._remember(fingerprint)


def _name(fingerprint: bytes) -> str:
    return xxh3_64_hexdigest(fingerprint)[:_DIGITS]


def relevance_across_sites(stored: Snapshot) -> RelevanceRecord:
    """Return how relevant the pages of all sites were, of what is stored across sites.

    Raises InvalidSnapshot.
    """
    judged, relevance = count(stored, "judged"), amount(stored, "relevance")
    if relevance > judged:
        raise InvalidSnapshot("relevance", f"{relevance} of {judged} pages")
    return RelevanceRecord(judged, relevance)


def merged_across_sites(snapshots: Sequence[Snapshot]) -> tuple[list[bytes], RelevanceRecord]:
    """Return the fingerprints and the relevance that several workers know of; raises InvalidSnapshot."""
    fingerprints = {
        fingerprint for snapshot in snapshots for fingerprint in FingerprintClusters.fingerprints_of(snapshot)
    }
    records = [relevance_across_sites(snapshot) for snapshot in snapshots]
    pages = sum(record.pages for record in records)
    return sorted(fingerprints), RelevanceRecord(pages, sum(record.relevance for record in records))
