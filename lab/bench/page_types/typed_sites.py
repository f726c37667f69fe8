"""The sites whose pages have types, as page types read them, and how well what is found says these types.

Pages without a type are read and learned from, but not scored.

Cost: each page is parsed once.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Sequence
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from lab.bench.page_types.metrics import score_clusters
from lab.bench.page_types.page_sets import read_sites
from lab.bench.page_types.types import PageEvidence, evidence_of
from lab.bench.saved_sites import collection_of
from templcrawl.algorithms.fingerprints.fingerprint import template_fingerprint


class TypedSite(NamedTuple):
    """The pages of a site in the order of the crawl.

    group         which collection it is of
    pages         what page types are learned from
    fingerprints  of each page
    types         of each page, None where it is not scored
    """

    name: str
    group: str
    pages: Sequence[PageEvidence]
    fingerprints: Sequence[bytes]
    types: Sequence[str | None]


class Quality(NamedTuple):
    """Scores of page types, and the purity of leaves."""

    ari: float
    purity: float
    leaf_purity: float


def read_typed_sites(folder: Path, limit: int) -> list[TypedSite]:
    """Return the sites of a folder that have two page types or more, with their first pages."""
    groups = groups_of(folder)
    return [
        TypedSite(
            site.name,
            groups[site.name],
            evidence_of(site),
            [template_fingerprint(page.text) for page in site.pages],
            site.types,
        )
        for site in read_sites(folder, limit)
        if len(set(site.types) - {None}) > 1
    ]


def groups_of(folder: Path) -> dict[str, str]:
    """Return site -> its collection."""
    sites = json.loads((folder / "sites.json").read_text(encoding="utf-8"))
    return {name: collection_of(site) for name, site in sites.items()}


def quality_of(
    page_types: Sequence[Hashable], leaves: Sequence[Hashable], types: Sequence[str | None]
) -> Quality | None:
    """Compare the page types that were found, and the leaves, with the types of pages; None without any.

    >>> quality_of([0, 0, 0, 1], [0, 2, 3, 1], ["list", "list", "note", None])
    Quality(ari=0.0, purity=0.6666666666666666, leaf_purity=1.0)
    """
    scored = [row for row in zip(page_types, leaves, types) if row[2] is not None]
    if not scored:
        return None
    by_type, by_leaf, truth = zip(*scored)
    types_score = score_clusters(by_type, truth)
    return Quality(types_score.ari, types_score.purity, score_clusters(by_leaf, truth).purity)


def mean_quality(qualities: Sequence[Quality]) -> Quality:
    """Return the means over sites or orders."""
    return Quality(*map(fmean, zip(*qualities)))
