"""How well do tools tell the template of a site from its content, on saved sites that anyone can fetch?

    python -m lab.bench.sitebench --corpora FOLDER --results FOLDER

Fetches the sites of ``lab/bench/sitebench/sites.tsv`` by git into ``--corpora``, selects pages of each,
runs the tools over them and writes ``table.md`` and ``table.json`` into ``--results``.  What is there
already is not made again: stop it and start it as you like.  ``--mirror`` takes the repositories from a
folder instead of the network.

Exit status: 1 if a site could not be fetched; the tables are of the others then.
Cost: some hours of network the first time; then a minute of CPU a tool for ten sites.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from lab.bench.options import add_folder, new_parser
from lab.bench.sitebench.collection import FetchError, build
from lab.bench.sitebench.scores import score_sites, scored_sites, write_tables
from lab.bench.sitebench.site_table import SITES, TableError, read_sites
from lab.bench.sitebench.tools import TOOLS, Tool, ToolMissing, find_tool


def _parser() -> argparse.ArgumentParser:
    parser = new_parser("lab.bench.sitebench", __doc__, "--sites")
    add_folder(parser, "--corpora", "where the sites are built, or are already", required=True)
    add_folder(parser, "--results", "where scores and tables are written; without it sites are built only")
    add_folder(parser, "--mirror", "repositories as owner/name.git, in place of the network")
    add = parser.add_argument
    add("--table", metavar="FILE", type=Path, default=SITES, help="sites in place of sites.tsv")
    add(
        "--tools",
        metavar="NAME",
        nargs="+",
        default=[],
        help="only these tools; MODULE:NAME for one of yours",
    )
    add("--pages", metavar="N", type=int, default=25, help="pages of a site that are read (default 25)")
    add("--weak", action="store_true", help="score the sites whose container is a poor mark, too")
    add("--again", action="store_true", help="run the tools where there is a result, too")
    add("--built", action="store_true", help="fetch nothing: score what --corpora holds")
    return parser


def _report(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _tools(names: Sequence[str]) -> tuple[list[Tool], list[str]]:
    """Return the tools that can be run, and why others cannot.

    Raises ToolMissing for one of the names that cannot.
    """
    if names:
        return [find_tool(name) for name in names], []
    found: list[Tool] = []
    missing: list[str] = []
    for name in TOOLS:
        try:
            found.append(find_tool(name))
        except ToolMissing as error:
            missing.append(str(error))
            _report(f"skipped: {error}")
    return found, missing


def main(arguments: Sequence[str] | None = None) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    errors: list[FetchError] = []
    try:
        listed = read_sites(options.table) if not options.built else []
        if unknown := {*options.sites} - {site.name for site in listed} if listed else ():
            raise ValueError(f"no site is called {', '.join(sorted(unknown))}")
        listed = [site for site in listed if not options.sites or site.name in options.sites]
        tools, missing = _tools(options.tools) if options.results else ([], [])
    except (TableError, ValueError, ToolMissing) as error:
        parser.error(str(error))
    if not options.built:
        options.corpora.mkdir(parents=True, exist_ok=True)
        errors = build(listed, options.corpora, options.mirror, _report)
    if options.results and (options.corpora / "sites.json").exists():
        names = options.sites or ([site.name for site in listed] if listed else [])
        sites = [
            site
            for site in scored_sites(options.corpora, weak=options.weak)
            if not names or site.name in names
        ]
        if not sites:
            parser.error("no site to score")
        runs = score_sites(sites, tools, options.pages, options.results, _report, again=options.again)
        print(write_tables(runs, tools, options.pages, missing, options.results), end="")
    if errors:
        _report(f"\n{len(errors)} of {len(listed)} sites could not be fetched:")
        for failed in errors:
            _report(f"  {failed}")
    return int(bool(errors))


if __name__ == "__main__":
    sys.exit(main())
