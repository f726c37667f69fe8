"""What the adaptive order costs: CPU a page, memory a queued link, CPU to take a request from the queue.

CPU a page   of the crawl's thread, one request in flight, first in first out in all: the order "adaptive",
             the same but for all learning of roles, and "off", with and without learning of roles, since
             the memory learns them whatever the order.  Median over sites of the median of rounds,
             interleaved
memory       what the process grows by from ``QUEUED`` to twice as many requests in the queue, with their
             marks, times 10^6 / ``QUEUED``; the link table is full by then, and bounded
pop          CPU of a ``pop`` until the queue is empty; "half wait": the role of every second request has
             led to nothing since it was queued, so that it leaves after the others
"""

from __future__ import annotations

import gc
import resource
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from statistics import median
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

from rich.table import Table
from scrapy import Request, Spider
from scrapy.core.downloader import Downloader
from scrapy.crawler import Crawler
from scrapy.pqueues import DownloaderAwarePriorityQueue
from scrapy.squeues import FifoMemoryQueue, PickleFifoDiskQueue
from scrapy.utils.misc import build_from_crawler

from lab.bench.order.crawls import ORDERS, Job, Order, in_new_process, run_crawls
from lab.bench.order.linked_sites import linked_site
from lab.bench.saved_sites import SavedSite
from lab.bench.tables import show
from templcrawl.crawl.extension import TemplateMemory
from templcrawl.crawl.link_order import mark_link
from templcrawl.crawl.priority_queue import TemplatePriorityQueue
from templcrawl.page.page import Page

QUEUED, POPPED = 100_000, 20_000
HOST = "bench.example"
ON_A_PAGE = 1_000
ROLES = ("articles", "dates")
_LINKS = "templcrawl.memory.site_links"
_ROLES = "templcrawl.algorithms.pagelets.partition"


def _no_paths(page: object, pagelets: Sequence[object]) -> list[int]:
    return [0] * len(pagelets)


def _no_credit(*given: object, **options: object) -> None:
    pass


_UNLEARNED = {f"{_ROLES}.pagelet_paths": _no_paths, f"{_LINKS}.SiteLinks.credit_classes": _no_credit}
_OFF = {**ORDERS["adaptive"].settings, **ORDERS["fifo"].settings, "TEMPLCRAWL_ORDER": "off"}
WAYS = {
    "scrapy alone": ORDERS["fifo"],
    "off, no roles": Order(_OFF, _UNLEARNED),
    "off": Order(_OFF),
    "adaptive": ORDERS["adaptive"],
}


def crawl_cost(saved: SavedSite, limit: int, rounds: int) -> dict[str, float]:
    """Return way -> CPU milliseconds a page of a site; once in a process."""
    site = linked_site(saved, limit)
    plan = [*WAYS] * (rounds + 1)
    done = run_crawls(Job(site, WAYS[way], 1) for way in plan)
    cpu: dict[str, list[float]] = {way: [] for way in WAYS}
    for way, crawl in [*zip(plan, done)][len(WAYS) :]:
        cpu[way].append(1000 * crawl.seconds / len(crawl.pages))
    return {way: median(spent) for way, spent in cpu.items()}


@contextmanager
def _queue(ours: bool, on_disk: bool) -> Iterator[tuple[Any, TemplateMemory]]:
    """Give an empty queue of a crawl whose downloader has nothing to do, and the memory of that crawl."""
    queue_class = TemplatePriorityQueue if ours else DownloaderAwarePriorityQueue
    downstream = PickleFifoDiskQueue if on_disk else FifoMemoryQueue
    with TemporaryDirectory() as folder:
        job = {"JOBDIR": folder} if on_disk and ours else {}
        crawler = Crawler(Spider, {**ORDERS["adaptive"].settings, **job}, init_reactor=True)
        crawler.spider = Spider("queued")
        crawler._apply_settings()
        crawler.engine = SimpleNamespace(downloader=Downloader(crawler), _slot=None)  # type: ignore[assignment]
        yield (
            build_from_crawler(queue_class, crawler, downstream, folder if on_disk else ""),
            TemplateMemory.of(crawler),
        )
        crawler.engine.downloader.close()


