"""How well is template told from content on saved sites, beside other extractors?

A score is the F1 of the words that a method keeps against the words of the gold (see
``lab.bench.measures``): mean over the pages of a site from the second on, then over the sites of a
group.  Needs the extra ``bench``, or ``--no-peers``.

Printed are each site (precision, recall and F1 of ours, F1 of the peers) and the means of each group; of ours
also the shares of facts and furniture (``lab.bench.facts``) that are retained, and *own*, the F1 against the
gold less its furniture.  *below* are the sites on which a method is ``BELOW`` or more under all their text.

A *stress* makes the pages harder: what a method still tells apart when a hint is taken from it.

nav    the element names and roles that say "navigation" are erased
heavy  each page begins with the same large block of plain ``div``s: 1,200 invented words in 400 runs,
       every other run a link

Cost: every method reads every page once; the peers take most of the time.  Pages a
second mean something with one process (``--jobs 1``) only.
"""

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from typing import Any

from rich.table import Table

from lab.bench.crawl import in_processes
from lab.bench.options import new_parser
from lab.bench.peers import ALL_TEXT, PeerMissing
from lab.bench.saved_sites import corpus_sites, debian_sites, news_hosts
from lab.bench.site_runs import Figures, Method, Run, Site, all_methods, figures_of, run, tasks_of
from lab.bench.tables import report, show, table_of

HEAVY_RUNS, HEAVY_WORDS = 400, 1_200

_NAMES = re.compile(r"(</?)(?:nav|footer|aside|header|menu)(?=[\s/>])", re.IGNORECASE)
_START_TAG = re.compile(r"<[a-z](?:\"[^\"]*\"|'[^']*'|[^'\"<>])*>", re.IGNORECASE)
_ROLE = re.compile(
    r"(?<=[\s\"'/])role\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"'>]+)|(\"[^\"]*\"|'[^']*')", re.IGNORECASE
)
"""A role, or another attribute's value in quotes, which is kept."""
_BEGINS = re.compile(r"<body\b[^>]*>|</head\s*>|<html\b[^>]*>|<!doctype\b[^>]*>", re.IGNORECASE)
_SYLLABLES = (
    "bo cla dri fen gur hax jil kov lum mip nez orf pux quam rusk sle tov urb vex wym yal zed".split()
)


def erase_nav(html: str) -> str:
    """Erase the names and roles of navigation.

    >>> erase_nav('<nav id=a role="navigation"><b>role="x"</b></nav>')
    '<div id=a ><b>role="x"</b></div>'
    """
    return _START_TAG.sub(lambda tag: _ROLE.sub(r"\1", tag[0]), _NAMES.sub(r"\1div", html))


@cache
def heavy_block() -> str:
    """Return the block, the same on every page."""
    chance = random.Random("heavy block")
    per_run = HEAVY_WORDS // HEAVY_RUNS
    runs = []
    for number in range(HEAVY_RUNS):
        words = " ".join("".join(chance.choices(_SYLLABLES, k=3)) for _ in range(per_run))
        runs.append(
            f'<div><a href="/heavy/{number}">{words}</a></div>' if number % 2 else f"<div>{words}</div>"
        )
    return f"<div>{''.join(runs)}</div>\n"


def insert_heavy_block(html: str) -> str:
    """Put the block at the start of the body, wherever that is when its tag is left out.

    >>> insert_heavy_block("<title>A page</title><body class=a>B").partition(heavy_block())[::2]
    ('<title>A page</title><body class=a>', 'B')
    """
    ends: dict[str, int] = {}
    for begin in _BEGINS.finditer(html):
        ends.setdefault(begin[0][:5].lower(), begin.end())
    position = next((ends[tag] for tag in ("<body", "</hea", "<html", "<!doc") if tag in ends), 0)
    return html[:position] + heavy_block() + html[position:]


STRESSES: dict[str, Callable[[str], str]] = {"nav": erase_nav, "heavy": insert_heavy_block}
"""Name -> HTML -> harder HTML."""


GROUPS = ("tuned", "added", "third", "fourth", "fifth", "sixth", "debian", "news")
BELOW = 0.03
_KEPT = ("facts", "furniture", "own")
CHOICES = "--corpora --debian --news --only --leave-out --jobs=1 --figures"
"""The options for the sites and the methods that ``choose`` reads, and how they are run."""

Group = dict[str, Figures]
"""Method -> its figures in one group."""


def run_site(site: Site, methods: Sequence[str], pages: int, stress: str) -> list[Run]:
    """Put the first pages of a site before some methods.

    stress  key of ``STRESSES``, "" for pages as they are
    """
    tasks = tasks_of(site, pages, STRESSES.get(stress))
    chosen = map(all_methods().__getitem__, methods)
    return [run(site, one, tasks, pages) for one in chosen if not one.groups or site.group in one.groups]


