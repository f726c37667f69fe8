"""What the command lines of benchmarks have in common; imported by them all, not run."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from lab.bench.saved_sites import PACKAGES, SavedSite, corpus_sites, debian_sites


def new_parser(
    module: str, description: str | None, *, corpora: bool | None = None
) -> argparse.ArgumentParser:
    """Return a parser for ``python -m module`` whose help is the module's docstring.

    corpora  whether a folder of saved sites must be given, or may be; None: it is not asked for
    """
    parser = argparse.ArgumentParser(
        prog=f"python -m {module}",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    if corpora is not None:
        add_folder(parser, "--corpora", "saved sites, with their sites.json", required=corpora)
    return parser


def add_folder(
    parser: argparse.ArgumentParser, option: str, what_it_holds: str, *, required: bool = False
) -> None:
    """Add an option that names a folder."""
    parser.add_argument(option, metavar="FOLDER", type=Path, required=required, help=what_it_holds)


def add_saved(parser: argparse.ArgumentParser) -> None:
    """Add the option for saved pages without gold, in place of the generated ones."""
    parser.add_argument("--folder", metavar="FOLDER", help="read saved pages instead of generated ones")


def add_work(parser: argparse.ArgumentParser) -> None:
    """Add the option for a place with room for large files."""
    add_folder(parser, "--work", "where large files are made and removed again")


def add_debian(parser: argparse.ArgumentParser) -> None:
    """Add the option for the documentation packages."""
    add_folder(parser, "--debian", "documentation packages, unpacked")


def add_news(parser: argparse.ArgumentParser) -> None:
    """Add the option for the news hosts."""
    add_folder(parser, "--news", "annotated news pages, <language>/<host>/NNN.html")


def add_sites(parser: argparse.ArgumentParser) -> None:
    """Add the option for the names of saved sites."""
    parser.add_argument("--sites", metavar="NAME", nargs="+", default=[], help="only these sites")


def choose(sites: Sequence[SavedSite], names: Sequence[str]) -> list[SavedSite]:
    """Return the sites named, all if none is; raises ValueError for a name that no site has."""
    unknown = set(names) - {site.name for site in sites}
    if unknown:
        raise ValueError(f"no site is called {', '.join(sorted(unknown))}")
    return [site for site in sites if not names or site.name in names]


def asked_sites(
    parser: argparse.ArgumentParser, options: argparse.Namespace, packages: Collection[str] = PACKAGES
) -> list[SavedSite]:
    """Return the sites that ``--corpora``, ``--debian`` and ``--sites`` ask for; ends the program if none.

    packages  which of the Debian packages are read
    """
    debian = getattr(options, "debian", None)
    sites = corpus_sites(options.corpora) if options.corpora else []
    sites += [site for site in debian_sites(debian) if site.name in packages] if debian else []
    try:
        sites = choose(sites, options.sites)
    except ValueError as error:
        parser.error(str(error))
    if not sites:
        parser.error("no sites: give --corpora" + (" or --debian" if "debian" in options else ""))
    return sites


def at_least_one(text: str) -> int:
    """Return the number that a text is, for ``type`` of an option; raises ArgumentTypeError below 1."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("give 1 or more")
    return number


def add_pages(parser: argparse.ArgumentParser, pages: int = 200) -> None:
    """Add the option for how many pages of a site are read; ``sys.maxsize`` for all."""
    many = "all" if pages == sys.maxsize else pages
    about = f"pages of a site (default {many})"
    parser.add_argument("--pages", metavar="N", type=at_least_one, default=pages, help=about)


def add_in_flight(parser: argparse.ArgumentParser) -> None:
    """Add the option for how many requests are in flight."""
    add = parser.add_argument
    add("--in-flight", metavar="N", nargs="+", type=at_least_one, default=[1, 16], help="requests in flight")


def add_jobs(parser: argparse.ArgumentParser, jobs: int = 1) -> None:
    """Add the option for how many processes work."""
    about = f"processes (default {jobs})"
    parser.add_argument("--jobs", metavar="N", type=at_least_one, default=jobs, help=about)


def add_crawls(parser: argparse.ArgumentParser, *, pages: int = 200, jobs: int = 1) -> None:
    """Add the options of crawls of saved sites: which, how much of them, how, and where figures go."""
    add_sites(parser)
    add_in_flight(parser)
    add_pages(parser, pages)
    add_jobs(parser, jobs)
    add_json(parser, "the figures of every crawl")
    add_figures(parser)


def add_json(parser: argparse.ArgumentParser, what_is_written: str = "the figures") -> None:
    """Add the option for the figures as JSON."""
    parser.add_argument("--json", metavar="FILE", type=Path, help=f"write {what_is_written}")


def add_figures(parser: argparse.ArgumentParser) -> None:
    """Add the option for the tables that documents cite (see :mod:`lab.bench.kept_tables`)."""
    parser.add_argument("--figures", metavar="FILE", type=Path, help="keep the tables, for the documents")


def as_json_rows(tables: Mapping[str, Any]) -> str:
    """Return named values as JSON, and those of them that are tables a row a line."""
    return (
        "{\n" + ",\n".join(f" {json.dumps(name)}: {_rows(value)}" for name, value in tables.items()) + "\n}\n"
    )


def _rows(value: Any) -> str:
    if not isinstance(value, Mapping):
        return json.dumps(value)
    rows = (f"  {json.dumps(name, ensure_ascii=False)}: {json.dumps(row)}" for name, row in value.items())
    return "{\n" + ",\n".join(rows) + "\n }"
