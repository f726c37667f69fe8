"""Which order finds the pages of a wanted type first?  Real crawls of saved sites, from three examples.

A wanted type is a page type of a site's gold that has ``LEAST`` pages or more, and at most ``MAX_SHARE`` of
the site; of each site at most ``--types``, drawn at random.  Three of its pages, drawn at random too, are the
examples.  Scrapy crawls the site to its end, as in ``lab.bench.order``: first in first out, last in first
out, templcrawl's default, and ``targets``, which is given the examples.  ``targets`` fetches the examples
before all else.  The other orders are credited with the same: their crawls, too, count as if they began with
three requests that found the examples.

to 50 %, 90 %  requests until so much of the type is found, as a share of the pages of the site
harvest        share of the type among the first requests, as many as the type has pages
of fifo        requests until 90 %, as a share of those of first in first out; mean of the types
worse          types with more requests until 90 % than the better of ``RIVALS``, by more than ``MARGIN``
               of the pages of the site

Cost: 12 crawls of 200 pages a site: half a minute.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from lab.bench.crawl import ADDON, crawl
from lab.bench.linked_sites import MIN_PAGES, linked_site
from lab.bench.measures import until
from lab.bench.options import add_number, asked_sites, new_parser
from lab.bench.order import ORDERS, Outcome, found_table, outcomes_of, server_for, sites_of
from lab.bench.saved_sites import SavedSite
from lab.bench.tables import report

LEAST, MAX_SHARE = 10, 0.8
EXAMPLES = 3
GOALS = (0.5, 0.9)
WITHOUT_EXAMPLES = ("fifo", "lifo", "adaptive")
OURS = "targets"


def wanted_types(types: Mapping[str, str | None], most: int, seed: str) -> dict[str, list[str]]:
    """Return type -> its addresses, of at most so many types of a site.

    types  address -> type

    >>> types = {f"http://x.org/{number}": "tea" if number < 12 else "rare" for number in range(20)}
    >>> {name: len(of_type) for name, of_type in wanted_types(types, 3, "x").items()}
    {'tea': 12}
    """
    counts = Counter(filter(None, types.values()))
    names = [name for name in sorted(counts) if LEAST <= counts[name] <= MAX_SHARE * len(types)]
    chosen = sorted(Random(seed).sample(names, min(most, len(names))))
    return {name: [url for url, kind in types.items() if kind == name] for name in chosen}


def crawl_types(saved: SavedSite, limit: int, in_flight: Sequence[int], most: int) -> list[Outcome]:
    """Crawl a site for each wanted type, in each order."""
    site = linked_site(saved, limit)
    size = len(site.bodies)
    pages = wanted_types(site.types, most, site.name) if size >= MIN_PAGES else {}
    if not pages:
        return []
    examples = {
        name: Random(f"{site.name} {name}").sample(of_type, EXAMPLES) for name, of_type in pages.items()
    }
    plan: list[tuple[str, Mapping[str, Any], list[str]]] = [
        (order, ORDERS[order], [*pages]) for order in WITHOUT_EXAMPLES
    ]
    for name in pages:
        targets = {"TEMPLCRAWL_ORDER": "targets", "TEMPLCRAWL_TARGETS": examples[name]}
        plan.append((OURS, {**ADDON, **targets}, [name]))
    crawls = []
    for concurrency in in_flight:
        for order, settings, names in plan:
            came = crawl(site.pages, settings, server_for(concurrency), concurrency).pages
            for name in names:
                requests, wanted = [*examples[name], *came], pages[name]
                places = sorted(requests.index(url) + 1 for url in {*wanted} & {*requests})
                values = {
                    f"to {goal:.0%}": (until(places, goal, len(wanted)) or len(requests)) / size
                    for goal in GOALS
                }
                values["harvest"] = len({*requests[: len(wanted)]} & {*wanted}) / len(wanted)
                crawls.append(Outcome((site.name, name), order, concurrency, values))
    return crawls


def main(arguments: Sequence[str] | None = None) -> None:
    parser = new_parser(
        "lab.bench.targets", __doc__, "--corpora! --sites --in-flight --pages=200 --jobs=1 --figures"
    )
    add_number(parser, "--types", 3, "wanted types of a site")
    options = parser.parse_args(arguments)
    sites = [site for site in asked_sites(parser, options) if site.types]
    outcomes = outcomes_of(crawl_types, sites, options, most=options.types)
    if not outcomes:
        parser.error("no site has a page type of a fitting size")
    tables = {}
    for number, crawls in outcomes.items():
        types = f"{len({one.key for one in crawls})} types on {sites_of(crawls)} sites"
        title = f"Pages of {types}, {number} in flight"
        tables[f"{number} in flight"] = found_table(title, crawls, f"to {GOALS[-1]:.0%}", "worse")
    report(tables, options.figures)


if __name__ == "__main__":
    main()
