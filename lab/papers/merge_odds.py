"""The odds that two groups of pages are one template: trained on saved sites, judged on families left out.

Trains the coefficients of ``templcrawl.algorithms.page_types.template_cut.MergeOdds`` by logistic
regression.  An example is a merge of the tree of a site's leaves, as it
stands after 25, 50, 100 and 200 pages of the crawl, and at its end::

    features  those of the merge, without those of a view that the odds do not ask
    target    share of the pairs of pages across the merge that are of one type
    weight    (pages of one side * pages of the other)^.5; the examples of each site weigh the same together,
              and all examples as much as there are

where the memory asks the views that the odds are of.  What is added to the bias at the cut is the number of
``BIASES`` with the highest mean ARI on the sites that were trained on, as they stood last.

A *family* is the sites whose names begin alike, up to the first ``_``: of one software, mostly.  Each site is
judged by odds that were trained on all *other* families, beside those in use.  The form of the rule, the
views and the leaves are as they are: leaving sites out says nothing of these.

Cost: O(families * examples) beyond learning each site twice and one view a site and moment.
Last run at 1e631aa.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import NamedTuple
from unittest.mock import patch

import numpy as np
from rich.table import Table

from lab.bench.logistic import fit
from lab.bench.options import new_parser
from lab.bench.tables import keep_tables, show, table_of
from lab.papers.page_types import (
    Learner,
    Quality,
    TypedSite,
    learn,
    quality_of,
    quality_table,
    read_typed_sites,
)
from templcrawl.algorithms.page_types import template_cut
from templcrawl.algorithms.page_types.merge_tree import Array, Merge, branches, node_sums, sides_of
from templcrawl.algorithms.page_types.page_profiles import WeightedCounts, view_of
from templcrawl.algorithms.page_types.template_cut import (
    MergeOdds,
    best_branches,
    merge_features,
    template_tree,
)

STATES = (25, 50, 100, 200)
BIASES = (-0.5, -0.25, 0.0, 0.25, 0.5)
STRENGTH = 10.0
"""The ridge of a coefficient, in variances of its feature."""

OF_ANCHORS, OF_URLS = {"anchors"}, {"urls", "urls_switched"}
IN_USE: Mapping[str, tuple[MergeOdds, set[str]]] = {
    "WITH_BOTH": (template_cut.WITH_BOTH, set()),
    "WITH_URLS": (template_cut.WITH_URLS, OF_ANCHORS),
    "WITH_ANCHORS": (template_cut.WITH_ANCHORS, OF_URLS),
}
"""Name of odds in use -> (the odds, their features that are not asked)."""


class State(NamedTuple):
    """A site after some pages.

    rows     row of the leaf of each page
    types    of each page, None where it is not scored
    pages    row -> how many pages it has
    """

    rows: list[int]
    types: Sequence[str | None]
    pages: Array
    merges: list[Merge]
    features: Array


Odds = dict[str, MergeOdds]
"""Name as in ``IN_USE`` -> odds."""

States = dict[str, list[State]]
"""Name as in ``IN_USE`` -> a site's states in which the memory asks the views that the odds do."""


def states_of(site: TypedSite) -> States:
    """Learn a site in the order of the crawl; return what its merges were on the way."""
    learner = Learner(site.pages)
    leaves = list[int]()
    states: States = {name: [] for name in IN_USE}
    for page in range(len(site.pages)):
        leaves.append(learner.observe(page))
        if len(leaves) not in STATES and len(leaves) < len(site.pages):
            continue
        counts = learner.leaves.counted()
        row_of = {leaf: row for row, leaf in enumerate(learner.leaves.ids)}
        rows = [row_of[learner.leaves.current(leaf)] for leaf in leaves]
        pages = counts.pages
        structure, anchors, urls = (view_of(view.counts, pages) for view in counts.views)
        asks_anchors, asks_urls = (2 * shown >= pages.sum() for shown in counts.shown)
        for name, (_, unasked) in IN_USE.items():
            if not (asks_anchors or unasked == OF_ANCHORS) or not (asks_urls or unasked == OF_URLS):
                continue
            views: tuple[WeightedCounts, WeightedCounts | None, WeightedCounts | None] = (
                structure,
                None if unasked == OF_ANCHORS else anchors,
                None if unasked == OF_URLS else urls,
            )
            merges = template_tree(pages, *views)
            features = merge_features(pages, merges, *views)
            states[name].append(State(rows, site.types[: len(rows)], pages, merges, features))
    return states


def examples_of(state: State) -> tuple[Array, Array, Array]:
    """Return (features, targets, weights) of the merges that have pages with a type on both sides."""
    kinds = sorted({kind for kind in state.types if kind is not None})
    counts = np.zeros((len(state.pages), len(kinds)))
    for row, kind in zip(state.rows, state.types):
        if kind is not None:
            counts[row, kinds.index(kind)] += 1
    sums = node_sums(counts, np.ones(len(counts)), state.merges)
    left, right = sides_of(state.merges)
    pairs = sums[left].sum(axis=1) * sums[right].sum(axis=1)
    told = pairs > 0
    alike = (sums[left] * sums[right]).sum(axis=1)
    return state.features[told], alike[told] / pairs[told], np.sqrt(pairs[told])


