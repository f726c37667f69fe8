"""Which order of fetching finds the pages on a topic first?  Real crawls of saved sites.

    python -m lab.bench.focused --corpora FOLDER [--sites NAME ...] [--in-flight 1 16] [--topics 3]
                                 [--pages 200] [--jobs 1] [--figures FILE] [--json FILE]

Which pages are on a topic says the site itself by its labels, or the share of a word in marked content (see
``topics``).  Scrapy crawls each site from its start page to its end, as in ``lab.bench.order``.

lifo, fifo       Scrapy alone; adaptive: templcrawl's default
parent, shark    the literature's, with the topic as a word (see ``rivals``)
focus, word      ``TEMPLCRAWL_ORDER = "focus"``: a word, three words, a sentence, or three example
                 pages and ten that are off the topic

harvest   share of the pages on the topic among the first 40 and 85 pages, and 25 and 50 % of the site's
to 90 %   pages until nine tenths of those on the topic were found, as a share of the site's
of fifo   the same as a share of that of first in first out; mean of the topics
behind    topics with more pages until 90 % than the better of lifo and fifo, by more than .03 of the site's
own       harvest after 50 % by the crawl's own judgement (relevance of 0.5 or more), and precision and recall
          of that judgement over all pages of the site

Means are over topics.  Topics of a site named in ``topics`` are written there, of any other chosen by a rule.
Cost: 6 crawls a topic and 3 a site, of 200 pages each: 20 seconds a topic.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial
from statistics import fmean
from typing import Any

from rich.table import Table

from lab.bench.focused.runs import COUNTS, GOAL, SHARES, Harvest, harvest
from lab.bench.focused.topics import WRITTEN
from lab.bench.kept_tables import keep_tables
from lab.bench.options import add_crawls, asked_sites, new_parser
from lab.bench.order.crawls import BASELINE, RIVALS
from lab.bench.order.runs import in_processes
from lab.bench.order.tables import MARGIN
from lab.bench.tables import show

Untils = dict[str, dict[tuple[str, str], float]]


def until_by_order(harvests: Sequence[Harvest]) -> Untils:
    """Return order -> (site, topic) -> share of the pages until ``GOAL``."""
    until: Untils = {}
    for crawl in harvests:
        until.setdefault(crawl.order, {})[crawl.site, crawl.topic] = crawl.until
    return until


def topics_behind(until: Untils, order: str) -> list[tuple[str, str]]:
    """Return the topics for which an order needs more pages than the better of ``RIVALS``, worst first.

    >>> topics_behind({"lifo": {("a", "x"): 0.9}, "fifo": {("a", "x"): 0.5}, "o": {("a", "x"): 0.6}}, "o")
    [('a', 'x')]
    """
    less = {key: share - min(until[rival][key] for rival in RIVALS) for key, share in until[order].items()}
    return sorted((key for key in less if less[key] > MARGIN), key=less.__getitem__, reverse=True)


def harvest_table(harvests: Sequence[Harvest], title: str) -> Table:
    """Return what each order harvested, mean of the topics."""
    until = until_by_order(harvests)
    heads = [*map(str, COUNTS), *(f"{share:.0%}" for share in SHARES), f"to {GOAL:.0%}", "of fifo", "behind"]
    table = Table("order", *heads, "own", "precision", "recall", title=title)
    for order, of_topic in until.items():
        crawls = [crawl for crawl in harvests if crawl.order == order]
        judged = [crawl for crawl in crawls if crawl.own]
        table.add_row(
            order,
            *(f"{fmean(crawl.rates[at] for crawl in crawls):.3f}" for at in range(len(COUNTS + SHARES))),
            f"{fmean(of_topic.values()):.3f}",
            f"{fmean(share / until[BASELINE][key] for key, share in of_topic.items()):.2f}",
            f"{len(topics_behind(until, order))} of {len(of_topic)}",
            f"{fmean(crawl.own[-1] for crawl in judged):.3f}" if judged else "",
            f"{fmean(crawl.precision for crawl in judged):.3f}" if judged else "",
            f"{fmean(crawl.recall for crawl in judged):.3f}" if judged else "",
        )
    return table


def topic_table(harvests: Sequence[Harvest], title: str) -> Table:
    """Return the share of the pages until ``GOAL`` of each topic in each order."""
    until = until_by_order(harvests)
    table = Table("site", "topic", "on it", *until, title=title)
    for (site, topic), relevant in {(one.site, one.topic): one.relevant for one in harvests}.items():
        shares = (of.get((site, topic)) for of in until.values())
        cells = ("" if share is None else f"{share:.2f}" for share in shares)
        table.add_row(site, topic, str(relevant), *cells)
    return table


def tables_of(harvests: Sequence[Harvest]) -> Iterator[tuple[str, Table]]:
    """Yield two tables for each number of requests in flight, each with its name."""
    for concurrency in dict.fromkeys(crawl.in_flight for crawl in harvests):
        crawls = [crawl for crawl in harvests if crawl.in_flight == concurrency]
        topics = {(crawl.site, crawl.topic) for crawl in crawls}
        title = f"{concurrency} in flight, {len(topics)} topics of {len({site for site, _ in topics})} sites"
        yield f"{concurrency} in flight", harvest_table(crawls, f"Harvest, {title}")
        yield f"topics, {concurrency} in flight", topic_table(crawls, f"Pages until {GOAL:.0%}, {title}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the crawls and print their tables."""
    parser = new_parser("lab.bench.focused", __doc__, corpora=True)
    add = parser.add_argument
    add_crawls(parser)
    add("--topics", metavar="N", type=int, default=3, help="topics of a site chosen by rule")
    options = parser.parse_args(arguments)
    sites = asked_sites(parser, options)
    if not options.sites:
        sites = [site for site in sites if site.name in WRITTEN] or sites
    task: Any = partial(harvest, limit=options.pages, topics=options.topics, in_flight=options.in_flight)
    harvests = [crawl for of_site in in_processes(task, sites, options.jobs) for crawl in of_site]
    tables = dict(tables_of(harvests))
    for table in tables.values():
        show(table)
    keep_tables(options.figures, tables)
    if options.json:
        options.json.write_text(json.dumps([vars(crawl) for crawl in harvests]), encoding="utf-8")


if __name__ == "__main__":
    main()
