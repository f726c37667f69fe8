"""Several workers with one queue (scrapy-redis): what do they lose, and what does one memory give back?

    python -m lab.bench.workers [--corpora FOLDER] [--sites NAME ...] [--workers 1 2 4]
                                 [--in-turn | --faults]

Each worker is a process; pages come from files after a short delay; queue and memory are two servers of Redis
on 127.0.0.1.  Workers with one memory ("shared") stand beside workers that each learn alone ("alone").

F1         content words of each page as it was told when it came, mean over pages, then over sites
ARI        page types of the leaves of the pages, by the parts of all workers together (each worker's own
           where they learn alone)
waited     share of the pages whose links had been moved back
half       share of the distinct content words that half of the pages have brought, by the time they came
bytes      of Redis' memory, a site; commands a page; the longest slice on the event loop

--in-turn  without processes and Redis: pages in one order, dealt out in turn, parts exchanged at once
--faults   a worker is killed (-9) and another begins; the memory's Redis is stopped for some seconds and
           begun anew, empty; it is flushed.  All must end, and each page counts once at most.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from rich.table import Table

from lab.bench.kept_tables import keep_tables
from lab.bench.metrics import score
from lab.bench.options import add_figures, add_json, add_pages, add_sites, new_parser
from lab.bench.page_types.metrics import score_clusters
from lab.bench.saved_sites import words_of
from lab.bench.tables import show
from lab.bench.workers.in_turn import figures_in_turn
from lab.bench.workers.sites import Plan, make_plan
from lab.sites.redis_server import RedisServer
from templcrawl.crawl.workers.redis_store import RedisStore
from templcrawl.memory.site import SiteMemory
from templcrawl.memory.snapshots import unpack

Line = dict[str, Any]

SALT = 0
FAULT_DELAY, AWAY = 0.2, 6.0


class Outcome(NamedTuple):
    """What workers have done.

    lines   a line for each page, by the time of its arrival
    stats   of each worker that has ended by itself
    codes   with what each worker has ended
    sites   host -> what is known of it by all parts
    bytes   that Redis takes, a site
    """

    lines: list[Line]
    stats: list[dict[str, Any]]
    codes: list[int]
    sites: dict[str, SiteMemory]
    bytes: int


class Workers:
    """Workers over a plan, their queue and their memory."""

    def __init__(self, folder: Path, *, shared: bool, order: str, delay: float) -> None:
        self.queue, self.store = RedisServer(), RedisServer()
        self._folder = folder
        self._options = {"order": order, "delay": delay, "queue": self.queue.url}
        self._options["store"] = self.store.url if shared else None
        self.processes: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Workers:
        self.queue.start()
        self.store.start()
        self._reader("salt").negotiate(SALT)
        return self

    def __exit__(self, *error: object) -> None:
        for process in self.processes:
            process.kill()
        self.queue.stop()
        self.store.stop()

    def _reader(self, name: str) -> RedisStore:
        return RedisStore(self.store.url, name)

    def start(self) -> None:
        """Start one more worker."""
        number = len(self.processes)
        module = "lab.bench.workers.crawl"
        command = [sys.executable, "-m", module, str(self._folder), str(number), json.dumps(self._options)]
        self.processes.append(subprocess.Popen(command))

    def lines(self) -> list[Line]:
        """Return what was written by now."""
        paths = sorted(self._folder.glob("*.jsonl"))
        written = [text for path in paths for text in path.read_text(encoding="utf-8").splitlines(True)]
        lines = [json.loads(text) for text in written if text.endswith("\n")]
        return sorted(lines, key=lambda line: line["at"])

    def flush(self) -> None:
        """Take everything from the memory."""
        self._reader("flush")._client.flushall()

    def wait(self) -> Outcome:
        """Wait until all workers have ended."""
        codes = [process.wait() for process in self.processes]
        stats = [json.loads(path.read_text(encoding="utf-8")) for path in self._folder.glob("*.stats")]
        lines = self.lines()
        hosts = sorted({line["url"].split("/")[2] for line in lines})
        return Outcome(lines, stats, codes, {host: self._known(host) for host in hosts}, self._bytes(hosts))

    def _known(self, host: str) -> SiteMemory:
        states = self._reader("reader").poll(host) or ()
        site, known = SiteMemory(host), SiteMemory(host)
        known.merge(SiteMemory.from_snapshot(unpack(host, state), host=host) for state in states)
        site.set_remote(known)
        return site

    def _bytes(self, hosts: Sequence[str]) -> int:
        store = self._reader("reader")
        keys = [key for host in hosts for key in store._keys(host)]
        return sum(store._client.memory_usage(key) or 0 for key in keys) // max(1, len(hosts))


def crawl(plan: Plan, folder: Path, workers: int, *, shared: bool, order: str = "adaptive") -> Outcome:
    """Let workers crawl to the end."""
    for path in (*folder.glob("*.jsonl"), *folder.glob("*.stats"), *folder.glob("*.log")):
        path.unlink()
    with Workers(folder, shared=shared, order=order, delay=0.05) as crew:
        for _ in range(workers):
            crew.start()
        return crew.wait()


def figures_of(plan: Plan, outcome: Outcome) -> dict[str, float]:
    """Return what is measured of workers."""
    of_site: dict[str, list[Line]] = defaultdict(list)
    for line in outcome.lines:
        of_site[plan.known[line["url"]].site].append(line)
    stats, pages = outcome.stats, max(1, len(outcome.lines))
    first, last = outcome.lines[0]["at"], outcome.lines[-1]["at"]

    def total(name: str) -> float:
        return float(sum(one.get(f"templcrawl/{name}", 0) for one in stats))

    return {
        "F1": _mean(_f1(plan, lines) for lines in of_site.values()),
        "ARI": _mean(_ari(plan, lines, lambda line: _now(outcome, line)) for lines in of_site.values()),
        "waited": total("links/waited") / pages,
        "half": _mean(_half(plan, lines) for lines in of_site.values()),
        "KB a site": outcome.bytes / 1000,
        "commands a page": total("store/commands") / pages,
        "KB written a page": total("store/bytes") / pages / 1000,
        "longest ms": 1000 * max(one.get("slice", 0.0) for one in stats),
        "pages/s": pages / max(0.001, last - first),
        "pages": len(outcome.lines),
    }


def _mean(values: Iterator[float | None]) -> float:
    known = [value for value in values if value is not None]
    return fmean(known) if known else 0.0


def _f1(plan: Plan, lines: Sequence[Line]) -> float | None:
    golds = [(line["text"], plan.known[line["url"]].gold) for line in lines[1:]]
    scores = [score(words_of(text), gold).f1 for text, gold in golds if gold is not None]
    return fmean(scores) if scores else None


def _now(outcome: Outcome, line: Line) -> str:
    leaf_id: str = line["leaf_id"]
    types = outcome.sites[line["url"].split("/")[2]].page_types()
    return next((leaf.page_type for leaf in types if leaf.leaf_id == leaf_id), leaf_id)


def _ari(plan: Plan, lines: Sequence[Line], label: Callable[[Line], str]) -> float | None:
    pairs = [(label(line), kind) for line in lines if (kind := plan.known[line["url"]].kind) is not None]
    if len({kind for _, kind in pairs}) < 2:
        return None
    ari: float = score_clusters([name for name, _ in pairs], [kind for _, kind in pairs]).ari
    return ari


def _half(plan: Plan, lines: Sequence[Line]) -> float | None:
    golds = [set(plan.known[line["url"]].gold or ()) for line in lines]
    whole = set[str]().union(*golds)
    return len(set[str]().union(*golds[: len(golds) // 2])) / len(whole) if whole else None


def fault_rows(plan: Plan, folder: Path) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield what each fault has cost two workers."""

    def kill(crew: Workers) -> None:
        crew.processes[1].send_signal(signal.SIGKILL)
        crew.start()

    def stop(crew: Workers) -> None:
        crew.store.stop()
        time.sleep(AWAY)
        crew.store.start()

    faults = {"none": lambda crew: None, "kill -9": kill, "stopped": stop, "flushed": Workers.flush}
    for name, fault in faults.items():
        for path in (*folder.glob("*.jsonl"), *folder.glob("*.stats"), *folder.glob("*.log")):
            path.unlink()
        with Workers(folder, shared=True, order="adaptive", delay=FAULT_DELAY) as crew:
            crew.start()
            crew.start()
            while len(crew.lines()) < len(plan.files) // 3:
                time.sleep(0.1)
            fault(crew)
            outcome = crew.wait()
        fetched = {line["key"] for line in outcome.lines}
        counted = sum(site.pages_known for site in outcome.sites.values())
        yield (
            name,
            {
                "ended well": sum(code == 0 for code in outcome.codes),
                "workers": len(outcome.codes),
                "pages": len(plan.files),
                "fetched": len(fetched),
                "known in the end": counted,
                "counted twice": max(0, counted - len(fetched)),
                "F1": figures_of(plan, outcome)["F1"],
                "away": sum(one.get("templcrawl/store/unavailable", 0) for one in outcome.stats),
                "errors": sum(
                    value
                    for one in outcome.stats
                    for key, value in one.items()
                    if key.startswith("templcrawl/errors")
                ),
            },
        )


