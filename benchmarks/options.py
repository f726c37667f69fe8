"""What the command lines of benchmarks have in common."""

from __future__ import annotations

import argparse
from pathlib import Path


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


def add_debian(parser: argparse.ArgumentParser) -> None:
    """Add the option for the documentation packages."""
    add_folder(parser, "--debian", "documentation packages, unpacked")


def add_news(parser: argparse.ArgumentParser) -> None:
    """Add the option for the news hosts."""
    add_folder(parser, "--news", "annotated news pages, <language>/<host>/NNN.html")


def add_json(parser: argparse.ArgumentParser, what_is_written: str = "the figures") -> None:
    """Add the option for the figures as JSON."""
    parser.add_argument("--json", metavar="FILE", type=Path, help=f"write {what_is_written}")
