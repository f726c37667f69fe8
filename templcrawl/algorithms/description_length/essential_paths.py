"""The essential paths of pages, and the template of a cluster of pages as a set of them.

Source: Prathibha, Sukumar, Sriram (IJERT 2012), "HTML documents and cluster initialization", after Kim &
Shim (TEXT, TKDE 2011).  A *document* is the set of its paths from the root to each node.  The *support*
of a path is the number of documents that have it.  A path of a document is *essential* if its support is
at least the document's threshold t. The template of a cluster of n documents is the set of paths that are
essential in at least (n + 1) / 2 of them: no other set has a smaller difference to the documents.

The paper leaves t open.  As Kim & Shim do we take the support that most paths of the document have, the
smaller one of equally frequent ones.  Departure: paths that only one document has do not count for that,
for of most pages these are more than all others, and t = 1 would make everything essential; so t is at
least 2.

A path is a 64-bit key here: of elements, attributes (class words and ids) and text runs; comments are
left out.

n documents, h paths in all.  Cost: O(h log h) in numpy.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from templcrawl.page.ancestors import Keys
from templcrawl.page.page import Page

_LEAST_SUPPORT = 2


def page_paths(page: Page) -> Keys:
    """Return the distinct paths of a page, ascending; among them are the keys of its text runs."""
    return np.unique(np.concatenate((page.structure, page.text_runs.keys)))


def support_threshold(supports: npt.NDArray[np.intp]) -> int:
    """Return the threshold t of a document from the supports of its paths.

    >>> support_threshold(np.array([4, 4, 3, 3, 3, 1, 1, 1, 1]))
    3
    """
    counts = np.bincount(supports, minlength=_LEAST_SUPPORT + 1)
    return int(counts[_LEAST_SUPPORT:].argmax()) + _LEAST_SUPPORT


def essential_paths(documents: Sequence[Keys]) -> list[Keys]:
    """Return the essential paths of each document, ascending.

    documents  distinct paths of each

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
        is_essential = document_supports >= support_threshold(document_supports)
        essential.append(np.sort(paths[document_ranks[is_essential]]))
    return essential


def cluster_templates(documents: Sequence[Keys], clusters: Sequence[int]) -> dict[int, Keys]:
    """Return cluster -> its template, ascending.

    documents  essential paths of each
    clusters   cluster of each
    """
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
    is_template: npt.NDArray[np.bool_] = 2 * supports >= documents + 1
    return is_template
