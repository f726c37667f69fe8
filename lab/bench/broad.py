"""What templcrawl costs a crawl of many hosts: pages a second, CPU a page, stalls; and taking from the queue.

    python -m lab.bench.broad [--hosts 1 60 1500 5000] [--pages N] [--in-flight 16 100] [--latency 0.2]
                               [--kind html json pdf 404] [--queue default all-hosts focus] [--jobdir]
                               [--rounds 1] [--longest 300] [--set NAME=VALUE ...] [--gc]
                               [--addon-path FOLDER] [--baseline FOLDER] [--json FILE] [--quick]
    python -m lab.bench.broad --pops [--slots 10 1000 5000 10000] [--in-flight 16 100] ...

Scrapy crawls hosts of a download handler that answers after a delay (see ``lab.bench.broad_crawl``; no
network), without the add-on and with it, in turn, each crawl in a process of its own.

--pages       of each host; as many as make some 600 pages in all, and at least 2, unless given
--in-flight   ``CONCURRENT_REQUESTS``; a crawl of one host may send as many to it, others eight
--queue       which queue Scrapy has: its default, fair between hosts; the project has chosen
              ``ScrapyPriorityQueue``, one over all hosts; the project has chosen that one in the crawl
              without, and ``TEMPLCRAWL_ORDER = "focus"`` in those with the add-on
--jobdir      with a JOBDIR, and what was learned written to it every two seconds
--longest     seconds after which a crawl is ended
--set         a setting of the crawls with the add-on
--gc          also Scrapy alone with a spider that raises the threshold of garbage collection as the add-on
              does, and the add-on with one that sets the threshold back
--addon-path  a checkout whose add-on is measured in place of this one's
--baseline    a checkout whose add-on is measured too
--pops        CPU of a ``pop`` with so many slots (see ``lab.bench.queue_pop``) instead of crawls
--quick       few hosts and slots, two minutes

"Goal" asks for ``GOAL`` of the pages a second of Scrapy alone wherever latency rules: where Scrapy alone
leaves the processor idle for half of the time.  On a machine that is busy with others pages a second say
little, CPU a page still does.  Crawls worth a look:

    python -m lab.bench.broad --hosts 1500 --pages 4 --in-flight 100 --latency 0.2 --kind html
    python -m lab.bench.broad --hosts 60 --in-flight 100 --latency 0.5 --kind html --queue all-hosts focus
    python -m lab.bench.broad --hosts 1 --pages 100 --in-flight 16 --latency 0.2 --kind json pdf 404
    python -m lab.bench.broad --hosts 1500 --pages 4 --in-flight 100 --kind html --jobdir
    python -m lab.bench.broad --pops
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from rich.table import Table

from lab.bench.broad_crawl import KINDS, ROOT, Figures, Job, in_new_process
from lab.bench.kept_tables import keep_tables
from lab.bench.options import add_figures, add_folder, add_json, new_parser
from lab.bench.queue_pop import Pops
from lab.bench.tables import show
from templcrawl.crawl.gc_threshold import THRESHOLD

GOAL = 0.95
IDLE = 0.5
"""Where Scrapy alone uses less of a processor than this, latency rules."""
PAGES_IN_ALL, FEWEST_PAGES = 600, 2
PER_HOST = 8
WITHOUT, WITH = "without", "with"
RAISED, LEFT_ALONE = ", raised", ", left alone"

_ALL_HOSTS = {"SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.ScrapyPriorityQueue"}
_FOCUS = {"TEMPLCRAWL_ORDER": "focus", "TEMPLCRAWL_RELEVANCE": "lab.bench.broad_crawl.about_harbours"}
QUEUES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "default": ({}, {}),
    "all-hosts": (_ALL_HOSTS, _ALL_HOSTS),
    "focus": (_ALL_HOSTS, _FOCUS),
}
"""Name -> settings of the crawl without the add-on, and with it."""


@dataclass(frozen=True)
class Scene:
    """What is crawled, and how."""

    hosts: int
    pages: int
    kind: str
    in_flight: int
    queue: str
    latency: float
    jobdir: bool
    longest: float

    def job(self, addon: str | None, more: Mapping[str, Any], jobdir: str) -> Job:
        """Return the crawl of this scene, with the add-on of a checkout or without.

        more  settings of a crawl with the add-on
        """
        settings = {
            "CONCURRENT_REQUESTS": self.in_flight,
            "CONCURRENT_REQUESTS_PER_DOMAIN": self.in_flight if self.hosts == 1 else PER_HOST,
            "CLOSESPIDER_TIMEOUT": self.longest,
            **QUEUES[self.queue][addon is not None],
        }
        if self.jobdir:
            settings["JOBDIR"] = jobdir
        if addon is not None:
            settings |= {"TEMPLCRAWL_CHECKPOINT_SECONDS": 2, **more} if self.jobdir else more
        return Job(addon, self.hosts, self.pages, self.kind, self.latency, settings)


@dataclass(frozen=True)
class Row:
    """What the crawls of one way in a scene did: medians of the rounds."""

    scene: Scene
    way: str
    rate: float
    cpu: float
    stall: float
    stall_cpu: float
    missing: float
    megabytes: float

    @classmethod
    def of(cls, scene: Scene, way: str, rounds: Sequence[Figures]) -> Row:
        """Return pages a second, CPU milliseconds a page, and so on."""

        return cls(
            scene,
            way,
            median(figures.answers / figures.seconds for figures in rounds),
            median(1000 * figures.cpu_seconds / figures.answers for figures in rounds),
            median(1000 * figures.stall for figures in rounds),
            median(1000 * figures.stall_cpu for figures in rounds),
            median(figures.missing for figures in rounds),
            median(figures.megabytes for figures in rounds),
        )

    def goal(self, bare: Row) -> str:
        """Say whether the goal is met, beside the crawl without the add-on."""
        if bare.cpu * bare.rate / 1000 >= IDLE:
            return "CPU rules"
        return "met" if self.rate >= GOAL * bare.rate else "missed"


def _parser() -> argparse.ArgumentParser:
    parser = new_parser("lab.bench.broad", __doc__)
    add = parser.add_argument
    add("--hosts", metavar="N", nargs="+", type=int, default=[1, 60, 1_500, 5_000])
    add("--pages", metavar="N", type=int, help="of each host")
    add("--in-flight", metavar="N", nargs="+", type=int, default=[16, 100], help="requests in flight")
    add("--latency", metavar="SECONDS", type=float, default=0.2, help="before an answer")
    add("--kind", nargs="+", choices=KINDS, default=["html", "json"], help="what is answered")
    add("--queue", nargs="+", choices=QUEUES, default=["default"], help="which queue Scrapy has")
    add("--jobdir", action="store_true", help="with a JOBDIR")
    add("--rounds", metavar="N", type=int, default=1, help="crawls of each kind")
    add("--longest", metavar="SECONDS", type=float, default=300.0, help="when a crawl is ended")
    add("--set", metavar="NAME=VALUE", nargs="+", default=[], help="settings with the add-on")
    add("--gc", action="store_true", help="also what the threshold of garbage collection does to either")
    add("--pops", action="store_true", help="the cost of a pop instead of crawls")
    add("--slots", metavar="N", nargs="+", type=int, default=[10, 1_000, 5_000, 10_000], help="of the queue")
    add("--quick", action="store_true", help="few hosts and slots")
    add_folder(parser, "--addon-path", "a checkout of templcrawl to measure in place of this one")
    add_folder(parser, "--baseline", "a checkout of templcrawl to measure too")
    add_json(parser)
    add_figures(parser)
    return parser


def ways_of(
    addon_path: Path | None, baseline: Path | None, *, with_gc: bool = False
) -> dict[str, str | None]:
    """Return name -> checkout whose add-on is switched on; None: Scrapy alone."""
    ways: dict[str, str | None] = {WITHOUT: None, WITH: str((addon_path or ROOT).resolve())}
    if with_gc:
        ways |= {WITHOUT + RAISED: None, WITH + LEFT_ALONE: ways[WITH]}
    if baseline:
        ways["baseline"] = str(baseline.resolve())
    return ways


def scenes_of(options: argparse.Namespace) -> list[Scene]:
    """Return what the options ask to be crawled."""
    return [
        Scene(
            hosts,
            options.pages or max(FEWEST_PAGES, PAGES_IN_ALL // hosts),
            kind,
            in_flight,
            queue,
            options.latency,
            options.jobdir,
            options.longest,
        )
        for hosts, kind, in_flight, queue in product(
            options.hosts, options.kind, options.in_flight, options.queue
        )
    ]


def crawl(scene: Scene, ways: Mapping[str, str | None], more: Mapping[str, Any], rounds: int) -> list[Row]:
    """Crawl a scene in every way, in turn."""
    done: dict[str, list[Figures]] = {way: [] for way in ways}
    for _ in range(rounds):
        for way, addon in ways.items():
            with TemporaryDirectory() as jobdir:
                collects = gc.get_threshold()[0] if way.endswith(LEFT_ALONE) else 0
                collects = THRESHOLD if way.endswith(RAISED) else collects
                job = replace(scene.job(addon, more, jobdir), collects=collects)
                done[way].append(Figures(**in_new_process("lab.bench.broad_crawl", job)))
    return [Row.of(scene, way, figures) for way, figures in done.items()]


def crawl_table(rows: Sequence[Row], title: str) -> Table:
    """Return the figures, a row for each scene and way."""
    names = (
        "pages/s",
        "of without",
        "goal",
        "CPU ms a page",
        "of without",
        "stall ms",
        "its CPU ms",
        "missing",
    )
    table = Table("hosts", "pages", "kind", "in flight", "queue", "crawl", *names, "peak MB", title=title)
    for row in rows:
        scene = row.scene
        bare = next(other for other in rows if other.scene == scene and other.way == WITHOUT)
        table.add_row(
            *(f"{scene.hosts:,}", f"{scene.hosts * scene.pages:,}", scene.kind, str(scene.in_flight)),
            *(scene.queue, row.way, f"{row.rate:.1f}", f"{row.rate / bare.rate:.2f}"),
            *("" if row is bare else row.goal(bare), f"{row.cpu:.2f}", f"{row.cpu / bare.cpu:.2f}"),
            *(f"{row.stall:.0f}", f"{row.stall_cpu:.0f}", f"{row.missing:.0f}", f"{row.megabytes:.0f}"),
        )
    return table


def pop_costs(
    ways: Mapping[str, str | None], slots: Sequence[int], in_flight: Sequence[int]
) -> list[dict[str, Any]]:
    """Return the CPU milliseconds of a pop in every way, for every number of slots and of requests."""
    return [
        {"slots": number, "in_flight": flying}
        | {
            way: in_new_process("lab.bench.queue_pop", Pops(addon, number, flying))
            for way, addon in ways.items()
        }
        for number, flying in product(slots, in_flight)
    ]


def pop_table(figures: Sequence[Mapping[str, Any]], ways: Sequence[str]) -> Table:
    """Return the costs, a row for each number of slots and of requests in flight."""
    table = Table("slots", "in flight", *ways, title="CPU of a pop, ms")
    for row in figures:
        table.add_row(f"{row['slots']:,}", str(row["in_flight"]), *(f"{row[way]:.3f}" for way in ways))
    return table


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the crawls, or take from the queues, and print the table."""
    parser = _parser()
    options = parser.parse_args(arguments)
    ways = ways_of(options.addon_path, options.baseline, with_gc=options.gc)
    if options.quick:
        options.hosts, options.slots, options.in_flight = [1, 60], [10, 1_000], [16]
        options.pages, options.latency = options.pages or 5, min(options.latency, 0.05)
    figures: list[dict[str, Any]] = []
    if options.pops or options.quick:
        figures = pop_costs(ways, options.slots, options.in_flight)
        show(pop_table(figures, [*ways]))
    if not options.pops:
        more = dict(setting.split("=", 1) for setting in options.set)
        rows: list[Row] = []
        for scene in scenes_of(options):
            print(f"{scene.hosts:,} hosts, {scene.kind}, {scene.in_flight} in flight", file=sys.stderr)
            rows += crawl(scene, ways, more, options.rounds)
        figures += map(asdict, rows)
        what = f"{options.latency} s latency" + (", JOBDIR" if options.jobdir else "")
        show(table := crawl_table(rows, f"Crawls of many hosts, {what}; goal: {GOAL} of the pages/s without"))
        keep_tables(options.figures, {"crawls, garbage collection" if options.gc else "crawls": table})
    load, processors = os.getloadavg()[1], os.cpu_count() or 1
    if load > processors:
        print(f"The machine was busy: load {load:.1f}, {processors} processors; trust CPU, not pages/s")
    if options.json:
        options.json.write_text(json.dumps(figures), encoding="utf-8")


if __name__ == "__main__":
    main()
