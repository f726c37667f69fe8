"""Where should the index cut fingerprints?  Hachenberg & Gottron's Figure 2, on saved sites.

    python -m lab.papers.structure.split --corpora FOLDER [--pages N] [--plot FILE.svg] [--json FILE]

The entropies of head and tail for every cut (see ``lab.papers.structure.split_entropy``),
over the pages of all sites together, counted two ways:

pages     each page once, as in the paper
distinct  each fingerprint once, as it stands in the index; the large templates do not outweigh the rest

Departure: the paper's pages are of one site each, ours are up to 200 of a site, so few templates are
very frequent and the entropies are lower.

Cost: O(pages * length); without ``--pages`` every saved page is read.
Last run at 7e1e8c1.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.table import Table

from lab.bench.options import add_json, add_pages, new_parser
from lab.bench.peers import PeerMissing, library
from lab.bench.saved_sites import read_sites
from lab.bench.tables import show
from lab.papers.structure.split_entropy import SplitEntropy, balanced_split, entropy_by_split
from templcrawl.algorithms.fingerprints.fingerprint import FINGERPRINT_LENGTH, template_fingerprint

Entropies = dict[str, list[SplitEntropy]]
"""How fingerprints are counted -> the entropies by cut."""


def read_fingerprints(folder: Path, limit: int) -> list[bytes]:
    """Return the fingerprints of the first pages of every site of a folder."""
    return [template_fingerprint(page.text) for site in read_sites(folder, limit) for page in site.pages]


def entropies_of(fingerprints: Sequence[bytes]) -> Entropies:
    """Return the entropies over pages and over distinct fingerprints.

    >>> found = entropies_of([bytes(25), bytes(25), bytes(24) + b"x"])
    >>> {name: round(cuts[0].tail, 2) for name, cuts in found.items()}
    {'pages': 0.92, 'distinct': 1.0}
    """
    return {"pages": entropy_by_split(fingerprints), "distinct": entropy_by_split(set(fingerprints))}


def entropy_table(title: str, entropies: Entropies) -> Table:
    """Return the entropies as a table, a row a cut; the balanced cuts are marked."""
    table = Table(title=title, title_justify="left")
    for head in ("l", *(f"{part}, {name}" for name in entropies for part in ("head", "tail"))):
        table.add_column(head, justify="right")
    balanced = {name: balanced_split(cuts) for name, cuts in entropies.items()}
    for row in zip(*entropies.values()):
        cells = []
        for name, cut in zip(entropies, row):
            mark = " *" if cut.split == balanced[name] else ""
            cells += [f"{cut.head:.3f}", f"{cut.tail:.3f}{mark}"]
        table.add_row(str(row[0].split), *cells)
    return table


def plot(entropies: Entropies, path: Path) -> None:
    """Draw head and tail over the cut as SVG, the same file for the same figures; raises PeerMissing."""
    matplotlib = library("matplotlib")
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "templcrawl"
    pyplot = library("matplotlib.pyplot")
    figure, axes = pyplot.subplots(figsize=(8, 4.5), layout="constrained")
    for number, (name, cuts) in enumerate(entropies.items()):
        for part, line in (("head", "-"), ("tail", "--")):
            axes.plot(
                [cut.split for cut in cuts],
                [getattr(cut, part) for cut in cuts],
                color=f"C{number}",
                linestyle=line,
                marker="o",
                markersize=3,
                label=f"{part}, {name}",
            )
        balanced = balanced_split(cuts)
        axes.axvline(balanced, color=f"C{number}", linestyle=":", label=f"l = {balanced}, {name}")
    axes.set_xticks(range(2, FINGERPRINT_LENGTH, 2))
    axes.set_xlabel("split l: entries of the head")
    axes.set_ylabel("entropy, bits")
    axes.grid(visible=True, alpha=0.3)
    axes.legend(fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5))
    figure.savefig(path, format="svg", metadata={"Date": None})
    pyplot.close(figure)


def _parser() -> argparse.ArgumentParser:
    parser = new_parser("lab.papers.structure.split", __doc__, corpora=True)
    add = parser.add_argument
    add_pages(parser, sys.maxsize)
    add("--plot", metavar="FILE.svg", type=Path, help="draw the entropies; needs the extra bench")
    add_json(parser)
    return parser


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table and the balanced cuts."""
    parser = _parser()
    options = parser.parse_args(arguments)
    fingerprints = read_fingerprints(options.corpora, options.pages)
    if not fingerprints:
        parser.error("no sites in the folder")
    entropies = entropies_of(fingerprints)
    counts = {"pages": len(fingerprints), "distinct": len(set(fingerprints))}
    title = f"Entropy of head and tail, bits: {counts['pages']:,} pages, {counts['distinct']:,} fingerprints"
    show(entropy_table(title, entropies))
    for name, cuts in entropies.items():
        print(f"Balanced over {name}: l = {balanced_split(cuts)}")
    if options.json:
        plain = {name: [cut._asdict() for cut in cuts] for name, cuts in entropies.items()}
        options.json.write_text(
            json.dumps({"counts": counts, "entropies": plain}, indent=1), encoding="utf-8"
        )
    if options.plot:
        try:
            plot(entropies, options.plot)
        except PeerMissing as error:
            parser.error(str(error))


if __name__ == "__main__":
    main()
