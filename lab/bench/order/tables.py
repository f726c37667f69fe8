"""The tables of the crawls: means over sites, beside first in first out, and each site.

difference  mean over sites of the share of content that an order found less what ``BASELINE`` found, with
            the 95 % interval of a bootstrap over sites (percentiles of 10,000 draws)
behind      sites on which an order found less than .9 of what ``BASELINE`` found; and of what the better of
            ``RIVALS`` found, last in first out being Scrapy's default
until 90 %  share of the pages after which so much of the content was found; "wasted": of the pages until the
            last of these, those that brought nothing new
late        sites on which an order needs more pages until the first of these than the better of ``RIVALS``,
            by more than ``MARGIN`` of the pages
CPU until 90 %  CPU time until so much of the content was found, as a share of that of ``BASELINE``; mean over
            sites
missing     pages that a crawl to the end did not fetch, or fetched twice: must be 0
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from statistics import fmean, median

import numpy as np
from rich.table import Table

from lab.bench.order.crawls import BASELINE, RIVALS
from lab.bench.order.runs import BUDGETS, GOALS, Figures

DRAWS = 10_000
SHOWN = (*RIVALS, "template", "adaptive", "oracle")
"""Orders of which each site is shown."""
BUDGETS_SHOWN = " / ".join(f"{share:.0%}" for share in BUDGETS)
BEHIND = 0.9
MARGIN = 0.03
"""Share of the pages by which an order may need more than the better of ``RIVALS`` until a goal."""


def interval(differences: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of the mean of some differences.

    >>> interval([0.25, 0.25, 0.25])
    (0.25, 0.25)
    """
    values = np.asarray(differences)
    draws = np.random.default_rng(1).integers(len(values), size=(DRAWS, len(values)))
    low, high = np.percentile(values[draws].mean(axis=1), [2.5, 97.5])
    return float(low), float(high)


def behind(reached: dict[str, float], baseline: dict[str, float]) -> list[str]:
    """Return the sites on which less than ``BEHIND`` of the baseline was found, the worst first.

    >>> behind({"a": 0.8, "b": 0.95, "c": 0.1}, {"a": 1.0, "b": 1.0, "c": 0.5})
    ['c', 'a']
    """
    shares = {site: reached[site] / baseline[site] for site in reached if baseline[site]}
    return sorted((site for site in shares if shares[site] < BEHIND), key=shares.__getitem__)


def by_order(figures: Iterable[Figures], budget: int) -> dict[str, dict[str, float]]:
    """Return order -> site -> share of the content found at a budget, mean of its crawls.

    budget  an index of ``BUDGETS``
    """
    reached: dict[str, dict[str, list[float]]] = {}
    for crawl in figures:
        reached.setdefault(crawl.order, {}).setdefault(crawl.site, []).append(crawl.found[budget])
    return {order: {site: fmean(each) for site, each in sites.items()} for order, sites in reached.items()}


def content_tables(figures: Sequence[Figures]) -> Iterator[tuple[str, Table]]:
    """Yield three tables for each number of requests in flight, each with its name."""
    for concurrency in dict.fromkeys(crawl.in_flight for crawl in figures):
        of_crawls = [crawl for crawl in figures if crawl.in_flight == concurrency]
        yield f"sites, {concurrency} in flight", sites_table(of_crawls, concurrency)
        yield f"until, {concurrency} in flight", until_table(of_crawls, concurrency)
        yield f"{concurrency} in flight", content_table(of_crawls, concurrency)


def content_table(figures: Sequence[Figures], in_flight: int) -> Table:
    """Return what each order found at each budget."""
    sites = len({crawl.site for crawl in figures})
    title = f"Share of the content found, {in_flight} in flight, {sites} sites"
    table = Table("order", *(f"{share:.0%}" for share in BUDGETS), title=title)
    for share in BUDGETS:
        table.add_column(f"difference at {share:.0%}")
    for goal in GOALS:
        table.add_column(f"until {goal:.0%}", justify="right")
    table.add_column("wasted", justify="right")
    table.add_column("behind by > 10 %")
    table.add_column("behind the better")
    table.add_column(f"late for {GOALS[0]:.0%}", justify="right")
    table.add_column("missing", justify="right")
    table.add_column("ms", justify="right")
    table.add_column(f"CPU until {GOALS[0]:.0%}", justify="right")
    at = [by_order(figures, budget) for budget in range(len(BUDGETS))]
    needed = pages_until(figures)
    spent = cpu_until(figures)
    for order in at[0]:
        of_order = [crawl for crawl in figures if crawl.order == order]
        table.add_row(
            order,
            *(f"{fmean(reached[order].values()):.3f}" for reached in at),
            *(_difference(reached[order], reached[BASELINE]) for reached in at),
            *(f"{fmean(crawl.until[goal] for crawl in of_order):.3f}" for goal in range(len(GOALS))),
            f"{fmean(crawl.wasted for crawl in of_order):.3f}",
            " / ".join(str(len(behind(reached[order], reached[BASELINE]))) for reached in at),
            " / ".join(str(len(behind(reached[order], better(reached)))) for reached in at),
            str(sum(is_late(shares, order) for shares in needed.values())),
            str(sum(crawl.missing for crawl in of_order)),
            f"{fmean(crawl.milliseconds for crawl in of_order):.1f}",
            f"{fmean(shares[order] / shares[BASELINE] for shares in spent.values()):.2f}",
        )
    return table


