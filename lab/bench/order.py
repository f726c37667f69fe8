"""Which order of fetching brings the content of a site first?  Real crawls of saved sites.

    python -m lab.bench.order --corpora FOLDER [--debian FOLDER] [--sites NAME ...] [--in-flight 1 16]
                               [--orders NAME ...] [--repeats 1] [--pages 1000] [--jobs 2] [--figures FILE]

Each site is crawled to its end by Scrapy from its start page, in each order (see :mod:`lab.bench.crawl`):
last in first out (Scrapy's default) and first in first out, both without templcrawl, and templcrawl's
policies.  A site is the first ``--pages`` of its saved pages, breadth first.  Of several requests in flight
it is chance which one comes back first: "fifo again" shows how much of a difference is that alone.

10 %...      distinct 5-word shingles of the marked content on so many of the pages, as a share of those of
             all pages that can be reached
difference   mean over sites of that share less what ``BASELINE`` found, with the 95 % interval of a bootstrap
             over sites (percentiles of 10,000 draws)
behind       sites on which an order found less than .9 of what ``BASELINE`` found; and of what the better of
             ``RIVALS`` found
until 90 %   share of the pages after which so much of the content is found; "wasted": of the pages until the
             last of these, those that brought nothing new
late         sites on which an order needs more pages until the first of these than the better of ``RIVALS``,
             by more than ``MARGIN`` of the pages: a star in the table of the sites
CPU until    CPU time until then, as a share of that of ``BASELINE``; mean over sites
missing      pages that a crawl to the end did not fetch, or fetched twice: must be 0
oracle       knows the pages behind the waiting links (see :mod:`lab.bench.frontier`)

Of the Debian packages, those of ``PACKAGES`` below.  Sites of which fewer than 20 pages can be reached are
left out.  Cost: a second and 5 ms a page for each crawl.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean, median
from typing import Any

import numpy as np
from rich.table import Table

from lab.bench.crawl import ADDON, Server, crawl, in_processes
from lab.bench.frontier import Oracle, frontier_settings
from lab.bench.linked_sites import LEAST_PAGES, LinkedSite, linked_site
from lab.bench.options import add_crawls, add_debian, add_number, asked_sites, new_parser
from lab.bench.saved_sites import WHOLE_PACKAGES, SavedSite
from lab.bench.tables import report, table_of

PACKAGES = ("python3.11-doc", "git-doc", "apache2-doc", "cmake-doc", *WHOLE_PACKAGES)
SHARES = (0.1, 0.25, 0.5, 0.75)
GOALS = (0.9, 0.95)
DRAWS = 10_000
BEHIND = 0.9
MARGIN = 0.03
"""Share of the pages by which an order may need more than the better of ``RIVALS`` until a goal."""

_FIFO = {
    "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
    "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
}
ORDERS: dict[str, Mapping[str, Any]] = {
    "lifo": {},
    "fifo": _FIFO,
    "fifo again": _FIFO,
    "template": {**ADDON, "TEMPLCRAWL_ORDER": "template"},
    "adaptive": {**ADDON, "TEMPLCRAWL_ORDER": "adaptive"},
}
"""Name -> settings; the first three are Scrapy without templcrawl."""
ORACLE = "oracle"
BASELINE = "fifo"
RIVALS = ("lifo", "fifo")


def server_for(in_flight: int) -> Server:
    """Return what answers at once where there is one request in flight, and else after a while."""
    return Server(0.05 if in_flight > 1 else 0.0)


@dataclass
class Brought:
    """What a crawl of a site brought.

    pages    pages of the site that can be reached
    missing  pages that the crawl did not fetch, or fetched twice
    found    share of the content after each of ``SHARES``
    wasted   of the responses until the last of ``GOALS`` was found, the share that brought nothing new
    until    share of the pages after which each of ``GOALS`` was found
    milliseconds  CPU time a response
    """

    site: str
    order: str
    in_flight: int
    pages: int
    missing: int
    found: list[float]
    wasted: float
    until: list[float]
    milliseconds: float

    @property
    def cpu_until(self) -> float:
        return self.until[0] * self.pages * self.milliseconds


def crawl_site(
    saved: SavedSite, limit: int, in_flight: Sequence[int], orders: Sequence[str], repeats: int
) -> list[Brought]:
    """Crawl a site to its end in some orders; so often with several requests in flight."""
    site = linked_site(saved, limit)
    if len(site.bodies) < LEAST_PAGES:
        return []
    return [
        crawl_once(site, order, concurrency)
        for concurrency in in_flight
        for _ in range(repeats if concurrency > 1 else 1)
        for order in orders
    ]


def crawl_once(site: LinkedSite, order: str, in_flight: int) -> Brought:
    settings = frontier_settings(Oracle(site)) if order == ORACLE else ORDERS[order]
    crawled = crawl(site.pages, settings, server_for(in_flight), in_flight)
    came, pages = crawled.pages, len(site.bodies)
    reached = np.array([0.0, *site.content_shares(came, range(1, len(came) + 1))])
    missing = len({*site.bodies} ^ {*came}) + len(crawled.responses) - len({*came})
    until = [int(np.argmax(reached >= goal)) or len(came) for goal in GOALS]
    return Brought(
        site.name,
        order,
        in_flight,
        pages,
        missing,
        site.content_shares(came, [round(share * pages) for share in SHARES]),
        wasted=float((np.diff(reached[: until[-1] + 1]) <= 0).mean()),
        until=[number / pages for number in until],
        milliseconds=1000 * crawled.end["cpu"] / max(1, len(came)),
    )


def by_order(crawls: Iterable[Brought], value: Callable[[Brought], float]) -> dict[str, dict[str, float]]:
    """Return order -> site -> mean of a value of its crawls."""
    values: dict[str, dict[str, list[float]]] = {}
    for one in crawls:
        values.setdefault(one.order, {}).setdefault(one.site, []).append(value(one))
    return {order: {site: fmean(each) for site, each in sites.items()} for order, sites in values.items()}


def better(of_orders: Mapping[str, Mapping[str, float]], pick: Callable[..., float]) -> dict[str, float]:
    """Return site -> the value of the better of ``RIVALS``, of order -> site -> value.

    >>> better({"lifo": {"a": 0.1, "b": 0.3}, "fifo": {"a": 0.2, "b": 0.2}, "adaptive": {"a": 1}}, max)
    {'a': 0.2, 'b': 0.3}
    """
    rivals = [of_orders[order] for order in RIVALS if order in of_orders]
    return {site: pick(values[site] for values in rivals) for site in rivals[0]}


def interval(differences: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of the mean of some differences.

    >>> interval([0.25, 0.25, 0.25])
    (0.25, 0.25)
    """
    values = np.asarray(differences)
    draws = np.random.default_rng(1).integers(len(values), size=(DRAWS, len(values)))
    low, high = np.percentile(values[draws].mean(axis=1), [2.5, 97.5])
    return float(low), float(high)


