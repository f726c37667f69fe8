"""TEXT-MDL for large sets: the same clustering, with counts estimated from MinHash signatures.

Source: Prathibha, Sukumar, Sriram (IJERT 2012), "Estimation of MDL cost with MinHash" and "Clustering with
MinHash", after Kim & Shim (TEXT, TKDE 2011).  A signature of a document is, for each of K permutations of all
paths, the least of the document's paths.  That of a cluster is the least of its documents', and beside it in
how many documents it is.  The least path is any of the cluster's distinct paths with equal chance, so that
the share of the K entries with count c estimates the share of its paths whose support is c; the distinct
paths are the documents' paths, all added up, over the mean count.  From that follow the ones of the template
and the differences, and so the description length.

Documents with equal signatures are joined first.  Then each cluster is paired with its nearest only, the one
with which it shares most entries of the signature (Jaccard's coefficient; the first of equally near ones),
and the best of these pairs is joined unless the description gets longer.

n documents, m distinct signatures.  Cost: O(paths * K) a document and O(m^2 K) for the clustering; memory
O(m^2 + m K). The templates are not estimated, but read off the documents of each cluster.
"""

from __future__ import annotations

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


def mdl_minhash(documents: Sequence[Keys], *, size: int = K) -> list[int]:
    """Return the cluster of each document, a set of paths: the number of its first document.

    >>> shop, blog = np.arange(20, dtype=np.uint64), np.arange(50, 80, dtype=np.uint64)
    >>> mdl_minhash([shop, blog, shop[:19], blog[1:]])
    [0, 1, 0, 1]
    """
    if not sum(map(len, documents)):
        return [0] * len(documents)
    return _MergedSignatures(documents, size).clusters()


class _MergedSignatures:
    """The state of agglomerative clustering: a row for each initial cluster; merged rows are not alive.

    label     row of each document
    firsts    first document of each row
    minima    row -> signature;  counts  in how many documents each entry is
    members   row -> documents;  lengths  paths of all its documents
    shared    row, row -> entries that are equal, -1 for those that are not alive
    nearest   row -> the row that is nearest;  unions  row -> the entries of the union with that
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
        rows = len(self.minima)
        self.own = self._entries(self.counts, self.members, self.lengths)
        self.shared = np.full((rows, rows), -1, dtype=np.int32)
        for row in range(rows - 1):
            self.shared[row, row + 1 :] = (self.minima[row + 1 :] == self.minima[row]).sum(axis=1)
        self.shared = np.maximum(self.shared, self.shared.T)
        self.nearest = self.shared.argmax(axis=1)
        self.unions = self._unions(np.arange(rows))

    def _entries(
        self,
        counts: Floats,
        members: Floats,
        lengths: Floats,
    ) -> Floats:
        paths = lengths / counts.mean(axis=1)
        is_template = in_template(counts, members[:, None])
        missing = np.where(is_template, members[:, None] - counts, 0.0).mean(axis=1)
        added = np.where(is_template, 0.0, counts).mean(axis=1)
        return np.array([is_template.mean(axis=1) * paths, added * paths, missing * paths])

    def _unions(self, rows: Indices) -> Floats:
        other = self.nearest[rows]
        _, counts = _least(self.minima[rows], self.counts[rows], self.minima[other], self.counts[other])
        return self._entries(
            counts, self.members[rows] + self.members[other], self.lengths[rows] + self.lengths[other]
        )

    def clusters(self) -> list[int]:
        """Join as long as it pays; return the cluster of each document."""
        alive = np.arange(len(self.minima))
        cost = partial(bits, paths=self.paths, documents=len(self.label))
        total = self.own.sum(axis=1)
        while len(alive) > 1:
            now = float(cost(total[:, None], clusters=len(alive))[0])
            others = self.nearest[alive]
            after = total[:, None] - self.own[:, alive] - self.own[:, others] + self.unions[:, alive]
            costs = cost(after, clusters=len(alive) - 1)
            best = int(costs.argmin())
            if costs[best] > now:
                break
            total = after[:, best]
            target, joined = sorted((int(alive[best]), int(others[best])))
            alive = alive[alive != joined]
            self._join(target, joined, alive)
        return self.firsts[self.label].tolist()

    def _join(self, target: int, joined: int, alive: Indices) -> None:
        row = self.nearest[target] == joined
        self.own[:, target] = self.unions[:, target if row else joined]
        self.minima[target], self.counts[target] = _least(
            self.minima[target], self.counts[target], self.minima[joined], self.counts[joined]
        )
        self.members[target] += self.members[joined]
        self.lengths[target] += self.lengths[joined]
        self.firsts[target] = min(self.firsts[target], self.firsts[joined])
        self.label[self.label == joined] = target
        self.shared[joined, :] = self.shared[:, joined] = -1
        shared = (self.minima[alive] == self.minima[target]).sum(axis=1)
        self.shared[target, alive] = self.shared[alive, target] = shared
        self.shared[target, target] = -1
        moved = (self.nearest[alive] == target) | (self.nearest[alive] == joined) | (alive == target)
        moved |= shared > self.shared[alive, self.nearest[alive]]
        rows = alive[moved]
        self.nearest[rows] = self.shared[rows].argmax(axis=1)
        self.unions[:, rows] = self._unions(rows)


def _least(a: Keys, a_counts: Floats, b: Keys, b_counts: Floats) -> tuple[Keys, Floats]:
    counts = np.where(a <= b, a_counts, 0.0) + np.where(b <= a, b_counts, 0.0)
    return np.minimum(a, b), counts
