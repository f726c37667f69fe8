"""Which order finds the pages of a wanted type first?  Real crawls of saved sites, from three examples.

    python -m lab.bench.targets --corpora FOLDER [--sites NAME ...] [--pages 200] [--in-flight 1 16]
                                 [--types 3] [--jobs 1] [--figures FILE] [--json FILE]

A wanted type is a page type of a site's gold (see ``lab.bench.page_types.page_sets``) that has ``LEAST``
pages or more, and at most ``MOST_SHARE`` of the site; of each site at most ``--types``, drawn at random.
Three of its pages, drawn at random too, are the examples.  Scrapy crawls the site to its end, as in
``lab.bench.order``: first in first out, last in first out, templcrawl's default, and ``targets``, which is
given the examples.  ``targets`` fetches the examples before all else.  The other orders are credited with the
same: their crawls, too, count as if they began with three requests that found the examples.

to 50 %, 90 %  requests until so much of the type is found, as a share of the pages of the site
harvest        share of the type among the first requests, as many as the type has pages
of fifo        requests until 90 %, as a share of those of first in first out; mean of the types
worse          types with more requests until 90 % than the better of ``RIVALS``, by more than ``MARGIN``
               of the pages of the site

Cost: 12 crawls of 200 pages a site: half a minute.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any, NamedTuple
from urllib.parse import unquote_to_bytes

from rich.table import Table

from lab.bench.kept_tables import keep_tables
from lab.bench.options import add_crawls, asked_sites, new_parser
from lab.bench.order.crawls import ORDERS, RIVALS, Job, Order, order_of_targets, run_crawls
from lab.bench.order.linked_sites import linked_site
from lab.bench.order.runs import LEAST_PAGES, in_processes
from lab.bench.page_types.page_sets import page_types
from lab.bench.saved_sites import SavedSite
from lab.bench.tables import show

LEAST, MOST_SHARE = 10, 0.8
EXAMPLES = 3
MARGIN = 0.03
GOALS = (0.5, 0.9)
WITHOUT_EXAMPLES = ("fifo", "lifo", "adaptive")
OURS = "targets"


class TypeCrawl(NamedTuple):
    """How soon a crawl found the pages of a type.

    until    share of the requests after which each of ``GOALS`` was found
    harvest  share of the type among the first requests
    """

    site: str
    wanted: str
    order: str
    in_flight: int
    until: list[float]
    harvest: float


def wanted_types(
    urls: Sequence[str], types: Mapping[bytes, str], most: int, seed: str
) -> dict[str, list[str]]:
    """Return type -> its addresses, of at most so many types of a site.

    types  path, unquoted -> type

    >>> types = {b"%d" % number: "tea" if number < 12 else "rare" for number in range(20)}
    >>> found = wanted_types([f"http://x.org/{number}" for number in range(20)], types, 3, "x")
    >>> {name: len(of_type) for name, of_type in found.items()}
    {'tea': 12}
    """
    of_page = {url: types.get(unquote_to_bytes(url.split("/", 3)[3])) for url in urls}
    counts = Counter(filter(None, of_page.values()))
    names = [name for name in sorted(counts) if LEAST <= counts[name] <= MOST_SHARE * len(urls)]
    chosen = sorted(Random(seed).sample(names, min(most, len(names))))
    return {name: [url for url in urls if of_page[url] == name] for name in chosen}


def requests_until(requests: Sequence[str], wanted: Sequence[str], share: float) -> int:
    """Return after how many requests a share of the wanted pages is found; all requests if it never is.

    >>> requests_until(["b", "x", "b", "a"], ["a", "b"], 0.5), requests_until(["b", "x"], ["a", "b"], 0.9)
    (1, 2)
    """
    missing, most = set(wanted), (1 - share) * len(wanted)
    for number, url in enumerate(requests, 1):
        missing.discard(url)
        if len(missing) <= most + 1e-9:
            return number
    return len(requests)


def crawl_types(
    saved: SavedSite, limit: int, in_flight: Sequence[int], most: int, folder: Path
) -> list[TypeCrawl]:
    """Crawl a site for each wanted type, in each order; once in a process."""
    site = linked_site(saved, limit)
    pages = len(site.bodies)
    types = page_types(folder).get(site.name, {})
    wanted = wanted_types([*site.bodies], types, most, site.name) if pages >= LEAST_PAGES else {}
    if not wanted:
        return []
    examples = {
        name: Random(f"{site.name} {name}").sample(of_type, EXAMPLES) for name, of_type in wanted.items()
    }
    orders: dict[tuple[str, str | None], Order] = {(name, None): ORDERS[name] for name in WITHOUT_EXAMPLES}
    orders |= {(OURS, name): order_of_targets(examples[name]) for name in wanted}
    plan = [(concurrency, order) for concurrency in in_flight for order in orders]
    done = run_crawls(Job(site, orders[order], concurrency) for concurrency, order in plan)
    return [
        type_crawl(site.name, name, order, concurrency, [*examples[name], *crawl.pages], wanted[name], pages)
        for (concurrency, (order, aimed_at)), crawl in zip(plan, done)
        for name in wanted
        if aimed_at in (None, name)
    ]


def type_crawl(
    site: str,
    name: str,
    order: str,
    in_flight: int,
    requests: Sequence[str],
    wanted: Sequence[str],
    pages: int,
) -> TypeCrawl:
    """Return how soon a crawl found the pages of a type.

    requests  addresses in the order in which they were fetched, those of the examples first
    wanted    addresses of the pages of the type
    pages     of the site
    """
    until = [requests_until(requests, wanted, goal) / pages for goal in GOALS]
    found = len({*requests[: len(wanted)]} & {*wanted})
    return TypeCrawl(site, name, order, in_flight, until, found / len(wanted))


def until_the_last_goal(crawls: Sequence[TypeCrawl]) -> dict[str, dict[tuple[str, str], float]]:
    """Return order -> site and type -> share of the requests until the last of ``GOALS``."""
    until: dict[str, dict[tuple[str, str], float]] = {}
    for crawl in crawls:
        until.setdefault(crawl.order, {})[crawl.site, crawl.wanted] = crawl.until[-1]
    return until


def worse_types(until: Mapping[str, Mapping[tuple[str, str], float]], order: str) -> list[tuple[str, str]]:
    """Return the sites and types on which an order is worse than the better of ``RIVALS``, worst first."""
    behind = {key: share - min(until[rival][key] for rival in RIVALS) for key, share in until[order].items()}
    return sorted((key for key in behind if behind[key] > MARGIN), key=behind.__getitem__, reverse=True)


def type_table(crawls: Sequence[TypeCrawl], in_flight: int) -> Table:
    """Return the means of each order over the types."""
    until = until_the_last_goal(crawls)
    keys = next(iter(until.values())).keys()
    table = Table("order", *(f"to {goal:.0%}" for goal in GOALS), "harvest", "of fifo", "worse")
    table.title = (
        f"Pages of {len(keys)} types on {len({site for site, _ in keys})} sites, {in_flight} in flight"
    )
    for order in until:
        of_order = [crawl for crawl in crawls if crawl.order == order]
        table.add_row(
            order,
            *(f"{fmean(crawl.until[goal] for crawl in of_order):.3f}" for goal in range(len(GOALS))),
            f"{fmean(crawl.harvest for crawl in of_order):.3f}",
            f"{fmean(until[order][key] / until['fifo'][key] for key in keys):.2f}",
            f"{len(worse_types(until, order))} of {len(keys)}",
        )
    return table


def worse_lines(crawls: Sequence[TypeCrawl], in_flight: int) -> Iterator[str]:
    """Yield the types on which ``targets`` is worse, each with the requests of all orders until 90 %."""
    until = until_the_last_goal(crawls)
    for site, name in worse_types(until, OURS):
        shares = ", ".join(f"{order} {until[order][site, name]:.2f}" for order in until)
        yield f"worse, {in_flight} in flight: {site} {name}: {shares}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the crawls and print their tables."""
    parser = new_parser("lab.bench.targets", __doc__, corpora=True)
    add_crawls(parser)
    add = parser.add_argument
    add("--types", metavar="N", type=int, default=3, help="wanted types of a site")
    options = parser.parse_args(arguments)
    typed = page_types(options.corpora)
    sites = [site for site in asked_sites(parser, options) if typed.get(site.name)]
    task: Any = partial(
        crawl_types,
        limit=options.pages,
        in_flight=options.in_flight,
        most=options.types,
        folder=options.corpora,
    )
    crawls = [crawl for of_site in in_processes(task, sites, options.jobs) for crawl in of_site]
    if not crawls:
        parser.error("no site has a page type of a fitting size")
    for concurrency in options.in_flight:
        of_crawls = [crawl for crawl in crawls if crawl.in_flight == concurrency]
        table = type_table(of_crawls, concurrency)
        show(table)
        keep_tables(options.figures, {f"{concurrency} in flight": table})
        print(*worse_lines(of_crawls, concurrency), sep="\n")
    if options.json:
        options.json.write_text(json.dumps([crawl._asdict() for crawl in crawls]), encoding="utf-8")


if __name__ == "__main__":
    main()
