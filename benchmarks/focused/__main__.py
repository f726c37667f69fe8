"""Which order of fetching finds the pages on a topic first?  Real crawls of saved sites.

    python -m benchmarks.focused --corpora FOLDER [--debian FOLDER] [--sites NAME ...] [--in-flight 1 16]
                                 [--topics 3] [--pages 400] [--jobs 2] [--json FILE]

Topics are made by a rule from the marked content of a site (see ``topics``).  A crawl starts from the start
page or from a relevant page and ends after as many pages as are relevant, at most 60.

rate   share of the fetched pages that are relevant: mean over sites of the mean over topics and seeds
ratio  that of an order to that of first in first out, with the 95 % interval of a bootstrap over sites
loses  sites on which an order has less than .9 of the rate of first in first out

lifo and fifo are Scrapy alone; parent and shark are the literature's (see ``rivals``); focus is
``TEMPLCRAWL_ORDER = "focus"``, with its slow start.  All judge pages by the same function of their text.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from statistics import fmean
from typing import Any

import numpy as np
from rich.table import Table

from benchmarks.focused.runs import Harvest, harvest
from benchmarks.kept_tables import keep_tables
from benchmarks.options import add_debian, add_figures, add_json, add_sites, asked_sites, new_parser
from benchmarks.order.__main__ import PACKAGES
from benchmarks.order.crawls import BASELINE
from benchmarks.order.runs import in_processes
from benchmarks.order.tables import BEHIND, DRAWS, behind, interval
from benchmarks.tables import show

Rates = dict[str, float]


def rates_of(harvests: Sequence[Harvest]) -> dict[str, Rates]:
    """Return order -> site -> mean rate over its topics and seeds."""
    of: dict[str, dict[str, list[float]]] = {}
    for crawl in harvests:
        of.setdefault(crawl.order, {}).setdefault(crawl.site, []).append(crawl.rate)
    return {order: {site: fmean(rates) for site, rates in sites.items()} for order, sites in of.items()}


def ratio_interval(rates: Rates, baseline: Rates) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of the ratio of two means over the same sites.

    >>> ratio_interval({"a": 0.4, "b": 0.4}, {"a": 0.2, "b": 0.2})
    (2.0, 2.0)
    """
    pairs = np.array([(rates[site], baseline[site]) for site in rates])
    draws = np.random.default_rng(1).integers(len(pairs), size=(DRAWS, len(pairs)))
    sums = pairs[draws].sum(axis=1)
    low, high = np.percentile(sums[:, 0] / sums[:, 1], [2.5, 97.5])
    return float(low), float(high)


def rate_table(harvests: Sequence[Harvest], title: str) -> Table:
    """Return what each order harvested."""
    rates = rates_of(harvests)
    baseline = rates[BASELINE]
    table = Table("order", "rate", "ratio", "difference", "loses", "wins", "ms", title=title)
    for order, of_site in rates.items():
        low, high = ratio_interval(of_site, baseline)
        differences = [of_site[site] - baseline[site] for site in of_site]
        least, most = interval(differences)
        table.add_row(
            order,
            f"{fmean(of_site.values()):.3f}",
            f"{fmean(of_site.values()) / fmean(baseline.values()):.2f} [{low:.2f} {high:.2f}]",
            f"{fmean(differences):+.3f} [{least:+.3f} {most:+.3f}]",
            str(len(behind(of_site, baseline))),
            str(sum(rate * BEHIND > baseline[site] for site, rate in of_site.items())),
            f"{fmean(crawl.milliseconds for crawl in harvests if crawl.order == order):.1f}",
        )
    return table


def report(harvests: Sequence[Harvest]) -> dict[str, Table]:
    """Print a table for each number of requests in flight, and what stands behind it; return the tables."""
    tables = {}
    for concurrency in dict.fromkeys(crawl.in_flight for crawl in harvests):
        selected = [crawl for crawl in harvests if crawl.in_flight == concurrency]
        sites = len({crawl.site for crawl in selected})
        crawls = sum(crawl.order == BASELINE for crawl in selected)
        title = f"Harvest rate, {concurrency} in flight, {sites} sites, {crawls} crawls of each order"
        show(table := rate_table(selected, title))
        tables[f"{concurrency} in flight"] = table
        rates = rates_of(selected)
        print(f"focus loses on: {', '.join(behind(rates['focus'], rates[BASELINE])) or 'no site'}")
        shark = [rates["focus"][site] - rates["shark"][site] for site in rates["shark"]]
        print("focus less shark: {:+.3f} [{:+.3f} {:+.3f}]".format(fmean(shark), *interval(shark)))
        for seed, name in enumerate(("start page", "relevant page")):
            means = rates_of([crawl for crawl in selected if crawl.seed == seed])
            print(f"from a {name}:", *(f"{order} {fmean(of.values()):.3f}" for order, of in means.items()))
    return tables


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the crawls and print their tables."""
    parser = new_parser("benchmarks.focused", __doc__, corpora=False)
    add = parser.add_argument
    add_debian(parser)
    add_sites(parser)
    add("--in-flight", metavar="N", nargs="+", type=int, default=[1, 16], help="requests in flight")
    add("--topics", metavar="N", type=int, default=3, help="topics of a site, at most")
    add("--pages", metavar="N", type=int, default=400, help="pages of a site")
    add("--jobs", metavar="N", type=int, default=2, help="processes")
    add_json(parser, "the figures of every crawl")
    add_figures(parser)
    options = parser.parse_args(arguments)
    sites = asked_sites(parser, options, PACKAGES)
    task: Any = partial(harvest, limit=options.pages, topics=options.topics, in_flight=options.in_flight)
    harvests = [crawl for of_site in in_processes(task, sites, options.jobs) for crawl in of_site]
    keep_tables(options.figures, report(harvests))
    if options.json:
        options.json.write_text(json.dumps([vars(crawl) for crawl in harvests]), encoding="utf-8")


if __name__ == "__main__":
    main()
