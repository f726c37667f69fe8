"""The description length of a clustering of documents: how many bits tell the documents by their templates.

Source: Prathibha, Sukumar, Sriram (IJERT 2012), "Clustering with MDL cost", after Kim & Shim (TEXT, TKDE
2011). Documents are the columns of a matrix M_E over P paths, 1 where a path is essential.  A model of m
clusters says

    M_E = M_T M_D + M_D'

with the templates M_T (P by m), each document's one cluster M_D (m by n), and the differences M_D' (P by
n): 1 where a document has what its template lacks, -1 the other way.  The cost is L(M_T) + L(M_D) +
L(M_D'); of a matrix it is its number of entries times the entropy of their values.

Neither paper at hand prints what M_D costs.  With one number below n for each document it is n log2 n for
every clustering, and is left out here.

Cost: O(1) a clustering from its counts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

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
