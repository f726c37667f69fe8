"""Which order of fetching brings the content of a site first?  Real crawls of saved sites.

    python -m lab.bench.order --corpora FOLDER [--debian FOLDER] [--sites NAME ...] [--in-flight 1 16]
                               [--orders NAME ...] [--pages 1000] [--jobs 2] [--figures FILE]

Each site is crawled to its end by Scrapy from its start page, in each order (see :mod:`lab.bench.crawl`):
last in first out (Scrapy's default) and first in first out, both without templcrawl, and templcrawl's
policies.  A site is the first ``--pages`` of its saved pages, breadth first.  Of several requests in flight
it is chance which one comes back first.

10 %...      distinct 5-word shingles of the marked content on so many of the pages, as a share of those of
             all pages that can be reached
until 90 %   share of the pages after which so much of the content is found
behind       sites on which an order found less than .9 of what the better of ``RIVALS`` found
late         sites on which an order needs more pages until the first of these than the better of ``RIVALS``,
             by more than ``MARGIN`` of the pages: a star in the table of the sites
missing      pages that a crawl to the end did not fetch, or fetched twice: must be 0
oracle       knows the pages behind the waiting links (see :mod:`lab.bench.frontier`)

Of the Debian packages, those of ``PACKAGES`` below.  Sites of which fewer than 20 pages can be reached are
left out.  Cost: a second and 5 ms a page for each crawl.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean
from typing import Any, TypeVar

import numpy as np
from rich.table import Table

from lab.bench.crawl import ADDON, Server, crawl, in_processes
from lab.bench.frontier import Oracle, frontier_settings
from lab.bench.linked_sites import LEAST_PAGES, LinkedSite, linked_site
from lab.bench.options import add_crawls, add_debian, asked_sites, new_parser
from lab.bench.saved_sites import WHOLE_PACKAGES, SavedSite
from lab.bench.tables import report, table_of

PACKAGES = ("python3.11-doc", "git-doc", "apache2-doc", "cmake-doc", *WHOLE_PACKAGES)
SHARES = (0.1, 0.25, 0.5, 0.75)
GOALS = (0.9, 0.95)
BEHIND = 0.9
MARGIN = 0.03
"""Share of the pages by which an order may need more than the better of ``RIVALS`` until a goal."""

ORDERS: dict[str, Mapping[str, Any]] = {
    "lifo": {},
    "fifo": {
        "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
        "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
    },
    "template": {**ADDON, "TEMPLCRAWL_ORDER": "template"},
    "adaptive": {**ADDON, "TEMPLCRAWL_ORDER": "adaptive"},
}
"""Name -> settings; the first two are Scrapy without templcrawl."""
ORACLE = "oracle"
BASELINE = "fifo"
RIVALS = ("lifo", "fifo")

Key = TypeVar("Key", bound=Hashable)
ByOrder = Mapping[str, Mapping[Key, float]]
"""Order -> site, or what is looked for on a site -> a share."""


def server_for(in_flight: int) -> Server:
    """Return what answers at once where there is one request in flight, and else after a while."""
    return Server(0.05 if in_flight > 1 else 0.0)


def late(until: ByOrder[Key], order: str) -> list[Key]:
    """Return for what an order needs more pages than the better of ``RIVALS``, by more than ``MARGIN``.

    >>> late({"lifo": {"a": 0.9, "b": 0.4}, "fifo": {"a": 0.5, "b": 0.5}, "o": {"a": 0.6, "b": 0.4}}, "o")
    ['a']
    """
    rivals = [until[rival] for rival in RIVALS]
    return [key for key, share in until[order].items() if share > min(of[key] for of in rivals) + MARGIN]


def of_baseline(until: ByOrder[Key], order: str) -> str:
    """Return the mean of what an order needs as a share of what ``BASELINE`` does, as written."""
    return f"{fmean(share / until[BASELINE][key] for key, share in until[order].items()):.2f}"


@dataclass
class Brought:
    """What a crawl of a site brought.

    pages    pages of the site that can be reached
    missing  pages that the crawl did not fetch, or fetched twice
    found    share of the content after each of ``SHARES``
    until    share of the pages after which each of ``GOALS`` was found
    """

    site: str
    order: str
    in_flight: int
    pages: int
    missing: int
    found: list[float]
    until: list[float]


def crawl_site(
    saved: SavedSite, limit: int, in_flight: Sequence[int], orders: Sequence[str]
) -> list[Brought]:
    """Crawl a site to its end in some orders."""
    site = linked_site(saved, limit)
    if len(site.bodies) < LEAST_PAGES:
        return []
    return [crawl_once(site, order, concurrency) for concurrency in in_flight for order in orders]


def crawl_once(site: LinkedSite, order: str, in_flight: int) -> Brought:
    settings = frontier_settings(Oracle(site)) if order == ORACLE else ORDERS[order]
    crawled = crawl(site.pages, settings, server_for(in_flight), in_flight)
    came, pages = crawled.pages, len(site.bodies)
    reached = np.array([0.0, *site.content_shares(came, range(1, len(came) + 1))])
    return Brought(
        site.name,
        order,
        in_flight,
        pages,
        missing=len({*site.bodies} ^ {*came}) + len(crawled.responses) - len({*came}),
        found=site.content_shares(came, [round(share * pages) for share in SHARES]),
        until=[(int(np.argmax(reached >= goal)) or len(came)) / pages for goal in GOALS],
    )


def by_order(crawls: Sequence[Brought], value: Callable[[Brought], float]) -> ByOrder[str]:
    """Return order -> site -> a value of its crawl."""
    orders = dict.fromkeys(one.order for one in crawls)
    return {order: {one.site: value(one) for one in crawls if one.order == order} for order in orders}


def _found(nth: int, one: Brought) -> float:
    return one.found[nth]


def content_table(crawls: Sequence[Brought], in_flight: int) -> Table:
    """Return what each order found, and how soon."""
    at = [by_order(crawls, partial(_found, nth)) for nth in range(len(SHARES))]
    until = by_order(crawls, lambda one: one.until[0])

    def behind(found: ByOrder[str], order: str) -> int:
        rivals = [found[rival] for rival in RIVALS]
        return sum(share < BEHIND * max(of[site] for of in rivals) for site, share in found[order].items())

    rows = []
    for order in until:
        of_order = [one for one in crawls if one.order == order]
        rows.append(
            (
                *(order, *(f"{fmean(found[order].values()):.3f}" for found in at)),
                *(f"{fmean(shares):.3f}" for shares in zip(*(one.until for one in of_order))),
                " / ".join(str(behind(found, order)) for found in at),
                len(late(until, order)),
                sum(one.missing for one in of_order),
            )
        )
    heads = [*(f"{share:.0%}" for share in SHARES), *(f"until {goal:.0%}" for goal in GOALS)]
    heads += ["behind the better", f"late for {GOALS[0]:.0%}", "missing"]
    title = f"Share of the content found, {in_flight} in flight, {len(until[BASELINE])} sites"
    return table_of(title, ("order", *heads), rows)


def until_table(crawls: Sequence[Brought], in_flight: int) -> Table:
    """Return after what share of the pages of each site each order found the first of ``GOALS``."""
    until = by_order(crawls, lambda one: one.until[0])
    are_late = {order: late(until, order) for order in until}
    rows = [
        (site, pages, *(f"{of[site]:.3f}{'*' * (site in are_late[order])}" for order, of in until.items()))
        for site, pages in {one.site: one.pages for one in crawls}.items()
    ]
    return table_of(f"Pages until {GOALS[0]:.0%}, {in_flight} in flight", ("site", "pages", *until), rows)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = new_parser("lab.bench.order", __doc__, corpora=False)
    add_debian(parser)
    add_crawls(parser, pages=1000, jobs=2)
    known = [*ORDERS, ORACLE]
    add = parser.add_argument
    add("--orders", metavar="NAME", nargs="+", choices=known, default=[*ORDERS], help="besides the rivals")
    options = parser.parse_args(arguments)
    orders = [*dict.fromkeys([*RIVALS, *options.orders])]
    task: Any = partial(crawl_site, limit=options.pages, in_flight=options.in_flight, orders=orders)
    sites = asked_sites(parser, options, PACKAGES)
    crawls = [one for of_site in in_processes(task, sites, options.jobs) for one in of_site]
    tables = {}
    for concurrency in options.in_flight:
        of_crawls = [one for one in crawls if one.in_flight == concurrency]
        tables[f"until, {concurrency} in flight"] = until_table(of_crawls, concurrency)
        tables[f"{concurrency} in flight"] = content_table(of_crawls, concurrency)
    report(tables, options.figures)


if __name__ == "__main__":
    main()
