"""Workers without processes: the pages of a site in the order of the crawl, dealt out in turn.

So each page is judged after the same pages, however many workers there are, and what differs is what a worker
has not heard of.  Parts are exchanged as a crawl does it, and arrive at once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from lab.bench.metrics import score
from lab.bench.page_types.metrics import score_clusters
from lab.bench.saved_sites import words_of
from lab.bench.workers.sites import Plan
from templcrawl import CrawlMemory, Page, SiteMemory
from templcrawl.crawl.checkpoints import ExchangeTimes
from templcrawl.memory.observation import Observation
from templcrawl.memory.snapshots import Snapshot

SALT = 0


class Dealt(NamedTuple):
    """A page that was dealt out: to which worker, and what that has told of it."""

    url: str
    worker: int
    told: Observation


class _Crew:
    """Workers of one site, and the part that each has given last."""

    def __init__(self, workers: int, *, shared: bool) -> None:
        self.memories = [CrawlMemory(sample_salt=SALT) for _ in range(workers)]
        self._times = [ExchangeTimes(1) for _ in range(workers)]
        self._parts: dict[int, Snapshot] = {}
        self._is_shared = shared and workers > 1

    def observe(self, worker: int, page: Page) -> Observation:
        """Let a worker observe a page, and exchange the site where that is due."""
        if self._is_shared and self._times[worker].is_new(page.host):
            self._hear(worker, page.host)
        told = self.memories[worker].observe(page)
        if self._is_shared and self._times[worker].is_due(page.host):
            self._give(worker, page.host)
            self._hear(worker, page.host)
        return told

    def close(self, host: str) -> None:
        """Let each worker give its part, then hear of the others."""
        for pass_ in (self._give, self._hear) if self._is_shared else ():
            for worker in range(len(self.memories)):
                pass_(worker, host)

    def _give(self, worker: int, host: str) -> None:
        self._parts[worker] = self.memories[worker].site(host).snapshot()

    def _hear(self, worker: int, host: str) -> None:
        memory = self.memories[worker]
        others = SiteMemory(host, memory.options)
        parts = [part for other, part in sorted(self._parts.items()) if other != worker]
        others.merge(SiteMemory.from_snapshot(part, memory.options, host=host) for part in parts)
        memory.set_remote(host, others)


def figures_in_turn(plan: Plan, workers: int, *, shared: bool) -> dict[str, float]:
    """Return what is measured, mean over sites."""
    of_site: dict[str, list[str]] = defaultdict(list)
    for url, known in plan.known.items():
        of_site[known.site].append(url)
    sites = [_figures(plan, urls, workers, shared=shared) for urls in of_site.values()]
    names = dict.fromkeys(name for site in sites for name in site)
    return {name: fmean(site[name] for site in sites if name in site) for name in names}


def _figures(plan: Plan, urls: Sequence[str], workers: int, *, shared: bool) -> dict[str, float]:
    crew = _Crew(workers, shared=shared)
    pages = [Page.from_html(Path(plan.files[url]).read_bytes(), url) for url in urls]
    dealt = [
        Dealt(page.url, number % workers, crew.observe(number % workers, page))
        for number, page in enumerate(pages)
    ]
    crew.close(pages[0].host)
    golds = [(one.told.content_text, plan.known[one.url].gold) for one in dealt[1:]]
    scores = [score(words_of(text), gold).f1 for text, gold in golds if gold is not None]
    figures = {"F1": fmean(scores)} if scores else {}
    typed = [(one, kind) for one in dealt if (kind := plan.known[one.url].kind) is not None]
    kinds = [kind for _, kind in typed]
    if len(set(kinds)) > 1:
        now = [crew.memories[one.worker].resolve(one.told.leaf_id) for one, _ in typed]
        figures["ARI"] = score_clusters(now, kinds).ari
    return figures
