"""Do page types depend on the order in which a crawl meets the pages?  And how good are they on the way?

    python -m lab.bench.page_types --corpora FOLDER [--pages N] [--shuffles 10]

Each site with page types is learned in several orders, always all of its pages:

crawl    breadth first from the start page, as ``read_sites`` gives them
by type  hostile: all pages of a type, then all of the next, types as the crawl meets them (pages without
         a type are one more); so every refit before the last type begins knows nothing of it
shuffle  random, as many as ``--shuffles`` says

At the end, for each order: ARI and purity of the page types, purity of the leaves.  The partition by
fingerprints must be the same in all orders; the orders in which it is not are counted.

On the way, after n pages: the page types that would be made then, of the leaves of these pages.  Over the
sites that have more than n pages, and at the end of all.

Cost: O(sites * orders * pages) observations, page types five times a site and order.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from rich.table import Table

from lab.bench.kept_tables import keep_tables
from lab.bench.options import add_figures, add_json, add_pages, new_parser
from lab.bench.page_types.quality_tables import quality_table
from lab.bench.page_types.typed_sites import Quality, TypedSite, mean_quality, quality_of, read_typed_sites
from lab.bench.page_types.types import Learner
from lab.bench.tables import show
from templcrawl.algorithms.fingerprints.fingerprint import FingerprintIndex

MOMENTS = (10, 25, 50, 100)
END = "end"
CRAWL, BY_TYPE, SHUFFLE = "crawl", "by type", "shuffle"
KINDS = (CRAWL, BY_TYPE, SHUFFLE)


class Learned(NamedTuple):
    """A site learned in one order.

    order          "crawl", "by type" or "shuffle 0", ...
    moments        pages known, or END -> how good the page types are
    is_same_parts  whether the fingerprints make the partition that they make in the order of the crawl
    """

    site: str
    group: str
    order: str
    moments: dict[int | str, Quality]
    is_same_parts: bool

    @property
    def kind(self) -> str:
        """The order without its number."""
        return next(kind for kind in KINDS if self.order.startswith(kind))

    @property
    def quality(self) -> Quality:
        """How good the page types at the end are."""
        return self.moments[END]


def orders_of(types: Sequence[str | None], shuffles: int) -> Iterator[tuple[str, list[int]]]:
    """Yield (name, numbers of the pages) of each order.

    >>> dict(orders_of(["a", "b", "a", None, "b"], 0))
    {'crawl': [0, 1, 2, 3, 4], 'by type': [0, 2, 1, 4, 3]}
    """
    crawl = list(range(len(types)))
    yield CRAWL, crawl
    yield BY_TYPE, sorted(crawl, key=lambda page: types.index(types[page]))
    for number in range(shuffles):
        shuffled = list(crawl)
        random.Random(number).shuffle(shuffled)
        yield f"{SHUFFLE} {number}", shuffled


def learn(site: TypedSite, order: Sequence[int]) -> dict[int | str, Quality]:
    """Learn the pages of a site in an order; return how good page types are on the way and at the end."""
    learner = Learner(site.pages)
    leaves: list[int] = []
    moments: dict[int | str, Quality] = {}
    kinds = [site.types[page] for page in order]
    for page in order:
        leaves.append(learner.observe(page))
        seen = len(leaves)
        moment = END if seen == len(order) else seen
        if moment in (*MOMENTS, END):
            known = list(map(learner.leaves.current, leaves))
            quality = quality_of(learner.types_of(leaves), known, kinds[:seen])
            if quality is not None:
                moments[moment] = quality
    return moments


def parts_of(site: TypedSite, order: Sequence[int]) -> dict[bytes, bytes]:
    """Index the fingerprints of a site in an order; return fingerprint -> its cluster at the end."""
    index = FingerprintIndex()
    for page in order:
        index.add(site.fingerprints[page])
    return {fingerprint: index.cluster(fingerprint) for fingerprint in site.fingerprints}


def learn_all(sites: Sequence[TypedSite], shuffles: int) -> list[Learned]:
    """Learn every site in every order."""
    learned = []
    for site in sites:
        as_crawled = parts_of(site, range(len(site.types)))
        for name, order in orders_of(site.types, shuffles):
            is_same = parts_of(site, order) == as_crawled
            learned.append(Learned(site.name, site.group, name, learn(site, order), is_same))
        print(f"learned {site.name}: {len(site.types)} pages", file=sys.stderr, flush=True)
    return learned


def _table(title: str, left: Sequence[str], right: Sequence[str]) -> Table:
    table = Table(title=title, title_justify="left")
    for head in left:
        table.add_column(head)
    for head in right:
        table.add_column(head, justify="right", no_wrap=True)
    return table


def _by_site(learned: Sequence[Learned], measure: str) -> dict[str, dict[str, list[float]]]:
    """Return site -> kind of order, or "any" -> the figures."""
    figures: dict[str, dict[str, list[float]]] = {}
    for result in learned:
        kinds = figures.setdefault(result.site, {})
        for kind in (result.kind, "any"):
            kinds.setdefault(kind, []).append(getattr(result.quality, measure))
    return figures


def _kinds(learned: Sequence[Learned]) -> list[str]:
    return list(dict.fromkeys(result.kind for result in learned))


def _cells(kinds: dict[str, list[float]]) -> list[float]:
    """Return the mean of each kind, then least, greatest and spread of any order."""
    means = [sum(kinds[kind]) / len(kinds[kind]) for kind in KINDS if kind in kinds]
    return [*means, min(kinds["any"]), max(kinds["any"]), max(kinds["any"]) - min(kinds["any"])]


def site_table(learned: Sequence[Learned]) -> Table:
    """Return ARI site by site."""
    table = _table("ARI of each site", ["site"], [*_kinds(learned), "least", "greatest", "spread"])
    for site, figures in _by_site(learned, "ari").items():
        table.add_row(site, *(f"{cell:.3f}" for cell in _cells(figures)))
    return table


def mean_table(learned: Sequence[Learned]) -> Table:
    """Return the means over sites of every measure, the widest spread, the worst and the best order."""
    heads = [*_kinds(learned), "least", "greatest", "spread", "widest spread", "worst order", "best order"]
    table = _table(f"Means over {len({result.site for result in learned})} sites", ["measure"], heads)
    orders = list(dict.fromkeys(result.order for result in learned))
    by_order = [
        mean_quality([result.quality for result in learned if result.order == order]) for order in orders
    ]
    for measure in Quality._fields:
        rows = [_cells(figures) for figures in _by_site(learned, measure).values()]
        means = [sum(column) / len(rows) for column in zip(*rows)]
        of_orders = [getattr(quality, measure) for quality in by_order]
        cells = [*means, max(row[-1] for row in rows), min(of_orders), max(of_orders)]
        table.add_row(measure.replace("_", " "), *(f"{cell:.3f}" for cell in cells))
    return table


def moment_table(learned: Sequence[Learned]) -> Table:
    """Return the quality over time, means over sites and orders of a kind."""
    heads = ["sites", "ARI", "purity", "purity of leaves"]
    table = _table("Page types on the way", ["order", "pages"], heads)
    for kind in KINDS:
        for moment in (*MOMENTS, END):
            runs = [result for result in learned if result.kind == kind and moment in result.moments]
            if runs:
                means = mean_quality([result.moments[moment] for result in runs])
                sites = len({result.site for result in runs})
                table.add_row(kind, str(moment), str(sites), *(f"{mean:.3f}" for mean in means))
    return table


def _plain(learned: Learned) -> dict[str, Any]:
    moments = {str(moment): quality._asdict() for moment, quality in learned.moments.items()}
    return {**learned._asdict(), "moments": moments}


def _parser() -> argparse.ArgumentParser:
    parser = new_parser("lab.bench.page_types", __doc__, corpora=True)
    add = parser.add_argument
    add_pages(parser, sys.maxsize)
    add("--shuffles", metavar="N", type=int, default=10, help="random orders (default 10)")
    add_json(parser)
    add_figures(parser)
    return parser


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.shuffles < 0:
        parser.error("--shuffles is 0 or more")
    sites = read_typed_sites(options.corpora, options.pages)
    if not sites:
        parser.error("no sites with page types in the folder")
    learned = learn_all(sites, options.shuffles)
    as_crawled = {
        result.site: (result.group, result.moments[END]) for result in learned if result.order == CRAWL
    }
    tables = {
        "sites": site_table(learned),
        "as crawled": quality_table({"": as_crawled}),
        "means": mean_table(learned),
        "moments": moment_table(learned),
    }
    for table in tables.values():
        show(table)
    keep_tables(options.figures, {name: tables[name] for name in ("means", "moments")})
    others = [result for result in learned if result.order != CRAWL]
    different = sum(not result.is_same_parts for result in others)
    print(f"Partitions by fingerprints that differ from the crawl's: {different} of {len(others)}")
    if options.json:
        options.json.write_text(json.dumps(list(map(_plain, learned)), indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