def _fill(queue: Any, memory: TemplateMemory, count: int, ours: bool) -> None:
    """Queue the links of pages of ``ON_A_PAGE`` links, in lists of ten that are in two roles in turn."""
    for start in range(0, count, ON_A_PAGE):
        urls = [f"http://{HOST}/section/{start}/page-{start + number}.html" for number in range(ON_A_PAGE)]
        if ours:
            lists = "".join(
                f"<ul class='{ROLES[at // 10 % 2]}'>"
                + "".join(f"<li><a href='{url}'>page {url[-12:]}</a>" for url in urls[at : at + 10])
                + "</ul>"
                for at in range(0, ON_A_PAGE, 10)
            )
            memory.memory.observe(Page(f"<html><body>{lists}", f"http://{HOST}/section/{start}/"))
        for url in urls:
            request = Request(url)
            if ours:
                mark_link(request, HOST)
            queue.push(request)


def _starve_a_role(memory: TemplateMemory) -> None:
    """Let fifty links of the second role lead to pages without words."""
    for number in range(50):
        at = number // 10 * 20 + 10 + number % 10
        memory.memory.observe(Page("<html><body>", f"http://{HOST}/section/0/page-{at}.html"))


def _resident() -> float:
    """Return the resident megabytes of this process."""
    gc.collect()
    with open("/proc/self/statm") as file:  # noqa: PTH123
        return int(file.read().split()[1]) * resource.getpagesize() / 1e6


def queue_memory(ours: bool, count: int) -> float:
    """Return how many megabytes the process grows by with so many requests in its queue."""
    with _queue(ours, on_disk=False) as (queue, memory):
        before = _resident()
        _fill(queue, memory, count, ours)
        return _resident() - before


def pop_cost(ours: bool, on_disk: bool, half_wait: bool) -> float:
    """Return the CPU microseconds of a pop."""
    with _queue(ours, on_disk) as (queue, memory):
        _fill(queue, memory, POPPED, ours)
        if half_wait:
            _starve_a_role(memory)
        count = 0
        started = time.process_time()
        while queue.pop() is not None:
            count += 1
        spent = time.process_time() - started
        waited = memory.stats.get_value("templcrawl/links/waited", 0) if ours else 0
    assert count == POPPED
    assert not half_wait or waited
    return 1e6 * spent / count


def report(sites: Sequence[SavedSite], limit: int = 200, rounds: int = 5) -> None:
    """Print the costs; CPU a page on the sites given."""
    table = Table("site", *WAYS, "order", "order and roles", title="CPU of a crawl, ms a page")
    shares: list[tuple[float, float]] = []
    for site in sites:
        cost = in_new_process(crawl_cost, site, limit, rounds)
        whole = cost["adaptive"]
        shares.append((whole / cost["off"] - 1, whole / cost["off, no roles"] - 1))
        table.add_row(
            site.name, *(f"{cost[way]:.2f}" for way in WAYS), *(f"{share:+.1%}" for share in shares[-1])
        )
    if shares:
        table.add_row("median", *[""] * len(WAYS), *(f"{median(column):+.1%}" for column in zip(*shares)))
    show(table)
    for name, ours in (("Scrapy's own queue", False), ("ours", True)):
        grown = [in_new_process(queue_memory, ours, count) for count in (QUEUED, 2 * QUEUED)]
        slope = (grown[1] - grown[0]) * 1e6 / QUEUED
        print(f"{name}: {slope:.0f} MB for 10^6 queued links, {grown[0]:.0f} MB for the first {QUEUED:,}")
    pops = Table("queue", "Scrapy's", "ours", "ours, half wait", title="CPU of a pop, microseconds")
    for on_disk in (False, True):
        pops.add_row(
            "disk" if on_disk else "memory",
            *(
                f"{in_new_process(pop_cost, ours, on_disk, half):.1f}"
                for ours, half in ((False, False), (True, False), (True, True))
            ),
        )
    show(pops)
