"""TEXT-MDL: agglomerative clustering of documents by template, at minimum description length.

Source: Prathibha, Sukumar, Sriram (IJERT 2012), "Clustering with MDL cost", after Kim & Shim (TEXT, TKDE
2011). Documents are the columns of a matrix M_E over P paths, 1 where a path is essential.  A model of m
clusters says

    M_E = M_T M_D + M_D'

with the templates M_T (P by m), each document's one cluster M_D (m by n), and the differences M_D' (P by
n): 1 where a document has what its template lacks, -1 the other way.  The cost is L(M_T) + L(M_D) +
L(M_D'); of a matrix it is its number of entries times the entropy of their values.

Agglomerative: every document starts as a cluster; the two clusters whose union makes the description
shortest are joined, until every union makes it longer; of two clusterings that cost the same, the one with
fewer clusters is taken, so that equal documents are always joined.

Neither paper at hand prints what M_D costs.  With one number below n for each document it is n log2 n for
every clustering, and is left out here.

n documents, G <= P distinct columns: paths that the same documents have are one column with a weight,
which changes no count.  Cost: O(n^2 G + n^3) time, O(n^2 + n G) memory: for small sets, some hundreds of
pages.  For large ones :mod:`templcrawl.algorithms.description_length.mdl_minhash` estimates the same counts
from sketches.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from templcrawl.algorithms.description_length.essential_paths import in_template
from templcrawl.page.ancestors import Keys

Counts = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


class Entries(NamedTuple):
    """What a clustering's matrices hold; numbers, or arrays for many clusterings or clusters at once.

    ones     ones in the templates
    added    1 in the differences: paths of documents that their template lacks
    missing  -1 in the differences
    """

    ones: Floats
    added: Floats
    missing: Floats


def bits(entries: Entries, *, paths: int, documents: int, clusters: int) -> Floats:
    """Return the description length of a clustering of ``documents`` over ``paths``."""
    templates = paths * clusters
    differences = paths * documents
    none = differences - entries.added - entries.missing
    return (
        _share(templates, entries.ones)
        + _share(templates, templates - entries.ones)
        + _share(differences, entries.added)
        + _share(differences, entries.missing)
        + _share(differences, none)
    )


def _share(size: int, count: Floats) -> Floats:
    """Return the bits of the entries of one value: ``count`` of ``size`` have it."""
    count = np.clip(count, 0, None)
    entry_bits: Floats = count * np.log2(np.maximum(size, 1) / np.maximum(count, 1e-12))
    return np.maximum(entry_bits, 0.0)


def path_matrix(documents: Sequence[Keys]) -> tuple[Counts, Counts]:
    """Return (document, column -> 1 if it has the paths of that column; column -> number of paths)."""
    paths, ranks = np.unique(np.concatenate(documents), return_inverse=True)
    rows = np.repeat(np.arange(len(documents)), [len(document) for document in documents])
    matrix = np.zeros((len(paths), len(documents)), dtype=np.uint8)
    matrix[ranks.reshape(-1), rows] = 1
    packed = np.packbits(matrix, axis=1)
    alike = np.ascontiguousarray(packed).view(np.dtype((np.void, packed.shape[1]))).reshape(-1)
    _, first, weights = np.unique(alike, return_index=True, return_counts=True)
    return matrix[first].T.astype(np.int64), weights.astype(np.int64)


def entries_of(supports: Counts, documents: Counts, weights: Counts) -> Entries:
    """Return what clusters add to the matrices.

    supports   cluster, column -> documents of the cluster that have it
    documents  cluster -> its documents
    weights    column -> number of paths
    """
    sizes = documents[:, None]
    is_template = in_template(supports, sizes)
    missing = np.where(is_template, sizes - supports, 0) @ weights
    added = np.where(is_template, 0, supports) @ weights
    return Entries((is_template @ weights).astype(float), added.astype(float), missing.astype(float))


def text_mdl(documents: Sequence[Keys]) -> list[int]:
    """Return the cluster of each document: the number of its first document.

    documents  essential paths of each, distinct

    >>> shop, blog = np.arange(20, dtype=np.uint64), np.arange(50, 80, dtype=np.uint64)
    >>> text_mdl([shop, blog, shop[:19], blog[1:]])
    [0, 1, 0, 1]
    """
    if not sum(map(len, documents)):
        return [0] * len(documents)
    return _MergedDocuments(documents).clusters()


class _MergedDocuments:
    """The state of agglomerative clustering; a cluster that was joined into another is not alive.

    pairs  cluster, cluster -> the entries of their union, alive ones above the diagonal
    """

    def __init__(self, documents: Sequence[Keys]) -> None:
        self.supports, self.weights = path_matrix(documents)
        count = len(documents)
        self.members = np.ones(count, dtype=np.int64)
        self.alive = np.ones(count, dtype=bool)
        self.label = np.arange(count)
        self.own = np.array(entries_of(self.supports, self.members, self.weights))
        self.pairs = np.zeros((3, count, count))
        for cluster in range(count):
            self._pair(cluster)

    def _pair(self, cluster: int) -> None:
        """Work out the entries of the unions of a cluster with all others."""
        unions = self.supports + self.supports[cluster]
        entries = np.array(entries_of(unions, self.members + self.members[cluster], self.weights))
        self.pairs[:, cluster, :] = self.pairs[:, :, cluster] = entries

    def _bits(self, entries: npt.NDArray[np.float64], clusters: int) -> npt.NDArray[np.float64]:
        return bits(
            Entries(*entries),
            paths=int(self.weights.sum()),
            documents=len(self.members),
            clusters=clusters,
        )

    def clusters(self) -> list[int]:
        """Join as long as it pays; return the cluster of each document."""
        total = self.own.sum(axis=1)
        for left in range(len(self.members), 1, -1):
            now = float(self._bits(total[:, None], left)[0])
            alive = np.flatnonzero(self.alive)
            first, second = (alive[side] for side in np.triu_indices(len(alive), 1))
            after = total[:, None] - self.own[:, first] - self.own[:, second] + self.pairs[:, first, second]
            costs = self._bits(after, left - 1)
            best = int(costs.argmin())
            if costs[best] > now:
                break
            total = after[:, best]
            self._join(int(first[best]), int(second[best]))
        labels: list[int] = self.label.tolist()
        return labels

    def _join(self, target: int, joined: int) -> None:
        """Make one cluster of two."""
        self.label[self.label == joined] = target
        self.supports[target] += self.supports[joined]
        self.members[target] += self.members[joined]
        self.alive[joined] = False
        self.own[:, target] = self.pairs[:, target, joined]
        self._pair(target)
