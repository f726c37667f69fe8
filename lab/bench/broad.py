"""What templcrawl costs a crawl of many hosts: pages a second, CPU a page, stalls; and taking from the queue.

    python -m lab.bench.broad [--hosts 1 60 1500 5000] [--pages N] [--in-flight 16 100] [--latency 0.2]
                               [--kind html json 404] [--queue default all-hosts focus] [--jobdir]
                               [--rounds 1] [--gc] [--baseline FOLDER]
    python -m lab.bench.broad --pops [--slots 10 1000 5000 10000] [--in-flight 16 100] [--baseline FOLDER]

Scrapy crawls hosts of a download handler that answers after a delay (:mod:`lab.bench.crawl`; no network),
without the add-on and with it, in turn, each crawl in a process of its own.

--pages       of each host; as many as make some 600 pages in all, and at least 2, unless given
--in-flight   ``CONCURRENT_REQUESTS``; a crawl of one host may send as many to it, others eight
--queue       which queue Scrapy has: its default, fair between hosts; the project has chosen
              ``ScrapyPriorityQueue``, one over all hosts; the project has chosen that one in the crawl
              without, and ``TEMPLCRAWL_ORDER = "focus"`` in those with the add-on
--jobdir      with a JOBDIR, and what was learned written to it every two seconds
--gc          also Scrapy alone with a spider that raises the threshold of garbage collection as the add-on
              does, and the add-on with one that sets the threshold back
--baseline    a checkout whose add-on is measured too
--pops        CPU of a ``pop`` with so many slots (see ``lab.bench.pops``) instead of crawls

"Goal" asks for ``GOAL`` of the pages a second of Scrapy alone wherever latency rules: where Scrapy alone
leaves the processor idle for half of the time.  On a machine that is busy with others pages a second say
little, CPU a page still does.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from lab.bench.crawl import ADDON, Crawled, Server, crawl
from lab.bench.generated import ANSWERED, ManyHosts
from lab.bench.options import add_figures, add_folder, add_in_flight, add_number, new_parser
from lab.bench.pops import pop_cost
from lab.bench.tables import report, show, table_of
from templcrawl.algorithms.crawl_order.focus import TopicWords
from templcrawl.crawl.gc_threshold import THRESHOLD

GOAL = 0.95
IDLE = 0.5
"""Where Scrapy alone uses less of a processor than this, latency rules."""
PAGES_IN_ALL, FEWEST_PAGES = 600, 2
PER_HOST = 8
WITHOUT = "without"

_ALL_HOSTS = {"SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.ScrapyPriorityQueue"}
_FOCUS = {"TEMPLCRAWL_ORDER": "focus", "TEMPLCRAWL_RELEVANCE": TopicWords("harbour")}
QUEUES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "default": ({}, {}),
    "all-hosts": (_ALL_HOSTS, _ALL_HOSTS),
    "focus": (_ALL_HOSTS, _FOCUS),
}
"""Name -> settings of the crawl without the add-on, and with it."""


class Way(NamedTuple):
    """How all scenes are crawled: with the add-on or without, of what checkout, and more settings."""

    has_addon: bool
    checkout: Path | None
    settings: Mapping[str, Any]


class Scene(NamedTuple):
    """What is crawled, and how."""

    hosts: int
    kind: str
    in_flight: int
    queue: str
    pages: int
    latency: float
    jobdir: bool

    def crawl(self, way: Way) -> Crawled:
        settings = {
            "CONCURRENT_REQUESTS_PER_DOMAIN": self.in_flight if self.hosts == 1 else PER_HOST,
            **QUEUES[self.queue][way.has_addon],
            **way.settings,
        }
        site = ManyHosts(self.hosts, self.pages, self.kind)
        with TemporaryDirectory() as folder:
            if self.jobdir:
                settings |= {"JOBDIR": folder, "TEMPLCRAWL_CHECKPOINT_SECONDS": 2}
            return crawl(site, settings, Server(self.latency), self.in_flight, checkout=way.checkout)

    def figures(self, crawled: Crawled) -> tuple[float, ...]:
        """Return pages a second, CPU milliseconds a page, the stall and its CPU, pages missing, megabytes."""
        answers, end = len(crawled.requests), crawled.end
        return (
            answers / end["seconds"],
            1000 * end["cpu"] / answers,
            1000 * end["stall"],
            1000 * end["stall_cpu"],
            self.hosts * self.pages - len({*crawled.requests}),
            end["megabytes"],
        )


def rows_of(scene: Scene, ways: Mapping[str, Way], rounds: int) -> Iterator[Sequence[str]]:
    """Crawl a scene in every way, in turn; yield a row a way, medians of the rounds."""
    print(f"{scene.hosts:,} hosts, {scene.kind}, {scene.in_flight} in flight", file=sys.stderr)
    done: dict[str, list[tuple[float, ...]]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            done[name].append(scene.figures(scene.crawl(way)))
    medians = {name: [*map(median, zip(*figures))] for name, figures in done.items()}
    bare_rate, bare_cpu = medians[WITHOUT][:2]
    for name, (rate, cpu, *others) in medians.items():
        goal = "met" if rate >= GOAL * bare_rate else "missed"
        if bare_cpu * bare_rate / 1000 >= IDLE:
            goal = "CPU rules"
        yield (
            *(f"{scene.hosts:,}", f"{scene.hosts * scene.pages:,}", scene.kind, str(scene.in_flight)),
            *(scene.queue, name, f"{rate:.1f}", f"{rate / bare_rate:.2f}", "" if name == WITHOUT else goal),
            *(f"{cpu:.2f}", f"{cpu / bare_cpu:.2f}", *(f"{value:.0f}" for value in others)),
        )


HEADS = (
    *("hosts", "pages", "kind", "in flight", "queue", "crawl", "pages/s", "of without", "goal"),
    *("CPU ms a page", "of without", "stall ms", "its CPU ms", "missing", "peak MB"),
)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = new_parser("lab.bench.broad", __doc__)
    add = parser.add_argument
    add("--hosts", metavar="N", nargs="+", type=int, default=[1, 60, 1_500, 5_000])
    add("--pages", metavar="N", type=int, help="of each host")
    add_in_flight(parser, 16, 100)
    add("--latency", metavar="SECONDS", type=float, default=0.2, help="before an answer")
    add("--kind", nargs="+", choices=ANSWERED, default=["html", "json"], help="what is answered")
    add("--queue", nargs="+", choices=QUEUES, default=["default"], help="which queue Scrapy has")
    add("--jobdir", action="store_true", help="with a JOBDIR")
    add_number(parser, "--rounds", 1, "crawls of each kind")
    add("--gc", action="store_true", help="also what the threshold of garbage collection does to either")
    add("--pops", action="store_true", help="the cost of a pop instead of crawls")
    add("--slots", metavar="N", nargs="+", type=int, default=[10, 1_000, 5_000, 10_000], help="of the queue")
    add_folder(parser, "--baseline", "a checkout of templcrawl to measure too")
    add_figures(parser)
    options = parser.parse_args(arguments)
    ways = {WITHOUT: Way(False, None, {}), "with": Way(True, None, ADDON)}
    if options.gc:
        ways[f"{WITHOUT}, raised"] = Way(False, None, {"GC_THRESHOLD": THRESHOLD})
        ways["with, left alone"] = Way(True, None, {**ADDON, "GC_THRESHOLD": gc.get_threshold()[0]})
    if options.baseline:
        ways["baseline"] = Way(True, options.baseline.resolve(), ADDON)
    if options.pops:
        rows = [
            (f"{slots:,}", in_flight, *(f"{cost:.3f}" for cost in costs))
            for slots, in_flight in product(options.slots, options.in_flight)
            for costs in [[pop_cost(way.settings, slots, in_flight, way.checkout) for way in ways.values()]]
        ]
        show(table_of("CPU of a pop, ms", ("slots", "in flight", *ways), rows, left=0))
        return
    scenes = [
        Scene(
            *scene,
            options.pages or max(FEWEST_PAGES, PAGES_IN_ALL // scene[0]),
            *(options.latency, options.jobdir),
        )
        for scene in product(options.hosts, options.kind, options.in_flight, options.queue)
    ]
    what = f"{options.latency} s latency" + (", JOBDIR" if options.jobdir else "")
    title = f"Crawls of many hosts, {what}; goal: {GOAL} of the pages/s without"
    table = table_of(
        title, HEADS, (row for scene in scenes for row in rows_of(scene, ways, options.rounds)), left=6
    )
    report({"crawls, garbage collection" if options.gc else "crawls": table}, options.figures)
    load, processors = os.getloadavg()[1], os.cpu_count() or 1
    if load > processors:
        print(f"The machine was busy: load {load:.1f}, {processors} processors; trust CPU, not pages/s")


if __name__ == "__main__":
    main()
