"""What every method offers, and the two kinds of baseline: by distance, by exact key.

A *method* turns a page into features, groups the features of many pages, and may judge which known
classes a page belongs to.  Pages are numbered in the order in which they are given.

Cost, n pages: by distance O(n^2) comparisons to classify, O(n * clusters) to cluster; by key O(n).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from lab.bench.saved_sites import ReadSite as Site
from lab.papers.structure.clusterings import by_key, by_leader
from templcrawl import Page

FOLDS = 10


class Folds(NamedTuple):
    """Pages dealt into folds; a page is judged by the pages of the other folds.

    classes  class of each page, 0 to ``total`` - 1
    fold_of  fold of each page
    total    how many classes there are
    """

    classes: npt.NDArray[np.intp]
    fold_of: npt.NDArray[np.intp]
    total: int


class Judgement(NamedTuple):
    """What a classifier says of every page.

    distances  page, class -> distance to the nearest training page of the class, inf without one
    accepted   page, class -> whether that is within the threshold of the class
    seconds    taken by the comparisons or look-ups, training left out
    """

    distances: npt.NDArray[np.float64]
    accepted: npt.NDArray[np.bool_]
    seconds: float


class Method(Protocol):
    """A clustering of pages by their structure."""

    @property
    def name(self) -> str: ...

    @property
    def is_slow(self) -> bool:
        """Whether only a sample of the pages is put before it."""
        ...

    def features(self, page: Page) -> Any:
        """Return what the method keeps of a page."""
        ...

    def cluster(self, features: Sequence[Any]) -> list[int]:
        """Return the cluster of each page; any numbers, equal in one cluster."""
        ...


@runtime_checkable
class Classifier(Method, Protocol):
    """A method that can also say which known class a page belongs to."""

    def judge(self, features: Sequence[Any], folds: Folds) -> Judgement:
        """Judge each page by the pages of the other folds."""
        ...


@runtime_checkable
class SiteMethod(Method, Protocol):
    """A method that, of the pages of one site, reads their URLs and the links between them too."""

    def read(self, site: Site) -> Any:
        """Return what the method keeps of a site."""
        ...

    def cluster_site(self, read: Any) -> list[int]:
        """Return the cluster of each page."""
        ...


@dataclass(frozen=True)
class ByDistance:
    """A baseline with a distance from 0 to 1.

    threshold   greatest distance of two pages of one cluster, and of one class unless it is learned
    is_learned  whether a class has its own: the greatest distance between its training pages
    """

    name: str
    features: Callable[[Page], Any]
    distance: Callable[[Any, Any], float]
    threshold: float
    is_learned: bool = True
    is_slow: bool = False

    def cluster(self, features: Sequence[Any]) -> list[int]:
        """Cluster by leader."""
        return by_leader(features, self.distance, self.threshold)

    def judge(self, features: Sequence[Any], folds: Folds) -> Judgement:
        """Compare every page with every page of the other folds.

        Each distance is computed once; its time counts for both pages that are judged by it.
        """
        started = perf_counter()
        table = distance_table(features, self.distance)
        seconds = perf_counter() - started
        distances = np.full((len(features), folds.total), np.inf)
        thresholds = np.full_like(distances, self.threshold)
        for fold in np.unique(folds.fold_of).tolist():
            tested = np.flatnonzero(folds.fold_of == fold)
            for number in range(folds.total):
                trained = np.flatnonzero((folds.classes == number) & (folds.fold_of != fold))
                if len(trained):
                    distances[tested, number] = table[np.ix_(tested, trained)].min(axis=1)
                    if self.is_learned:
                        thresholds[tested, number] = table[np.ix_(trained, trained)].max()
        compared = (folds.fold_of[:, None] != folds.fold_of[None, :]).mean() if len(features) else 0.0
        return Judgement(distances, distances <= thresholds, 2 * compared * seconds)


@dataclass(frozen=True)
class ByKey:
    """A baseline whose pages are alike when their keys are equal, so their distance is 0 or 1."""

    name: str
    features: Callable[[Page], Hashable]
    is_slow: bool = False
    threshold: float = 0.0

    def distance(self, a: Hashable, b: Hashable) -> float:
        """Return 0 for equal keys, else 1."""
        return float(a != b)

    def cluster(self, features: Sequence[Hashable]) -> list[int]:
        """Cluster by equal keys."""
        return by_key(features)

    def judge(self, features: Sequence[Hashable], folds: Folds) -> Judgement:
        """Look up each page's key among those of the other folds."""
        return judge_by_search(features, folds, _KeyTable)


class Search(Protocol):
    """Known features, found by similarity."""

    def add(self, feature: Any) -> object: ...

    def find(self, feature: Any) -> Sequence[tuple[float, Any]]:
        """Return (distance, known feature) of those that are similar."""
        ...


class _KeyTable(set[Hashable]):
    """Keys, found by equality."""

    def find(self, key: Hashable) -> Sequence[tuple[float, Hashable]]:
        return ((0.0, key),) if key in self else ()


def judge_by_search(features: Sequence[Any], folds: Folds, search: Callable[[], Search]) -> Judgement:
    """Judge pages by what a search finds among the pages of the other folds; what is found is accepted."""
    distances = np.full((len(features), folds.total), np.inf)
    seconds = 0.0
    for fold in np.unique(folds.fold_of).tolist():
        known = search()
        classes: dict[Any, set[int]] = {}
        for page in np.flatnonzero(folds.fold_of != fold).tolist():
            known.add(features[page])
            classes.setdefault(features[page], set()).add(int(folds.classes[page]))
        tested = np.flatnonzero(folds.fold_of == fold).tolist()
        started = perf_counter()
        for page in tested:
            for distance, neighbour in known.find(features[page]):
                for number in classes[neighbour]:
                    distances[page, number] = min(distance, distances[page, number])
        seconds += perf_counter() - started
    return Judgement(distances, np.isfinite(distances), seconds)


def distance_table(features: Sequence[Any], distance: Callable[[Any, Any], float]) -> npt.NDArray[np.float64]:
    """Return the distance of each page to each other page; the distance must be symmetric."""
    table = np.zeros((len(features), len(features)))
    for page, feature in enumerate(features):
        row = [distance(feature, other) for other in features[:page]]
        table[page, :page] = row
        table[:page, page] = row
    return table
