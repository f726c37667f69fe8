"""Which order of fetching brings the content of a site first?  Real crawls of saved sites.

    python -m lab.bench.order --corpora FOLDER [--debian FOLDER] [--sites NAME ...] [--in-flight 1 16]
                               [--orders NAME ...] [--repeats 1] [--cost] [--pages 1000] [--jobs 2]
                               [--figures FILE] [--json FILE]

Each site is crawled to its end by Scrapy from its start page, in each order, by a download handler of the
benchmark (see ``lab.bench.order.crawls``): last in first out (Scrapy's default) and first in first out, both
without templcrawl, and templcrawl's policies.  A site is the first ``--pages`` of its saved pages, breadth
first.

behind   sites on which an order found less than .9 of what first in first out found, or the better of both
found    distinct 5-word shingles of the marked content on the first 10, 25, 50 and 75 % of the pages, as a
         share of those of all pages that can be reached
until    share of the pages after which 90 and 95 % of that is found; a star, and late, where an order needs
         more pages than the better of last in first out and first in first out, by more than .03
oracle   one of ``--orders``: it knows the pages behind the waiting links (see ``lab.bench.order.frontier``)
--cost   CPU and memory of the adaptive order instead (see ``lab.bench.order.cost``)

Of the Debian packages, those of ``PACKAGES`` below.  Sites of which fewer than 20 pages can be reached are
left out.
Cost: 37 sites and 4 packages take some five minutes on two cores for each number of requests in flight.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence

from lab.bench.kept_tables import keep_tables
from lab.bench.options import add_crawls, add_debian, asked_sites, new_parser
from lab.bench.order import cost
from lab.bench.order.crawls import ORDERS
from lab.bench.order.runs import ALL_ORDERS, crawl_sites
from lab.bench.order.tables import behind_lines, content_tables
from lab.bench.saved_sites import WHOLE_PACKAGES
from lab.bench.tables import show

PACKAGES = ("python3.11-doc", "git-doc", "apache2-doc", "cmake-doc", *WHOLE_PACKAGES)


def _parser() -> argparse.ArgumentParser:
    parser = new_parser("lab.bench.order", __doc__, corpora=False)
    add = parser.add_argument
    add_debian(parser)
    add_crawls(parser, pages=1000, jobs=2)
    add("--orders", metavar="NAME", nargs="+", choices=ALL_ORDERS, default=[*ORDERS], help="orders")
    add("--repeats", metavar="N", type=int, default=1, help="crawls of each kind with several in flight")
    add("--cost", action="store_true", help="CPU and memory instead")
    return parser


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the crawls and print their tables."""
    parser = _parser()
    options = parser.parse_args(arguments)
    sites = asked_sites(parser, options, PACKAGES)
    if options.cost:
        cost.report(sites)
        return
    orders = {name: ALL_ORDERS[name] for name in options.orders}
    figures = crawl_sites(sites, options.pages, options.in_flight, orders, options.repeats, options.jobs)
    tables = dict(content_tables(figures))
    for table in tables.values():
        show(table)
    keep_tables(
        options.figures, {name: table for name, table in tables.items() if not name.startswith("sites")}
    )
    print(*behind_lines(figures), sep="\n")
    if options.json:
        options.json.write_text(json.dumps([vars(crawl) for crawl in figures]), encoding="utf-8")


if __name__ == "__main__":
    main()
