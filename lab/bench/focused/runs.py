"""All crawls of a site for its topics, in a process of its own, and how many relevant pages they brought.

Every crawl goes from the start page to the end of the site.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from lab.bench.focused.rivals import RIVALS, PageText, texts_of
from lab.bench.focused.topics import Topic, examples_of, topics_of
from lab.bench.order.crawls import ORDERS, Crawl, Job, Order, run_crawls
from lab.bench.order.frontier import frontier_order
from lab.bench.order.linked_sites import LinkedSite, linked_site
from lab.bench.saved_sites import SavedPage, SavedSite
from lab.sites.fixed_salt import FIXED_SALT
from templcrawl.algorithms.crawl_order.focus import TopicWords
from templcrawl.crawl.relevance import ExampleRelevance
from templcrawl.errors import InvalidOption

LEAST_SITE = 40
"""Sites of which fewer pages can be reached are left out."""
WITHOUT_TOPIC = ("lifo", "fifo", "adaptive")
ON, OFF = 3, 10
"""Example pages on the topic, and off it."""
COUNTS, SHARES = (40, 85), (0.25, 0.5)
GOAL = 0.9
RELEVANT = 0.5
FOCUS = {
    "ADDONS": {"templcrawl.Addon": 500},
    "TEMPLCRAWL_ITEM_FIELDS": {},
    "TEMPLCRAWL_ORDER": "focus",
    **FIXED_SALT,
}


@dataclass
class Harvest:
    """What a crawl brought of a topic.

    relevant   pages on the topic
    pages      of the site
    rates      share of the pages on the topic among the first ``COUNTS`` pages, and ``SHARES`` of the site
    own        the same by the crawl's own judgement; empty without one
    until      share of the site's pages after which ``GOAL`` of those on the topic were found
    precision  share of the pages on the topic among those that the crawl judged relevant
    recall     share of the pages that the crawl judged relevant among those on the topic
    """

    site: str
    topic: str
    order: str
    in_flight: int
    relevant: int
    pages: int
    rates: list[float]
    until: float
    own: list[float] = field(default_factory=list)
    precision: float = 0.0
    recall: float = 0.0


def harvest_of(site: str, topic: Topic, order: str, in_flight: int, pages: int, crawl: Crawl) -> Harvest:
    """Return what a crawl to the end of a site of so many pages brought of a topic."""
    budgets = [*COUNTS, *(round(share * pages) for share in SHARES)]
    on = [url in topic.relevant for url in crawl.pages]
    found = Harvest(
        site,
        topic.name,
        order,
        in_flight,
        len(topic.relevant),
        pages,
        [_share(on[:budget]) for budget in budgets],
        pages_until(on, len(topic.relevant)) / pages,
    )
    if None not in crawl.relevances:
        judged = [(relevance or 0.0) >= RELEVANT for relevance in crawl.relevances]
        hits = sum(map(bool.__and__, on, judged))
        found.own = [_share(judged[:budget]) for budget in budgets]
        found.precision, found.recall = hits / max(1, sum(judged)), hits / len(topic.relevant)
    return found


def _share(flags: Sequence[bool]) -> float:
    return sum(flags) / max(1, len(flags))


def pages_until(on: Sequence[bool], relevant: int) -> int:
    """Return after how many pages ``GOAL`` of so many relevant ones were found; all if they never were.

    >>> pages_until([True, False, True, False], 2), pages_until([False], 1)
    (3, 1)
    """
    found = 0
    for number, is_on in enumerate(on, 1):
        found += is_on
        if found >= GOAL * relevant:
            return number
    return len(on)


def orders_for(topic: Topic, site: LinkedSite, texts: Mapping[str, PageText]) -> Iterator[tuple[str, Order]]:
    """Yield name and order of the crawls for a topic; the rivals have state and are made for one crawl."""
    word = TopicWords(topic.statements["word"])
    for name, policy in RIVALS:
        yield name, frontier_order(policy(word, texts))
    for way, statement in topic.statements.items():
        yield f"focus, {way}", _focus(TopicWords(statement))
    yield "focus, examples", _focus(example_relevance(topic, site))


def _focus(relevance: Any) -> Order:
    return Order({**FOCUS, "TEMPLCRAWL_RELEVANCE": relevance})


def example_relevance(topic: Topic, site: LinkedSite) -> ExampleRelevance:
    """Return what a crawl learns from some pages on a topic and some off it; without these where it must."""
    with TemporaryDirectory() as folder:
        folders = [Path(folder, name) for name in ("on", "off")]
        for path, urls in zip(folders, examples_of(topic, [*site.bodies], ON, OFF)):
            path.mkdir()
            for number, url in enumerate(urls):
                (path / f"{number}.html").write_text(site.bodies[url], encoding="utf-8")
        try:
            return ExampleRelevance(*folders)
        except InvalidOption:
            return ExampleRelevance(folders[0])


def harvest(saved: SavedSite, limit: int, topics: int, in_flight: Sequence[int]) -> list[Harvest]:
    """Crawl a site for its topics in every order; once in a process."""
    site = linked_site(saved, limit)
    pages = len(site.bodies)
    contents = {
        url: SavedPage(url, html.encode("utf-8", "replace"), saved.content).gold or ""
        for url, html in site.bodies.items()
    }
    chosen = topics_of(site.name, site.bodies, contents, topics) if pages >= LEAST_SITE else []
    if not chosen:
        return []
    texts = texts_of(site.bodies)
    plan: list[tuple[Topic | None, str, Order, int]] = []
    for concurrency in in_flight:
        plan += [(None, name, ORDERS[name], concurrency) for name in WITHOUT_TOPIC]
        for topic in chosen:
            plan += [(topic, name, order, concurrency) for name, order in orders_for(topic, site, texts)]
    done = run_crawls(Job(site, order, concurrency) for _, _, order, concurrency in plan)
    return [
        harvest_of(site.name, topic, name, concurrency, pages, crawl)
        for (aim, name, _, concurrency), crawl in zip(plan, done)
        for topic in ([aim] if aim is not None else chosen)
    ]
