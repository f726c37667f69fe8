"""How well is a template told by its structure?  Hachenberg & Gottron's experiments, on saved sites.

    python -m lab.papers.structure --corpora FOLDER [--pages 100] [--sample 10] [--only NAME ...]

What is compared: see ``lab.papers.structure.methods``.

classification  the class of a page is its site; ten folds, each judged by the other nine.  Two rules:
                *nearest*: the page is of the one class whose training page is nearest, among those that
                accept it (none where none does; the first site of equally near ones);
                *each class for itself*, the paper's: it is of every class that accepts it
sites           all pages clustered together, the class is the site
page types      the pages of a site clustered by themselves, the class is the page type; means over the
                sites with two types or more; and classified, see ``type_examples``.  Ours reads the URLs
                of the pages and the links between them, too

Departures: the paper's folds are random, here page i of a site is in fold i mod 10; the paper's slow
methods classify with ten training pages a template, here with ``--sample`` pages of each site.

A method's time is that of the features, from the decoded text of a page on, and of the comparisons.
Cost: classification by distance compares all pages with all, O(pages^2) for TV, CP, CPS and CTSS.
Last run at 1e631aa.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from rich.table import Table

from lab.bench.measures import Clustering, score_classes, score_clusters
from lab.bench.options import add_figures, add_number, add_pages, new_parser
from lab.bench.saved_sites import ReadSite as Site
from lab.bench.saved_sites import read_sites
from lab.bench.tables import report, table_of
from lab.papers.structure.judging import FOLDS, Folds
from lab.papers.structure.methods import METHODS
from lab.papers.structure.type_examples import TRAINERS, TypeResult, classify_types
from templcrawl import Page


@dataclass
class Kept:
    """What a method keeps of the pages of a site.

    types         type of each page, None where it is not scored
    seconds       that the features took
    read          of a method that reads sites: what it keeps of the site
    read_seconds  that this took
    """

    site: str
    features: list[Any] = field(default_factory=list)
    types: list[str | None] = field(default_factory=list)
    seconds: float = 0.0
    read: Any = None
    read_seconds: float = 0.0


class Result(NamedTuple):
    """One line of a table.

    pages   that were judged, or clustered and scored
    scores  one ``Clustering``, or a ``Classification`` by each rule
    """

    method: str
    sites: int
    pages: int
    scores: tuple[Any, ...]
    pages_per_second: float


def keep(method: Any, site: Site, sample: int) -> Kept:
    """Put the pages of a site before a method, a sample of them before a slow one."""
    kept = Kept(site.name)
    for number in spread(len(site.pages), sample if method.is_slow else len(site.pages)):
        page = Page(site.pages[number].text, site.pages[number].url)
        started = perf_counter()
        kept.features.append(method.features(page))
        kept.seconds += perf_counter() - started
        kept.types.append(site.types[number])
    if hasattr(method, "read"):
        started = perf_counter()
        kept.read = method.read(site)
        kept.read_seconds = perf_counter() - started
    return kept


def spread(count: int, sample: int) -> list[int]:
    """Return ``sample`` of the numbers below ``count``, evenly spread; all if there are fewer.

    >>> spread(10, 3), spread(2, 3)
    ([0, 3, 6], [0, 1])
    """
    return [number * count // sample for number in range(sample)] if count > sample else list(range(count))


def classify(method: Any, kept: Sequence[Kept]) -> Result:
    """Classify pages by site, by the nearest and by each class for itself."""
    pages = [
        (number, page % FOLDS) for number, of_site in enumerate(kept) for page in range(len(of_site.features))
    ]
    classes, fold_of = np.array(pages, dtype=np.intp).T
    judged = method.judge(_all_features(kept), Folds(classes, fold_of, len(kept)))
    accepted = np.where(judged.accepted, judged.distances, np.inf)
    nearest = np.zeros_like(judged.accepted)
    nearest[np.arange(len(classes)), accepted.argmin(axis=1)] = True
    scores = (score_classes(nearest & judged.accepted, classes), score_classes(judged.accepted, classes))
    return Result(method.name, len(kept), len(classes), scores, _speed(kept, judged.seconds))


def cluster_sites(method: Any, kept: Sequence[Kept]) -> Result:
    """Cluster the pages of all sites together and compare the clusters with the sites."""
    started = perf_counter()
    clusters = method.cluster(_all_features(kept))
    speed = _speed(kept, perf_counter() - started)
    sites = [of_site.site for of_site in kept for _ in of_site.features]
    return Result(method.name, len(kept), len(sites), (score_clusters(clusters, sites),), speed)


def cluster_types(method: Any, kept: Sequence[Kept]) -> Result | None:
    """Compare the clusters of the pages of each site with the page types; return means over the sites."""
    scored: list[Clustering] = []
    pages, seconds = 0, 0.0
    for of_site in kept:
        if len(set(of_site.types) - {None}) < 2:
            continue
        started = perf_counter()
        if hasattr(method, "cluster_site"):
            clusters = method.cluster_site(of_site.read)
        else:
            clusters = method.cluster(of_site.features)
        speed = _speed([of_site], perf_counter() - started + of_site.read_seconds)
        typed = [(cluster, kind) for cluster, kind in zip(clusters, of_site.types) if kind is not None]
        scored.append(score_clusters(*zip(*typed)))
        pages += len(typed)
        seconds += len(typed) / speed
    if not scored:
        return None
    means = Clustering(*map(fmean, zip(*scored)))
    return Result(method.name, len(scored), pages, (means,), pages / seconds)


def _all_features(kept: Iterable[Kept]) -> list[Any]:
    return [feature for of_site in kept for feature in of_site.features]


def _speed(kept: Iterable[Kept], seconds: float) -> float:
    pages = 0
    for of_site in kept:
        pages += len(of_site.features)
        seconds += of_site.seconds
    return pages / max(seconds, 1e-9)


def classification_table(results: Sequence[Result]) -> Table:
    """Return precision, recall and F1 by both rules, as the paper's Tables 4 and 5."""
    nearest = ["precision", "recall", "F1"]
    each = ["precision, each", "recall, each", "F1, each", "accuracy, each"]
    rows = []
    for method, sites, pages, (nearest_page, each_class), speed in results:
        shares = [f"{share:.4f}" for share in (*nearest_page[:3], *each_class)]
        rows.append([method, sites, f"{pages:,}", *shares, _written(speed)])
    title = "Sites found, by the nearest page and by each class for itself"
    return table_of(title, ["method", "sites", "pages", *nearest, *each, "pages/s"], rows)