def run_sites(
    sites: Sequence[Site], methods: Sequence[Method], pages: int, jobs: int, stress: str = ""
) -> list[Run]:
    """Do so on all sites, in ``jobs`` processes; the runs come in the order of the sites."""
    names = [method.name for method in methods]
    task: Callable[[Any], list[Run]] = partial(run_site, methods=names, pages=pages, stress=stress)
    return [run for runs in in_processes(task, sites, jobs) for run in runs]


def choose(
    parser: argparse.ArgumentParser, options: argparse.Namespace, methods: Iterable[Method]
) -> tuple[list[Site], list[Method]]:
    """Return the sites and the methods that are asked for, and imported; else end the program."""
    sites: list[Site] = []
    sites += corpus_sites(options.corpora) if options.corpora else []
    sites += debian_sites(options.debian) if options.debian else []
    sites += news_hosts(options.news) if options.news else []
    sites = [site for site in sites if site.name not in options.leave_out]
    if not sites:
        parser.error("no sites: give --corpora, --debian or --news")
    methods, names = list(methods), set(options.only)
    if unknown := names - {site.name for site in sites} - {method.name for method in methods}:
        parser.error(f"no detector, peer or site is called {', '.join(sorted(unknown))}")
    sites = [site for site in sites if site.name in names] or sites
    methods = [method for method in methods if method.name in names] or methods
    try:
        for method in methods:
            method.load()
    except PeerMissing as error:
        parser.error(str(error))
    return sites, methods


def groups_of(runs: Sequence[Run], pages: int) -> dict[str, Group]:
    """Return group -> method -> figures, in the order of the runs."""
    groups: dict[str, Group] = {}
    for group in sorted({one.group for one in runs}, key=GROUPS.index):
        of_group = [one for one in runs if one.group == group]
        for method in dict.fromkeys(one.method for one in of_group):
            if figures := figures_of([one for one in of_group if one.method == method], pages):
                groups.setdefault(group, {})[method] = figures
    return groups


def _written(shares: Iterable[float | None]) -> list[str]:
    return ["" if share is None else f"{share:.3f}" for share in shares]


def sites_table(name: str, group: Group, ours: Iterable[str]) -> Table:
    """Return a row a site."""
    own = {*ours}
    heads = [head for method in group for head in (method, *_KEPT)[: 4 if method in own else 1]]
    rows = []
    for site in dict.fromkeys(site for figures in group.values() for site in figures.sites):
        cells: list[str] = []
        for method, figures in group.items():
            shares = figures.sites.get(site, (None,) * 6)
            cells += [" ".join(_written(shares[:3])).strip()] if method in own else _written(shares[2:3])
            cells += _written(shares[3:]) if method in own else []
        rows.append((site, *cells))
    title = f"{name}: F1 of each site (precision, recall and F1 of templcrawl's detectors)"
    return table_of(title, ("site", *heads), rows)


def group_table(name: str, group: Group) -> Table:
    """Return a row a method: the means, the worst site, sites below all text, failures, speed."""
    whole = group[ALL_TEXT].sites if ALL_TEXT in group else {}
    rows = []
    for method, figures in group.items():
        below = sum(
            whole[site].f1 - BELOW > figures.sites[site].f1 for site in figures.sites if site in whole
        )
        rows.append(
            (
                *(method, *_written(figures.mean)),
                f"{figures.worst} {figures.sites[figures.worst].f1:.3f}",
                below if whole else "",
                f"{figures.failed} of {figures.scored}",
                f"{1 / figures.seconds:,.0f}" if figures.seconds else "",
            )
        )
    heads = ("method", "P", "R", "F1", *_KEPT, "worst site", "below", "failed", "pages/s")
    sites = max(len(figures.sites) for figures in group.values())
    return table_of(f"{name}: means over {sites} sites", heads, rows)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = new_parser("lab.bench.separation", __doc__, f"{CHOICES} --pages=25")
    add = parser.add_argument
    add("--stress", choices=sorted(STRESSES), default="", help="make the pages harder")
    add("--no-peers", action="store_true", help=f"only the detectors and {ALL_TEXT}")
    options = parser.parse_args(arguments)
    known = all_methods().values()
    ours = [method.name for method in known if method.ours]
    asked = (one for one in known if one.ours or one.name == ALL_TEXT or not options.no_peers)
    sites, methods = choose(parser, options, asked)
    groups = groups_of(run_sites(sites, methods, options.pages, options.jobs, options.stress), options.pages)
    for name, group in groups.items():
        show(sites_table(name, group, ours))
    stress = f", {options.stress}" if options.stress else ""
    report({name + stress: group_table(name, group) for name, group in groups.items()}, options.figures)
    for name, group in groups.items():
        for method, figures in group.items():
            for error, times in figures.errors.most_common(3):
                print(f"{name}, {method}: {times} x {error}")


if __name__ == "__main__":
    main()
