"""All focused crawls of a site, in a process of its own, and how many relevant pages they brought."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from benchmarks.focused.rivals import RIVALS, PageText, rival, texts_of
from benchmarks.focused.topics import seeds_of, topics_of
from benchmarks.order.crawls import ORDERS, Job, Order, run_crawls
from benchmarks.order.linked_sites import linked_site
from benchmarks.saved_sites import SavedPage, SavedSite
from templcrawl.algorithms.crawl_order.focus import TopicWords

LEAST_PAGES = 40
MOST_BUDGET = 60
FOCUS = {
    "ADDONS": {"templcrawl.Addon": 500},
    "TEMPLCRAWL_ITEM_FIELDS": {},
    "TEMPLCRAWL_ORDER": "focus",
    "TEMPLCRAWL_SAMPLE_SALT": 0,
}


@dataclass
class Harvest:
    """What a crawl brought.

    topic  number of the topic on its site
    seed   0: from the start page of the site; 1: from a relevant page
    rate   share of the first B responses that are relevant; B relevant pages exist, at most ``MOST_BUDGET``
    """

    site: str
    group: str
    topic: int
    seed: int
    order: str
    in_flight: int
    budget: int
    rate: float
    milliseconds: float


def orders_for(word: str, texts: Mapping[str, PageText]) -> dict[str, Order]:
    """Return name -> order of a crawl for a topic; the rivals have state and are made anew for each crawl."""
    topic = TopicWords(word)
    return {
        "lifo": ORDERS["lifo"],
        "fifo": ORDERS["fifo"],
        **{name: rival(policy(topic, texts)) for name, policy in RIVALS},
        "focus": Order({**FOCUS, "TEMPLCRAWL_RELEVANCE": topic}),
    }


def harvest(saved: SavedSite, limit: int, topics: int, in_flight: Sequence[int]) -> list[Harvest]:
    """Crawl a site for its topics in every order; once in a process."""
    site = linked_site(saved, limit)
    if len(site.bodies) < LEAST_PAGES:
        return []
    contents = {
        url: SavedPage(url, html.encode("utf-8", "replace"), saved.content).gold or ""
        for url, html in site.bodies.items()
    }
    texts = texts_of(site.bodies)
    jobs, harvests = [], []
    chosen = topics_of(contents, topics)
    for number, topic in enumerate(chosen):
        budget = min(MOST_BUDGET, len(topic.relevant))
        for from_relevant, seed in enumerate(seeds_of(topic, site.start, site.targets)):
            for concurrency in in_flight:
                for name, order in orders_for(topic.word, texts).items():
                    jobs.append(Job(replace(site, start=seed), order, concurrency, budget))
                    harvests.append(
                        Harvest(
                            site.name, site.group, number, from_relevant, name, concurrency, budget, 0.0, 0.0
                        )
                    )
    for _, reaped, crawl in zip(jobs, harvests, run_crawls(jobs)):
        relevant = chosen[reaped.topic].relevant
        reaped.rate = len(relevant.intersection(crawl.pages[: reaped.budget])) / reaped.budget
        reaped.milliseconds = 1000 * crawl.seconds / max(1, len(crawl.pages))
    return harvests
