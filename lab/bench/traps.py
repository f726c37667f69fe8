"""How much of a crawl do endless pages take?  Real crawls of saved sites with a trap in each.

    python -m lab.bench.traps --corpora FOLDER [--sites NAME ...] [--pages 200] [--in-flight 1]
                               [--jobs 1] [--figures FILE] [--json FILE]

Every page of a site also links into a trap: an endless calendar, facets, directories, copies under session
ids, a maze of random text (see ``lab.bench.order.traps``).  Scrapy crawls the site with one trap at a time,
as in ``lab.bench.order``, and stops after as many responses as the site has pages.

wasted   share of the responses that are pages of the trap: mean of the sites, and the worst site
content  share of the site's content (distinct 5-word shingles) that the crawl has found: likewise
logged   sites of which the log said that they are spent (stat ``templcrawl/stop/advised``)

Cost: 18 crawls of 200 pages a site: a minute and a half.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from statistics import fmean
from typing import Any, NamedTuple

from rich.table import Table

from lab.bench.kept_tables import keep_tables
from lab.bench.options import add_figures, add_jobs, add_json, add_pages, add_sites, asked_sites, new_parser
from lab.bench.order.crawls import ORDERS, Job, run_crawls
from lab.bench.order.linked_sites import linked_site
from lab.bench.order.runs import LEAST_PAGES, in_processes
from lab.bench.order.traps import TRAPS, TrappedSite
from lab.bench.saved_sites import SavedSite
from lab.bench.tables import show

TRAP_ORDERS = ("lifo", "fifo", "adaptive")


class TrapCrawl(NamedTuple):
    """What a crawl of a site with a trap brought.

    wasted   share of its responses that are pages of the trap
    content  share of the content of the site that it has found
    stats    templcrawl's
    """

    site: str
    trap: str
    order: str
    wasted: float
    content: float
    stats: dict[str, float]


def crawl_traps(saved: SavedSite, limit: int, in_flight: int) -> list[TrapCrawl]:
    """Crawl a site with each trap in it, in each order; once in a process."""
    site = linked_site(saved, limit)
    pages = len(site.bodies)
    if pages < LEAST_PAGES:
        return []
    plan = [(trap, order) for trap in TRAPS for order in TRAP_ORDERS]
    trapped = {name: TrappedSite(site, trap) for name, trap in TRAPS.items()}
    done = run_crawls(Job(trapped[trap], ORDERS[order], in_flight, pages) for trap, order in plan)
    return [
        TrapCrawl(
            site.name,
            trap,
            order,
            sum(url not in site.bodies for url in crawl.pages) / max(1, len(crawl.pages)),
            site.content_shares([trapped[trap].original(url) for url in crawl.pages], [pages])[0],
            crawl.stats,
        )
        for (trap, order), crawl in zip(plan, done)
    ]


def trap_table(crawls: Sequence[TrapCrawl], in_flight: int) -> Table:
    """Return what each trap took, and what was found besides."""
    heads = ("wasted: mean", "worst", "worst site", "content: mean", "worst", "worst site", "logged")
    table = Table("trap", "order", *heads)
    table.title = f"Traps, {len({crawl.site for crawl in crawls})} sites, {in_flight} in flight"
    for trap in TRAPS:
        for order in TRAP_ORDERS:
            of_both = [crawl for crawl in crawls if (crawl.trap, crawl.order) == (trap, order)]
            most = max(of_both, key=lambda crawl: crawl.wasted)
            least = min(of_both, key=lambda crawl: crawl.content)
            table.add_row(
                trap,
                order,
                f"{fmean(crawl.wasted for crawl in of_both):.3f}",
                f"{most.wasted:.3f}",
                most.site,
                f"{fmean(crawl.content for crawl in of_both):.3f}",
                f"{least.content:.3f}",
                least.site,
                str(sum("templcrawl/stop/advised" in crawl.stats for crawl in of_both)),
            )
    return table


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the crawls and print their table."""
    parser = new_parser("lab.bench.traps", __doc__, corpora=True)
    add_sites(parser)
    add = parser.add_argument
    add("--in-flight", metavar="N", type=int, default=1, help="requests in flight")
    add_pages(parser)
    add_jobs(parser)
    add_json(parser, "the figures of every crawl")
    add_figures(parser)
    options = parser.parse_args(arguments)
    sites = asked_sites(parser, options)
    task: Any = partial(crawl_traps, limit=options.pages, in_flight=options.in_flight)
    crawls = [crawl for of_site in in_processes(task, sites, options.jobs) for crawl in of_site]
    table = trap_table(crawls, options.in_flight)
    show(table)
    keep_tables(options.figures, {f"{options.in_flight} in flight": table})
    if options.json:
        options.json.write_text(json.dumps([crawl._asdict() for crawl in crawls]), encoding="utf-8")


if __name__ == "__main__":
    main()
