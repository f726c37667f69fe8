"""The weights of ``templcrawl.algorithms.columns.scores``, by hand labels of columns; how well they do.

A logistic regression with a ridge (:mod:`lab.bench.logistic`) on all columns of labelled sites, each site of
one weight (:mod:`lab.bench.labelled` says what the labels are).  The weights are of the sites that are looked
at alone.  A looked-at site is scored by weights without it, a held-out one by all of them.

AUC    chance that a wanted column has a higher score than an unwanted one
right  share of the columns with a score of ``MIN_SCORE`` and more that are wanted
found  share of the wanted columns that have one
Cost: three seconds for 100 pages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from lab.bench.labelled import LABELS, WHICH, read_labels
from lab.bench.logistic import Floats, fit
from lab.bench.options import asked_sites, new_parser
from lab.bench.site_tables import each_page, is_held_out
from lab.bench.tables import report, table_of
from templcrawl.algorithms.columns.scores import MIN_SCORE, WEIGHTS
from templcrawl.outputs.type_tables import CrawlTables

RIDGE = 1.0  # of a standard deviation of the weights that are expected; the constant is free


class Labelled(NamedTuple):
    """A labelled column: its site, its features in the order of ``WEIGHTS``, whether a person wants it."""

    site: str
    features: Sequence[float]
    is_wanted: bool


def fitted(columns: Sequence[Labelled]) -> Floats:
    """Return the weights that fit some columns, in the order of ``WEIGHTS``."""
    of_site = Counter(one.site for one in columns)
    weights = np.array([len(columns) / len(of_site) / of_site[one.site] for one in columns])
    ridge = np.array([RIDGE if name != "constant" else 1e-6 for name in WEIGHTS])
    wanted = np.array([float(one.is_wanted) for one in columns])
    return fit(np.array([one.features for one in columns]), wanted, weights, ridge)


def measures(scores: Floats, wanted: Floats) -> tuple[float, float, float]:
    """Return AUC, right and found.

    >>> measures(np.array([2.0, 1.0, -2.0]), np.array([1.0, 0.0, 1.0]))
    (0.5, 0.5, 0.5)
    """
    good, bad = scores[wanted == 1], scores[wanted == 0]
    above = float((good[:, None] > bad[None, :]).mean()) if len(good) and len(bad) else 0.0
    shown = scores >= MIN_SCORE
    right = float(wanted[shown].mean()) if shown.any() else 0.0
    return above, right, float(shown[wanted == 1].mean())


def main(arguments: Sequence[str] | None = None) -> None:
    parser = new_parser("lab.bench.column_weights", __doc__, "--corpora! --sites --figures")
    options = parser.parse_args(arguments)
    labels = read_labels(LABELS.read_text(encoding="utf-8").splitlines())
    found: list[Labelled] = []
    for site in asked_sites(parser, options):
        if site.name in {name for name, _, _ in labels}:
            for table in CrawlTables(partial(each_page, site), whole=True).tables:
                for column in table.columns.columns:
                    if label := labels.get((site.name, table.name, column.name)):
                        features = [column.features.get(name, 0.0) for name in WEIGHTS]
                        found.append(Labelled(site.name, features, label[0]))
    known = [one for one in found if not is_held_out(one.site)]
    if len({one.site for one in known}) < 2:
        parser.error("give two labelled sites or more that are looked at")
    whole = fitted(known)
    without = {
        name: fitted([one for one in known if one.site != name]) for name in {one.site for one in known}
    }
    lines = []
    for which in WHICH:
        some = [one for one in found if WHICH[is_held_out(one.site)] == which]
        scores = np.array([float(np.dot(one.features, without.get(one.site, whole))) for one in some])
        shares = measures(scores, np.array([float(one.is_wanted) for one in some])) if some else (0, 0, 0)
        lines.append([which, len({one.site for one in some}), len(some), *map("{:.2f}".format, shares)])
    tables = {
        "weights": table_of(
            "Weights", ["feature", "weight"], [[name, f"{one:.2f}"] for name, one in zip(WEIGHTS, whole)]
        ),
        "summary": table_of("Columns", ["sites", "number", "columns", "AUC", "right", "found"], lines),
    }
    report(tables, options.figures)


if __name__ == "__main__":
    main()
