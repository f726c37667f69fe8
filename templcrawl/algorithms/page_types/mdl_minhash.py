"""TEXT-MDL for large sets: the same clustering, with counts estimated from MinHash signatures.

A *signature* of a document is, for each of K permutations of all paths, the least of the document's paths.
Documents with equal signatures are joined first.  TEXT-MAX and TEXT-HASH (:func:`mdl_minhash`) differ in
which pairs of clusters they try.

Source: Prathibha, Sukumar, Sriram (IJERT 2012), "Estimation of MDL cost with MinHash" and "Clustering with
MinHash", after Kim & Shim (TEXT, TKDE 2011).  n documents, m distinct signatures.  Cost: O(paths * K) a
document; of the clustering O(m^2 K) for TEXT-MAX, O(m^2 K + m^3) for TEXT-HASH; memory O(m^2 + m K).  The
templates are not estimated, but read off the documents of each cluster.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import partial

import numpy as np

from templcrawl.algorithms.page_types.text_mdl import bits, in_template
from templcrawl.algorithms.similarity.shingles import combine
from templcrawl.page.arrays import Floats, Indices, Keys

K = 128  # permutations

_EMPTY = np.uint64(2**64 - 1)
_FACTORS, _OFFSETS = combine(np.arange(1, 2 * 1024 + 1, dtype=np.uint64), width=1).reshape(2, -1)


def signature(paths: Keys, *, size: int = K) -> Keys:
    """Return the least of the paths under each of ``size`` permutations, at most 1,024."""
    mixed = combine(paths, width=1) if len(paths) else paths
    factors, offsets = _FACTORS[:size, None] | np.uint64(1), _OFFSETS[:size, None]
    return (mixed[None, :] * factors + offsets).min(axis=1, initial=_EMPTY)


def mdl_minhash(documents: Sequence[Keys], *, size: int = K, all_pairs: bool = False) -> list[int]:
    """Return the cluster of each document, a set of paths: the number of its first document.

    In TEXT-MAX each cluster is paired with its nearest only, the one with which it shares most entries of the
    signature (Jaccard's coefficient; the first of equally near ones), and the best of these pairs is joined
    unless the description gets longer.  TEXT-HASH tries all pairs, as the exact form does, with the same
    estimates.

    all_pairs  whether any two clusters may be joined (TEXT-HASH), not only nearest ones (TEXT-MAX)

    >>> shop, blog = np.arange(20, dtype=np.uint64), np.arange(50, 80, dtype=np.uint64)
    >>> mdl_minhash([shop, blog, shop[:19], blog[1:]])
    [0, 1, 0, 1]
    """
    if not sum(map(len, documents)):
        return [0] * len(documents)
    return (_AllPairs if all_pairs else _NearestPairs)(documents, size).clusters()


Pairs = tuple[Indices, Indices, Floats]  # rows that may be joined, and the entries of their unions


class _MergedSignatures:
    """The state of agglomerative clustering: a row for each initial cluster; merged rows are not alive.

    label     row of each document
    firsts    first document of each row
    minima    row -> signature;  counts  in how many documents each entry is
    members   row -> documents;  lengths  paths of all its documents
    own       entries of each row
    """

    def __init__(self, documents: Sequence[Keys], size: int) -> None:
        signatures = np.array([signature(document, size=size) for document in documents])
        self.minima, firsts, label, members = np.unique(
            signatures, axis=0, return_index=True, return_inverse=True, return_counts=True
        )
        self.label = label.reshape(-1)
        self.firsts = firsts
        self.members = members.astype(float)
        self.counts = np.repeat(self.members[:, None], size, axis=1)
        lengths = [len(document) for document in documents]
        self.lengths = np.bincount(self.label, lengths).astype(float)
        self.paths = len(np.unique(np.concatenate(documents)))
        self.own = self._entries(self.counts, self.members, self.lengths)

    def _entries(self, counts: Floats, members: Floats, lengths: Floats) -> Floats:
        """Return the estimated entries of the matrices of clusters (``text_mdl.bits``).

        The signature of a cluster is the least of its documents', and beside it in how many documents it is.
        The least path is any of the cluster's distinct paths with equal chance, so that the share of the K
        entries with count c estimates the share of its paths whose support is c; the distinct paths are the
        documents' paths, all added up, over the mean count.  From that follow the ones of the template and
        the differences, and so the description length.
        """
        paths = lengths / counts.mean(axis=1)
        is_template = in_template(counts, members[:, None])
        missing = np.where(is_template, members[:, None] - counts, 0.0).mean(axis=1)
        added = np.where(is_template, 0.0, counts).mean(axis=1)
        return np.array([is_template.mean(axis=1) * paths, added * paths, missing * paths])

    def unions(self, first: Indices, second: Indices) -> Floats:
        """Return the entries of the unions of pairs of rows."""
        _, counts = _least(self.minima[first], self.counts[first], self.minima[second], self.counts[second])
        members, lengths = (
            self.members[first] + self.members[second],
            self.lengths[first] + self.lengths[second],
        )
        return self._entries(counts, members, lengths)

    @abstractmethod
    def pairs(self, alive: Indices) -> Pairs:
        """Return the pairs that may be joined."""

    @abstractmethod
    def renew(self, target: int, joined: int, alive: Indices) -> None:
        """Update what is stored after a row was joined into another."""

    def clusters(self) -> list[int]:
        """Join as long as it pays; return the cluster of each document."""
        alive = np.arange(len(self.minima))
        cost = partial(bits, paths=self.paths, documents=len(self.label))
        total = self.own.sum(axis=1)
        while len(alive) > 1:
            now = float(cost(total[:, None], clusters=len(alive))[0])
            first, second, unions = self.pairs(alive)
            after = total[:, None] - self.own[:, first] - self.own[:, second] + unions
            costs = cost(after, clusters=len(alive) - 1)
            best = int(costs.argmin())
            if costs[best] > now:
                break
            total = after[:, best]
            target, joined = sorted((int(first[best]), int(second[best])))
            alive = alive[alive != joined]
            self.own[:, target] = unions[:, best]
            self._join(target, joined)
            self.renew(target, joined, alive)
        return self.firsts[self.label].tolist()

    def _join(self, target: int, joined: int) -> None:
        self.minima[target], self.counts[target] = _least(
            self.minima[target], self.counts[target], self.minima[joined], self.counts[joined]
        )
        self.members[target] += self.members[joined]
        self.lengths[target] += self.lengths[joined]
        self.firsts[target] = min(self.firsts[target], self.firsts[joined])
        self.label[self.label == joined] = target


class _NearestPairs(_MergedSignatures):
    """Each row with the nearest one.

    shared   row, row -> entries that are equal, -1 for those that are not alive
    nearest  row -> the row that is nearest;  nearest_entries  row -> the entries of the union with that
    """

    def __init__(self, documents: Sequence[Keys], size: int) -> None:
        super().__init__(documents, size)
        rows = len(self.minima)
        self.shared = np.full((rows, rows), -1, dtype=np.int32)
        for row in range(rows - 1):
            self.shared[row, row + 1 :] = (self.minima[row + 1 :] == self.minima[row]).sum(axis=1)
        self.shared = np.maximum(self.shared, self.shared.T)
        self.nearest = self.shared.argmax(axis=1)
        self.nearest_entries = self.unions(np.arange(rows), self.nearest)

    def pairs(self, alive: Indices) -> Pairs:
        return alive, self.nearest[alive], self.nearest_entries[:, alive]

    def renew(self, target: int, joined: int, alive: Indices) -> None:
        self.shared[joined, :] = self.shared[:, joined] = -1
        shared = (self.minima[alive] == self.minima[target]).sum(axis=1)
        self.shared[target, alive] = self.shared[alive, target] = shared
        self.shared[target, target] = -1
        moved = (self.nearest[alive] == target) | (self.nearest[alive] == joined) | (alive == target)
        moved |= shared > self.shared[alive, self.nearest[alive]]
        rows = alive[moved]
        self.nearest[rows] = self.shared[rows].argmax(axis=1)
        self.nearest_entries[:, rows] = self.unions(rows, self.nearest[rows])


class _AllPairs(_MergedSignatures):
    """Each row with every other one.

    pair_entries  row, row -> the entries of their union
    """

    def __init__(self, documents: Sequence[Keys], size: int) -> None:
        super().__init__(documents, size)
        rows = np.arange(len(self.minima))
        self.pair_entries = np.zeros((3, len(rows), len(rows)))
        for row in rows.tolist():
            self.pair_entries[:, row, :] = self.unions(np.full_like(rows, row), rows)

    def pairs(self, alive: Indices) -> Pairs:
        first, second = (alive[side] for side in np.triu_indices(len(alive), 1))
        return first, second, self.pair_entries[:, first, second]

    def renew(self, target: int, joined: int, alive: Indices) -> None:
        unions = self.unions(np.full_like(alive, target), alive)
        self.pair_entries[:, target, alive] = self.pair_entries[:, alive, target] = unions


def _least(a: Keys, a_counts: Floats, b: Keys, b_counts: Floats) -> tuple[Keys, Floats]:
    counts = np.where(a <= b, a_counts, 0.0) + np.where(b <= a, b_counts, 0.0)
    return np.minimum(a, b), counts
