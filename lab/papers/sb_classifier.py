"""How soon does SB-CLASSIFIER find the pages of a wanted type, beside first in first out?

    python -m lab.papers.sb_classifier --corpora FOLDER [--sites NAME ...] [--pages 200] [--types 3]
                                        [--jobs 1]

A simulation over the saved links of a site, one request in flight: no Scrapy, no templcrawl.  Wanted types,
examples and columns are those of ``lab.bench.targets``.  Links are followed in document order.

SB-CLASSIFIER (Gauquier, Manolescu, Senellart, "Efficient Crawling for Scalable Web Data Acquisition",
arXiv 2602.11874): links with similar tag paths are the arms of a sleeping bandit.

    arm of a link  the arm with the nearest mean vector, if its cosine is .75 or more, else a new arm;
                   a vector counts the 2-grams of a tag path, hashed to 4,096 slots
    choice         the arm with links that has the largest R(a) + alpha sqrt(log t / N(a)), alpha = 2 sqrt 2,
                   N(a) being how often it was chosen; of its links a random one
    reward R       mean number of new links to wanted pages on the pages of the arm
    classifier     online logistic regression on the character 2-grams of an address; a new link that it
                   takes for wanted is followed at once

Departures: the paper looks for files, not for pages of a type.  So the links of a wanted page count, too,
and a page that is fetched is known to be wanted or not by the gold, which is kind to the rival.  The
examples train the classifier before the crawl.

Found on 80 types of the 29 sites of ``docs/figures/targets.json``, at most 200 pages of each: 90 % of a type
after .706 of the site's pages, first in first out .771, last in first out .831; worse than the better of
these two on 30 types.  The paper's sites have 10^4 pages and more, so exploring costs less there.

Cost: some seconds a site.

Last run at cfeca90.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Collection, Sequence
from functools import partial
from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
from rich.table import Table

from lab.bench.crawl import in_processes
from lab.bench.linked_sites import LEAST_PAGES, LinkedSite, linked_site
from lab.bench.options import add_jobs, add_pages, add_sites, asked_sites, new_parser
from lab.bench.saved_sites import SavedSite
from lab.bench.tables import show
from lab.bench.targets import EXAMPLES, TypeCrawl, type_crawl, type_table, wanted_types
from templcrawl import Page
from templcrawl.page.text import text_key

SLOTS = 4_096
COSINE = 0.75
ALPHA = 2 * math.sqrt(2)
RATE = 0.5
"""Learning rate of the classifier."""

Vector = Any


def bigrams(parts: Sequence[str]) -> Vector:
    """Return the counts of pairs of neighbours, hashed."""
    counts = np.zeros(SLOTS, dtype=np.float32)
    for first, second in pairwise(parts):
        counts[text_key(f"{first} {second}") % SLOTS] += 1
    return counts


def tag_paths(page: Page) -> dict[str, tuple[str, ...]]:
    """Return link -> the tags from the root to its first place."""
    parents, names = page.elements.parents, page.elements.names
    paths: dict[str, tuple[str, ...]] = {}
    for link in page.links:
        if link.url not in paths:
            element, path = link.element, []
            while element > 0:
                path.append(names[element])
                element = parents[element]
            paths[link.url] = ("", *reversed(path))
    return paths


class Classifier:
    """Online logistic regression on the character 2-grams of an address."""

    def __init__(self) -> None:
        self._weights = np.zeros(SLOTS, dtype=np.float32)

    def _features(self, url: str) -> Vector:
        counts = bigrams([*url.split("/", 3)[3]])
        return counts / max(1e-9, float(np.linalg.norm(counts)))

    def probability(self, url: str) -> float:
        """Return how probably a page is wanted."""
        return 1 / (1 + math.exp(-float(self._weights @ self._features(url))))

    def update(self, url: str, is_wanted: bool) -> None:
        """Learn a page."""
        self._weights += RATE * (is_wanted - self.probability(url)) * self._features(url)


class Arm:
    """Links with similar tag paths."""

    def __init__(self) -> None:
        self.mean = np.zeros(SLOTS, dtype=np.float32)
        self.links: list[str] = []
        self.members, self.pulls, self.reward = 0, 0, 0.0

    def insert(self, url: str, vector: Vector) -> None:
        """Insert a link."""
        self.links.append(url)
        self.members += 1
        self.mean += (vector - self.mean) / self.members

    def similarity(self, vector: Vector) -> float:
        """Return the cosine of a vector with the mean."""
        return float(self.mean @ vector) / max(
            1e-9, float(np.linalg.norm(self.mean) * np.linalg.norm(vector))
        )

    def bound(self, time: int) -> float:
        """Return the upper bound of the reward; an arm that was never chosen goes first."""
        return self.reward + ALPHA * math.sqrt(math.log(time) / self.pulls) if self.pulls else math.inf


def crawl_with_bandit(site: LinkedSite, wanted: Collection[str], examples: Sequence[str]) -> list[str]:
    """Return the pages of a site in the order of SB-CLASSIFIER."""
    random, classifier = Random(f"{site.name} bandit"), Classifier()
    for url in examples:
        classifier.update(url, True)
    arms: list[Arm] = []
    came: list[str] = []
    seen = {site.start}

    def fetch(start: str) -> int:
        """Fetch a page, and at once what is taken for wanted; return the new links to wanted pages."""
        found, waiting = 0, deque([start])
        while waiting:
            url = waiting.popleft()
            came.append(url)
            classifier.update(url, url in wanted)
            paths = tag_paths(Page(site.bodies[url], url))
            for link in site.targets[url]:
                if link in seen:
                    continue
                seen.add(link)
                if classifier.probability(link) > 0.5:
                    found += link in wanted
                    waiting.append(link)
                else:
                    vector = bigrams(paths.get(link, ("", "a")))
                    nearest = max(arms, key=lambda arm: arm.similarity(vector), default=None)
                    if nearest is None or nearest.similarity(vector) < COSINE:
                        nearest = Arm()
                        arms.append(nearest)
                    nearest.insert(link, vector)
        return found

    fetch(site.start)
    time = 1
    while awake := [arm for arm in arms if arm.links]:
        time += 1
        arm = max(awake, key=lambda arm: arm.bound(time))
        link = arm.links.pop(random.randrange(len(arm.links)))
        reward = fetch(link)
        arm.pulls += 1
        arm.reward += (reward - arm.reward) / arm.pulls
    return came


def crawl_in_turn(site: LinkedSite, *, last_first: bool) -> list[str]:
    """Return the pages of a site, first in first out or last in first out."""
    queue, seen, came = deque([site.start]), {site.start}, []
    while queue:
        url = queue.pop() if last_first else queue.popleft()
        came.append(url)
        fresh = [link for link in site.targets[url] if link not in seen]
        seen.update(fresh)
        queue.extend(fresh)
    return came


def simulate(saved: SavedSite, limit: int, most: int) -> list[TypeCrawl]:
    """Crawl a site for each wanted type, in each order."""
    site = linked_site(saved, limit)
    pages = len(site.bodies)
    wanted = wanted_types(site.types, most, site.name) if pages >= LEAST_PAGES else {}
    crawls = []
    for name, of_type in wanted.items():
        examples = Random(f"{site.name} {name}").sample(of_type, EXAMPLES)
        for order, came in {
            "fifo": crawl_in_turn(site, last_first=False),
            "lifo": crawl_in_turn(site, last_first=True),
            "SB-CLASSIFIER": crawl_with_bandit(site, {*of_type}, examples),
        }.items():
            crawls.append(type_crawl((site.name, name), order, 1, [*examples, *came], of_type, pages))
    return crawls


def main(arguments: Sequence[str] | None = None) -> None:
    """Simulate the crawls and print their table."""
    parser = new_parser("lab.papers.sb_classifier", __doc__, corpora=True)
    add_sites(parser)
    add = parser.add_argument
    add_pages(parser)
    add("--types", metavar="N", type=int, default=3, help="wanted types of a site")
    add_jobs(parser)
    options = parser.parse_args(arguments)
    sites = [site for site in asked_sites(parser, options) if site.types]
    task: Any = partial(simulate, limit=options.pages, most=options.types)
    crawls = [crawl for of_site in in_processes(task, sites, options.jobs) for crawl in of_site]
    table: Table = type_table(crawls, 1)
    show(table)


if __name__ == "__main__":
    main()
