"""How well is template told from content on saved sites, beside other extractors?

    python -m lab.bench.separation --corpora FOLDER --debian FOLDER --news FOLDER

A score is the F1 of the words that a method keeps against the words of the gold (see
``lab.bench.measures``): mean over the pages of a site from the second on, then over the sites of a
group.  Needs the extra ``bench``, or ``--no-peers``.

Cost: every method reads every page once, and once more a salt; the peers take most of the time.  Pages a
second mean something with one process (``--jobs 1``) only.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

from lab.bench.crawl import in_processes
from lab.bench.options import add_debian, add_figures, add_jobs, add_news, add_number, add_pages, new_parser
from lab.bench.peers import ALL_TEXT, PeerMissing
from lab.bench.saved_sites import corpus_sites, debian_sites, news_hosts
from lab.bench.separation_tables import check_lines, group_table, groups_of, sites_table
from lab.bench.site_runs import Method, Run, Site, all_methods, run, tasks_of
from lab.bench.stress import STRESSES
from lab.bench.tables import report, show


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
    task: Any = partial(run_site, plan=plan)
    return [run for runs in in_processes(task, sites, jobs) for run in runs]


def sites_of(options: argparse.Namespace) -> list[Site]:
    """Return the sites of all collections that are given."""
    sites: list[Site] = []
    sites += corpus_sites(options.corpora) if options.corpora else []
    sites += debian_sites(options.debian) if options.debian else []
    sites += news_hosts(options.news) if options.news else []
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
    parser = new_parser("lab.bench.separation", __doc__, corpora=False)
    add_debian(parser)
    add_news(parser)
    add = parser.add_argument
    add_pages(parser, 25)
    add_number(parser, "--salts", 1, "draws of the sample of pages")
    add("--stress", choices=sorted(STRESSES), default="", help="make the pages harder")
    add("--only", metavar="NAME", nargs="+", default=[], help="detectors, peers or sites")
    add("--leave-out", metavar="NAME", nargs="+", default=[], help="sites that are not scored")
    add("--no-peers", action="store_true", help=f"only the detectors and {ALL_TEXT}")
    add_figures(parser)
    add_jobs(parser)
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
    plan = Plan(tuple(method.name for method in methods), options.pages, options.salts, options.stress)
    groups = groups_of(run_sites(sites, plan, options.jobs), plan.pages)
    for name, group in groups.items():
        show(sites_table(name, group, known))
    stress = f", {plan.stress}" if plan.stress else ""
    report({name + stress: group_table(name, group) for name, group in groups.items()}, options.figures)
    print(f"Pages 2 to {plan.pages} of each site{stress and f', stress: {plan.stress}'}")
    if options.jobs > 1:
        print(f"{options.jobs} processes ran side by side: pages/s are too low and not comparable.")
    print(*check_lines(groups, known), sep="\n")


if __name__ == "__main__":
    main()