def train(sites: Sequence[Sequence[State]], unasked: set[str]) -> MergeOdds:
    """Train odds on the states of sites, and choose what is added to their bias."""
    names = MergeOdds._fields[1:]
    asked = [number for number, name in enumerate(names) if name not in unasked]
    examples = [[examples_of(state) for state in states] for states in sites]
    features, targets, weights = [], [], []
    for of_site in examples:
        x, y, w = (np.concatenate(parts) for parts in zip(*of_site))
        features.append(x[:, asked])
        targets.append(y)
        weights.append(w / max(w.sum(), 1e-9))
    together = np.concatenate(weights) * sum(map(len, targets)) / len(sites)
    columns = np.concatenate(features)
    rows = np.column_stack([np.ones(len(columns)), columns])
    bias, *found = fit(rows, np.concatenate(targets), together, STRENGTH * rows.var(axis=0)).tolist()
    coefficients = dict.fromkeys(names, 0.0) | {
        names[number]: coefficient for number, coefficient in zip(asked, found)
    }
    by_bias = {added: MergeOdds(bias + added, **coefficients) for added in BIASES}
    return max(by_bias.values(), key=lambda odds: fmean(ari_of(states[-1], odds) for states in sites))


def ari_of(state: State, odds: MergeOdds) -> float:
    """Return the ARI of a site's templates by some odds; 0 where no page has a type."""
    nodes = best_branches(state.pages, state.merges, odds.evaluate(state.features))
    template = {row: number for number, rows in enumerate(branches(state.merges, nodes)) for row in rows}
    quality = quality_of([template[row] for row in state.rows], state.rows, state.types)
    return quality.ari if quality else 0.0


def family_of(site: str) -> str:
    """Return the family of a site.

    >>> family_of("wp_tea_shop")
    'wp'
    """
    return site.partition("_")[0]


def train_all(states: Sequence[States]) -> Odds:
    """Train all odds on the states of sites."""
    return {
        name: train([of_site[name] for of_site in states if of_site[name]], unasked)
        for name, (_, unasked) in IN_USE.items()
    }


def judge(site: TypedSite, odds: Odds) -> Quality:
    """Return how good the page types of a site are at the end of the crawl, cut by some odds."""
    with patch.dict(vars(template_cut), odds):
        return learn(site)


def leave_families_out(sites: Sequence[TypedSite]) -> tuple[dict[str, Odds], Odds]:
    """Return (site -> odds trained on all other families, odds trained on all sites)."""
    states = {site.name: states_of(site) for site in sites}
    by_family: dict[str, Odds] = {}
    for family in dict.fromkeys(map(family_of, states)):
        others = [of_site for name, of_site in states.items() if family_of(name) != family]
        by_family[family] = train_all(others)
        print(f"trained without {family}: {len(others)} sites", file=sys.stderr, flush=True)
    return {site.name: by_family[family_of(site.name)] for site in sites}, train_all(list(states.values()))


def odds_table(fitted: Odds, left_out: Sequence[Odds]) -> Table:
    """Return the coefficients: in use, trained on all sites, the range of those with a family left out."""
    rows = []
    for name, (in_use, _) in IN_USE.items():
        folds = np.array([odds[name] for odds in left_out])
        spans = zip(folds.min(axis=0), folds.max(axis=0))
        rows += [
            [name, "in use", *(f"{value:g}" for value in in_use)],
            ["", "all sites here", *(f"{value:.2f}" for value in fitted[name])],
            ["", "a family left out", *(f"{least:.2f} to {most:.2f}" for least, most in spans)],
        ]
    heads = ["odds", "trained on", *(name.replace("_", " ") for name in MergeOdds._fields)]
    return table_of("z of a merge", heads, rows, left=len(heads))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = new_parser("lab.papers.merge_odds", __doc__, "--corpora! --pages=200 --figures")
    options = parser.parse_args(arguments)
    sites = read_typed_sites(options.corpora, options.pages)
    if len({family_of(site.name) for site in sites}) < 2:
        parser.error("too few families of sites with page types in the folder")
    left_out, fitted = leave_families_out(sites)
    in_use = {name: odds for name, (odds, _) in IN_USE.items()}
    judged = {
        "in use,": {site.name: (site.group, judge(site, in_use)) for site in sites},
        "left out,": {site.name: (site.group, judge(site, left_out[site.name])) for site in sites},
        "trained on all,": {site.name: (site.group, judge(site, fitted)) for site in sites},
    }
    show(odds_table(fitted, list(left_out.values())))
    show(table := quality_table(judged))
    keep_tables(options.figures, {"labels": table})


if __name__ == "__main__":
    main()
