"""Ours: page types to cluster by, structural profiles to classify by; both read ``Page.structure``.

The pages of one site are clustered by their URLs and the links between them, too.

See ``templcrawl.memory.page_types`` and ``templcrawl.algorithms.page_types.type_classifiers``.

Cost: to classify, one training a fold, then the same for every page, however many examples there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter

import numpy as np

from lab.bench.page_types import PageEvidence, evidence_of, types_of_pages
from lab.bench.saved_sites import ReadSite as Site
from lab.papers.structure.shape import Folds, Judgement
from templcrawl import Page
from templcrawl.algorithms.page_types.type_classifiers import StructuralClassifier
from templcrawl.page.arrays import Keys


class _Structural:
    name = "page types"
    is_slow = False

    def features(self, page: Page) -> Keys:
        """Return the structure of a page."""
        return page.structure

    def cluster(self, features: Sequence[Keys]) -> list[int]:
        """Return the template of each page, as known when all were seen."""
        return types_of_pages([PageEvidence(structure) for structure in features])

    def read(self, site: Site) -> Sequence[PageEvidence]:
        """Return what page types are learned from."""
        return evidence_of(site)

    def cluster_site(self, read: Sequence[PageEvidence]) -> list[int]:
        """Return the template of each page of a site, as known when all were seen."""
        return types_of_pages(read)

    def judge(self, features: Sequence[Keys], folds: Folds) -> Judgement:
        """Classify each page by the pages of the other folds; it is of one class, or of none."""
        distances = np.full((len(features), folds.total), np.inf)
        accepted = np.zeros_like(distances, dtype=np.bool_)
        seconds = 0.0
        for fold in np.unique(folds.fold_of).tolist():
            trained = np.flatnonzero(folds.fold_of != fold).tolist()
            classifier = StructuralClassifier((str(folds.classes[page]), features[page]) for page in trained)
            tested = np.flatnonzero(folds.fold_of == fold).tolist()
            started = perf_counter()
            for page in tested:
                said = classifier.classify_structure(features[page])
                if said.name is not None:
                    distances[page, int(said.name)] = said.distance
                    accepted[page, int(said.name)] = True
            seconds += perf_counter() - started
        return Judgement(distances, accepted, seconds)


STRUCTURAL = _Structural()
