"""The page types of one site as classes, learned from few examples or many: ours, fingerprints, CTSS.

ten folds         each page judged by the other nine folds
1, 3, 5 examples  the first pages of a type in crawl order are the examples, the rest are judged

Types with a page too few for that are left out, sites with one type too.  Two questions, each site by
itself, then means over the sites:

all types known   accuracy, and precision, recall and F1 as means over the types; "no type" for a page is
                  a wrong answer (*wrongly none*)
one left out      each type in turn has no examples: how many of its pages are said to be of no type
                  (*none found*, mean over the types)

Ours is given twice: as it is, and with the numbers of its rule chosen on the other sites (*left out*), by
the mean of accuracy and none found.  As it is, its numbers are among the best on all sites; of nearly
equal ones those were taken that are seldom wrongly none.

All learn from (type, number of the page) and judge a page by its number.
Cost: types + 1 trainings a setting, ten times that for the folds; CTSS compares a page with every example.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from statistics import fmean
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from lab.bench.measures import score_classes
from lab.papers.structure.judging import FOLDS
from lab.papers.structure.methods import CTSS
from templcrawl.algorithms.page_types.type_classifiers import (
    Classification,
    FingerprintClassifier,
    NoneRule,
    StructuralClassifier,
)

SETTINGS = (FOLDS, 1, 3, 5)
RULES = tuple(
    NoneRule(*numbers)
    for numbers in product((0.05, 0.1, 0.2), (0.25, 0.5, 0.75), (0.2, 0.4, 0.7), (0.4, 0.5, 0.6))
)


Answer = tuple[Classification, "float | None"]
Judge = Callable[[int], Answer]
"""Judges a page by its number; its answer has the spread of the class."""


def by_structure(features: Sequence[Any], examples: Sequence[tuple[str, int]]) -> Judge:
    classifier = StructuralClassifier((name, features[page]) for name, page in examples)

    def judge(page: int) -> Answer:
        said = classifier.classify_structure(features[page])
        if classifier.spreads is None or said.nearest is None:
            return said, None
        return said, float(classifier.spreads[classifier.names.index(said.nearest)])

    return judge


def by_fingerprint(features: Sequence[Any], examples: Sequence[tuple[str, int]]) -> Judge:
    classifier = FingerprintClassifier((name, features[page]) for name, page in examples)
    return lambda page: (classifier.classify_fingerprint(features[page]), None)


def by_shingles(features: Sequence[Any], examples: Sequence[tuple[str, int]]) -> Judge:
    """Return the nearest example, if it is within the threshold."""

    def judge(page: int) -> Answer:
        distance, name = min(
            (CTSS.distance(features[page], features[example]), name) for name, example in examples
        )
        return Classification(name if distance <= CTSS.threshold else None, distance, name), None

    return judge


TRAINERS: Mapping[str, Callable[[Sequence[Any], Sequence[tuple[str, int]]], Judge]] = {
    "page types": by_structure,
    "FP": by_fingerprint,
    "CTSS": by_shingles,
}
"""Method -> features of the pages and examples (type, number of the page) in, a judge of pages out."""


class Split(NamedTuple):
    """Examples and pages to judge; (type, number of the page)."""

    left_out: str | None
    examples: list[tuple[str, int]]
    judged: list[tuple[str, int]]


class Trial(NamedTuple):
    """What was said of the pages of a split."""

    left_out: str | None
    truth: list[str]
    answers: list[Answer]


class TypeScores(NamedTuple):
    """Means over sites; shares."""

    accuracy: float
    precision: float
    recall: float
    f1: float
    wrongly_none: float
    none_found: float


class TypeResult(NamedTuple):
    """One line of the table; pages are those judged with all types known."""

    method: str
    setting: int
    sites: int
    pages: int
    scores: TypeScores
    pages_per_second: float


def splits(types: Sequence[str | None], setting: int) -> Iterator[Split]:
    """Yield what is learned and what is judged, first with all types, then with each one left out."""
    pages: dict[str, list[int]] = defaultdict(list)
    for page, kind in enumerate(types):
        if kind is not None:
            pages[kind].append(page)
    least = 2 if setting == FOLDS else setting + 1
    pages = {kind: numbers for kind, numbers in pages.items() if len(numbers) >= least}
    if len(pages) < 2:
        return
    every = [(kind, page) for page, kind in enumerate(types) if kind in pages]
    for left_out in (None, *pages):
        for fold in range(FOLDS) if setting == FOLDS else (0,):
            if setting == FOLDS:
                judged = every[fold::FOLDS]
            else:
                judged = [(kind, page) for kind in pages for page in pages[kind][setting:]]
            tested = set(judged)
            examples = [pair for pair in every if pair not in tested and pair[0] != left_out]
            judged = [pair for pair in judged if left_out in (None, pair[0])]
            if examples and judged:
                yield Split(left_out, examples, judged)


def judge_types(name: str, of_site: Any, setting: int) -> tuple[list[Trial], int, float]:
    """Put the page types of a site before a method; return trials, pages judged, and the time of these."""
    trials, pages, seconds = [], 0, 0.0
    for split in splits(of_site.types, setting):
        judge = TRAINERS[name](of_site.features, split.examples)
        started = perf_counter()
        answers = [judge(page) for _, page in split.judged]
        seconds += perf_counter() - started
        pages += len(answers)
        trials.append(Trial(split.left_out, [kind for kind, _ in split.judged], answers))
    return trials, pages, seconds + of_site.seconds * pages / len(of_site.features)


def classify_types(name: str, kept: Sequence[Any]) -> list[TypeResult]:
    """Do the experiment with a method; ours has a second line a setting, by rules of other sites."""
    judged = {
        setting: {
            of_site.site: site_judged
            for of_site in kept
            if of_site.features and (site_judged := judge_types(name, of_site, setting))[0]
        }
        for setting in SETTINGS
    }
    trials = {setting: {site: one[0] for site, one in by_site.items()} for setting, by_site in judged.items()}
    left_out = left_out_scores(trials) if TRAINERS[name] is by_structure else {}
    results = []
    for setting, by_site in judged.items():
        if not by_site:
            continue
        of_sites, judged_pages, seconds = zip(*by_site.values())
        pages = sum(len(trial.truth) for some in of_sites for trial in some if trial.left_out is None)
        scores = mean_scores(list(map(score_types, of_sites)))
        speed = sum(judged_pages) / max(sum(seconds), 1e-9)
        results.append(TypeResult(name, setting, len(by_site), pages, scores, speed))
        if setting in left_out:
            line = results[-1]._replace(method=f"{name}, left out", scores=left_out[setting])
            results.append(line)
    return results


def score_types(trials: Sequence[Trial], rule: NoneRule | None = None) -> TypeScores:
    """Score the trials of one site, by another rule if one is given."""
    truth: list[str] = []
    given: list[str | None] = []
    none_found: dict[str, list[bool]] = defaultdict(list)
    for trial in trials:
        names = [_name(answer, rule) for answer in trial.answers]
        if trial.left_out is None:
            truth += trial.truth
            given += names
        else:
            none_found[trial.left_out] += [
                name is None for name, kind in zip(names, trial.truth) if kind == trial.left_out
            ]
    kinds = sorted(set(truth))
    said = np.array([[name == kind for kind in kinds] for name in given])
    scores = score_classes(said, np.array([kinds.index(kind) for kind in truth], dtype=np.intp))
    return TypeScores(
        fmean(name == kind for name, kind in zip(given, truth)),
        scores.precision,
        scores.recall,
        scores.f1,
        fmean(name is None for name in given),
        fmean(fmean(flags) for flags in none_found.values()),
    )


def _name(answer: Answer, rule: NoneRule | None) -> str | None:
    said, spread = answer
    if rule is None:
        return said.name
    return None if rule.rejects(said.distance, said.runner_up_distance, spread) else said.nearest


Trials = Mapping[int, Mapping[str, Sequence[Trial]]]
"""Setting -> site -> its trials."""


def left_out_scores(trials: Trials, rules: Sequence[NoneRule] = RULES) -> dict[int, TypeScores]:
    """Return setting -> scores, each site by the rule that does best on all others, all settings alike."""
    scored = {
        (setting, site): [score_types(of_site, rule) for rule in rules]
        for setting, by_site in trials.items()
        for site, of_site in by_site.items()
    }
    chosen = {}
    for left_out in {site for _, site in scored}:
        goals = [
            [(score.accuracy + score.none_found) / 2 for score in scores]
            for (_, site), scores in scored.items()
            if site != left_out
        ]
        chosen[left_out] = int(np.mean(goals, axis=0).argmax()) if goals else 0
    return {
        setting: mean_scores([scored[setting, site][chosen[site]] for site in by_site])
        for setting, by_site in trials.items()
        if by_site
    }


def mean_scores(scores: Sequence[TypeScores]) -> TypeScores:
    """Return the means over sites."""
    return TypeScores(*map(fmean, zip(*scores)))
