"""The common options of benchmarks; imported by them all, not run."""

from __future__ import annotations

import argparse
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from lab.bench.saved_sites import PACKAGES, SavedSite, corpus_sites, debian_sites


def new_parser(module: str, description: str | None, names: str = "") -> ArgumentParser:
    """Return a parser for ``python -m module`` whose help is the module's docstring.

    names  options of ``OPTIONS``, with blanks between them; ``!`` behind a name says that it must be given,
           ``=`` and a number that this is its default
    """
    form = argparse.RawDescriptionHelpFormatter
    parser = ArgumentParser(prog=f"python -m {module}", description=description, formatter_class=form)
    for word in names.split():
        name, _, default = word.rstrip("!").partition("=")
        if default:
            add_number(parser, name, int(default), OPTIONS[name]["help"])
        else:
            parser.add_argument(name, required=word.endswith("!"), **OPTIONS[name])
    return parser


def add_number(parser: ArgumentParser, option: str, default: int, meaning: str) -> None:
    """Add an option that takes a number of 1 or more; ``sys.maxsize`` stands for all."""
    many = "all" if default == sys.maxsize else f"{default:,}"
    about = f"{meaning} (default {many})"
    parser.add_argument(option, metavar="N", type=at_least_one, default=default, help=about)


def at_least_one(text: str) -> int:
    """Return the number that a text is, for ``type`` of an option; raises ArgumentTypeError below 1."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("give 1 or more")
    return number


def _folder(what_it_holds: str) -> dict[str, Any]:
    return {"metavar": "FOLDER", "type": Path, "help": what_it_holds}


def add_folder(parser: ArgumentParser, option: str, what_it_holds: str, *, required: bool = False) -> None:
    parser.add_argument(option, **_folder(what_it_holds), required=required)


OPTIONS: Mapping[str, dict[str, Any]] = {
    "--corpora": _folder("saved sites, with their sites.json"),
    "--debian": _folder("documentation packages, unpacked"),
    "--news": _folder("annotated news pages, <language>/<host>/NNN.html"),
    "--work": _folder("where large files are made and removed again"),
    "--sites": {"metavar": "NAME", "nargs": "+", "default": [], "help": "only these sites"},
    "--only": {"metavar": "NAME", "nargs": "+", "default": [], "help": "detectors, peers or sites"},
    "--leave-out": {"metavar": "NAME", "nargs": "+", "default": [], "help": "sites that are not scored"},
    "--pages": {"help": "pages of a site"},
    "--jobs": {"help": "processes"},
    "--in-flight": {
        "metavar": "N",
        "nargs": "+",
        "type": at_least_one,
        "default": [1, 16],
        "help": "requests in flight",
    },
    "--figures": {"metavar": "FILE", "type": Path, "help": "keep the tables, for the documents"},
}
"""Option -> how it is added; ``--pages`` and ``--jobs`` are numbers, whose default is the benchmark's."""


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
