"""Which order of fetching brings the content of a site first?  Real crawls of saved sites.

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

from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from rich.table import Table

from lab.bench.crawl import ADDON, Server, crawl, in_processes
from lab.bench.frontier import Oracle, frontier_settings
from lab.bench.linked_sites import MIN_PAGES, LinkedSite, linked_site
from lab.bench.options import asked_sites, new_parser
from lab.bench.saved_sites import WHOLE_PACKAGES, SavedSite
from lab.bench.tables import report, table_of

PACKAGES = ("python3.11-doc", "git-doc", "apache2-doc", "cmake-doc", *WHOLE_PACKAGES)
SHARES = (0.1, 0.25, 0.5, 0.75)
GOALS = (0.9, 0.95)
AT = [f"{share:.0%}" for share in SHARES]
UNTIL = [f"until {goal:.0%}" for goal in GOALS]
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


class Outcome(NamedTuple):
    """What a crawl brought.

    key     its site, and what was looked for there, if anything
    values  column of a table -> value; those before ``OTHERS`` are shares, of which tables have the means
    """

    key: tuple[str, ...]
    order: str
    in_flight: int
    values: dict[str, float]


MISSING, PAGES = OTHERS = ("missing", "pages")


def server_for(in_flight: int) -> Server:
    """Return what answers at once where there is one request in flight, and else after a while."""
    return Server(0.05 if in_flight > 1 else 0.0)


def outcomes_of(
    crawl_site: Callable[..., list[Outcome]], sites: Sequence[SavedSite], options: Namespace, **more: Any
) -> dict[int, list[Outcome]]:
    """Crawl sites as a command line asks for it; return requests in flight -> what the crawls brought."""
    task: Any = partial(crawl_site, limit=options.pages, in_flight=options.in_flight, **more)
    outcomes: dict[int, list[Outcome]] = {}
    for one in (one for of_site in in_processes(task, sites, options.jobs) for one in of_site):
        outcomes.setdefault(one.in_flight, []).append(one)
    return outcomes


def by_order(outcomes: Sequence[Outcome], column: str) -> dict[str, dict[tuple[str, ...], float]]:
    """Return order -> key -> a value of its crawl."""
    values: dict[str, dict[tuple[str, ...], float]] = {}
    for one in outcomes:
        values.setdefault(one.order, {})[one.key] = one.values[column]
    return values


def sites_of(outcomes: Sequence[Outcome]) -> int:
    return len({one.key[0] for one in outcomes})


def late(outcomes: Sequence[Outcome], order: str, column: str) -> list[tuple[str, ...]]:
    """Return for what an order needs more pages than the better of ``RIVALS``, by more than ``MARGIN``.

    >>> crawls = [("lifo", "a", 0.9), ("fifo", "a", 0.5), ("lifo", "b", 0.4), ("fifo", "b", 0.5)]
    >>> crawls += [("o", "a", 0.6), ("o", "b", 0.4)]
    >>> late([Outcome((site,), order, 1, {"until": until}) for order, site, until in crawls], "o", "until")
    [('a',)]
    """
    until = by_order(outcomes, column)
    rivals = [until[rival] for rival in RIVALS]
    return [key for key, share in until[order].items() if share > min(of[key] for of in rivals) + MARGIN]


def means_of(outcomes: Sequence[Outcome]) -> Iterator[list[str]]:
    """Yield each order with the means of its shares."""
    shares = [column for column in outcomes[0].values if column not in OTHERS]
    for order in dict.fromkeys(one.order for one in outcomes):
        of_order = [one.values for one in outcomes if one.order == order]
        yield [order, *(f"{fmean(values[column] for values in of_order):.3f}" for column in shares)]


def found_table(title: str, outcomes: Sequence[Outcome], until: str, behind: str) -> Table:
    """Return how soon each order found what was looked for.

    until   the column that is compared with that of ``BASELINE``, and of ``RIVALS``
    behind  head of the column for that
    """
    values = by_order(outcomes, until)
    rows = []
    for order, *means in means_of(outcomes):
        shares = [share / values[BASELINE][key] for key, share in values[order].items()]
        are_late = f"{len(late(outcomes, order, until))} of {len(shares)}"
        rows.append((order, *means, f"{fmean(shares):.2f}", are_late))
    return table_of(title, ("order", *outcomes[0].values, f"of {BASELINE}", behind), rows)


def crawl_site(
    saved: SavedSite, limit: int, in_flight: Sequence[int], orders: Sequence[str]
) -> list[Outcome]:
    """Crawl a site to its end in some orders."""
    site = linked_site(saved, limit)
    if len(site.bodies) < MIN_PAGES:
        return []
    return [crawl_once(site, order, concurrency) for concurrency in in_flight for order in orders]


def crawl_once(site: LinkedSite, order: str, in_flight: int) -> Outcome:
    settings = frontier_settings(Oracle(site)) if order == ORACLE else ORDERS[order]
    crawled = crawl(site.pages, settings, server_for(in_flight), in_flight)
    came, pages = crawled.pages, len(site.bodies)
    reached = np.array([0.0, *site.content_shares(came, range(1, len(came) + 1))])
    found = site.content_shares(came, [round(share * pages) for share in SHARES])
    values = dict(zip(AT, found))
    for head, goal in zip(UNTIL, GOALS):
        values[head] = (int(np.argmax(reached >= goal)) or len(came)) / pages
    missing = len({*site.bodies} ^ {*came}) + len(crawled.responses) - len({*came})
    return Outcome((site.name,), order, in_flight, {**values, MISSING: missing, PAGES: pages})


def content_table(outcomes: Sequence[Outcome], in_flight: int) -> Table:
    """Return what each order found, and how soon."""

    def behind(column: str, order: str) -> int:
        found = by_order(outcomes, column)
        rivals = [found[rival] for rival in RIVALS]
        return sum(share < BEHIND * max(of[site] for of in rivals) for site, share in found[order].items())

    rows = [
        (
            *(order, *means, " / ".join(str(behind(column, order)) for column in AT)),
            len(late(outcomes, order, UNTIL[0])),
            sum(by_order(outcomes, MISSING)[order].values()),
        )
        for order, *means in means_of(outcomes)
    ]
    heads = ("order", *AT, *UNTIL, "behind the better", f"late for {GOALS[0]:.0%}", MISSING)
    title = f"Share of the content found, {in_flight} in flight, {sites_of(outcomes)} sites"
    return table_of(title, heads, rows)


def until_table(outcomes: Sequence[Outcome], in_flight: int) -> Table:
    """Return after what share of the pages of each site each order found the first of ``GOALS``."""
    until = by_order(outcomes, UNTIL[0])
    are_late = {order: late(outcomes, order, UNTIL[0]) for order in until}
    rows = [
        (key[0], pages, *(f"{of[key]:.3f}{'*' * (key in are_late[order])}" for order, of in until.items()))
        for key, pages in by_order(outcomes, PAGES)[BASELINE].items()
    ]
    return table_of(f"Pages {UNTIL[0]}, {in_flight} in flight", ("site", "pages", *until), rows)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = new_parser(
        "lab.bench.order", __doc__, "--corpora --debian --sites --in-flight --pages=1000 --jobs=2 --figures"
    )
    known = [*ORDERS, ORACLE]
    add = parser.add_argument
    add("--orders", metavar="NAME", nargs="+", choices=known, default=[*ORDERS], help="besides the rivals")
    options = parser.parse_args(arguments)
    orders = [*dict.fromkeys([*RIVALS, *options.orders])]
    sites = asked_sites(parser, options, PACKAGES)
    tables = {}
    for concurrency, outcomes in outcomes_of(crawl_site, sites, options, orders=orders).items():
        tables[f"until, {concurrency} in flight"] = until_table(outcomes, concurrency)
        tables[f"{concurrency} in flight"] = content_table(outcomes, concurrency)
    report(tables, options.figures)


if __name__ == "__main__":
    main()