def _table(title: str, rows: Mapping[str, Mapping[str, float]]) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column("")
    for head in next(iter(rows.values())):
        table.add_column(head, justify="right")
    for name, row in rows.items():
        table.add_row(name, *(f"{value:.4f}" if value < 1 else f"{value:,.1f}" for value in row.values()))
    return table


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = new_parser("lab.bench.workers", __doc__, corpora=False)
    add_sites(parser)
    add_json(parser)
    add_figures(parser)
    add_pages(parser, 100)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4], help="how many workers")
    parser.add_argument("--in-turn", action="store_true", help="the same pages in the same order, instead")
    parser.add_argument("--faults", action="store_true", help="what faults cost, instead")
    given = parser.parse_args(arguments)
    rows: dict[str, dict[str, float]] = {}
    with TemporaryDirectory() as name:
        folder = Path(name)
        plan = make_plan(folder, given.corpora, given.sites, given.pages)
        if given.in_turn:
            for workers in given.workers:
                rows[f"{workers} shared"] = figures_in_turn(plan, workers, shared=True)
                if workers > 1:
                    rows[f"{workers} alone"] = figures_in_turn(plan, workers, shared=False)
        elif given.faults:
            rows.update(fault_rows(plan, folder))
        else:
            for workers in given.workers:
                outcome = crawl(plan, folder, workers, shared=True)
                rows[f"{workers} shared"] = figures_of(plan, outcome)
                if workers > 1:
                    rows[f"{workers} alone"] = figures_of(plan, crawl(plan, folder, workers, shared=False))
                outcome = crawl(plan, folder, workers, shared=True, order="off")
                rows[f"{workers} shared, no order"] = figures_of(plan, outcome)
    show(table := _table(f"{len(plan.starts)} sites, {len(plan.files)} pages", rows))
    way = "in turn" if given.in_turn else "faults" if given.faults else "processes"
    keep_tables(given.figures, {way: table})
    if given.json:
        Path(given.json).write_text(json.dumps(rows, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
