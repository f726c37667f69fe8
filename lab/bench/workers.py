"""Several workers with one queue (scrapy-redis): what do they lose, and what does one memory give back?

Each worker is a process (:mod:`lab.bench.crawl`); queue and memory are two servers of Redis on 127.0.0.1.
Workers with one memory ("shared") stand beside workers that each learn alone ("alone").

F1         content words of each page as it was told when it came, mean over pages, then over sites
ARI        page types of the leaves of the pages, by the parts of all workers together (by the table that
           each has written where they learn alone)
waited     share of the pages whose links had been moved back
half       share of the distinct content words that half of the pages have brought, by the time they came
KB, longest  of Redis' memory, a site; CPU of the longest stall of the event loop

--in-turn  without processes and Redis: pages in one order, dealt out in turn, parts exchanged at once
--faults   a worker is killed (-9) and another begins; the memory's Redis is stopped for some seconds and
           begun anew, empty; it is flushed.  All must end, and each page counts once at most.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import redis

from lab.bench.crawl import ADDON, Crawled, Job, Running, Server
from lab.bench.measures import mean_of_some
from lab.bench.options import new_parser
from lab.bench.tables import report, table_of
from lab.bench.worker_sites import Plan, Told, figures_in_turn, make_plan, of_sites
from lab.sites.redis_server import RedisServer
from templcrawl.crawl.workers.redis_store import RedisStore
from templcrawl.memory.site import SiteMemory
from templcrawl.memory.snapshots import unpack
from templcrawl.outputs.items import read_page_types

DELAY, FAULT_DELAY, AWAY = 0.05, 0.2, 6.0
Line = dict[str, Any]


class Outcome(NamedTuple):
    """What workers have done.

    lines   the event of each page with its worker, by the time of its arrival
    tables  leaf -> page type by all parts together; of each worker where they learn alone
    known   pages that are known in the end
    bytes   that Redis takes, a site
    """

    lines: list[Line]
    workers: list[Crawled]
    tables: list[dict[str, str]]
    known: int
    bytes: int

    def total(self, stat: str) -> float:
        return float(sum(worker.stats.get(f"templcrawl/{stat}", 0) for worker in self.workers))


class Crew:
    """Workers over a plan, their queue and their memory."""

    def __init__(self, plan: Plan, *, shared: bool, delay: float = DELAY) -> None:
        self.queue, self.store = RedisServer(), RedisServer()
        self._plan, self._delay, self._is_shared = plan, delay, shared
        self._settings: dict[str, Any] = {
            **ADDON,
            "SCHEDULER": "scrapy_redis.scheduler.Scheduler",
            "DUPEFILTER_CLASS": "scrapy_redis.dupefilter.RFPDupeFilter",
            "REDIS_URL": self.queue.url,
            "SCHEDULER_PERSIST": True,
            "TEMPLCRAWL_CHECKPOINT_SECONDS": 2.0,
            **({"TEMPLCRAWL_STORE": self.store.url} if shared else {}),
        }
        self.running: list[Running] = []

    def __enter__(self) -> Crew:
        self._stack = ExitStack()
        self._folder = Path(self._stack.enter_context(TemporaryDirectory()))
        for server in (self.queue, self.store):
            server.start()
            self._stack.callback(server.stop)
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def start(self) -> None:
        site, number = self._plan.pages, len(self.running)
        settings = {**self._settings, "TEMPLCRAWL_PAGE_TYPE_TABLE": str(self._table(number))}
        job = Job(
            Told(site.start, site.bodies, site.targets),
            settings,
            Server(self._delay, 0),
            concurrency=4,
            warm_up=False,
            spider="lab.bench.worker_sites.Worker",
        )
        self.running.append(self._stack.enter_context(Running(job)))

    def _table(self, number: int) -> Path:
        return self._folder / f"{number}.json"

    def memory(self) -> Any:
        """Return a client of the memory's Redis."""
        return redis.Redis.from_url(self.store.url)

    def wait(self) -> Outcome:
        """Wait until all workers have ended."""
        workers = [running.wait() for running in self.running]
        lines = [
            {**line, "worker": number}
            for number, worker in enumerate(workers)
            for line in worker.responses
            if "leaf" in line
        ]
        hosts = sorted({line["response"].split("/")[2] for line in lines})
        sites = [self._known(host) for host in hosts] if self._is_shared else []
        tables = [{leaf.leaf_id: leaf.page_type for site in sites for leaf in site.page_types()}] * len(
            workers
        )
        for number in () if self._is_shared else range(len(workers)):
            rows = self._table(number).read_text(encoding="utf-8").splitlines()
            tables[number] = {leaf.leaf_id: leaf.page_type for leaf in read_page_types(rows)}
        client = self.memory()
        used = sum(client.memory_usage(key) or 0 for key in client.scan_iter()) // max(1, len(hosts))
        known = sum(site.pages_known for site in sites)
        return Outcome(sorted(lines, key=lambda line: line["at"]), workers, tables, known, used)

    def _known(self, host: str) -> SiteMemory:
        states = RedisStore(self.store.url, "reader").poll(host) or ()
        parts = [SiteMemory.from_snapshot(unpack(host, state), host=host) for state in states]
        site, known = SiteMemory(host), SiteMemory(host)
        known.merge(parts)
        site.set_remote(known)
        return site


