"""The processes of one crawl, and the measures of them.

A plan has the pages of several sites, saved ones or generated ones, and what is known of each beforehand.

Imported by ``lab.bench.workers``, not run.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from zlib import crc32

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DontCloseSpider

from lab.bench.crawl import Pages
from lab.bench.crawling import Follow
from lab.bench.linked_sites import linked_site
from lab.bench.measures import mean_of_some, score, score_clusters
from lab.bench.saved_sites import Words, corpus_sites, words_of
from lab.bench.site_runs import MIN_GOLD
from lab.sites.generated import generate_demo_site
from templcrawl import Page
from templcrawl.crawl.extension import CrawlExtension
from templcrawl.tools.commands.site_clusters import CrawlClusters

IDLE = 3.0
"""Seconds without a page after which a worker ends."""
POLL = 0.1  # seconds


class Told(Pages):
    """Pages of which an event says what a worker has told of each."""

    def note(self, response: Any, crawler: Crawler) -> Mapping[str, Any]:
        observation = CrawlExtension.running_in(crawler).observation_of(response)
        if observation is None:
            return {}
        return {"key": observation.page.key, "leaf": observation.leaf_id, "text": observation.content_text}


class Worker(Follow):
    """Goes on until nothing has come for a while: other workers may still find something.

    An idle engine looks into the queue every five seconds; this one does so every ``POLL``.
    """

    idle_since = 0.0

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Worker:
        spider = super().from_crawler(crawler, *args, **kwargs)
        assert isinstance(spider, cls)
        crawler.signals.connect(spider.wait, signals.spider_idle)
        return spider

    def wait(self) -> None:
        now = time.monotonic()
        self.idle_since = self.idle_since or now
        if now - self.idle_since < IDLE:
            engine: Any = self.crawler.engine
            asyncio.get_running_loop().call_later(POLL, engine._slot.nextcall.schedule)
            raise DontCloseSpider

    def parse(self, response: Any) -> Iterator[Any]:
        self.idle_since = 0.0
        return super().parse(response)


class Known(NamedTuple):
    """What is known of a page beforehand: words of its content, None if not scored, and its type."""

    site: str
    gold: Words | None
    kind: str | None


class Plan(NamedTuple):
    """The pages that workers crawl, and what is known of each."""

    pages: Pages
    known: dict[str, Known]

    def f1(self, told: Iterable[tuple[str, str]]) -> float | None:
        """Return the mean F1 of the texts of pages: (address, text)."""
        golds = ((text, self.known[url].gold) for url, text in told)
        return mean_of_some(score(words_of(text), gold).f1 for text, gold in golds if gold is not None)

    def ari(self, told: Iterable[tuple[str, Hashable]]) -> float | None:
        """Return the ARI of the page types of pages: (address, type); None if there is one type at most."""
        pairs = [(name, kind) for url, name in told if (kind := self.known[url].kind) is not None]
        if len({kind for _, kind in pairs}) < 2:
            return None
        return score_clusters([name for name, _ in pairs], [kind for _, kind in pairs]).ari


def make_plan(corpora: Path | None, names: Sequence[str], pages: int) -> Plan:
    """Return the plan of saved sites, or of generated ones."""
    plan = Plan(Pages([], {}, {}), {})
    starts: list[str] = []
    bodies: dict[str, str] = {}
    targets: dict[str, Sequence[str]] = {}
    for saved in corpus_sites(corpora) if corpora else ():
        if not names or saved.name in names:
            site = linked_site(saved, pages)
            starts.append(site.start)
            bodies |= site.bodies
            targets |= site.targets
            for url, content in site.contents.items():
                plan.known[url] = _known(site.name, words_of(content), site.types[url])
    for seed in () if corpora else (1, 2, 3):
        size = max(1, pages // 3)
        host = f"http://generated{seed}.example"
        generated = generate_demo_site(seed=seed, articles=size, products=size, chapters=size).pages
        starts.append(f"{host}/")
        for path, page in generated.items():
            url = host + path
            bodies[url] = page.html
            links = Page(page.html, url).links.urls
            found = dict.fromkeys(link.partition("#")[0].removeprefix(host) for link in links)
            targets[url] = [host + path for path in found if path in generated]
            gold = words_of(" ".join(page.content_words))
            plan.known[url] = _known(f"generated {seed}", gold, page.template)
    return plan._replace(pages=Pages(starts, bodies, targets))


def _known(site: str, gold: Words, kind: str | None) -> Known:
    return Known(site, gold if gold.total() >= MIN_GOLD else None, kind)


def group_by_site(plan: Plan, urls: Iterable[str]) -> dict[str, list[str]]:
    """Return site -> its pages among some, in their order."""
    sites: dict[str, list[str]] = {}
    for url in urls:
        sites.setdefault(plan.known[url].site, []).append(url)
    return sites


def own_part(plan: Plan, part: int, parts: int) -> Pages | None:
    """Return the pages of the hosts that a process owns, None where it has none."""
    start = [url for url in plan.pages.start if crc32(urlsplit(url).netloc.encode()) % parts == part]
    return Told(start, plan.pages.bodies, plan.pages.targets) if start else None


def clustered(plan: Plan, urls: Iterable[str]) -> dict[str, str]:
    """Return page -> its page type, by ``scrapy cluster`` over the pages of all processes together."""
    with CrawlClusters() as clusters:
        leaves = {url: clusters.insert(Page.from_html(plan.pages.bodies[url].encode(), url)) for url in urls}
        types = {leaf: found["page_type"] for found in clusters.clusters() for leaf in found["leaves"]}
    return {url: types[leaf] for url, leaf in leaves.items()}
