"""TEXT-MDL: agglomerative clustering of documents by template, at minimum description length.

Source: Prathibha, Sukumar, Sriram (IJERT 2012), "HTML documents and cluster initialization" and "Clustering
with MDL cost", after Kim & Shim (TEXT, TKDE 2011).  Departures: :func:`support_threshold`, :func:`bits`.

document   the set of its paths from the root to each node, as 64-bit keys: of elements, attributes (class
           words and ids) and text runs
support    of a path: the number of documents that have it
essential  a path of a document whose support is at least the document's threshold t
template   of a cluster of n documents: the paths that are essential in at least (n + 1) / 2 of them; no other
           set has a smaller difference to the documents

n documents, h paths in all, G <= P distinct columns: paths that the same documents have are one column with a
weight. Cost: O(h log h) for essential paths, O(n^2 G + n^3) time and O(n^2 + n G) memory for the clustering:
for some hundreds of pages.  For more :mod:`templcrawl.algorithms.page_types.mdl_minhash` estimates the same
counts from sketches.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from templcrawl.page.arrays import Floats, Keys, equal_rows
from templcrawl.page.page import Page

_MIN_SUPPORT = 2  # least t: what one document has is essential to none


def page_paths(page: Page) -> Keys:
    """Return the distinct paths of a page, ascending; among them are the keys of its text runs."""
    return np.unique(np.concatenate((page.structure, page.text_runs.keys)))


def support_threshold(supports: npt.NDArray[np.intp]) -> int:
    """Return the threshold t of a document from the supports of its paths.

    The paper leaves t open.  As Kim & Shim do we take the support that most paths of the document have, the
    smaller one of equally frequent ones.  Departure: paths that only one document has do not count for that,
    for of most pages these are more than all others, and t = 1 would make everything essential; so t is at
    least 2.

    >>> support_threshold(np.array([4, 4, 3, 3, 3, 1, 1, 1, 1]))
    3
    """
    counts = np.bincount(supports, minlength=_MIN_SUPPORT + 1)
    return int(counts[_MIN_SUPPORT:].argmax()) + _MIN_SUPPORT


def essential_paths(documents: Sequence[Keys], support: int | None = None) -> list[Keys]:
    """Return the essential paths of each document, ascending.

    documents  distinct paths of each
    support    the threshold t of all documents; None: each has its own (:func:`support_threshold`)

    >>> pages = [np.array(paths, dtype=np.uint64) for paths in ([1, 2, 3], [2, 3, 4])]
    >>> [paths.tolist() for paths in essential_paths(pages)]
    [[2, 3], [2, 3]]
    """
    if not documents:
        return []
    paths, ranks, supports = np.unique(np.concatenate(documents), return_inverse=True, return_counts=True)
    ends = np.cumsum([len(document) for document in documents])
    essential = []
    for document_ranks in np.split(ranks.reshape(-1), ends[:-1]):
        document_supports = supports[document_ranks]
        least = support_threshold(document_supports) if support is None else support
        is_essential = document_supports >= least
        essential.append(np.sort(paths[document_ranks[is_essential]]))
    return essential


def cluster_templates(documents: Sequence[Keys], clusters: Sequence[int]) -> dict[int, Keys]:
    """Return cluster -> its template, ascending, from the essential paths and cluster of each document."""
    members: dict[int, list[Keys]] = {}
    for document, cluster in zip(documents, clusters):
        members.setdefault(cluster, []).append(document)
    templates = {}
    for cluster, cluster_documents in members.items():
        paths, supports = np.unique(np.concatenate(cluster_documents), return_counts=True)
        templates[cluster] = paths[in_template(supports, len(cluster_documents))]
    return templates


def in_template(
    supports: npt.NDArray[np.integer | np.floating], documents: int | npt.NDArray[np.integer | np.floating]
) -> npt.NDArray[np.bool_]:
    """Return for each support, in a cluster of so many documents, whether a path with it is template."""
    return 2 * supports >= documents + 1


Counts = npt.NDArray[np.int64]


def bits(entries: Floats, *, paths: int, documents: int, clusters: int) -> Floats:
    """Return the description length of clusterings of ``documents`` over ``paths``.

    Documents are the columns of a matrix M_E over P paths, 1 where a path is essential.  A model of m
    clusters says

        M_E = M_T M_D + M_D'

    with the templates M_T (P by m), each document's one cluster M_D (m by n), and the differences M_D' (P by
    n): 1 where a document has what its template lacks, -1 the other way.  The cost is L(M_T) + L(M_D) +
    L(M_D'); of a matrix it is its number of entries times the entropy of their values.  Neither paper at hand
    prints what M_D costs: with one number below n for each document it is n log2 n for every clustering, and
    is left out.

    entries  what their matrices hold, a column for each clustering: ones in the templates; 1 in the
             differences, for paths of documents that their template lacks; -1 in the differences
    """
    ones, added, missing = entries
    templates = paths * clusters
    differences = paths * documents
    none = differences - added - missing
    template_bits = _bits_of(templates, ones) + _bits_of(templates, templates - ones)
    return template_bits + sum(_bits_of(differences, count) for count in (added, missing, none))


def _bits_of(size: int, count: Floats) -> Floats:
    # of the entries of one value, which ``count`` of ``size`` have; 0 log 0 = 0
    count = np.clip(count, 0, None)
    return np.maximum(count * np.log2(np.maximum(size, 1) / np.maximum(count, 1e-12)), 0.0)


def path_matrix(documents: Sequence[Keys]) -> tuple[Counts, Counts]:
    """Return (document, column -> 1 if it has the paths of that column; column -> number of paths)."""
    paths, ranks = np.unique(np.concatenate(documents), return_inverse=True)
    rows = np.repeat(np.arange(len(documents)), [len(document) for document in documents])
    matrix = np.zeros((len(paths), len(documents)), dtype=np.uint8)
    matrix[ranks.reshape(-1), rows] = 1
    firsts, _, weights = equal_rows(matrix)
    return matrix[firsts].T.astype(np.int64), weights.astype(np.int64)


def entries_of(supports: Counts, documents: Counts, weights: Counts) -> Floats:
    """Return the entries that clusters add to the matrices: the rows of :func:`bits`, a column a cluster.

    supports   cluster, column -> documents of the cluster that have it
    documents  cluster -> its documents
    weights    column -> number of paths
    """
    sizes = documents[:, None]
    is_template = in_template(supports, sizes)
    missing = np.where(is_template, sizes - supports, 0) @ weights
    added = np.where(is_template, 0, supports) @ weights
    return np.array([is_template @ weights, added, missing], dtype=np.float64)


def text_mdl(documents: Sequence[Keys]) -> list[int]:
    """Return the cluster of each document, its essential paths: the number of its first document.

    Every document starts as a cluster; the two clusters whose union makes the description shortest are
    joined, until every union makes it longer; of two clusterings that cost the same, the one with fewer
    clusters is taken.

    >>> shop, blog = np.arange(20, dtype=np.uint64), np.arange(50, 80, dtype=np.uint64)
    >>> text_mdl([shop, blog, shop[:19], blog[1:]])
    [0, 1, 0, 1]
    """
    count = len(documents)
    if not sum(map(len, documents)):
        return [0] * count
    supports, weights = path_matrix(documents)
    members, label = np.ones(count, dtype=np.int64), np.arange(count)
    alive = np.arange(count)  # clusters that were not joined into another
    own = entries_of(supports, members, weights)
    pairs = np.zeros((3, count, count))  # cluster, cluster -> the entries of their union

    def pair(cluster: int) -> None:
        unions = entries_of(supports + supports[cluster], members + members[cluster], weights)
        pairs[:, cluster, :] = pairs[:, :, cluster] = unions

    for cluster in range(count):
        pair(cluster)
    cost = partial(bits, paths=int(weights.sum()), documents=count)
    total = own.sum(axis=1)
    while len(alive) > 1:
        now = float(cost(total[:, None], clusters=len(alive))[0])
        first, second = (alive[side] for side in np.triu_indices(len(alive), 1))
        after = total[:, None] - own[:, first] - own[:, second] + pairs[:, first, second]
        costs = cost(after, clusters=len(alive) - 1)
        best = int(costs.argmin())
        if costs[best] > now:
            break
        total = after[:, best]
        target, joined = int(first[best]), int(second[best])
        label[label == joined] = target
        supports[target] += supports[joined]
        members[target] += members[joined]
        alive = alive[alive != joined]
        own[:, target] = pairs[:, target, joined]
        pair(target)
    return label.tolist()
