"""How much of a crawl do endless pages take?  Real crawls of saved sites with a trap in each.

Every page of a site also links into a trap: an endless calendar, facets, directories, copies under session
ids, a maze of random text (see :mod:`lab.bench.trapped`).  Scrapy crawls the site with one trap at a time, as
in ``lab.bench.order``, and stops after as many responses as the site has pages.

wasted   share of the responses that are pages of the trap: mean of the sites, and the worst site
content  share of the site's content (distinct 5-word shingles) that the crawl has found: likewise

Cost: 18 crawls of 200 pages a site: a minute and a half.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from statistics import fmean

from rich.table import Table

from lab.bench.crawl import crawl
from lab.bench.linked_sites import MIN_PAGES, linked_site
from lab.bench.options import asked_sites, new_parser
from lab.bench.order import ORDERS, Outcome, by_order, outcomes_of, server_for, sites_of
from lab.bench.saved_sites import SavedSite
from lab.bench.tables import report, table_of
from lab.bench.trapped import TRAPS, TrappedSite

TRAP_ORDERS = ("lifo", "fifo", "adaptive")
WORST: Mapping[str, Callable[..., str]] = {"wasted": max, "content": min}
"""Column -> which of its values is the worst."""


def crawl_traps(saved: SavedSite, limit: int, in_flight: Sequence[int]) -> list[Outcome]:
    """Crawl a site with each trap in it, in each order."""
    site = linked_site(saved, limit)
    pages = len(site.bodies)
    if pages < MIN_PAGES:
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
                values = {"wasted": wasted, "content": content}
                crawls.append(Outcome((site.name, trap), order, concurrency, values))
    return crawls


def trap_table(crawls: Sequence[Outcome], in_flight: int) -> Table:
    """Return what each trap took, and what was found besides."""
    rows = []
    for trap, order in product(TRAPS, TRAP_ORDERS):
        cells: list[str] = []
        for column, worst in WORST.items():
            shares = by_order(crawls, column)[order]
            of = {site: share for (site, name), share in shares.items() if name == trap}
            site = worst(of, key=of.__getitem__)
            cells += [f"{fmean(of.values()):.3f}", f"{of[site]:.3f}", site]
        rows.append((trap, order, *cells))
    heads = ("wasted: mean", "worst", "worst site", "content: mean", "worst", "worst site")
    title = f"Traps, {sites_of(crawls)} sites, {in_flight} in flight"
    return table_of(title, ("trap", "order", *heads), rows, left=2)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = new_parser(
        "lab.bench.traps", __doc__, "--corpora! --sites --in-flight --pages=200 --jobs=1 --figures"
    )
    parser.set_defaults(in_flight=[1])
    options = parser.parse_args(arguments)
    crawls = outcomes_of(crawl_traps, asked_sites(parser, options), options)
    tables = {f"{number} in flight": trap_table(some, number) for number, some in crawls.items()}
    report(tables, options.figures)


if __name__ == "__main__":
    main()