def _found(number: int, crawled: Brought) -> float:
    return crawled.found[number]


def content_table(crawls: Sequence[Brought], in_flight: int) -> Table:
    """Return what each order found, and how soon."""
    at = [by_order(crawls, partial(_found, number)) for number in range(len(SHARES))]
    until = by_order(crawls, lambda one: one.until[0])
    cpu = by_order(crawls, lambda one: one.cpu_until)
    heads = [
        *(
            "order",
            *(f"{share:.0%}" for share in SHARES),
            *(f"difference at {share:.0%}" for share in SHARES),
        ),
        *(*(f"until {goal:.0%}" for goal in GOALS), "wasted", "behind by > 10 %", "behind the better"),
        *(f"late for {GOALS[0]:.0%}", "missing", "ms", f"CPU until {GOALS[0]:.0%}"),
    ]

    def behind(shares: Mapping[str, float], least: Mapping[str, float]) -> int:
        return sum(share < BEHIND * least[site] for site, share in shares.items())

    def difference(shares: Mapping[str, float], base: Mapping[str, float]) -> str:
        differences = [shares[site] - base[site] for site in shares]
        low, high = interval(differences)
        return f"{fmean(differences):+.3f} [{low:+.3f} {high:+.3f}] median {median(differences):+.3f}"

    rows = []
    for order in until:
        of_order = [one for one in crawls if one.order == order]
        rows.append(
            (
                *(order, *(f"{fmean(found[order].values()):.3f}" for found in at)),
                *(difference(found[order], found[BASELINE]) for found in at),
                *(f"{fmean(one.until[goal] for one in of_order):.3f}" for goal in range(len(GOALS))),
                f"{fmean(one.wasted for one in of_order):.3f}",
                " / ".join(str(behind(found[order], found[BASELINE])) for found in at),
                " / ".join(str(behind(found[order], better(found, max))) for found in at),
                sum(share > better(until, min)[site] + MARGIN for site, share in until[order].items()),
                sum(one.missing for one in of_order),
                f"{fmean(one.milliseconds for one in of_order):.1f}",
                f"{fmean(spent / cpu[BASELINE][site] for site, spent in cpu[order].items()):.2f}",
            )
        )
    return table_of(
        f"Share of the content found, {in_flight} in flight, {len(until[BASELINE])} sites", heads, rows
    )


def until_table(crawls: Sequence[Brought], in_flight: int) -> Table:
    """Return after what share of the pages of each site each order found the first of ``GOALS``."""
    until = by_order(crawls, lambda one: one.until[0])
    least = better(until, min)
    rows = [
        (
            *(site, pages),
            *(f"{of[site]:.3f}{'*' * (of[site] > least[site] + MARGIN)}" for of in until.values()),
        )
        for site, pages in {one.site: one.pages for one in crawls}.items()
    ]
    return table_of(f"Pages until {GOALS[0]:.0%}, {in_flight} in flight", ("site", "pages", *until), rows)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = new_parser("lab.bench.order", __doc__, corpora=False)
    add_debian(parser)
    add_crawls(parser, pages=1000, jobs=2)
    known = [*ORDERS, ORACLE]
    parser.add_argument(
        "--orders", metavar="NAME", nargs="+", choices=known, default=[*ORDERS], help="orders"
    )
    add_number(parser, "--repeats", 1, "crawls of each kind with several in flight")
    options = parser.parse_args(arguments)
    task: Any = partial(
        crawl_site,
        limit=options.pages,
        in_flight=options.in_flight,
        orders=options.orders,
        repeats=options.repeats,
    )
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
