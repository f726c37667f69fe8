"""Do pages of different sites get into one cluster of fingerprints?

    python -m lab.papers.structure.across --corpora FOLDER --debian FOLDER --news FOLDER [--pages 200]

The pages of all sites are put into one index; the class of a page is its site.  A cluster is *mixed* if
it holds pages of two sites or more.  Purity counts clusters of one page as pure, and there are many; so
it is given once more over the pages that are not alone in their cluster.

That sites share a cluster is no error where they were made by the same software with the same theme, as
two wikis may be; no class here says so.

Cost: O(pages); each is parsed once, to follow the site's links.
Last run at 7e1e8c1.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from rich.table import Table

from lab.bench.measures import score_clusters
from lab.bench.options import add_debian, add_json, add_news, add_pages, new_parser
from lab.bench.saved_sites import corpus_sites, debian_sites, news_hosts
from lab.bench.site_runs import Site
from lab.bench.tables import show
from templcrawl.algorithms.fingerprints.fingerprint import FingerprintIndex, template_fingerprint

Mixed = dict[str, int]
"""Site -> its pages in a mixed cluster, most first."""


class Across(NamedTuple):
    """How well the clusters over all sites say the site.

    clusters      all of them
    alone         pages that are alone in their cluster
    purity        share of pages that are of the most frequent site of their cluster
    purity_shared the same, over the pages that are not alone; 1 if there are none
    mixed         the mixed clusters, largest first
    """

    sites: int
    pages: int
    fingerprints: int
    clusters: int
    alone: int
    purity: float
    purity_shared: float
    mixed: list[Mixed]


def fingerprints_of(sites: Iterable[Site], limit: int) -> dict[str, list[bytes]]:
    """Return site -> fingerprints of its first pages."""
    return {
        site.name: [template_fingerprint(saved.page.text) for saved in site.pages(limit)] for site in sites
    }


def compare(fingerprints: dict[str, list[bytes]]) -> Across:
    """Cluster the pages of all sites together; there must be one page or more.

    >>> found = compare({"tea": [b"abc", b"abd", b"xyz"], "ink": [b"abe"]})
    >>> found.purity, found.clusters, found.mixed
    (0.75, 2, [{'tea': 2, 'ink': 1}])
    """
    index = FingerprintIndex()
    rows = [(site, fingerprint) for site, prints in fingerprints.items() for fingerprint in prints]
    for _, fingerprint in rows:
        index.add(fingerprint)
    sites_of: dict[bytes, Counter[str]] = {}
    for site, fingerprint in rows:
        sites_of.setdefault(index.cluster(fingerprint), Counter())[site] += 1
    shared = [cluster for cluster in sites_of.values() if cluster.total() > 1]
    together = sum(cluster.total() for cluster in shared)
    most = sum(max(cluster.values()) for cluster in shared)
    mixed = sorted((cluster for cluster in shared if len(cluster) > 1), key=lambda cluster: -cluster.total())
    return Across(
        len(fingerprints),
        len(rows),
        len(index),
        len(sites_of),
        len(rows) - together,
        score_clusters(
            [index.cluster(fingerprint) for _, fingerprint in rows], [site for site, _ in rows]
        ).purity,
        most / together if together else 1.0,
        [dict(cluster.most_common()) for cluster in mixed],
    )


def across_table(results: dict[str, Across]) -> Table:
    """Return collection -> figures as a table."""
    table = Table(title="Fingerprint clusters over all sites, the class is the site", title_justify="left")
    heads = ["sites", "pages", "fingerprints", "clusters", "pages alone", "purity", "not alone"]
    table.add_column("sites of")
    for head in (*heads, "mixed clusters", "pages in them"):
        table.add_column(head, justify="right")
    for name, result in results.items():
        counts = [f"{count:,}" for count in result[:5]]
        pages = sum(sum(cluster.values()) for cluster in result.mixed)
        shares = [f"{result.purity:.4f}", f"{result.purity_shared:.4f}"]
        table.add_row(name, *counts, *shares, f"{len(result.mixed):,}", f"{pages:,}")
    return table


def _parser() -> argparse.ArgumentParser:
    parser = new_parser("lab.papers.structure.across", __doc__, corpora=False)
    add = parser.add_argument
    add_debian(parser)
    add_news(parser)
    add_pages(parser)
    add("--mixed", metavar="N", type=int, default=10, help="mixed clusters that are shown (default 10)")
    add_json(parser)
    return parser


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table, for each collection and all together, and the largest mixed clusters."""
    parser = _parser()
    options = parser.parse_args(arguments)
    readers: dict[str, Callable[[Path], Iterable[Site]]] = {
        "corpora": corpus_sites,
        "debian": debian_sites,
        "news": news_hosts,
    }
    every: dict[str, list[bytes]] = {}
    results = {}
    for name, read in readers.items():
        folder = getattr(options, name)
        fingerprints = fingerprints_of(read(folder), options.pages) if folder else {}
        if any(fingerprints.values()):
            results[name] = compare(fingerprints)
            every.update(fingerprints)
    if not results:
        parser.error("no sites: give --corpora, --debian or --news")
    results["all"] = compare(every)
    show(across_table(results))
    for cluster in results["all"].mixed[: options.mixed]:
        told = ", ".join(f"{site} {count}" for site, count in cluster.items())
        print(f"mixed, {sum(cluster.values()):,} pages: {told}")
    if options.json:
        figures = {name: result._asdict() for name, result in results.items()}
        options.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
