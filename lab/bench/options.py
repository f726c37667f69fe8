"""What the command lines of benchmarks have in common; imported by them all, not run."""

from __future__ import annotations

import argparse
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Collection
from pathlib import Path

from lab.bench.saved_sites import PACKAGES, SavedSite, corpus_sites, debian_sites


def new_parser(module: str, description: str | None, *, corpora: bool | None = None) -> ArgumentParser:
    """Return a parser for ``python -m module`` whose help is the module's docstring.

    corpora  whether a folder of saved sites must be given, or may be; None: it is not asked for
    """
    parser = ArgumentParser(
        prog=f"python -m {module}",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    if corpora is not None:
        add_folder(parser, "--corpora", "saved sites, with their sites.json", required=corpora)
    return parser


def add_folder(parser: ArgumentParser, option: str, what_it_holds: str, *, required: bool = False) -> None:
    parser.add_argument(option, metavar="FOLDER", type=Path, required=required, help=what_it_holds)


def add_work(parser: ArgumentParser) -> None:
    add_folder(parser, "--work", "where large files are made and removed again")


def add_debian(parser: ArgumentParser) -> None:
    add_folder(parser, "--debian", "documentation packages, unpacked")


def add_news(parser: ArgumentParser) -> None:
    add_folder(parser, "--news", "annotated news pages, <language>/<host>/NNN.html")


def add_number(parser: ArgumentParser, option: str, default: int, meaning: str) -> None:
    """Add an option that takes a number of 1 or more."""
    many = "all" if default == sys.maxsize else f"{default:,}"
    about = f"{meaning} (default {many})"
    parser.add_argument(option, metavar="N", type=at_least_one, default=default, help=about)


def at_least_one(text: str) -> int:
    """Return the number that a text is, for ``type`` of an option; raises ArgumentTypeError below 1."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("give 1 or more")
    return number


def add_pages(parser: ArgumentParser, pages: int = 200) -> None:
    """Add the option for how many pages of a site are read; ``sys.maxsize`` for all."""
    add_number(parser, "--pages", pages, "pages of a site")


def add_jobs(parser: ArgumentParser, jobs: int = 1) -> None:
    add_number(parser, "--jobs", jobs, "processes")


def add_in_flight(parser: ArgumentParser, *default: int) -> None:
    add = parser.add_argument
    add(
        "--in-flight",
        metavar="N",
        nargs="+",
        type=at_least_one,
        default=[*default],
        help="requests in flight",
    )


def add_sites(parser: ArgumentParser) -> None:
    parser.add_argument("--sites", metavar="NAME", nargs="+", default=[], help="only these sites")


def add_crawls(parser: ArgumentParser, *, pages: int = 200, jobs: int = 1) -> None:
    """Add the options of crawls of saved sites: which, how much of them, how, and where figures go."""
    add_sites(parser)
    add_in_flight(parser, 1, 16)
    add_pages(parser, pages)
    add_jobs(parser, jobs)
    add_figures(parser)


def add_figures(parser: ArgumentParser) -> None:
    """Add the option for the tables that documents cite (see :mod:`lab.bench.tables`)."""
    parser.add_argument("--figures", metavar="FILE", type=Path, help="keep the tables, for the documents")


def asked_sites(
    parser: ArgumentParser, options: Namespace, packages: Collection[str] = PACKAGES
) -> list[SavedSite]:
    """Return the sites that ``--corpora``, ``--debian`` and ``--sites`` ask for; ends the program if none.

    packages  which of the Debian packages are read
    """
    debian = getattr(options, "debian", None)
    sites = corpus_sites(options.corpora) if options.corpora else []
    sites += [site for site in debian_sites(debian) if site.name in packages] if debian else []
    if unknown := {*options.sites} - {site.name for site in sites}:
        parser.error(f"no site is called {', '.join(sorted(unknown))}")
    if not sites:
        parser.error("no sites: give --corpora" + (" or --debian" if "debian" in options else ""))
    return [site for site in sites if not options.sites or site.name in options.sites]