def clustering_table(title: str, results: Sequence[Result]) -> Table:
    """Return the scores of clusterings, as the paper's Table 6."""
    rows = []
    for method, sites, pages, (score,), speed in results:
        clusters = f"{score.clusters:,.1f}".removesuffix(".0")
        shares = [f"{share:.4f}" for share in (score.rand, score.ari, score.purity, score.f1)]
        rows.append([method, sites, f"{pages:,}", clusters, *shares, _written(speed)])
    heads = ["method", "sites", "pages", "clusters", "RI", "ARI", "purity", "F1", "pages/s"]
    return table_of(title, heads, rows)


def type_table(results: Sequence[TypeResult]) -> Table:
    """Return how well page types are told from examples, and pages of no known type."""
    rows = []
    for method, setting, sites, pages, scores, speed in results:
        examples = "9 folds" if setting == FOLDS else str(setting)
        shares = [f"{share:.4f}" for share in scores]
        rows.append([method, examples, sites, f"{pages:,}", *shares, _written(speed)])
    heads = ["accuracy", "precision", "recall", "F1", "wrongly none", "none found", "pages/s"]
    title = "Site by site, the class is the page type, learned from examples: means over the sites"
    return table_of(title, ["method", "examples", "sites", "pages", *heads], rows)


def _written(speed: float) -> str:
    return f"{speed:,.1f}" if speed < 100 else f"{speed:,.0f}"


def tables_of(methods: Sequence[Any], kept: Mapping[str, Sequence[Kept]]) -> dict[str, Table]:
    """Do every experiment with every method; return the tables by name."""
    found, sites, types, examples = [], [], [], []
    for method in methods:
        print(f"compare {method.name}", file=sys.stderr, flush=True)
        of_sites = kept[method.name]
        if hasattr(method, "judge"):
            found.append(classify(method, of_sites))
        sites.append(cluster_sites(method, of_sites))
        if (of_types := cluster_types(method, of_sites)) is not None:
            types.append(of_types)
        if method.name in TRAINERS:
            examples += classify_types(method.name, of_sites)
    tables = {
        "classification": classification_table(found),
        "sites": clustering_table("All sites together, the class is the site", sites),
    }
    if types:
        title = "Site by site, the class is the page type: means over the sites"
        tables["types"] = clustering_table(title, types)
    if examples:
        tables["types from examples"] = type_table(examples)
    return tables


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the experiments and print their tables."""
    parser = new_parser("lab.papers.structure", __doc__, corpora=True)
    add_pages(parser, 100)
    add_number(parser, "--sample", 10, "pages of a site for slow methods")
    names = [method.name for method in METHODS]
    parser.add_argument("--only", metavar="NAME", nargs="+", choices=names, default=names, help="methods")
    add_figures(parser)
    options = parser.parse_args(arguments)
    methods = [method for method in METHODS if method.name in options.only]
    kept: dict[str, list[Kept]] = {method.name: [] for method in methods}
    for site in read_sites(options.corpora, options.pages):
        print(f"read {site.name}: {len(site.pages)} pages", file=sys.stderr, flush=True)
        for method in methods:
            kept[method.name].append(keep(method, site, options.sample))
    if not kept[methods[0].name]:
        parser.error("no sites in the folder")
    report(tables_of(methods, kept), options.figures)


if __name__ == "__main__":
    main()
