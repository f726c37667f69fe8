"""The cost of templcrawl in a crawl of many hosts: pages a second, CPU a page, stalls.

Scrapy crawls hosts of a download handler that answers after a delay (:mod:`lab.bench.crawl`; no network),
without the add-on and with it, in turn, each crawl in a process of its own.

--pages       of each host; as many as make some 600 pages in all, and at least 2, unless given
--in-flight   ``CONCURRENT_REQUESTS``; a crawl of one host may send as many to it, others eight

"Goal" asks for ``GOAL`` of the pages a second of Scrapy alone wherever latency rules: where Scrapy alone
leaves the processor idle for half of the time.  On a machine that is busy with others pages a second say
little, CPU a page still does.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from statistics import median
from typing import Any, NamedTuple

from lab.bench.crawl import ADDON, Crawled, Server, crawl
from lab.bench.generated import ANSWERED, ManyHosts
from lab.bench.options import add_number, new_parser
from lab.bench.tables import report, table_of

GOAL = 0.95
IDLE = 0.5
"""Where Scrapy alone uses less of a processor than this, latency rules."""
PAGES_IN_ALL, FEWEST_PAGES = 600, 2
PER_HOST = 8
WITHOUT = "without"
WAYS: Mapping[str, Mapping[str, Any]] = {WITHOUT: {}, "with": ADDON}


class Scene(NamedTuple):
    """What is crawled, and how."""

    hosts: int
    kind: str
    in_flight: int
    pages: int
    latency: float

    def crawl(self, way: str) -> Crawled:
        per_host = self.in_flight if self.hosts == 1 else PER_HOST
        settings = {"CONCURRENT_REQUESTS_PER_DOMAIN": per_host, **WAYS[way]}
        site = ManyHosts(self.hosts, self.pages, self.kind)
        return crawl(site, settings, Server(self.latency), self.in_flight)

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


def rows_of(scene: Scene, rounds: int) -> Iterator[Sequence[str]]:
    """Crawl a scene in both ways, in turn; yield a row a way, medians of the rounds."""
    print(f"{scene.hosts:,} hosts, {scene.kind}, {scene.in_flight} in flight", file=sys.stderr)
    done: dict[str, list[tuple[float, ...]]] = {way: [] for way in WAYS}
    for _ in range(rounds):
        for way, figures in done.items():
            figures.append(scene.figures(scene.crawl(way)))
    medians = {way: [*map(median, zip(*figures))] for way, figures in done.items()}
    bare_rate, bare_cpu = medians[WITHOUT][:2]
    for way, (rate, cpu, *others) in medians.items():
        goal = "met" if rate >= GOAL * bare_rate else "missed"
        if bare_cpu * bare_rate / 1000 >= IDLE:
            goal = "CPU rules"
        yield (
            *(f"{scene.hosts:,}", f"{scene.hosts * scene.pages:,}", scene.kind, str(scene.in_flight), way),
            *(f"{rate:.1f}", f"{rate / bare_rate:.2f}", "" if way == WITHOUT else goal),
            *(f"{cpu:.2f}", f"{cpu / bare_cpu:.2f}", *(f"{value:.0f}" for value in others)),
        )


HEADS = (
    *("hosts", "pages", "kind", "in flight", "crawl", "pages/s", "of without", "goal"),
    *("CPU ms a page", "of without", "stall ms", "its CPU ms", "missing", "peak MB"),
)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = new_parser("lab.bench.broad", __doc__, "--in-flight --figures")
    parser.set_defaults(in_flight=[16, 100])
    add = parser.add_argument
    add("--hosts", metavar="N", nargs="+", type=int, default=[1, 60, 1_500, 5_000])
    add("--pages", metavar="N", type=int, help="of each host")
    add("--latency", metavar="SECONDS", type=float, default=0.2, help="before an answer")
    add("--kind", nargs="+", choices=ANSWERED, default=["html", "json"], help="what is answered")
    add_number(parser, "--rounds", 1, "crawls of each kind")
    options = parser.parse_args(arguments)
    scenes = [
        Scene(*scene, options.pages or max(FEWEST_PAGES, PAGES_IN_ALL // scene[0]), options.latency)
        for scene in product(options.hosts, options.kind, options.in_flight)
    ]
    title = f"Crawls of many hosts, {options.latency} s latency; goal: {GOAL} of the pages/s without"
    rows = (row for scene in scenes for row in rows_of(scene, options.rounds))
    report({"crawls": table_of(title, HEADS, rows, left=5)}, options.figures)
    load, processors = os.getloadavg()[1], os.cpu_count() or 1
    if load > processors:
        print(f"The machine was busy: load {load:.1f}, {processors} processors; trust CPU, not pages/s")


if __name__ == "__main__":
    main()