def crawl(plan: Plan, workers: int, *, shared: bool) -> Outcome:
    """Let workers crawl to the end."""
    with Crew(plan, shared=shared) as crew:
        for _ in range(workers):
            crew.start()
        return crew.wait()


def figures_of(plan: Plan, outcome: Outcome) -> dict[str, float]:
    """Return what is measured of workers."""
    lines, pages = outcome.lines, max(1, len(outcome.lines))
    by_url = {line["response"]: line for line in lines}
    sites = of_sites(plan, by_url)

    def type_of(url: str) -> str:
        line = by_url[url]
        leaf: str = line["leaf"]
        return outcome.tables[line["worker"]].get(leaf, leaf)

    def mean(values: Iterator[float | None]) -> float:
        return mean_of_some(values) or 0.0

    return {
        "F1": mean(plan.f1((url, by_url[url]["text"]) for url in urls[1:]) for urls in sites.values()),
        "ARI": mean(plan.ari((url, type_of(url)) for url in urls) for urls in sites.values()),
        "waited": outcome.total("links/waited") / pages,
        "half": mean(_half(plan, urls) for urls in sites.values()),
        "KB a site": outcome.bytes / 1000,
        "commands a page": outcome.total("store/commands") / pages,
        "KB written a page": outcome.total("store/bytes") / pages / 1000,
        "longest ms": 1000 * max(worker.end.get("stall_cpu", 0.0) for worker in outcome.workers),
        "pages/s": pages / max(0.001, lines[-1]["at"] - lines[0]["at"]),
        "pages": len(lines),
    }


def _half(plan: Plan, urls: Sequence[str]) -> float | None:
    golds = [{*(plan.known[url].gold or ())} for url in urls]
    whole = set[str]().union(*golds)
    return len(set[str]().union(*golds[: len(golds) // 2])) / len(whole) if whole else None


def fault_rows(plan: Plan) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield what each fault has cost two workers."""

    def kill(crew: Crew) -> None:
        crew.running[1].kill()
        crew.start()

    def stop(crew: Crew) -> None:
        crew.store.stop()
        time.sleep(AWAY)
        crew.store.start()

    faults: dict[str, Callable[[Crew], object]] = {
        "none": lambda crew: None,
        "kill -9": kill,
        "stopped": stop,
        "flushed": lambda crew: crew.memory().flushall(),
    }
    for name, fault in faults.items():
        with Crew(plan, shared=True, delay=FAULT_DELAY) as crew:
            crew.start()
            crew.start()
            while sum(len(running.crawled().responses) for running in crew.running) < len(plan.known) // 3:
                time.sleep(0.1)
            fault(crew)
            outcome = crew.wait()
        fetched = len({line["key"] for line in outcome.lines})
        stats = [stat for worker in outcome.workers for stat in worker.stats.items()]
        errors = sum(value for stat, value in stats if stat.startswith("templcrawl/errors"))
        yield (
            name,
            {
                "ended well": sum(worker.code == 0 for worker in outcome.workers),
                "workers": len(outcome.workers),
                "pages": len(plan.known),
                "fetched": fetched,
                "known in the end": outcome.known,
                "counted twice": max(0, outcome.known - fetched),
                "F1": figures_of(plan, outcome)["F1"],
                "away": outcome.total("store/unavailable"),
                "errors": errors,
            },
        )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = new_parser("lab.bench.workers", __doc__, "--corpora --sites --figures --pages=100")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4], help="how many workers")
    parser.add_argument("--in-turn", action="store_true", help="the same pages in the same order, instead")
    parser.add_argument("--faults", action="store_true", help="what faults cost, instead")
    options = parser.parse_args(arguments)
    plan = make_plan(options.corpora, options.sites, options.pages)
    rows: dict[str, dict[str, float]] = {}
    for workers in () if options.faults else options.workers:
        for way in ("shared", "alone")[: 1 + (workers > 1)]:
            shared = way == "shared"
            if options.in_turn:
                rows[f"{workers} {way}"] = figures_in_turn(plan, workers, shared=shared)
            else:
                outcome = crawl(plan, workers, shared=shared)
                rows[f"{workers} {way}"] = figures_of(plan, outcome)
    if options.faults:
        rows.update(fault_rows(plan))
    cells = [
        (name, *(f"{value:.4f}" if value < 1 else f"{value:,.1f}" for value in row.values()))
        for name, row in rows.items()
    ]
    title = f"{len(plan.pages.start)} sites, {len(plan.known)} pages"
    way = "in turn" if options.in_turn else "faults" if options.faults else "processes"
    report({way: table_of(title, ("", *next(iter(rows.values()))), cells)}, options.figures)


if __name__ == "__main__":
    main()
