"""How each method learns page types from examples: ours, the paper's fingerprints, CTSS.

All learn from (type, number of the page) and judge a page by its number.

Cost: as the classifiers; CTSS compares a page with every example.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lab.papers.structure.ctss import CTSS
from templcrawl.algorithms.page_types.type_classifiers import (
    Classification,
    FingerprintClassifier,
    StructuralClassifier,
)

Answer = tuple[Classification, "float | None"]
Judge = Callable[[int], Answer]
Train = Callable[[Sequence[tuple[str, int]]], Judge]
"""Examples (type, number of the page) in, a judge of pages out; its answer has the spread of the class."""


def by_structure(features: Sequence[Any]) -> Train:
    """Return how ours learns."""

    def train(examples: Sequence[tuple[str, int]]) -> Judge:
        classifier = StructuralClassifier((name, features[page]) for name, page in examples)
        return lambda page: _with_spread(classifier, classifier.classify_structure(features[page]))

    return train


def _with_spread(classifier: StructuralClassifier, said: Classification) -> Answer:
    if classifier.spreads is None or said.nearest is None:
        return said, None
    return said, float(classifier.spreads[classifier.names.index(said.nearest)])


def by_fingerprint(features: Sequence[Any]) -> Train:
    """Return how the paper's learns."""

    def train(examples: Sequence[tuple[str, int]]) -> Judge:
        classifier = FingerprintClassifier((name, features[page]) for name, page in examples)
        return lambda page: (classifier.classify_fingerprint(features[page]), None)

    return train


def by_shingles(features: Sequence[Any]) -> Train:
    """Return how CTSS learns: the nearest example, if it is within the threshold."""

    def train(examples: Sequence[tuple[str, int]]) -> Judge:
        def judge(page: int) -> Answer:
            distance, name = min(
                (CTSS.distance(features[page], features[example]), name) for name, example in examples
            )
            return Classification(name if distance <= CTSS.threshold else None, distance, name), None

        return judge

    return train


TRAINERS: Mapping[str, Callable[[Sequence[Any]], Train]] = {
    "page types": by_structure,
    "FP": by_fingerprint,
    "CTSS": by_shingles,
}
