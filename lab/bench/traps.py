"""How much of a crawl do endless pages take?  Real crawls of saved sites with a trap in each.

    python -m lab.bench.traps --corpora FOLDER [--sites NAME ...] [--pages 200] [--in-flight 1]
                               [--jobs 1] [--figures FILE]

Every page of a site also links into a trap: an endless calendar, facets, directories, copies under session
ids, a maze of random text (see :mod:`lab.bench.trapped`).  Scrapy crawls the site with one trap at a time, as
in ``lab.bench.order``, and stops after as many responses as the site has pages.

wasted   share of the responses that are pages of the trap: mean of the sites, and the worst site
content  share of the site's content (distinct 5-word shingles) that the crawl has found: likewise

Cost: 18 crawls of 200 pages a site: a minute and a half.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from statistics import fmean
from typing import Any, NamedTuple

from rich.table import Table

from lab.bench.crawl import crawl, in_processes
from lab.bench.linked_sites import LEAST_PAGES, linked_site
from lab.bench.options import add_crawls, asked_sites, new_parser
from lab.bench.order import ORDERS, server_for
from lab.bench.saved_sites import SavedSite
from lab.bench.tables import report, table_of
from lab.bench.trapped import TRAPS, TrappedSite

TRAP_ORDERS = ("lifo", "fifo", "adaptive")


class TrapCrawl(NamedTuple):
    """What a crawl of a site with a trap brought.

    wasted   share of its responses that are pages of the trap
    content  share of the content of the site that it has found
    """

    site: str
    trap: str
    order: str
    in_flight: int
    wasted: float
    content: float


def crawl_traps(saved: SavedSite, limit: int, in_flight: Sequence[int]) -> list[TrapCrawl]:
    """Crawl a site with each trap in it, in each order."""
    site = linked_site(saved, limit)
    pages = len(site.bodies)
    if pages < LEAST_PAGES:
        return []
    crawls = []
    for concurrency in in_flight:
        for trap in TRAPS:
            trapped = TrappedSite(site.host, site.bodies, site.targets, trap)
            for order in TRAP_ORDERS:
                server = server_for(concurrency)
                crawled = crawl(trapped, ORDERS[order], server, concurrency, budget=pages)
                came = crawled.pages
                wasted = sum(url not in site.bodies for url in came) / max(1, len(came))
                (content,) = site.content_shares([*map(TrappedSite.original, came)], [pages])
                crawls.append(TrapCrawl(site.name, trap, order, concurrency, wasted, content))
    return crawls


def trap_table(crawls: Sequence[TrapCrawl], in_flight: int) -> Table:
    """Return what each trap took, and what was found besides."""
    rows = []
    for trap in TRAPS:
        for order in TRAP_ORDERS:
            of_both = [one for one in crawls if one[1:4] == (trap, order, in_flight)]
            most = max(of_both, key=lambda one: one.wasted)
            least = min(of_both, key=lambda one: one.content)
            wasted, content = (fmean(values) for values in zip(*(one[4:6] for one in of_both)))
            rows.append(
                (
                    *(trap, order, f"{wasted:.3f}", f"{most.wasted:.3f}", most.site),
                    *(f"{content:.3f}", f"{least.content:.3f}", least.site),
                )
            )
    heads = ("wasted: mean", "worst", "worst site", "content: mean", "worst", "worst site")
    title = f"Traps, {len({one.site for one in crawls})} sites, {in_flight} in flight"
    return table_of(title, ("trap", "order", *heads), rows, left=2)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = new_parser("lab.bench.traps", __doc__, corpora=True)
    add_crawls(parser)
    parser.set_defaults(in_flight=[1])
    options = parser.parse_args(arguments)
    task: Any = partial(crawl_traps, limit=options.pages, in_flight=options.in_flight)
    sites = asked_sites(parser, options)
    crawls = [one for of_site in in_processes(task, sites, options.jobs) for one in of_site]
    tables = {f"{number} in flight": trap_table(crawls, number) for number in options.in_flight}
    report(tables, options.figures)


if __name__ == "__main__":
    main()
