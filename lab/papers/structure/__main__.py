"""How well is a template told by its structure?  Hachenberg & Gottron's experiments, on saved sites.

    python -m lab.papers.structure --corpora FOLDER [--pages 100] [--sample 10] [--json FILE]

See ``lab.papers.structure.experiments`` for what is done, ``methods`` for what is compared.

Cost: classification by distance compares all pages with all, O(pages^2) for TV, CP, CPS and CTSS; RTDM and
LCTS read ``--sample`` pages of a site.
Last run at 1e631aa.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from lab.bench.options import add_figures, add_json, add_pages, at_least_one, new_parser
from lab.bench.saved_sites import read_sites
from lab.bench.tables import keep_tables, show
from lab.papers.structure.experiments import (
    Kept,
    Result,
    classify,
    cluster_sites,
    cluster_types,
    keep,
    mean_of,
)
from lab.papers.structure.methods import METHODS
from lab.papers.structure.shape import Classifier, Method
from lab.papers.structure.tables import classification_table, clustering_table, type_table
from lab.papers.structure.type_classes import TypeResult, classify_types
from lab.papers.structure.type_trainers import TRAINERS


def say(line: str) -> None:
    """Tell how far it is."""
    print(line, file=sys.stderr, flush=True)


def read(folder: Path, methods: Sequence[Method], pages: int, sample: int) -> dict[str, list[Kept]]:
    """Return method -> what it keeps of each site."""
    kept: dict[str, list[Kept]] = {method.name: [] for method in methods}
    for site in read_sites(folder, pages):
        say(f"read {site.name}: {len(site.pages)} pages")
        for method in methods:
            kept[method.name].append(keep(method, site, sample))
    return kept


def compare(methods: Sequence[Method], kept: dict[str, list[Kept]]) -> dict[str, list[Any]]:
    """Do every experiment with every method; return experiment -> results."""
    results: dict[str, list[Any]] = {
        "classification": [],
        "sites": [],
        "page types": [],
        "types classified": [],
    }
    for method in methods:
        say(f"compare {method.name}")
        if isinstance(method, Classifier):
            results["classification"].append(classify(method, kept[method.name]))
        results["sites"].append(cluster_sites(method, kept[method.name]))
        results["page types"].append(cluster_types(method, kept[method.name]))
        if method.name in TRAINERS:
            results["types classified"] += classify_types(method.name, kept[method.name])
    return results


def report(results: dict[str, list[Any]]) -> dict[str, Table]:
    """Print the tables; return them by name."""
    tables = {
        "classification": classification_table(results["classification"]),
        "sites": clustering_table("All sites together, the class is the site", results["sites"]),
    }
    if types := [mean_of(by_site.values()) for by_site in results["page types"] if by_site]:
        title = "Site by site, the class is the page type: means over the sites"
        tables["types"] = clustering_table(title, types)
    if results["types classified"]:
        tables["types from examples"] = type_table(results["types classified"])
    for table in tables.values():
        show(table)
    return tables


def _plain_types(result: TypeResult) -> dict[str, Any]:
    return {**result._asdict(), "scores": result.scores._asdict()}


def _plain(result: Result) -> dict[str, Any]:
    return {**result._asdict(), "scores": [score._asdict() for score in result.scores]}


def _json(results: dict[str, list[Any]]) -> str:
    types = [{site: _plain(result) for site, result in by_site.items()} for by_site in results["page types"]]
    figures = {name: list(map(_plain, results[name])) for name in ("classification", "sites")}
    classified = list(map(_plain_types, results["types classified"]))
    return json.dumps({**figures, "page types": types, "types classified": classified}, indent=1)


def _parser() -> argparse.ArgumentParser:
    parser = new_parser("lab.papers.structure", __doc__, corpora=True)
    add = parser.add_argument
    add_pages(parser, 100)
    add(
        "--sample",
        metavar="N",
        type=at_least_one,
        default=10,
        help="pages of a site for RTDM and LCTS (default 10)",
    )
    add("--only", metavar="NAME", nargs="+", choices=[method.name for method in METHODS], help="methods")
    add_json(parser)
    add_figures(parser)
    return parser


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the experiments and print their tables."""
    parser = _parser()
    options = parser.parse_args(arguments)
    methods = [method for method in METHODS if not options.only or method.name in options.only]
    kept = read(options.corpora, methods, options.pages, options.sample)
    if not kept[methods[0].name]:
        parser.error("no sites in the folder")
    results = compare(methods, kept)
    keep_tables(options.figures, report(results))
    if options.json:
        options.json.write_text(_json(results), encoding="utf-8")


if __name__ == "__main__":
    main()
