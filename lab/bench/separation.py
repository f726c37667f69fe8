"""How well is template told from content on saved sites, beside other extractors?

    python -m lab.bench.separation --corpora FOLDER --debian FOLDER --news FOLDER

A score is the F1 of the words that a method keeps against the words of the gold (see
``lab.bench.metrics``): mean over the pages of a site from the second on, then over the sites of a
group.  Needs the extra ``bench``, or ``--no-peers``.

Cost: every method reads every page once, and once more a salt; the peers take most of the time.  Pages a
second mean something with one process (``--jobs 1``) only.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from typing import NamedTuple

from lab.bench.kept_tables import keep_tables
from lab.bench.options import add_debian, add_figures, add_jobs, add_json, add_news, add_pages, new_parser
from lab.bench.peers import ALL_TEXT, PeerMissing
from lab.bench.saved_sites import corpus_sites, debian_sites, news_hosts
from lab.bench.separation_tables import check_lines, error_lines, group_table, groups_of, sites_table
from lab.bench.site_runs import Method, Run, Site, all_methods, run, tasks_of
from lab.bench.stress import STRESSES
from lab.bench.tables import show


class Plan(NamedTuple):
    """What is done on each site.

    methods  names of the methods
    pages    pages of a site
    salts    draws of a sample
    stress   key of ``STRESSES``, "" for pages as they are
    """

    methods: tuple[str, ...]
    pages: int
    salts: int
    stress: str


def run_site(site: Site, plan: Plan) -> list[Run]:
    """Put the pages of a site before every method of the plan."""
    tasks = tasks_of(site, plan.pages, STRESSES.get(plan.stress))
    known = all_methods()
    methods = [known[name] for name in plan.methods]
    return [
        run(site, method, tasks, plan.pages, salt)
        for method in methods
        if not method.groups or site.group in method.groups
        for salt in range(plan.salts if method.salted else 1)
    ]


def run_sites(sites: Sequence[Site], plan: Plan, jobs: int) -> list[Run]:
    """Do so on all sites, in ``jobs`` processes; the runs come in the order of the sites."""
    runs_of: dict[str, list[Run]] = {}
    for site, runs in _results(sites, plan, jobs):
        runs_of[site.group + site.name] = runs
        print(f"{len(runs_of)} of {len(sites)}: {site.name}", file=sys.stderr, flush=True)
    return [run for site in sites for run in runs_of[site.group + site.name]]


def _results(sites: Sequence[Site], plan: Plan, jobs: int) -> Iterator[tuple[Site, list[Run]]]:
    if jobs == 1:
        yield from ((site, run_site(site, plan)) for site in sites)
        return
    with ProcessPoolExecutor(jobs) as pool:
        waiting = {pool.submit(partial(run_site, plan=plan), site): site for site in sites}
        try:
            for done in as_completed(waiting):
                yield waiting[done], done.result()
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def _parser() -> argparse.ArgumentParser:
    parser = new_parser("lab.bench.separation", __doc__, corpora=False)
    add_debian(parser)
    add_news(parser)
    add = parser.add_argument
    add_pages(parser, 25)
    add("--salts", metavar="N", type=int, default=1, help="draws of the sample of pages (default 1)")
    add("--stress", choices=sorted(STRESSES), default="", help="make the pages harder")
    add("--only", metavar="NAME", nargs="+", default=[], help="detectors, peers or sites")
    add("--leave-out", metavar="NAME", nargs="+", default=[], help="sites that are not scored")
    add("--no-peers", action="store_true", help=f"only the detectors and {ALL_TEXT}")
    add_json(parser, "the figures of every page")
    add_figures(parser)
    add_jobs(parser)
    return parser


def sites_of(arguments: argparse.Namespace) -> list[Site]:
    sites: list[Site] = []
    if arguments.corpora:
        sites += corpus_sites(arguments.corpora)
    if arguments.debian:
        sites += debian_sites(arguments.debian)
    if arguments.news:
        sites += news_hosts(arguments.news)
    return sites


def choose(
    only: Iterable[str], sites: Sequence[Site], methods: Sequence[Method]
) -> tuple[list[Site], list[Method]]:
    """Return the sites and the methods named; all of a kind of which none is named."""
    names = set(only)
    unknown = names - {site.name for site in sites} - {method.name for method in methods}
    if unknown:
        raise ValueError(f"no detector, peer or site is called {', '.join(sorted(unknown))}")
    return (
        [site for site in sites if site.name in names] or list(sites),
        [method for method in methods if method.name in names] or list(methods),
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark and print its tables."""
    parser = _parser()
    options = parser.parse_args(arguments)
    known = all_methods()
    methods = [
        method for method in known.values() if method.ours or method.name == ALL_TEXT or not options.no_peers
    ]
    try:
        sites = [site for site in sites_of(options) if site.name not in options.leave_out]
        sites, methods = choose(options.only, sites, methods)
        for method in methods:
            method.load()
    except (ValueError, PeerMissing) as error:
        parser.error(str(error))
    if not sites:
        parser.error("no sites: give --corpora, --debian or --news")
    names = tuple(method.name for method in methods)
    plan = Plan(names, options.pages, options.salts, options.stress)
    runs = run_sites(sites, plan, options.jobs)
    report(runs, plan, known, options)
    if options.json:
        raw = {"plan": plan._asdict(), "runs": [vars(run) for run in runs]}
        options.json.write_text(json.dumps(raw), encoding="utf-8")


def report(runs: Sequence[Run], plan: Plan, methods: dict[str, Method], options: argparse.Namespace) -> None:
    """Print the tables of sites and of groups, and the lines to check; keep the tables of groups."""
    groups = groups_of(runs, plan.pages)
    for name, group in groups.items():
        show(sites_table(name, group, methods))
    tables = {name: group_table(name, group) for name, group in groups.items()}
    for table in tables.values():
        show(table)
    stress = f", {plan.stress}" if plan.stress else ""
    keep_tables(options.figures, {name + stress: table for name, table in tables.items()})
    print(f"Pages 2 to {plan.pages} of each site" + (f", stress: {plan.stress}" if plan.stress else ""))
    if options.jobs > 1:
        print(f"{options.jobs} processes ran side by side: pages/s are too low and not comparable.")
    for line in (*check_lines(groups, methods), *error_lines(groups)):
        print(line)


if __name__ == "__main__":
    main()
