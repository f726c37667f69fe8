"""The page types of a site as classes, learned from few examples or many, and pages of no known type.

ten folds         each page judged by the other nine folds
1, 3, 5 examples  the first pages of a type in crawl order are the examples, the rest are judged

Types with a page too few for that are left out, sites with one type too.  Two questions, each site by
itself, then means over the sites:

all types known   accuracy, and precision, recall and F1 as means over the types, a type that no page is put
                  into having a precision of 0; "no type" for a page is a wrong answer (*wrongly none*)
one left out      each type in turn has no examples: how many of its pages are said to be of no type
                  (*none found*, mean over the types)

The classifier is given twice: as it is, and with the numbers of its rule chosen on the other sites (*left
out*), by the mean of accuracy and none found.  As it is, its numbers are among the best on all sites; of
nearly equal ones those were taken that are seldom wrongly none.

Cost: types + 1 trainings a setting, ten times that for the folds.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from statistics import fmean
from typing import NamedTuple

from rich.table import Table

from lab.bench.options import new_parser
from lab.bench.saved_sites import read_sites
from lab.bench.tables import report, table_of
from templcrawl.algorithms.page_types.type_classifiers import Classification, NoneRule, StructuralClassifier
from templcrawl.page.arrays import Keys

FOLDS = 10
SETTINGS = (FOLDS, 1, 3, 5)
RULES = tuple(
    NoneRule(*numbers)
    for numbers in product((0.05, 0.1, 0.2), (0.25, 0.5, 0.75), (0.2, 0.4, 0.7), (0.4, 0.5, 0.6))
)

Answer = tuple[Classification, "float | None"]
"""What is said of a page, and the spread of the class."""


class Trial(NamedTuple):
    """What was said of the pages that were judged, with all types or with one left out."""

    left_out: str | None
    truth: list[str]
    answers: list[Answer]


Trials = Mapping[int, Mapping[str, Sequence[Trial]]]
"""Setting -> site -> its trials."""


class TypeScores(NamedTuple):
    """Means over sites; shares."""

    accuracy: float
    precision: float
    recall: float
    f1: float
    wrongly_none: float
    none_found: float


def trials_of(structures: Sequence[Keys], types: Sequence[str | None], setting: int) -> Iterator[Trial]:
    """Yield what is said of the pages of a site, first with all types, then with each one left out."""
    pages: dict[str, list[int]] = defaultdict(list)
    for page, kind in enumerate(types):
        if kind is not None:
            pages[kind].append(page)
    least = 2 if setting == FOLDS else setting + 1
    pages = {kind: numbers for kind, numbers in pages.items() if len(numbers) >= least}
    if len(pages) < 2:
        return
    every = [(kind, page) for page, kind in enumerate(types) if kind in pages]
    if setting == FOLDS:
        tested = [every[fold::FOLDS] for fold in range(FOLDS)]
    else:
        tested = [[(kind, page) for kind in pages for page in pages[kind][setting:]]]
    for left_out in (None, *pages):
        for fold in tested:
            held = {*fold}
            examples = [pair for pair in every if pair not in held and pair[0] != left_out]
            judged = [pair for pair in fold if left_out in (None, pair[0])]
            if examples and judged:
                classifier = StructuralClassifier((kind, structures[page]) for kind, page in examples)
                answers = [_answer(classifier, structures[page]) for _, page in judged]
                yield Trial(left_out, [kind for kind, _ in judged], answers)


def _answer(classifier: StructuralClassifier, structure: Keys) -> Answer:
    said, spread = classifier.classify_structure(structure), None
    if classifier.spreads is not None and said.nearest is not None:
        spread = float(classifier.spreads[classifier.names.index(said.nearest)])
    return said, spread


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
    precisions, recalls, f1s = [], [], []
    for kind in sorted(set(truth)):
        hits = sum(name == true == kind for name, true in zip(given, truth))
        put, true = given.count(kind), truth.count(kind)
        precisions.append(hits / max(put, 1))
        recalls.append(hits / true)
        f1s.append(2 * hits / (put + true))
    return TypeScores(
        fmean(name == kind for name, kind in zip(given, truth)),
        fmean(precisions),
        fmean(recalls),
        fmean(f1s),
        fmean(name is None for name in given),
        fmean(fmean(flags) for flags in none_found.values()),
    )


def _name(answer: Answer, rule: NoneRule | None) -> str | None:
    said, spread = answer
    if rule is None:
        return said.name
    return None if rule.rejects(said.distance, said.runner_up_distance, spread) else said.nearest


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
        means = [fmean(column) for column in zip(*goals)]
        chosen[left_out] = means.index(max(means)) if means else 0
    return {
        setting: mean_scores([scored[setting, site][chosen[site]] for site in by_site])
        for setting, by_site in trials.items()
    }


def mean_scores(scores: Sequence[TypeScores]) -> TypeScores:
    """Return the means over sites."""
    return TypeScores(*map(fmean, zip(*scores)))


def type_table(trials: Trials) -> Table:
    """Return how well page types are told from examples, and pages of no known type."""
    rows = []
    left_out = left_out_scores(trials)
    for setting, by_site in trials.items():
        pages = sum(len(one.truth) for of_site in by_site.values() for one in of_site if not one.left_out)
        said = {"page types": mean_scores(list(map(score_types, by_site.values())))}
        for method, scores in {**said, "page types, left out": left_out[setting]}.items():
            examples = "9 folds" if setting == FOLDS else str(setting)
            shares = [f"{share:.4f}" for share in scores]
            rows.append([method, examples, len(by_site), f"{pages:,}", *shares])
    heads = ["accuracy", "precision", "recall", "F1", "wrongly none", "none found"]
    title = "Site by site, the class is the page type, learned from examples: means over the sites"
    return table_of(title, ["method", "examples", "sites", "pages", *heads], rows)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = new_parser("lab.papers.type_examples", __doc__, "--corpora! --pages=200 --figures")
    options = parser.parse_args(arguments)
    trials: dict[int, dict[str, list[Trial]]] = {setting: {} for setting in SETTINGS}
    for site in read_sites(options.corpora, options.pages):
        print(site.name, file=sys.stderr, flush=True)
        structures = [page.structure for page in site.pages]
        for setting, by_site in trials.items():
            if found := [*trials_of(structures, site.types, setting)]:
                by_site[site.name] = found
    told = {setting: by_site for setting, by_site in trials.items() if by_site}
    if not told:
        parser.error("no sites with page types in the folder")
    report({"types from examples": type_table(told)}, options.figures)


if __name__ == "__main__":
    main()
