"""How pages are grouped, and judged by known classes: by a distance, or by what a search finds.

A method has a ``name``, ``features(page)``, what it keeps of a page, and ``cluster(features)``, the cluster
of each page; it is put before a sample of the pages where it ``is_slow``.  A classifier has
``judge(features, folds)`` too, a method that reads sites (URLs and links) ``read(site)`` and
``cluster_site(read)``.

n pages.  Cost: by distance O(n^2) comparisons to classify, O(n * clusters) to cluster; by key O(n).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

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


@dataclass(frozen=True)
class ByDistance:
    """A baseline with a symmetric distance from 0 to 1.

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
        """Return the cluster of each page: it joins the nearest leader within the threshold, or leads one.

        >>> ByDistance("", str, lambda a, b: abs(a - b), threshold=0.5).cluster([0.0, 0.4, 1.0, 0.6])
        [0, 0, 1, 1]
        """
        leaders: list[Any] = []
        clusters = []
        for feature in features:
            far, cluster = min(
                ((self.distance(leader, feature), number) for number, leader in enumerate(leaders)),
                default=(self.threshold + 1, 0),
            )
            if far > self.threshold:
                cluster = len(leaders)
                leaders.append(feature)
            clusters.append(cluster)
        return clusters

    def judge(self, features: Sequence[Any], folds: Folds) -> Judgement:
        """Compare every page with every page of the other folds.

        Each distance is computed once; its time counts for both pages that are judged by it.
        """
        started = perf_counter()
        table = np.zeros((len(features), len(features)))
        for page, feature in enumerate(features):
            table[page, :page] = [self.distance(feature, other) for other in features[:page]]
        table += table.T
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


class KeyTable(set[Hashable]):
    """Keys, found by equality."""

    def find(self, key: Hashable) -> Sequence[tuple[float, Hashable]]:
        return ((0.0, key),) if key in self else ()


@dataclass(frozen=True)
class BySearch:
    """A baseline whose pages are alike when a search finds one by the other; what is found is accepted.

    search   makes an empty table: ``add(feature)``, and ``find(feature)``, the similar (distance, feature)
    groups   of features, the key of the group of each
    """

    name: str
    features: Callable[[Page], Hashable]
    search: Callable[[], Any] = KeyTable
    groups: Callable[[Sequence[Any]], Sequence[Hashable]] = list
    is_slow: bool = False

    def cluster(self, features: Sequence[Hashable]) -> list[int]:
        """Return the cluster of each page, the same for equal keys.

        >>> BySearch("", str).cluster(["b", "a", "b"])
        [0, 1, 0]
        """
        numbers: dict[Hashable, int] = {}
        return [numbers.setdefault(key, len(numbers)) for key in self.groups(features)]

    def judge(self, features: Sequence[Hashable], folds: Folds) -> Judgement:
        """Look each page up among those of the other folds."""
        distances = np.full((len(features), folds.total), np.inf)
        seconds = 0.0
        for fold in np.unique(folds.fold_of).tolist():
            known = self.search()
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
