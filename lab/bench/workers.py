"""Several processes of one crawl: what do they lose where each learns alone?

hosts  each process owns its hosts (``docs/many-machines.md``), and fetches all of their pages
queue  one queue of scrapy-redis, on a Redis of 127.0.0.1: any process fetches any page

Each process (:mod:`lab.bench.crawl`) learns for itself.

F1         content words of each page as it was told when it came, mean over pages, then over sites
ARI        page types, by the table that each process has written
clustered  the same by ``scrapy cluster`` over the pages of all processes, as their archives have them
waited     share of the pages whose links had been moved back
half       share of the distinct content words that half of the pages have brought, by the time they came
longest    CPU of the longest stall of the event loop
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from lab.bench.crawl import ADDON, FOLLOW, Crawled, Job, Running, Server, Site
from lab.bench.measures import mean_of_some
from lab.bench.options import new_parser
from lab.bench.tables import report, table_of
from lab.bench.worker_sites import Plan, Told, clustered, group_by_site, make_plan, own_part
from lab.sites.redis_server import RedisServer
from templcrawl.outputs.page_type_files import read_page_types

HOSTS, QUEUE = "hosts", "queue"
DELAY = 0.05
Line = dict[str, Any]


class Outcome(NamedTuple):
    """What processes have done.

    lines   the event of each page with its process, by the time of its arrival
    tables  of each process: leaf -> page type
    """

    lines: list[Line]
    workers: list[Crawled]
    tables: list[dict[str, str]]

    def total(self, stat: str) -> float:
        return float(sum(worker.stats.get(f"templcrawl/{stat}", 0) for worker in self.workers))


def crawl(plan: Plan, workers: int, way: str, delay: float = DELAY) -> Outcome:
    """Let processes crawl a plan to the end, in one of the two ways."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        settings: dict[str, Any] = {**ADDON}
        whole = Told(plan.pages.start, plan.pages.bodies, plan.pages.targets)
        parts: list[Site] = [whole] * workers
        if way == HOSTS:
            own = (own_part(plan, part, workers) for part in range(workers))
            parts = [part for part in own if part is not None]
        else:
            queue = RedisServer()
            queue.start()
            stack.callback(queue.stop)
            settings |= queue_settings(queue.url)
        tables = [folder / f"{number}.json" for number in range(len(parts))]
        jobs = [
            Job(
                part,
                {**settings, "TEMPLCRAWL_PAGE_TYPES_FILE": str(table)},
                Server(delay, 0),
                concurrency=4,
                warm_up=False,
                spider=FOLLOW if way == HOSTS else "lab.bench.worker_sites.Worker",
            )
            for part, table in zip(parts, tables)
        ]
        running = [stack.enter_context(Running(job)) for job in jobs]
        done = [process.wait() for process in running]
        lines = [
            {**line, "worker": number}
            for number, worker in enumerate(done)
            for line in worker.responses
            if "leaf" in line
        ]
        return Outcome(sorted(lines, key=lambda line: line["at"]), done, list(map(_types, tables)))


def queue_settings(url: str) -> Mapping[str, Any]:
    """Return the settings of a process whose requests wait in a Redis."""
    return {
        "SCHEDULER": "scrapy_redis.scheduler.Scheduler",
        "DUPEFILTER_CLASS": "scrapy_redis.dupefilter.RFPDupeFilter",
        "REDIS_URL": url,
        "SCHEDULER_PERSIST": True,
    }


def _types(table: Path) -> dict[str, str]:
    rows = table.read_text(encoding="utf-8").splitlines()
    return {leaf.leaf_id: leaf.page_type for leaf in read_page_types(rows)}


def figures_of(plan: Plan, outcome: Outcome) -> dict[str, float]:
    """Return what is measured of processes."""
    lines, pages = outcome.lines, max(1, len(outcome.lines))
    by_url = {line["response"]: line for line in lines}
    sites, types = group_by_site(plan, by_url), clustered(plan, by_url)

    def type_of(url: str) -> str:
        line = by_url[url]
        leaf: str = line["leaf"]
        return outcome.tables[line["worker"]].get(leaf, leaf)

    def mean(values: Iterator[float | None]) -> float:
        return mean_of_some(values) or 0.0

    return {
        "F1": mean(plan.f1((url, by_url[url]["text"]) for url in urls[1:]) for urls in sites.values()),
        "ARI": mean(plan.ari((url, type_of(url)) for url in urls) for urls in sites.values()),
        "clustered": mean(plan.ari((url, types[url]) for url in urls) for urls in sites.values()),
        "waited": outcome.total("links/waited") / pages,
        "half": mean(_half(plan, urls) for urls in sites.values()),
        "longest ms": 1000 * max(worker.end.get("stall_cpu", 0.0) for worker in outcome.workers),
        "pages/s": pages / max(0.001, lines[-1]["at"] - lines[0]["at"]),
        "pages": len(lines),
    }


def _half(plan: Plan, urls: Sequence[str]) -> float | None:
    golds = [{*(plan.known[url].gold or ())} for url in urls]
    whole = set[str]().union(*golds)
    return len(set[str]().union(*golds[: len(golds) // 2])) / len(whole) if whole else None


def main(arguments: Sequence[str] | None = None) -> None:
    parser = new_parser("lab.bench.workers", __doc__, "--corpora --sites --figures --pages=100")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 4, 8], help="how many processes")
    options = parser.parse_args(arguments)
    plan = make_plan(options.corpora, options.sites, options.pages)
    rows = {
        f"{workers} {way}": figures_of(plan, crawl(plan, workers, way))
        for workers in options.workers
        for way in (HOSTS, QUEUE)
    }
    cells = [
        (name, *(f"{value:.4f}" if value < 1 else f"{value:,.1f}" for value in row.values()))
        for name, row in rows.items()
    ]
    title = f"{len(plan.pages.start)} sites, {len(plan.known)} pages"
    report({"processes": table_of(title, ("", *next(iter(rows.values()))), cells)}, options.figures)


if __name__ == "__main__":
    main()
