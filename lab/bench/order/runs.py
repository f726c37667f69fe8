"""All crawls of a site, in a process of its own, and what they brought.

Figures of a crawl: the share of the site's content (see ``linked_sites``) that its first responses brought,
at ``BUDGETS`` of the pages that can be reached; and after what share of the pages 90 and 95 % were found.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from multiprocessing import get_context
from typing import Any, TypeAlias, TypeVar

from lab.bench.order.crawls import ORDERS, Job, Order, run_crawls
from lab.bench.order.frontier import oracle_order
from lab.bench.order.linked_sites import LinkedSite, linked_site
from lab.bench.saved_sites import SavedSite

BUDGETS = (0.1, 0.25, 0.5, 0.75)
GOALS = (0.9, 0.95)
LEAST_PAGES = 20
"""Sites of which fewer pages can be reached are left out."""
WARM_UP = 15
"""Pages of a crawl before the others, whose CPU times then leave out what a process does but once."""

OrderOf: TypeAlias = Order | Callable[[LinkedSite], Order]
"""An order, or what makes it for a crawl of a site."""
ALL_ORDERS: dict[str, OrderOf] = {**ORDERS, "oracle": oracle_order}
"""Name -> a way to order a crawl; the last one knows the pages behind the waiting links."""

T = TypeVar("T")
R = TypeVar("R")


@dataclass
class Figures:
    """What a crawl of a site brought.

    pages    pages of the site that can be reached
    missing  pages that the crawl did not fetch, or fetched twice
    found    share of the content after each of ``BUDGETS``
    wasted   of the responses until the last of ``GOALS`` was found, the share that brought nothing new
    until    share of the pages after which each of ``GOALS`` was found
    milliseconds  CPU time a response
    """

    site: str
    group: str
    order: str
    in_flight: int
    pages: int
    missing: int
    found: list[float]
    wasted: float = 0.0
    milliseconds: float = 0.0
    stats: dict[str, float] = field(default_factory=dict)
    until: list[float] = field(default_factory=list)


def crawl_site(
    saved: SavedSite,
    limit: int,
    in_flight: Sequence[int],
    orders: Mapping[str, OrderOf] = ORDERS,
    repeats: int = 1,
) -> list[Figures]:
    """Crawl a site to its end in some orders; once in a process.

    repeats  how often with several requests in flight
    """
    site = linked_site(saved, limit)
    pages = len(site.bodies)
    if pages < LEAST_PAGES:
        return []
    plan = [
        (concurrency, name)
        for concurrency in in_flight
        for _ in range(repeats if concurrency > 1 else 1)
        for name in orders
    ]
    warm_up = Job(site, ORDERS["adaptive"], 1, WARM_UP)
    jobs = (Job(site, order_of(orders[name], site), concurrency) for concurrency, name in plan)
    _, *done = run_crawls(chain([warm_up], jobs))
    return [
        Figures(
            site.name,
            site.group,
            name,
            concurrency,
            pages,
            len(set(site.bodies) ^ set(crawl.pages))
            + len(crawl.pages)
            - len(set(crawl.pages))
            + crawl.failed,
            site.content_shares(crawl.pages, [round(share * pages) for share in BUDGETS]),
            wasted=site.needless(crawl.pages, GOALS[-1]),
            until=site.pages_until(crawl.pages, GOALS),
            milliseconds=1000 * crawl.seconds / max(1, len(crawl.pages)),
            stats=crawl.stats,
        )
        for (concurrency, name), crawl in zip(plan, done)
    ]


def order_of(order: OrderOf, site: LinkedSite) -> Order:
    """Return an order, made for a crawl of a site if need be."""
    return order if isinstance(order, Order) else order(site)


def in_processes(function: Callable[[T], R], inputs: Sequence[T], jobs: int) -> Iterator[R]:
    """Yield what a function returns for each input, each in a process of its own, in the order of inputs."""
    with get_context("spawn").Pool(jobs, maxtasksperchild=1) as pool:
        for number, result in enumerate(pool.imap(function, inputs, chunksize=1), 1):
            print(f"{number} of {len(inputs)}", file=sys.stderr, flush=True)
            yield result


def crawl_sites(
    sites: Sequence[SavedSite],
    limit: int,
    in_flight: Sequence[int],
    orders: Mapping[str, OrderOf],
    repeats: int,
    jobs: int,
) -> list[Figures]:
    """Crawl sites to their end in some orders."""
    task: Any = partial(crawl_site, limit=limit, in_flight=in_flight, orders=orders, repeats=repeats)
    return [figures for of_site in in_processes(task, sites, jobs) for figures in of_site]
