"""The paper's experiments: classification (Tables 4 and 5), clustering (Table 6), with their times.

classification  the class of a page is its site; ten folds, each judged by the other nine.  Two rules:
                *nearest*: the page is of the one class whose training page is nearest, among those that
                accept it (none where none does; the first site of equally near ones);
                *each class for itself*, the paper's: it is of every class that accepts it
sites           all pages clustered together, the class is the site
page types      the pages of a site clustered by themselves, the class is the page type; means over the
                sites with two types or more; and classified, see ``type_classes``.  Ours reads the URLs
                of the pages and the links between them, too

Departures: the paper's folds are random, here page i of a site is in fold i mod 10; the paper's slow
methods classify with ten training pages a template, here with a sample of each site.

A method's time is that of the features, from the decoded text of a page on, and of the comparisons.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from lab.bench.measures import Clustering, score_classes, score_clusters
from lab.bench.saved_sites import ReadSite as Site
from lab.papers.structure.shape import FOLDS, Classifier, Folds, Method, SiteMethod
from templcrawl import Page


@dataclass
class Kept:
    """What a method keeps of the pages of a site.

    features      of each page
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


def keep(method: Method, site: Site, sample: int) -> Kept:
    """Put the pages of a site before a method, a sample of them before a slow one."""
    kept = Kept(site.name)
    for number in spread(len(site.pages), sample if method.is_slow else len(site.pages)):
        page = Page(site.pages[number].text, site.pages[number].url)
        started = perf_counter()
        kept.features.append(method.features(page))
        kept.seconds += perf_counter() - started
        kept.types.append(site.types[number])
    if isinstance(method, SiteMethod):
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


def classify(method: Classifier, kept: Sequence[Kept]) -> Result:
    """Classify pages by site, by the nearest and by each class for itself."""
    classes = np.array(
        [number for number, of_site in enumerate(kept) for _ in of_site.features], dtype=np.intp
    )
    fold_of = np.array(
        [page % FOLDS for of_site in kept for page in range(len(of_site.features))], dtype=np.intp
    )
    judged = method.judge(_all_features(kept), Folds(classes, fold_of, len(kept)))
    accepted = np.where(judged.accepted, judged.distances, np.inf)
    nearest = np.zeros_like(judged.accepted)
    nearest[np.arange(len(classes)), accepted.argmin(axis=1)] = True
    scores = (score_classes(nearest & judged.accepted, classes), score_classes(judged.accepted, classes))
    return Result(method.name, len(kept), len(classes), scores, _speed(kept, judged.seconds))


def cluster_sites(method: Method, kept: Sequence[Kept]) -> Result:
    """Cluster the pages of all sites together and compare the clusters with the sites."""
    started = perf_counter()
    clusters = method.cluster(_all_features(kept))
    seconds = perf_counter() - started
    sites = [of_site.site for of_site in kept for _ in of_site.features]
    return Result(
        method.name, len(kept), len(sites), (score_clusters(clusters, sites),), _speed(kept, seconds)
    )


def cluster_types(method: Method, kept: Sequence[Kept]) -> dict[str, Result]:
    """Cluster the pages of each site and compare the clusters with the page types, site by site."""
    results = {}
    for of_site in kept:
        if len(set(of_site.types) - {None}) < 2:
            continue
        started = perf_counter()
        if isinstance(method, SiteMethod):
            clusters = method.cluster_site(of_site.read)
        else:
            clusters = method.cluster(of_site.features)
        seconds = perf_counter() - started + of_site.read_seconds
        scored = [(cluster, kind) for cluster, kind in zip(clusters, of_site.types) if kind is not None]
        scores = (score_clusters(*zip(*scored)),)
        results[of_site.site] = Result(method.name, 1, len(scored), scores, _speed([of_site], seconds))
    return results


def mean_of(results: Iterable[Result]) -> Result:
    """Return the means of one method's clusterings over the sites; pages are added up."""
    lines = list(results)
    means = Clustering(*map(fmean, zip(*(line.scores[0] for line in lines))))
    pages = sum(line.pages for line in lines)
    seconds = sum(line.pages / line.pages_per_second for line in lines)
    return Result(lines[0].method, len(lines), pages, (means,), pages / seconds)


def _all_features(kept: Iterable[Kept]) -> list[Any]:
    return [feature for of_site in kept for feature in of_site.features]


def _speed(kept: Iterable[Kept], seconds: float) -> float:
    pages = 0
    for of_site in kept:
        pages += len(of_site.features)
        seconds += of_site.seconds
    return pages / max(seconds, 1e-9)