def better(reached: dict[str, dict[str, float]]) -> dict[str, float]:
    """Return site -> what the better of ``RIVALS`` found, of order -> site -> share.

    >>> better({"lifo": {"a": 0.1, "b": 0.3}, "fifo": {"a": 0.2, "b": 0.2}, "adaptive": {"a": 1, "b": 1}})
    {'a': 0.2, 'b': 0.3}
    """
    rivals = [reached[order] for order in RIVALS if order in reached]
    return {site: max(shares[site] for shares in rivals) for site in rivals[0]}


def sites_table(figures: Sequence[Figures], in_flight: int) -> Table:
    """Return what each order found on each site, with a star where it is behind the better rival."""
    at = [by_order(figures, budget) for budget in range(len(BUDGETS))]
    late = [{order: behind(reached[order], better(reached)) for order in reached} for reached in at]
    shown = [order for order in SHOWN if order in at[0]]
    table = Table("site", "pages", title=f"Each site, {in_flight} in flight: {BUDGETS_SHOWN}")
    for order in shown:
        table.add_column(order, justify="right")
    for crawl in {crawl.site: crawl for crawl in figures}.values():
        table.add_row(
            crawl.site,
            str(crawl.pages),
            *(
                " ".join(
                    f"{reached[order][crawl.site]:.2f}{'*' if crawl.site in starred[order] else ' '}"
                    for reached, starred in zip(at, late)
                )
                for order in shown
            ),
        )
    return table


def pages_until(figures: Iterable[Figures]) -> dict[str, dict[str, float]]:
    """Return site -> order -> share of the pages until the first of ``GOALS``, mean of its crawls."""
    return _means(figures, lambda crawl: crawl.until[0])


def cpu_until(figures: Iterable[Figures]) -> dict[str, dict[str, float]]:
    """Return site -> order -> CPU milliseconds until the first of ``GOALS``, mean of its crawls."""
    return _means(figures, lambda crawl: crawl.until[0] * crawl.pages * crawl.milliseconds)


def _means(figures: Iterable[Figures], value: Callable[[Figures], float]) -> dict[str, dict[str, float]]:
    """Return site -> order -> mean of a value of its crawls."""
    of_site: dict[str, dict[str, list[float]]] = {}
    for crawl in figures:
        of_site.setdefault(crawl.site, {}).setdefault(crawl.order, []).append(value(crawl))
    return {site: {order: fmean(each) for order, each in of.items()} for site, of in of_site.items()}


def is_late(needed: dict[str, float], order: str) -> bool:
    """Return whether an order needs more pages than the better of ``RIVALS``, by more than ``MARGIN``.

    needed  order -> share of the pages

    >>> [is_late({"lifo": 0.9, "fifo": 0.8, "adaptive": share}, "adaptive") for share in (0.82, 0.85)]
    [False, True]
    """
    return needed[order] > min((needed[rival] for rival in RIVALS if rival in needed), default=1) + MARGIN


def until_table(figures: Sequence[Figures], in_flight: int) -> Table:
    """Return after what share of the pages of each site each order found the first of ``GOALS``."""
    pages = {crawl.site: crawl.pages for crawl in figures}
    orders = list(dict.fromkeys(crawl.order for crawl in figures))
    table = Table("site", "pages", *orders, title=f"Pages until {GOALS[0]:.0%}, {in_flight} in flight")
    for site, needed in pages_until(figures).items():
        cells = (f"{needed[order]:.3f}{'*' * is_late(needed, order)}" for order in orders)
        table.add_row(site, str(pages[site]), *cells)
    return table


def _difference(reached: dict[str, float], baseline: dict[str, float]) -> str:
    differences = [reached[site] - baseline[site] for site in reached]
    low, high = interval(differences)
    return f"{fmean(differences):+.3f} [{low:+.3f} {high:+.3f}] median {median(differences):+.3f}"


def behind_lines(figures: Sequence[Figures]) -> Iterator[str]:
    """Yield for each order the sites on which it is behind."""
    for concurrency in dict.fromkeys(crawl.in_flight for crawl in figures):
        for budget, share in enumerate(BUDGETS):
            reached = by_order((crawl for crawl in figures if crawl.in_flight == concurrency), budget)
            for order in reached:
                sites = behind(reached[order], reached[BASELINE])
                named = ", ".join(
                    f"{site} {reached[order][site] / reached[BASELINE][site]:.2f}" for site in sites
                )
                if sites and order not in ("lifo", BASELINE):
                    yield f"{order}, {concurrency} in flight, behind at {share:.0%}: {named}"
