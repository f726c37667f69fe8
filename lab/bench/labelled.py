"""What share of the columns of ``scrapy tables`` does a person want, and has a fitting name?

Labels by hand are in ``column_labels.tsv``: site, table, column, ``wanted`` or ``not``, and of those that are
wanted ``named`` or ``badly``.  Not wanted is what is the same everywhere, a fragment, furniture, a copy of
another column, or wrong.  A column without a label counts neither way.

A site is held out as in :mod:`lab.bench.wanted`.
Cost: three seconds for 100 pages.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from lab.bench.options import asked_sites, new_parser
from lab.bench.site_tables import add_tables, is_held_out, tables_of
from lab.bench.tables import report, table_of

LABELS = Path(__file__).with_name("column_labels.tsv")
WANTED, NAMED = "wanted", "named"
WHICH = ("looked at", "held out")

Column = tuple[str, str, str]  # site, table, name


class Counts(NamedTuple):
    """Columns of a site: all, those with a label, of them those that are wanted, of these the well named."""

    columns: int
    labelled: int
    wanted: int
    named: int

    @property
    def shares(self) -> tuple[float, float]:
        """The share that is wanted, and of that the share that is well named."""
        return self.wanted / max(self.labelled, 1), self.named / max(self.wanted, 1)


def read_labels(lines: Iterable[str]) -> dict[Column, tuple[bool, bool]]:
    r"""Return column -> whether it is wanted, and well named.

    >>> read_labels(["tea\tcups\tPrice\twanted\tnamed", "tea\tcups\th2\tnot"])
    {('tea', 'cups', 'Price'): (True, True), ('tea', 'cups', 'h2'): (False, False)}
    """
    labels = {}
    for line in lines:
        site, table, column, *label = line.rstrip("\n").split("\t")
        labels[site, table, column] = WANTED in label, NAMED in label
    return labels


def columns_of(site: str, folder: Path) -> list[Column]:
    """Return the columns that the tables of a site have."""
    about = json.loads((folder / "columns.json").read_text(encoding="utf-8"))
    return [
        (site, table["table"], column["name"]) for table in about["tables"] for column in table["columns"]
    ]


def count(columns: Sequence[Column], labels: Mapping[Column, tuple[bool, bool]]) -> Counts:
    """Count the columns of a site by their labels."""
    told = Counter(labels[column] for column in columns if column in labels)
    named, badly = told[True, True], told[True, False]
    return Counts(len(columns), told.total(), named + badly, named)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = new_parser("lab.bench.labelled", __doc__, "--corpora! --sites --figures")
    add_tables(parser)
    options = parser.parse_args(arguments)
    labels = read_labels(LABELS.read_text(encoding="utf-8").splitlines())
    named = {site for site, _, _ in labels}
    found: dict[str, Counts] = {}
    for site in sorted(asked_sites(parser, options), key=lambda one: one.name):
        if site.name in named:
            with tables_of(site, options.tables) as folder:
                found[site.name] = count(columns_of(site.name, folder), labels)
    if not found:
        parser.error("no column of these sites has a label")
    rows = [
        [site, WHICH[is_held_out(site)], *counts, *map("{:.2f}".format, counts.shares)]
        for site, counts in found.items()
    ]
    heads = ["site", "", "columns", "labelled", WANTED, NAMED, "share wanted", "share named"]
    means = ["sites", "number", "columns", "labelled", WANTED, NAMED, "mean wanted", "mean named"]
    lines = [_summary(which, some) for which in (*WHICH, "all") if (some := _of(found, which))]
    tables = {
        "labelled": table_of("Columns that a person wants", heads, rows, left=2),
        "summary": table_of("Of all labels, and means of sites", means, lines),
    }
    report(tables, options.figures)


def _of(found: Mapping[str, Counts], which: str) -> list[Counts]:
    return [counts for site, counts in found.items() if which in ("all", WHICH[is_held_out(site)])]


def _summary(which: str, counts: Sequence[Counts]) -> list[object]:
    whole = Counts(*map(sum, zip(*counts)))
    shares = *whole.shares, *(fmean(of_sites) for of_sites in zip(*(one.shares for one in counts)))
    return [which, len(counts), whole.columns, whole.labelled, *map("{:.2f}".format, shares)]


if __name__ == "__main__":
    main()
