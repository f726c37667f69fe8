"""What is known across sites, as it is stored: template clusters, relevance, and the salt of the samples.

Of several workers the fingerprints are joined, and what their pages were worth is summed: neither the order
nor how the pages were shared out matters.
"""

from __future__ import annotations

from collections.abc import Sequence

from templcrawl.algorithms.crawl_order.focus import RelevanceRecord
from templcrawl.errors import InvalidSnapshot
from templcrawl.memory.clusters import FingerprintClusters
from templcrawl.memory.entries import Plain, amount, count


def relevance_across_sites(stored: Plain) -> RelevanceRecord:
    """Return how relevant the pages of all sites were, of what is stored across sites.

    Raises InvalidSnapshot.
    """
    judged, relevance = count(stored, "judged"), amount(stored, "relevance")
    if relevance > judged:
        raise InvalidSnapshot("relevance", f"{relevance} of {judged} pages")
    return RelevanceRecord(judged, relevance)


def known_across_sites(parts: Sequence[Plain]) -> tuple[list[bytes], RelevanceRecord]:
    """Return the fingerprints and the relevance that several workers know of; raises InvalidSnapshot."""
    fingerprints = {
        fingerprint for part in parts for fingerprint in FingerprintClusters.fingerprints_of(part)
    }
    records = [relevance_across_sites(part) for part in parts]
    pages = sum(record.pages for record in records)
    return sorted(fingerprints), RelevanceRecord(pages, sum(record.relevance for record in records))
